package model

import (
	"errors"
	"slices"

	"pgretain/internal/quote"
)

// step is one step of then. do changes the model's data for the rows of a batch. reaches returns
// the related rows that the step would change or delete for one row.
type step interface {
	yaml() any
	do(m *model, batch []dueRow) error
	reaches(m *model, j dueRow) []reached
}

// reached is a row that a step changes or deletes, with its table.
type reached struct {
	table *table
	row   row
}

// errRefused says that a constraint refuses a row.
var errRefused = errors.New("refused")

// deletion is a delete of the policy's rows or of related rows.
type deletion struct {
	related  *related
	cascades []*table
	where    expr // of the policy's rows; nil for all
}

// related is the part that all steps on another table have.
type related struct {
	table *table
	alias string
	where expr
}

func (r *related) fields() obj {
	return obj{{"table", r.table.ref()}, {"as", r.alias}, {"where", r.where.sql()}}
}

// rows returns the rows of the other table that are related to j in the current data.
func (r *related) rows(m *model, j dueRow) []row {
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

func (d deletion) do(m *model, batch []dueRow) error {
	for _, j := range batch {
		if d.keeps(j) {
			continue
		}
		rows := m.currentRow(j)
		of := m.tableSet.item
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

// keeps reports whether the step's where excludes j.
func (d deletion) keeps(j dueRow) bool { return d.where != nil && !isTrue(d.where.eval(j.env)) }

// stayCount returns how many rows of batch the policy's delete excludes. Other steps still process
// these rows.
func (p *policy) stayCount(batch []dueRow) (n int) {
	for _, s := range p.steps {
		d, ok := s.(deletion)
		for _, j := range batch {
			if ok && d.keeps(j) {
				n++
			}
		}
	}
	return n
}

func (d deletion) reaches(m *model, j dueRow) []reached {
	if d.related == nil {
		return m.below(m.tableSet.item, j.row)
	}
	var all []reached
	for _, r := range d.related.rows(m, j) {
		all = append(append(all, reached{d.related.table, r}), m.below(d.related.table, r)...)
	}
	return all
}

// currentRow returns the current version of j, or no row if it was deleted.
func (m *model) currentRow(j dueRow) []row {
	for _, r := range m.data[m.tableSet.item] {
		if m.tableSet.item.compareKeys(r, j.row) == 0 {
			return []row{r}
		}
	}
	return nil
}

// referring returns the rows of table from that refer to r by foreign key f.
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
	for _, from := range m.tableSet.tables() {
		for _, f := range from.foreign {
			if f.to == to {
				do(from, f)
			}
		}
	}
}

// below returns the rows that foreign keys would delete or change together with r.
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

// remove deletes a row and performs the actions of foreign keys as PostgreSQL does.
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

// update is an update of the policy's rows or of related rows.
type update struct {
	related *related
	set     []assignment
	undo    []assignment
	where   expr // of the policy's rows; not with related
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

func (u update) do(m *model, batch []dueRow) error {
	var done []row
	for _, j := range batch {
		rows := m.currentRow(j)
		if u.related != nil {
			rows = u.related.rows(m, j)
		} else if u.where != nil && !isTrue(u.where.eval(j.env)) {
			continue
		}
		for _, r := range rows {
			if slices.ContainsFunc(done, func(x row) bool { return same(x["id"], r["id"]) && u.related != nil }) {
				continue // the first row of the batch wins (S20)
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

func (u update) reaches(m *model, j dueRow) []reached {
	if u.related == nil {
		return nil
	}
	var all []reached
	for _, r := range u.related.rows(m, j) {
		all = append(all, reached{u.related.table, r})
	}
	return all
}
