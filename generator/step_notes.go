package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// written is a table that a step writes: which rows go, which columns change, or what else.
type written struct {
	table   string
	step    step
	verb    string   // "delete", "cascade", "update", "insert" or "sql"
	columns []string // of an update
}

// writes lists what the steps before number write.
func (w *work) writesBefore(number int) []written {
	var list []written
	for _, s := range w.steps() {
		if s.number >= number {
			break
		}
		switch {
		case s.Delete != nil:
			list = append(list, written{w.targetOf(s), s, "delete", nil})
			for _, t := range s.Delete.Cascades {
				list = append(list, written{t.String(), s, "cascade", nil})
			}
		case s.Update != nil:
			list = append(list, written{w.targetOf(s), s, "update", columnsOf(s.Update.Set)})
		case s.Insert != nil || s.Archive != nil:
			list = append(list, written{w.targetOf(s), s, "insert", nil})
		case s.SQL != nil:
			for _, u := range (&policy.Policy{Then: []policy.Step{s.Step}}).Uses()[1:] {
				list = append(list, written{u.Table.String(), s, "sql", nil})
			}
		}
	}
	return list
}

func columnsOf(list []policy.Assignment) []string {
	var names []string
	for _, a := range list {
		names = append(names, a.Column)
	}
	return names
}

// read is a table that an expression names.
type read struct {
	table *catalog.Table
	ref   pgparse.TableRef
	expr  *pgparse.Expr
}

func (w *work) tablesRead(list ...policy.Expr) []read {
	var found []read
	for _, e := range list {
		parsed, ok := w.parseAny(e)
		if !ok {
			continue
		}
		for _, ref := range parsed.Tables {
			if table := w.lookUp(ref); table != nil {
				found = append(found, read{table, ref, parsed})
			}
		}
	}
	return found
}

// name is what the table is called in the expression.
func (r read) name() string {
	if r.ref.Alias != "" {
		return r.ref.Alias
	}
	return r.ref.Name
}

// columns says whether the expression may read one of a table's columns: a bare name may be one.
func (r read) columns(names []string) bool {
	return slices.ContainsFunc(r.expr.Columns, func(ref pgparse.ColumnRef) bool {
		if ref.Star || len(ref.Fields) == 1 && ref.Fields[0] == r.name() {
			return true
		}
		last := ref.Fields[len(ref.Fields)-1]
		return slices.Contains(names, last) && (len(ref.Fields) == 1 || ref.Fields[len(ref.Fields)-2] == r.name())
	})
}

// goesWithLast is the form of a condition that only becomes true when rows go: whichever batch the last
// of them is in, the step finds it.
var goesWithLast = regexp.MustCompile(`(?is)^[^()]*\bnot\s+exists\s*\([^()]*\)\s*$`)

// stepNotes says what a step reads that earlier steps write, where nobody can know it beforehand.
func (w *work) stepNotes(s step) []string {
	var notes []string
	for _, b := range w.writesBefore(s.number) {
		for _, r := range w.tablesRead(s.expressions()...) {
			switch {
			case tableName(r.table) != b.table || s.SQL != nil:
			case b.verb == "update" && !r.columns(b.columns):
			case b.verb == "delete" && plainRead(r.expr, r.ref) && goesWithLast.MatchString(r.expr.SQL):
			default:
				notes = append(notes, fmt.Sprintf("it reads table %q, which step %d writes", b.table, b.step.number))
			}
		}
		acts := s.Related != nil && s.Related.Table.String() == b.table ||
			s.Related == nil && s.Update != nil && b.table == tableName(w.table) && b.verb != "delete"
		if acts && w.meets(s, b) {
			notes = append(notes, fmt.Sprintf("it acts on table %q, which step %d writes", b.table, b.step.number))
		}
	}
	return notes
}

// meets says whether what an earlier step wrote may change what a step does on the same table.
func (w *work) meets(s step, b written) bool {
	switch b.verb {
	case "delete":
		return false // left out
	case "cascade":
		return s.Delete == nil // which the rows' first way out is counted for
	case "update":
		if s.Update != nil && slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return slices.Contains(b.columns, a.Column) }) {
			return true
		}
		return slices.ContainsFunc(s.expressions(), func(e policy.Expr) bool {
			parsed, ok := w.parseAny(e)
			return ok && s.Related != nil && read{ref: pgparse.TableRef{Name: s.Related.As}, expr: parsed}.columns(b.columns)
		})
	}
	return true
}

// conditionNotes says which tables that decide about rows steps write: batches after the first may
// judge otherwise than all at once.
func (w *work) conditionNotes() []string {
	var notes []string
	all := w.writesBefore(len(w.policy.Then) + 1)
	seen := map[string]bool{}
	for _, r := range w.tablesRead(w.decidingParts()...) {
		for _, b := range all {
			if tableName(r.table) != b.table || b.verb == "update" && !r.columns(b.columns) || seen[b.table] || w.tied(r, b) {
				continue
			}
			seen[b.table] = true
			notes = append(notes, fmt.Sprintf("conditions read table %q, which step %d writes: later batches may judge otherwise", b.table, b.step.number))
		}
	}
	for _, b := range all {
		own := b.table == tableName(w.table) && (b.step.Related != nil || b.verb == "cascade") && !seen[b.table]
		own = own && (b.verb != "update" || slices.ContainsFunc(b.columns, func(name string) bool { return slices.Contains(w.decidingColumns(), name) }))
		if own && (len(w.policy.Then) > 1 || b.verb != "cascade") {
			seen[b.table] = true
			notes = append(notes, fmt.Sprintf("step %d writes other rows of the policy's own table: later batches may judge otherwise", b.step.number))
		}
	}
	return notes
}

// decidingParts are the expressions that decide about rows while a run is under way.
func (w *work) decidingParts() []policy.Expr {
	p := *w.policy
	p.Then, p.Claim, p.Touch, p.Joins = nil, nil, nil, nil
	for _, j := range w.policy.Joins {
		if !j.OncePerRun() {
			p.Joins = append(p.Joins, j)
		}
	}
	var list []policy.Expr
	for _, part := range p.Parts() {
		list = append(list, part.Expr)
	}
	for _, entry := range w.entries() {
		if k := entry.Clock; k != nil && k.UpTo != nil {
			list = slices.DeleteFunc(list, func(e policy.Expr) bool { return e == *k.UpTo })
		}
	}
	return list
}

// decidingColumns are the row's own columns that decide about it, and that steps read.
func (w *work) decidingColumns() []string {
	var names []string
	list := w.decidingParts()
	for _, s := range w.steps() {
		list = append(list, s.expressions()...)
	}
	for _, e := range list {
		if parsed, ok := w.parseAny(e); ok {
			names = append(names, w.columnsRead(parsed, "")...)
		}
	}
	for _, k := range w.clocks {
		if k != nil {
			names = append(names, w.clockColumns(k)...)
		}
	}
	for _, s := range w.policy.Scope {
		names = append(names, s.Text)
	}
	return names
}

func (w *work) entries() []policy.Entry {
	if w.policy.Due == nil {
		return nil
	}
	return w.policy.Due.Entries
}

// tied says whether a condition looks only at rows that belong to the row it judges, and the step takes
// only those with it: then no other row's batch makes a difference.
func (w *work) tied(r read, b written) bool {
	column := w.tieOf(r.expr.SQL, r.name())
	if column == "" {
		return false
	}
	switch {
	case b.verb == "cascade" && b.step.Related == nil:
		ways := 0
		for _, path := range w.cascadePaths(w.table) {
			last := path[len(path)-1]
			if w.root(last.Table) != w.root(b.table) {
				continue
			}
			ways++
			if len(path) > 1 || !slices.Equal(last.Columns, []string{column}) {
				return false
			}
		}
		return ways == 1
	case b.verb == "delete" || b.verb == "update":
		return b.step.Related != nil && w.tieOf(b.step.Related.Where.SQL, b.step.Related.As) == column
	}
	return false
}

// tieOf is the column of the table called alias that an expression compares with the row's only key
// column; "" where there is none, or where the comparison need not hold.
func (w *work) tieOf(sql, alias string) string {
	if len(w.table.PrimaryKey) != 1 || anyOr.MatchString(sql) {
		return ""
	}
	key := regexp.QuoteMeta(w.table.PrimaryKey[0])
	name := `(?:\b` + regexp.QuoteMeta(alias) + `\.)?\b([a-z_][a-z0-9_]*)`
	for _, form := range []string{name + `\s*=\s*t\.` + key + `\b`, `\bt\.` + key + `\s*=\s*` + name} {
		found := regexp.MustCompile(`(?i)(?:^|[^.\w])` + form).FindStringSubmatch(sql)
		if found != nil {
			return strings.ToLower(found[1])
		}
	}
	return ""
}

var anyOr = regexp.MustCompile(`(?i)\bor\b`)
