package generator

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// stepEntry says in the registry what a step does, without its SQL. The policy's functions have the
// SQL.
type stepEntry struct {
	Step    int         `json:"step"`
	Verb    policy.Verb `json:"verb"`
	Table   string      `json:"table"`             // the table that the step changes
	Related string      `json:"related,omitempty"` // the other table whose rows the step reads or changes
	Where   bool        `json:"where,omitempty"`   // the step takes only rows that meet a condition
	Set     any         `json:"set,omitempty"`     // see withSets
}

// stepEntries returns the registry entries of the steps, in their order. Notes on the conditions of
// the policy are in <policy>_effects; an entry at step 0 says that there are some.
func (w *policyCompiler) stepEntries(notes []string) []stepEntry {
	var list []stepEntry
	if len(notes) > 0 {
		list = append(list, stepEntry{Verb: policy.VerbNote, Table: tableName(w.table)})
	}
	for _, s := range w.steps {
		e := stepEntry{Step: s.number, Verb: s.verb, Table: s.target, Where: s.Where != nil}
		if s.Related != nil {
			e.Related = s.Related.Table.String()
		}
		list = append(list, e)
	}
	for _, table := range w.watermarks() {
		list = append(list, stepEntry{Step: len(w.policy.Then) + 1, Verb: policy.VerbUpdate, Table: table})
	}
	return w.withSets(list)
}

// copiedColumn is a column of an archive's key, with the column from which a step copies it.
type copiedColumn struct{ Column, Source ident }

// copiedKey returns the key of an archive with the columns from which the step copies it. It
// returns nil unless the step copies the whole key.
func (w *policyCompiler) copiedKey(s step) []copiedColumn {
	into := s.into
	if s.Archive.Document != "" || w.policy.Partitions {
		return nil
	}
	var key []copiedColumn
	for _, column := range s.from.Columns {
		name := s.Archive.NameOf(column.Name)
		if slices.Contains(into.PrimaryKey, name) && column.Type == into.Column(name).Type &&
			!assigned(s.Archive.Set, name) {
			key = append(key, copiedColumn{ident(name), ident(column.Name)})
		}
	}
	if len(key) < len(into.PrimaryKey) {
		return nil
	}
	return key
}

// tableRead is a table that an expression names.
type tableRead struct {
	table *catalog.Table
	ref   pgparse.TableRef
	expr  *pgparse.Expr
}

func (w *policyCompiler) tablesRead(list []policy.SQLFragment) []tableRead {
	var found []tableRead
	for _, part := range list {
		parsed := part.Expr.Parsed()
		for _, ref := range parsed.Tables {
			if table := w.lookUp(ref); table != nil {
				found = append(found, tableRead{table, ref, parsed})
			}
		}
	}
	return found
}

// stepNotes returns notes about a step whose preview is uncertain. Such a step uses tables that
// earlier steps write, or may find rows that exist already. A condition that deletes can only make
// true is certain: the step takes the row in the batch that deletes the last row of the sub-select.
func (w *policyCompiler) stepNotes(s step) []string {
	var notes []string
	for _, before := range w.policy.Effects(s.number - 1) {
		name, verb := before.Table.String(), before.Verb()
		note := func(does string) {
			text := fmt.Sprintf("it %s table %q, which step %d writes", does, name, before.Step+1)
			notes = lists.AppendUnique(notes, text)
		}
		for _, r := range w.tablesRead(s.expressions) {
			known := verb == policy.VerbDelete && plainRead(r.expr, r.ref) && r.expr.OnlyGetsTrue()
			if s.SQL == nil && !known && tableName(r.table) == name {
				note("reads")
			}
		}
		// Rows that steps delete are left out. Rows that cascades delete are counted for the first
		// step that takes them.
		known := verb == policy.VerbDelete || verb == policy.VerbCascade && s.Delete != nil
		if (s.Related != nil || s.Update != nil) && tableName(s.from) == name && !known {
			note("acts on")
		}
	}
	if s.Insert != nil && len(s.Insert.Key)+len(s.Insert.Per) > 0 {
		notes = append(notes, "at most this many, because rows of one group become one row or change an existing row")
	} else if s.Archive != nil && keepsOrReplaces(s.Archive) {
		notes = append(notes, "at most this many, because rows may exist already")
	}
	if why := w.unforeseen(s); why != "" {
		notes = append(notes, why)
	}
	return notes
}

// conditionNotes returns notes about tables that decide whether rows are due and that steps write.
// Later batches may then take other rows than one large batch would.
func (w *policyCompiler) conditionNotes() []string {
	var notes []string
	seen := map[string]bool{}
	reads, columns := w.tablesRead(w.decidingExpressions()), w.decidingColumns()
	for _, e := range w.policy.Effects(len(w.steps)) {
		name, why, verb := e.Table.String(), "", e.Verb()
		decides := verb != policy.VerbUpdate || slices.ContainsFunc(e.Set,
			func(a policy.Assignment) bool { return slices.Contains(columns, a.Column) })
		switch {
		case seen[name]:
		case slices.ContainsFunc(reads, func(r tableRead) bool {
			return tableName(r.table) == name && !w.ownChildren(r, e)
		}):
			why = fmt.Sprintf("conditions read table %q, which step %d writes", name, e.Step+1)
		case name == tableName(w.table) && (w.policy.Then[e.Step].Related != nil && decides ||
			verb == policy.VerbCascade && len(w.policy.Then) > 1):
			why = fmt.Sprintf("step %d writes other rows of the policy's own table", e.Step+1)
		}
		if why != "" {
			notes, seen[name] = append(notes, why+", so later batches may take other rows"), true
		}
	}
	return notes
}

// ownChildren reports whether a condition and a step use only those rows of a table that refer to
// the policy's current row. Both the condition and the step must contain "c.parent = t.id", for
// each column of the key. Then no batch changes what the condition finds for a row of another
// batch. It returns false if the policy has a rank, because a rank also reads other rows of the
// group.
func (w *policyCompiler) ownChildren(read tableRead, write policy.Effect) bool {
	ranks := len(w.policy.DueRanks()) > 0 ||
		slices.ContainsFunc(w.policy.Keep, func(g policy.Guard) bool { return g.Rank != nil })
	if ranks {
		return false
	}
	level := slices.IndexFunc(read.expr.Levels, func(l pgparse.Level) bool {
		return !l.Derived && slices.Contains(l.Tables, read.ref)
	})
	if level < 0 || len(w.table.PrimaryKey) == 0 {
		return false
	}
	for _, key := range w.table.PrimaryKey {
		reads := read.expr.EqualTo("t." + key)[level]
		same := slices.ContainsFunc(w.writtenBy(write, key), func(column string) bool {
			set := slices.ContainsFunc(write.Set, func(a policy.Assignment) bool { return a.Column == column })
			return reads[read.ref.Qualifier()+"."+column] && !set
		})
		if !same {
			return false
		}
	}
	return true
}

// writtenBy returns columns of the table that a step writes. In every row that the step updates or
// deletes, these columns equal the given key column of the policy's row. writtenBy returns no
// columns if a cascade reaches the table on more than one path.
func (w *policyCompiler) writtenBy(write policy.Effect, key string) []string {
	related := w.policy.Then[write.Step].Related
	switch verb := write.Verb(); {
	case related != nil && (verb == policy.VerbUpdate || verb == policy.VerbDelete):
		child := pgparse.TableRef{Schema: related.Table.Schema, Name: related.Table.Name, Alias: related.As}
		where := related.Where.Parsed()
		var columns []string
		for name, equal := range where.EqualTo("t."+key, child)[0] {
			if column, own := strings.CutPrefix(name, child.Qualifier()+"."); own && equal {
				columns = append(columns, column)
			}
		}
		return columns
	case related == nil && verb == policy.VerbCascade:
		paths := slices.DeleteFunc(w.tables.CascadePaths(tableName(w.table)), func(path []catalog.ForeignKey) bool {
			return path[len(path)-1].Table != write.Table.String()
		})
		if len(paths) == 1 && len(paths[0]) == 1 {
			if i := slices.Index(paths[0][0].RefColumns, key); i >= 0 {
				return paths[0][0].Columns[i : i+1]
			}
		}
	}
	return nil
}

// decidingExpressions returns the expressions that decide about rows during a run.
func (w *policyCompiler) decidingExpressions() []policy.SQLFragment {
	p := *w.policy
	p.Then, p.Claim, p.Touch, p.Joins = nil, nil, nil, nil
	for _, j := range w.policy.Joins {
		if !j.OncePerRun() {
			p.Joins = append(p.Joins, j)
		}
	}
	return slices.DeleteFunc(p.Fragments(), func(part policy.SQLFragment) bool {
		return slices.ContainsFunc(p.DueClocks(), func(k *policy.Clock) bool {
			return k.UpTo != nil && *k.UpTo == part.Expr
		})
	})
}

// decidingColumns returns the columns of the row that decide about it or that steps read.
func (w *policyCompiler) decidingColumns() []string {
	columns, list := names(w.policy.Scope), w.decidingExpressions()
	for _, s := range w.steps {
		list = append(list, s.expressions...)
	}
	for _, part := range list {
		columns = append(columns, w.columnsRead(part.Expr.Parsed(), "")...)
	}
	for _, k := range w.clocks {
		if k != nil {
			columns = append(columns, w.clockColumns(k)...)
		}
	}
	return columns
}

// withSets adds to each step the columns that the step sets in existing rows. A column maps to the
// SQL of its value if the value is the same for all rows, otherwise to null. For an insert,
// withSets adds only the names of the columns. An SQL step and the watermark get separate entries
// for the columns that they set.
func (w *policyCompiler) withSets(list []stepEntry) []stepEntry {
	for _, s := range w.policy.Sets() {
		set := map[string]*string{}
		for _, a := range s.Set {
			set[a.Column] = nil
			value := a.Value.Parsed()
			if _, constant := value.Constant(); constant || value.IsColumn("as_of") {
				sql := strings.TrimSpace(value.SQL)
				set[a.Column] = &sql
			}
		}
		i := slices.IndexFunc(list, func(e stepEntry) bool {
			return e.Step == s.Step+1 && e.Step > 0 && e.Verb != policy.VerbSQL
		})
		switch {
		case i < 0:
			list = append(list, stepEntry{Verb: policy.VerbSet, Table: s.Table.String(), Set: set})
		case list[i].Verb == policy.VerbUpdate:
			list[i].Set = set
		default:
			list[i].Set = slices.Sorted(maps.Keys(set))
		}
	}
	return list
}
