package model

import (
	"errors"
	"slices"
	"strings"

	"pgretain/internal/quote"
)

// step is one of then. do changes data for the rows of a batch; reaches are the related rows that it would change or
// delete for one of them.
type step interface {
	yaml() any
	do(m *model, batch []judged) error
	reaches(m *model, j judged) []reached
}

// reached is a row of a table.
type reached struct {
	table *table
	row   row
}

// errRefused is a row that a constraint keeps.
var errRefused = errors.New("refused")

// delete is bare, or of related rows.
type deletion struct {
	related  *related
	cascades []*table
}

// related is the common form of steps on another table.
type related struct {
	table *table
	alias string
	where expr
}

func (r *related) fields() obj {
	return obj{{"table", r.table.ref()}, {"as", r.alias}, {"where", r.where.sql()}}
}

// rows are the related rows that one row of the batch finds, as they are now.
func (r *related) rows(m *model, j judged) []row {
	e := *j.env
	e.data = m.data
	var found []row
	for _, x := range m.data[r.table] {
		if isTrue(r.where.eval(e.with("t", j.row).with(r.alias, x))) {
			found = append(found, x)
		}
	}
	return found
}

func (d deletion) yaml() any {
	var o obj
	if d.related != nil {
		o = d.related.fields()
	}
	if d.cascades != nil {
		var names []string
		for _, t := range d.cascades {
			names = append(names, t.ref())
		}
		o = append(o, field{"cascades", names})
	}
	if o == nil {
		return "delete"
	}
	return obj{{"delete", o}}
}

func (d deletion) do(m *model, batch []judged) error {
	for _, j := range batch {
		rows := m.own(j)
		of := m.family.item
		if d.related != nil {
			of, rows = d.related.table, d.related.rows(m, j)
		}
		for _, r := range rows {
			if err := m.remove(of, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d deletion) reaches(m *model, j judged) []reached {
	if d.related == nil {
		return m.below(m.family.item, j.row)
	}
	var all []reached
	for _, r := range d.related.rows(m, j) {
		all = append(append(all, reached{d.related.table, r}), m.below(d.related.table, r)...)
	}
	return all
}

// own is the row of the batch as it is now, if it is there.
func (m *model) own(j judged) []row {
	for _, r := range m.data[m.family.item] {
		if m.family.item.compareKeys(r, j.row) == 0 {
			return []row{r}
		}
	}
	return nil
}

// referring are the rows of a foreign key's table that refer to a row.
func (m *model) referring(from *table, f foreignKey, r row) []row {
	var found []row
	for _, x := range m.data[from] {
		ok := true
		for i, name := range f.columns {
			ok = ok && x[name] != nil && same(x[name], r[f.to.key[i]])
		}
		if ok {
			found = append(found, x)
		}
	}
	return found
}

func (m *model) eachKey(to *table, do func(from *table, f foreignKey)) {
	for _, from := range m.family.tables() {
		for _, f := range from.foreign {
			if f.to == to {
				do(from, f)
			}
		}
	}
}

// below is what foreign keys would delete or change with a row.
func (m *model) below(of *table, r row) []reached {
	var all []reached
	m.eachKey(of, func(from *table, f foreignKey) {
		for _, x := range m.referring(from, f, r) {
			if f.action == "CASCADE" {
				all = append(append(all, reached{from, x}), m.below(from, x)...)
			} else if f.action == "SET NULL" {
				all = append(all, reached{from, x})
			}
		}
	})
	return all
}

// remove deletes a row as PostgreSQL does.
func (m *model) remove(of *table, r row) (err error) {
	m.data[of] = slices.DeleteFunc(m.data[of], func(x row) bool { return of.compareKeys(x, r) == 0 })
	m.eachKey(of, func(from *table, f foreignKey) {
		for _, x := range m.referring(from, f, r) {
			switch f.action {
			case "CASCADE":
				err = errors.Join(err, m.remove(from, x))
			case "SET NULL":
				for _, name := range f.columns {
					x[name] = nil
				}
			default:
				err = errRefused
			}
		}
	})
	return err
}

// update is of own rows, or of related ones.
type update struct {
	related *related
	set     []assignment
	undo    []assignment
	where   expr // without related
}

type assignment struct {
	column string
	value  expr
}

func assignments(all []assignment) obj {
	var o obj
	for _, a := range all {
		o = append(o, field{quote.Ident(a.column), a.value.sql()})
	}
	return o
}

func (u update) yaml() any {
	var o obj
	if u.related != nil {
		o = u.related.fields()
	}
	if u.where != nil {
		o = append(o, field{"where", u.where.sql()})
	}
	o = append(o, field{"set", assignments(u.set)})
	if u.undo != nil {
		o = append(o, field{"undo", assignments(u.undo)})
	}
	return obj{{"update", o}}
}

func (u update) do(m *model, batch []judged) error {
	var done []row
	for _, j := range batch {
		rows := m.own(j)
		if u.related != nil {
			rows = u.related.rows(m, j)
		} else if u.where != nil && !isTrue(u.where.eval(j.env)) {
			continue
		}
		for _, r := range rows {
			if slices.ContainsFunc(done, func(x row) bool { return same(x["id"], r["id"]) && u.related != nil }) {
				continue // the first of the batch wins (S20)
			}
			done = append(done, r)
			e := j.env
			if u.related != nil {
				e = e.with(u.related.alias, r.clone())
			}
			for _, a := range u.set {
				r[a.column] = a.value.eval(e)
			}
		}
	}
	return nil
}

func (u update) reaches(m *model, j judged) []reached {
	if u.related == nil {
		return nil
	}
	var all []reached
	for _, r := range u.related.rows(m, j) {
		all = append(all, reached{u.related.table, r})
	}
	return all
}

// sum is an insert with key into sums.
type sum struct {
	where  expr
	newest bool // set takes the value of the newest row
}

func (s sum) group(f *family) expr { return coalesce{col{"t", f.style("kind")}, word("none")} }

// yamlOf needs the family, for the names.
func (s sum) yamlOf(f *family) any {
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

// bound is a step whose YAML names the family's tables.
type bound struct {
	family *family
	of     interface {
		yamlOf(*family) any
		do(*model, []judged) error
	}
}

func (b bound) yaml() any                         { return b.of.yamlOf(b.family) }
func (b bound) do(m *model, batch []judged) error { return b.of.do(m, batch) }
func (b bound) reaches(*model, judged) []reached  { return nil }

func (s sum) do(m *model, batch []judged) error {
	f := m.family
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
		r["n"], r["total"] = plus(r["n"], int64(1)), plus(r["total"], int64(0)) // NULL is 0 for add
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
			r["last"] = j.row[f.style("seq")] // batches go oldest first
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

// archive copies own rows by equal names, or as documents; or related ones as documents.
type archive struct {
	related  *related
	document bool
	existing string
	where    expr
}

func (a archive) yamlOf(f *family) any {
	var o obj
	if a.related != nil {
		o = a.related.fields()
	}
	if a.where != nil {
		o = append(o, field{"where", a.where.sql()})
	}
	if a.document {
		what := literal(text(a.what()), textual)
		o = append(o, field{"into", f.attic.ref()}, field{"document", "body"}, field{"set", obj{{"what", what}, {"at", "as_of"}}})
	} else {
		o = append(o, field{"into", f.old.ref()}, field{"set", obj{{"archived", "as_of"}}})
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

func (a archive) do(m *model, batch []judged) error {
	f := m.family
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
				if a.related != nil && slices.ContainsFunc(copied, func(x row) bool { return of.compareKeys(x, r) == 0 }) {
					continue
				}
				copied = append(copied, r)
				m.data[f.attic] = append(m.data[f.attic], row{"what": text(a.what()), "at": moment(m.asOf), "body": keyText(of, r)})
				continue
			}
			old := r.clone()
			old["archived"] = moment(m.asOf)
			i := slices.IndexFunc(m.data[f.old], func(x row) bool { return f.old.compareKeys(x, r) == 0 })
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

// keyText is the key of a row as keysInJSON reads it; that of a child is its id alone.
func keyText(t *table, r row) value {
	var parts []string
	for _, name := range t.key {
		parts = append(parts, show(r[name], t.column(name).kind))
	}
	return text(strings.Join(parts, "/"))
}

// line is an insert of one row each.
type line struct{ where expr }

func (l line) yamlOf(f *family) any {
	o := obj{{"into", f.attic.ref()}, {"set", obj{{"what", col{"", f.style("kind")}.sql()}, {"at", "as_of"}}}}
	if l.where != nil {
		o = append(o, field{"where", l.where.sql()})
	}
	return obj{{"insert", o}}
}

func (l line) do(m *model, batch []judged) error {
	f := m.family
	for _, j := range batch {
		if l.where == nil || isTrue(l.where.eval(j.env)) {
			m.data[f.attic] = append(m.data[f.attic], row{"what": j.row[f.style("kind")], "at": moment(m.asOf), "body": nil})
		}
	}
	return nil
}

// header is an insert with per, for policies that take all rows in one batch.
type header struct{}

func (h header) yamlOf(f *family) any {
	return obj{{"insert", obj{{"into", f.attic.ref()}, {"per", obj{{"what", col{"t", f.style("kind")}.sql()}}}, {"set", obj{{"at", "as_of"}}}}}}
}

func (h header) do(m *model, batch []judged) error {
	f := m.family
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

// emission is emit; the model has the payloads as rows of a table of its own.
type emission struct{ where expr }

func (x emission) yamlOf(f *family) any {
	payload := obj{}
	for _, name := range f.item.key {
		payload = append(payload, field{"k" + strings.ToLower(strings.ReplaceAll(name, " ", "-")), col{"t", name}.sql() + "::text"})
	}
	o := obj{{"event", "item.gone"}, {"payload", payload}}
	if x.where != nil {
		o = append(o, field{"where", x.where.sql()})
	}
	return obj{{"emit", o}}
}

var events = &table{name: "events", columns: []column{{name: "key", kind: textual}}}

func (x emission) do(m *model, batch []judged) error {
	for _, j := range batch {
		if x.where == nil || isTrue(x.where.eval(j.env)) {
			m.data[events] = append(m.data[events], row{"key": keyText(m.family.item, j.row)})
		}
	}
	return nil
}
