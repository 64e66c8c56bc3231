package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// expectation is what a policy relies on of a relation, as retention._unexpected compares it with the catalog.
type expectation struct {
	Kind     string            `json:"kind,omitempty"`    // "": a table
	Columns  map[string]string `json:"columns,omitempty"` // those that the policy names, with type and collation
	Whole    bool              `json:"whole,omitempty"`   // it has no others: rows are copied by their columns
	Key      []string          `json:"key,omitempty"`     // rows are found again by it
	Cascades []string          `json:"cascades,omitzero"` // where foreign keys delete its rows: those that go on from there
}

// expects is what a policy relies on, by relation: of those that it names, and those that foreign keys reach from its
// deletes. Archives that it makes are not known by the snapshot, or only later.
func (w *work) expects(functions []Object) map[string]*expectation {
	all := map[string]*expectation{}
	names := w.columnNamesIn(functions)
	for _, r := range w.rights {
		if table := w.tableNamed(r.table.String()); table != nil && table.Schema != w.schema() && !w.makes(tableName(table)) {
			if own := tableName(table) == tableName(w.table); own && !w.policy.Partitions {
				table = w.table // with the columns that the policy makes sure of
			}
			all[tableName(table)] = w.expectation(table, names)
		}
	}
	for _, d := range w.policy.Deletes() {
		if table := w.tableNamed(d.Table.String()); table != nil {
			w.expectCascades(all, table)
		}
	}
	return all
}

// makes says whether the policy makes an archive.
func (w *work) makes(name string) bool {
	return slices.ContainsFunc(w.policy.Uses(), func(u policy.Use) bool { return u.Created && u.Table.String() == name })
}

func kindOf(table *catalog.Table) string {
	if table.Kind == "table" {
		return ""
	}
	return table.Kind
}

func (w *work) expectation(table *catalog.Table, names columnNamesIn) *expectation {
	e := &expectation{Kind: kindOf(table), Columns: map[string]string{}}
	for _, k := range w.known {
		if k.table == tableName(table) && k.whole {
			e.Whole = true
		} else if k.table == tableName(table) {
			e.Key = table.PrimaryKey
		}
	}
	own := tableName(table) == w.policy.Table.String()
	for _, c := range table.Columns {
		if w.policy.Partitions && own || !e.Whole && !names.has(c.Name, own) {
			continue
		}
		e.Columns[c.Name] = c.Type
		if c.Collation != "" {
			e.Columns[c.Name] += " COLLATE " + c.Collation
		}
	}
	return e
}

// expectCascades notes the foreign keys along which deletes from a table change rows, at the table that they lead to.
func (w *work) expectCascades(all map[string]*expectation, table *catalog.Table) {
	entry := func(name string) *expectation {
		if all[name] == nil {
			all[name] = &expectation{}
			if t := w.tableNamed(name); t != nil {
				all[name].Kind = kindOf(t)
			}
		}
		return all[name]
	}
	for _, path := range w.cascadePaths(table) {
		key := path[len(path)-1]
		columns := slices.Sorted(slices.Values(key.Columns))
		e, child := entry(w.root(key.RefTable)), entry(w.root(key.Table))
		if key.OnDelete == "cascade" && child.Cascades == nil {
			child.Cascades = []string{}
		}
		e.Cascades = with(e.Cascades, fmt.Sprintf("%s (%s) %s", w.root(key.Table), strings.Join(columns, ", "), key.OnDelete))
	}
	for _, e := range all {
		slices.Sort(e.Cascades)
	}
}

// columnNamesIn are names that stand in a policy's SQL where a column may be meant.
type columnNamesIn struct {
	named   map[string]bool // in its own expressions, of whatever table
	ofTable map[string]bool // behind the alias t
	ofOther map[string]bool // behind any alias
	star    bool            // all columns of some table
}

func (n columnNamesIn) has(column string, own bool) bool {
	return n.named[column] || n.star && !own || own && n.ofTable[column] || !own && n.ofOther[column]
}

// columnNamesIn reads what is generated rather than what the policy says, so that no clock, cursor or step is
// forgotten; a name that means something else does no harm.
func (w *work) columnNamesIn(functions []Object) columnNamesIn {
	n := columnNamesIn{w.named, map[string]bool{}, map[string]bool{}, w.star}
	for _, f := range functions {
		text := f.SQL
		for i := strings.IndexByte(text, '.'); i >= 0; i = strings.IndexByte(text, '.') {
			name := firstName(text[i+1:])
			n.ofOther[name] = true
			if i > 0 && text[i-1] == 't' && (i == 1 || !wordByte(text[i-2])) {
				n.ofTable[name] = true
			}
			text = text[i+1:]
		}
	}
	for _, s := range w.policy.Sets() {
		for _, a := range s.Set {
			n.named[a.Column] = true
		}
	}
	for _, k := range w.policy.Then {
		if k.Insert != nil {
			for _, a := range k.Insert.Set {
				n.named[a.Column] = true
			}
		}
	}
	return n
}

func wordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// firstName is the identifier that a text begins with, "" for none.
func firstName(text string) string {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		for i := 0; i < len(rest); i++ {
			switch {
			case rest[i] != '"':
			case strings.HasPrefix(rest[i:], `""`):
				i++
			default:
				return strings.ReplaceAll(rest[:i], `""`, `"`)
			}
		}
	}
	end := 0
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	return text[:end]
}

// noteNames keeps which columns an expression may mean, and where it looks for functions, types and operators.
func (w *work) noteNames(columns []pgparse.ColumnRef, schemas []string) {
	for _, schema := range schemas {
		if schema != "pg_catalog" && schema != w.schema() && !slices.Contains(w.file.Install.SearchPath, schema) {
			w.schemas = with(w.schemas, schema)
		}
	}
	slices.Sort(w.schemas)
	for _, ref := range columns {
		if w.star = w.star || ref.Star; len(ref.Fields) > 0 {
			w.named[ref.Fields[len(ref.Fields)-1]] = true
		}
	}
}
