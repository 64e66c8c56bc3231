package model

import (
	"errors"
	"slices"

	"pgretain/internal/quote"
)

// step is one of then. do changes data for the rows of a batch; reaches are the related rows that
// it would change or delete for one of them.
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
	where    expr // of own rows; nil for all
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
	if d.where != nil {
		o = append(o, field{"where", d.where.sql()})
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
		if d.leaves(j) {
			continue
		}
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

// leaves is whether the step leaves a row of the batch where it is.
func (d deletion) leaves(j judged) bool { return d.where != nil && !isTrue(d.where.eval(j.env)) }

// stay is how many rows of a batch the policy's delete leaves, while its other steps act on them.
func (p *policy) stay(batch []judged) (n int) {
	for _, s := range p.steps {
		d, ok := s.(deletion)
		for _, j := range batch {
			if ok && d.leaves(j) {
				n++
			}
		}
	}
	return n
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
