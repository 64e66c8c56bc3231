package main

import (
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// mention is a table's name where the policy file first has it.
type mention struct {
	name     string
	position diag.Position
}

// mentions collects every table that a policy file names, in YAML or in SQL, once each.
type mentions struct {
	list []mention
	seen map[string]bool
}

// tablesOf lists the tables of a file in the order of their first mention.
func tablesOf(file *policy.File) []mention {
	m := &mentions{seen: map[string]bool{}}
	for _, t := range file.Protect {
		m.table(t)
	}
	for _, p := range file.Policies {
		m.policy(p)
	}
	return m.list
}

func (m *mentions) add(name string, at diag.Position) {
	if !m.seen[name] {
		m.seen[name] = true
		m.list = append(m.list, mention{name, at})
	}
}

func (m *mentions) table(t policy.Table) { m.add(t.String(), t.Position) }

func (m *mentions) policy(p *policy.Policy) {
	m.table(p.Table)
	m.expression(p.Where)
	for _, j := range p.Joins {
		m.join(j)
	}
	m.due(p.Due)
	for _, g := range p.Keep {
		m.expression(g.Condition)
		m.rank(g.Rank)
	}
	for _, s := range p.Then {
		m.delete(s.Delete)
	}
}

func (m *mentions) join(j policy.Join) {
	if j.Table != nil {
		m.table(*j.Table)
	}
	m.query(j.Query)
	m.expression(j.Where)
}

func (m *mentions) due(due *policy.Due) {
	if due == nil {
		return
	}
	for _, e := range due.Entries {
		m.rank(e.Beyond)
		if e.Clock == nil {
			continue
		}
		m.expression(e.Clock.Expression)
		for _, t := range e.Clock.Window.Tiers {
			m.expression(t.When)
		}
	}
}

func (m *mentions) rank(r *policy.Rank) {
	if r == nil {
		return
	}
	for i := range r.Per {
		m.expression(&r.Per[i])
	}
	for i := range r.Order {
		m.expression(&r.Order[i].Expr)
	}
	m.expression(r.Among)
}

func (m *mentions) delete(d *policy.Delete) {
	if d == nil {
		return
	}
	m.expression(d.Where)
	for _, t := range d.Cascades {
		m.table(t)
	}
	if d.Related != nil {
		m.table(d.Related.Table)
		m.expression(&d.Related.Where)
	}
}

func (m *mentions) expression(e *policy.Expr) { m.parsed(e, pgparse.Expression) }
func (m *mentions) query(e *policy.Expr)      { m.parsed(e, pgparse.Query) }

// parsed adds the tables of a piece of SQL; it was parsed when the file was read, so that an
// error cannot happen here.
func (m *mentions) parsed(e *policy.Expr, parse func(string) (*pgparse.Expr, error)) {
	if e == nil {
		return
	}
	expr, err := parse(e.SQL)
	if err != nil {
		return
	}
	for _, t := range expr.Tables {
		if known := t.Schema == "pg_catalog" || t.Schema == "information_schema"; !known && !reserved(t) {
			m.add(strings.TrimPrefix(t.Schema+"."+t.Name, "."), e.Position)
		}
	}
}

// reserved are names that the language gives to relations of its own.
func reserved(t pgparse.TableRef) bool {
	return t.Schema == "" && (t.Name == "batch" || t.Name == "partition")
}
