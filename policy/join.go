package policy

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

var (
	joinShape = shape{keys: []string{"table", "query", "where"}}
	oneSelect = "A query without \"where\" is written as text, and read under the row's lock."
)

// joins reads the named left joins in their order; each may read those above it.
func (r *reader) joins(f field, s scope) ([]Join, scope) {
	if f.value == nil {
		return nil, s
	}
	m, _ := r.mapping(f, `"join"`, shape{})
	var joins []Join
	for _, name := range m.order {
		r.named(m.fields[name], name, "join")
		r.unused(r.at(m.fields[name].key), name, s)
		joins = append(joins, r.join(m.fields[name], name, s))
		s = s.with(name)
	}
	return joins, s
}

func (r *reader) join(f field, name string, s scope) Join {
	j := Join{Name: name, Position: r.at(f.key)}
	if kindName(f.value) == "text" {
		j.Query, _ = r.query(f, s)
		return j
	}
	m, ok := r.mapping(f, fmt.Sprintf("join %q", name), joinShape)
	if !ok {
		return j
	}
	if m.has("table") == m.has("query") {
		r.add(codeConflict, r.at(f.key), m.what+` needs either "table" or "query"`, "", oneSelect)
	}
	if table, ok := m.fields["table"]; ok {
		if t, ok := r.table(table); ok {
			j.Table = &t
		}
	}
	if query, ok := m.fields["query"]; ok {
		j.Query, _ = r.queryOnce(query, s, "a query read once per run")
	}
	if where, ok := m.require("where"); ok {
		j.Where = r.expression(where, s.with(name))
	}
	return j
}

// queryOnce is a query that is read at the start of the run, when there is no row yet.
func (r *reader) queryOnce(f field, s scope, what string) (*Expr, *pgparse.Expr) {
	query, parsed := r.query(f, s)
	if query == nil {
		return nil, nil
	}
	own := tableNames(parsed)
	for _, c := range parsed.Columns {
		if len(c.Fields) > 0 && (len(c.Fields) > 1 || c.Star) && slices.Contains(s.names, c.Fields[0]) && !slices.Contains(own, c.Fields[0]) {
			r.add(codeJoinReadsRow, query.At(c.Offset), fmt.Sprintf("%s cannot name %q", what, c.Fields[0]), "It is read at the start of the run, before any row is looked at.", onceHint(what))
		}
	}
	return query, parsed
}

func onceHint(what string) string {
	if strings.HasPrefix(what, "the") {
		return "Name the query's own tables only."
	}
	return "Compare with the row in \"where\", or write the query alone, as text."
}

// tableNames are the names by which a query's own tables are known in it.
func tableNames(parsed *pgparse.Expr) []string {
	var names []string
	for _, t := range parsed.Tables {
		if t.Alias != "" {
			names = append(names, t.Alias)
		} else {
			names = append(names, t.Name)
		}
	}
	return names
}

// scopes checks that every policy of a job can be narrowed by the columns that the job gives.
func (r *reader) scopes(f *File) {
	for _, j := range f.Jobs {
		for _, a := range j.Scope {
			for _, ref := range j.Run {
				if p := f.policy(ref.Name); p != nil && !p.scopedBy(a.Column) {
					r.add(codeScope, a.Position, fmt.Sprintf("policy %q of job %q has no scope %q", p.Name, j.Name, a.Column), p.scopeDetail(),
						fmt.Sprintf("Add \"scope: [%s]\" to the policy, or take the policy out of the job.", a.Column))
				}
			}
		}
	}
}

// noScope refuses a scope beside a watermark, which has one value for all rows.
func (r *reader) noScope(p *Policy, f field) {
	for _, e := range p.dueEntries() {
		if len(p.Scope) > 0 && e.Clock != nil && e.Clock.Watermark != nil {
			r.add(codeConflict, r.at(f.key), `"scope" and "watermark" exclude each other`,
				"A run that takes one scope would move the watermark past the rows of the others, which nobody would work off.",
				"Write a policy for each value: a condition in \"where\", and a row of the watermark's table.")
		}
	}
}

func (f *File) policy(name string) *Policy {
	for _, p := range f.Policies {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (p *Policy) scopedBy(column string) bool {
	return slices.ContainsFunc(p.Scope, func(n Name) bool { return n.Text == column })
}

func (p *Policy) scopeDetail() string {
	if len(p.Scope) == 0 {
		return ""
	}
	var names []string
	for _, n := range p.Scope {
		names = append(names, n.Text)
	}
	return "Its scope: " + strings.Join(names, ", ") + "."
}

// jobScope is a map of columns to literals.
func (r *reader) jobScope(f field) []Assignment {
	if f.value == nil {
		return nil
	}
	r.notEmpty(f)
	m, _ := r.mapping(f, `"scope"`, shape{})
	var list []Assignment
	for _, key := range m.order {
		f := m.fields[key]
		column := r.columnName(field{value: f.key})
		if e := r.literal(f); e != nil && column != "" {
			list = append(list, Assignment{Column: column, Value: *e, Position: r.at(f.key)})
		}
	}
	return r.distinct(list)
}
