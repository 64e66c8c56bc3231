package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/pgparse"
)

var rankShape = shape{keys: []string{"first", "per", "order", "among", "with_ties"}}

func (r *reader) rank(f field, s scope) *Rank {
	m, ok := r.mapping(f, fmt.Sprintf("rank %q", f.name()), rankShape)
	if !ok {
		return nil
	}
	rank := &Rank{Position: r.fieldAt(f), WithTies: r.boolean(m.fields["with_ties"])}
	if first, ok := m.require("first"); ok {
		r.first(rank, first, s)
	}
	for _, item := range r.list(m.fields["per"]) {
		if e := r.expression(item, s); e != nil {
			rank.Per = append(rank.Per, *e)
		}
	}
	if order, ok := m.require("order"); ok {
		r.order(rank, order, s)
	}
	if among, ok := m.fields["among"]; ok {
		rank.Among = r.expression(among, s)
	}
	return rank
}

// order reads the rank's ORDER BY list.
func (r *reader) order(rank *Rank, f field, s scope) {
	if _, ok := r.text(f); !ok {
		return
	}
	whole, ok := r.raw(f)
	if !ok {
		return
	}
	items, parsed, err := pgparse.Order(whole.SQL)
	if err != nil {
		r.sqlError(whole, "order", err)
		return
	}
	rank.OrderText = whole
	r.names(whole, parsed, s)
	for _, item := range items {
		rank.Order = append(rank.Order, OrderItem{
			Expr: whole.slice(item), Descending: item.Descending, NullsFirst: item.NullsFirst,
		})
	}
}

// slice is the expression of one item; it has a place of its own where the whole has one for
// every character.
func (e Expr) slice(item pgparse.OrderItem) Expr {
	part := Expr{SQL: item.SQL, Position: e.Position}
	if e.exact() {
		part.Position.Column += utf8.RuneCountInString(e.SQL[:item.Offset])
		part.Position.Width = utf8.RuneCountInString(item.SQL)
	}
	return part
}

const maxFirst = 1000000000

var countShape = shape{keys: append([]string{"count"}, boundaries...)}

// first is how many rows of a rank have a place that counts: a number, or a map whose count the
// row gives. A map with a number is that number, and may be zero.
func (r *reader) first(rank *Rank, f field, s scope) {
	if resolve(f.value).Kind != yaml.MappingNode {
		rank.First = r.firstNumber(f)
		return
	}
	m, ok := r.mapping(f, `"first"`, countShape)
	if !ok {
		return
	}
	count, ok := m.require("count")
	if !ok {
		return
	}
	d := &CountData{Position: r.at(f.value)}
	d.AtLeast, d.AtMost = r.number0(m.fields["at_least"]), r.number0(m.fields["at_most"])
	if isNumber(count) {
		r.constant(m)
		if d.Else = r.number0(count); d.Else != nil {
			rank.First = *d.Else
		}
		r.countBounds(d)
		return
	}
	if e := r.expression(count, scope{names: s.names}); e != nil {
		d.Value = *e
	}
	d.NeverValues = r.literals(m.fields["never"])
	if otherwise, ok := m.fields["else"]; ok && !isNull(otherwise) {
		d.Else = r.number0(otherwise)
	}
	r.countBounds(d)
	rank.Count = d
}

func (r *reader) firstNumber(f field) int64 {
	n, ok := r.integer(f)
	switch {
	case ok && n == 0:
		r.add(codeNumber, r.at(f.value), "first 0 is out of range", "No row would have a place.", "Write a number from 1 to 1000000000, or {count: 0, at_least: 0} where zero is meant.")
	case ok && (n < 0 || n > maxFirst):
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("first %d is out of range", n), "", fmt.Sprintf("Write a number from 1 to %d.", maxFirst))
	case ok:
		return n
	}
	return 1
}

// number0 is a number from zero, nil where there is none.
func (r *reader) number0(f field) *int64 {
	if f.value == nil {
		return nil
	}
	n, ok := r.integer(f)
	if !ok {
		return nil
	}
	if n < 0 || n > maxFirst {
		r.add(codeNumber, r.at(f.value), fmt.Sprintf("%s %d is out of range", f.name(), n), "", fmt.Sprintf("Write a number from 0 to %d.", maxFirst))
		return nil
	}
	return &n
}

func (r *reader) countBounds(d *CountData) {
	if d.Else != nil && *d.Else == 0 && (d.AtLeast == nil || *d.AtLeast != 0) {
		r.add(codeNumber, d.Position, `"first" is zero`, "No row would have a place.", `Write a higher number, or "at_least: 0" beside it.`)
		return
	}
	for _, pair := range []struct {
		low, high *int64
		message   string
	}{
		{d.AtLeast, d.AtMost, `"at_least" %d is above "at_most" %d`},
		{d.AtLeast, d.Else, `"at_least" %d is above the number %d`},
		{d.Else, d.AtMost, `the number %d is above "at_most" %d`},
	} {
		if pair.low != nil && pair.high != nil && *pair.low > *pair.high {
			r.add(codeBounds, d.Position, fmt.Sprintf(pair.message, *pair.low, *pair.high), "", "Correct one of the two.")
		}
	}
}

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
