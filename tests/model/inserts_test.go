package model

import (
	"slices"
	"strings"
	"time"

	"pgretain/internal/quote"
)

// keyedInsert is an insert with key into table sums.
type keyedInsert struct {
	where  expr
	newest bool // column last gets the value of the newest row
}

func (s keyedInsert) group(f *tableSet) expr {
	return coalesce{col{"t", f.style("kind")}, word("none")}
}

// yamlOf returns the step for YAML. The table set gives it the names.
func (s keyedInsert) yamlOf(f *tableSet) any {
	n := col{"t", f.style("n")}.sql()
	o := obj{{"into", f.sums.ref()}, {"key", obj{{"kind", s.group(f).sql()}}},
		{"add", obj{{"n", "count(*)"}, {"total", "sum(" + n + ")"}}},
		{"max", obj{{"best", "max(" + n + ")"}}}, {"min", obj{{"worst", "min(" + n + ")"}}}}
	if s.newest {
		o = append(o, field{"set", obj{{"last", col{"t", f.style("seq")}.sql()}}})
	}
	if s.where != nil {
		o = append(o, field{"where", s.where.sql()})
	}
	return obj{{"insert", o}}
}

// tableStep is a step whose YAML contains names of the table set.
type tableStep struct {
	tableSet *tableSet
	of       interface {
		yamlOf(*tableSet) any
		do(*model, []dueRow) error
	}
}

func (b tableStep) yaml() any                         { return b.of.yamlOf(b.tableSet) }
func (b tableStep) do(m *model, batch []dueRow) error { return b.of.do(m, batch) }
func (b tableStep) reaches(*model, dueRow) []reached  { return nil }

func (s keyedInsert) do(m *model, batch []dueRow) error {
	f := m.tableSet
	for _, j := range batch {
		if s.where != nil && !isTrue(s.where.eval(j.env)) {
			continue
		}
		group := s.group(f).eval(j.env)
		i := slices.IndexFunc(m.data[f.sums], func(r row) bool { return same(r["kind"], group) })
		if i < 0 {
			i = len(m.data[f.sums])
			m.data[f.sums] = append(m.data[f.sums], row{"kind": group})
		}
		r := m.data[f.sums][i]
		r["n"], r["total"] = plus(r["n"], int64(1)), plus(r["total"], int64(0)) // add counts NULL as 0
		if n := j.row[f.style("n")]; n != nil {
			r["total"] = plus(r["total"], n)
			if r["best"] == nil || compare(n, r["best"]) > 0 {
				r["best"] = n
			}
			if r["worst"] == nil || compare(n, r["worst"]) < 0 {
				r["worst"] = n
			}
		}
		if s.newest {
			r["last"] = j.row[f.style("seq")] // rows are in the order of the clock
		}
	}
	return nil
}

func plus(a, b value) value {
	if a == nil {
		return b
	}
	return a.(int64) + b.(int64)
}

// archive copies rows of the policy's table by columns or as documents, or related rows as
// documents.
type archive struct {
	related  *related
	document bool
	existing string
	where    expr
}

func (a archive) yamlOf(f *tableSet) any {
	var o obj
	if a.related != nil {
		o = a.related.fields()
	}
	if a.where != nil {
		o = append(o, field{"where", a.where.sql()})
	}
	if a.document {
		what := literal(text(a.what()), textual)
		o = append(o,
			field{"into", f.attic.ref()},
			field{"document", "body"},
			field{"set", obj{{"what", what}, {"at", "as_of"}}},
		)
	} else {
		o = append(o, field{"into", f.old.ref()}, field{"set", obj{{"archived", "as_of"}}})
		var renamed obj
		for _, c := range f.item.columns {
			if f.kept[c.name] != c.name {
				renamed = append(renamed, field{quote.Ident(f.kept[c.name]), quote.Ident(c.name)})
			}
		}
		if renamed != nil {
			o = append(o, field{"columns", renamed})
		}
		if a.existing != "" {
			o = append(o, field{"existing", a.existing})
		}
	}
	return obj{{"archive", o}}
}

func (a archive) what() string {
	if a.related != nil {
		return "child"
	}
	return "item"
}

func (a archive) do(m *model, batch []dueRow) error {
	f := m.tableSet
	var copied []row
	for _, j := range batch {
		of, rows := f.item, []row{j.row}
		if a.related != nil {
			of, rows = a.related.table, a.related.rows(m, j)
		} else if a.where != nil && !isTrue(a.where.eval(j.env)) {
			continue
		}
		for _, r := range rows {
			if a.document {
				isCopied := slices.ContainsFunc(copied, func(x row) bool { return of.compareKeys(x, r) == 0 })
				if a.related != nil && isCopied {
					continue
				}
				copied = append(copied, r)
				document := row{"what": text(a.what()), "at": moment(m.asOf), "body": keyText(of, r)}
				m.data[f.attic] = append(m.data[f.attic], document)
				continue
			}
			old := f.archived(r, m.asOf)
			i := slices.IndexFunc(m.data[f.old], func(x row) bool { return f.old.compareKeys(x, old) == 0 })
			switch {
			case i < 0:
				m.data[f.old] = append(m.data[f.old], old)
			case a.existing == "keep":
			case a.existing == "replace":
				m.data[f.old][i] = old
			default:
				return errRefused
			}
		}
	}
	return nil
}

// archived returns the row of table old for a row of item.
func (f *tableSet) archived(r row, at time.Time) row {
	old := row{"archived": moment(at)}
	for _, c := range f.item.columns {
		old[f.kept[c.name]] = r[c.name]
	}
	return old
}

// keyText returns the key of a row as keysInJSON reads it.
func keyText(t *table, r row) value {
	var parts []string
	for _, name := range t.key {
		parts = append(parts, format(r[name], t.column(name).kind))
	}
	return text(strings.Join(parts, "/"))
}

// plainInsert is an insert of one row for each row.
type plainInsert struct{ where expr }

func (l plainInsert) yamlOf(f *tableSet) any {
	o := obj{{"into", f.attic.ref()}, {"set", obj{{"what", col{"", f.style("kind")}.sql()}, {"at", "as_of"}}}}
	if l.where != nil {
		o = append(o, field{"where", l.where.sql()})
	}
	return obj{{"insert", o}}
}

func (l plainInsert) do(m *model, batch []dueRow) error {
	f := m.tableSet
	for _, j := range batch {
		if l.where == nil || isTrue(l.where.eval(j.env)) {
			inserted := row{"what": j.row[f.style("kind")], "at": moment(m.asOf), "body": nil}
			m.data[f.attic] = append(m.data[f.attic], inserted)
		}
	}
	return nil
}

// groupInsert is an insert with per. The policy must take all rows in one batch.
type groupInsert struct{}

func (h groupInsert) yamlOf(f *tableSet) any {
	return obj{{"insert", obj{{"into", f.attic.ref()}, {"per", obj{{"what", col{"t", f.style("kind")}.sql()}}},
		{"set", obj{{"at", "as_of"}}}}}}
}

func (h groupInsert) do(m *model, batch []dueRow) error {
	f := m.tableSet
	var seen []value
	for _, j := range batch {
		kind := j.row[f.style("kind")]
		if !slices.ContainsFunc(seen, func(x value) bool { return same(x, kind) }) {
			seen = append(seen, kind)
			m.data[f.attic] = append(m.data[f.attic], row{"what": kind, "at": moment(m.asOf), "body": nil})
		}
	}
	return nil
}

// emitStep is an emit step. The model stores the payloads as rows of table events.
type emitStep struct{ where expr }

func (x emitStep) yamlOf(f *tableSet) any {
	payload := obj{}
	for _, name := range f.item.key {
		key := "k" + strings.ToLower(strings.ReplaceAll(name, " ", "-"))
		payload = append(payload, field{key, col{"t", name}.sql() + "::text"})
	}
	o := obj{{"event", "item.gone"}, {"payload", payload}}
	if x.where != nil {
		o = append(o, field{"where", x.where.sql()})
	}
	return obj{{"emit", o}}
}

var events = &table{name: "events", columns: []column{{name: "key", kind: textual}}}

func (x emitStep) do(m *model, batch []dueRow) error {
	for _, j := range batch {
		if x.where == nil || isTrue(x.where.eval(j.env)) {
			m.data[events] = append(m.data[events], row{"key": keyText(m.tableSet.item, j.row)})
		}
	}
	return nil
}
