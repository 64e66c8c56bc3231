package policy

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	clockShapes = map[string]shape{
		"age":      {keys: []string{"older_than", "column", "expression", "encoding", "nulls", "inclusive", "up_to"}},
		"expires":  {keys: []string{"grace", "column", "expression", "encoding", "nulls", "inclusive", "up_to"}},
		"position": {keys: []string{"column", "expression", "encoding", "up_to", "watermark"}},
	}
	watermarkShape = shape{keys: []string{"table", "column", "where"}}
)

// position reads what a position has instead of a window.
func (r *reader) position(c *Clock, m mapping) {
	if f, ok := m.fields["watermark"]; ok {
		c.Watermark = r.watermark(f)
	}
	if !m.has("up_to") && !m.has("watermark") {
		r.add(codeMissing, c.Position, `"position" needs "up_to" or "watermark"`, "Without both every row would be due.", "Say where the rows that are due end, or from where on they have not been worked off.")
	}
}

func (r *reader) watermark(f field) *Watermark {
	m, ok := r.mapping(f, `"watermark"`, watermarkShape)
	if !ok {
		return nil
	}
	w := &Watermark{Position: r.at(f.key)}
	if table, ok := m.require("table"); ok {
		w.Table, _ = r.table(table)
	}
	if column, ok := m.require("column"); ok {
		w.Column = r.columnName(column)
	}
	if where, ok := m.fields["where"]; ok {
		w.Where = r.expression(where, scope{names: []string{}})
	}
	return w
}

// upTo is a query for one value, read when the run starts, when there is no row yet.
func (r *reader) upTo(f field, s scope) *Expr {
	if f.value == nil {
		return nil
	}
	query, parsed := r.queryOnce(f, s, "the query of "+quoted("up_to"))
	if query != nil && parsed.Results > 1 {
		r.add(codeExpression, query.Position, fmt.Sprintf("\"up_to\" is one value, and its query returns %d", parsed.Results), "", "Select one column.")
	}
	return query
}

// partitionClock refuses what a partition's upper bound, which is the clock, has no use for.
func (r *reader) partitionClock(m mapping) {
	for _, key := range []string{"column", "expression", "nulls", "inclusive", "watermark"} {
		if f, ok := m.fields[key]; ok {
			r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is not allowed under \"partitions_of\"", key), "The clock of a partition is its upper bound; one at the cutoff is due.", "Remove the key.")
		}
	}
}

// clockNames are the keys of an entry that are clocks.
var clockNames = []string{"age", "expires", "position"}

// oneClock is the entry's clock; two exclude each other.
func (r *reader) oneClock(m mapping) (field, string) {
	var found field
	var kind string
	for _, name := range clockNames {
		f, ok := m.fields[name]
		if ok && kind != "" {
			r.add(codeConflict, r.at(f.key), fmt.Sprintf("%q and %q exclude each other", kind, name), "",
				fmt.Sprintf("For rows that exceed either, write due: {any: [{%s: ...}, {%s: ...}]}.", kind, name))
		} else if ok {
			found, kind = f, name
		}
	}
	return found, kind
}

// emptyEntry says that an entry has nothing in it.
func (r *reader) emptyEntry(m mapping) {
	if node := resolve(m.from.value); node.Kind == yaml.MappingNode && len(node.Content) == 0 {
		r.add(codeMissing, r.fieldAt(m.from), m.what+" is empty", "", "Write "+strings.Join(clockNames, ", ")+" or beyond.")
	}
}
