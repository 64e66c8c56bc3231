package policy

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
)

var policyShape = shape{
	keys:  append([]string{"description", "table", "where", "join", "due", "keep", "then", "ensure"}, boundKeys...),
	later: []string{"claim", "touch", "partitions_of", "scope", "reports"},
}

func (r *reader) policies(file mapping, base bounds) []*Policy {
	f, ok := file.require("policies")
	if !ok {
		return nil
	}
	m, ok := r.mapping(f, `"policies"`, shape{})
	if ok && len(m.order) == 0 {
		r.add(codeMissing, r.fieldAt(f), "there is no policy", "", "Write at least one policy.")
	}
	var policies []*Policy
	for _, name := range m.order {
		if p := r.policy(m.fields[name], name, base); p != nil {
			policies = append(policies, p)
		}
	}
	return policies
}

func (r *reader) policy(f field, name string, base bounds) *Policy {
	r.named(f, name, "policy")
	m, ok := r.mapping(f, fmt.Sprintf("policy %q", name), policyShape)
	if !ok {
		return nil
	}
	p := &Policy{Name: name, Position: r.at(f.key), Description: r.description(m)}
	if table, ok := m.require("table"); ok {
		p.Table, _ = r.table(table)
	}
	s := scope{names: []string{"t"}}
	p.Joins, s = r.joins(m.fields["join"], s)
	if where, ok := m.fields["where"]; ok {
		p.Where = r.expression(where, s)
	}
	guards := r.guardNames(m.fields["keep"])
	p.Due = r.due(m.fields["due"], scope{names: s.names, rank: true, guards: guards})
	p.Keep = r.keep(m.fields["keep"], s)
	p.Then = r.then(m, s)
	p.Ensure = r.ensure(m.fields["ensure"])
	b := r.boundsOf(m, base)
	p.Batch, p.Budget, p.Breaker, p.Throttle = b.batch, b.budget, b.breaker, b.throttle
	if !m.has("where") && !m.has("due") {
		r.add(codeNoRows, r.at(f.key), m.what+` needs "where" or "due"`, "Without both every row of the table would go.", `Say which rows the policy is about ("where") or when they go ("due").`)
	}
	return p
}

func (r *reader) description(m mapping) string {
	f, ok := m.fields["description"]
	if !ok {
		return ""
	}
	text, _ := r.text(f)
	return text
}

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
		j.Query = r.queryOnce(query, s)
	}
	if where, ok := m.require("where"); ok {
		j.Where = r.expression(where, s.with(name))
	}
	return j
}

// queryOnce is a query that is read at the start of the run, when there is no row yet.
func (r *reader) queryOnce(f field, s scope) *Expr {
	query, parsed := r.query(f, s)
	if query == nil {
		return nil
	}
	own := tableNames(parsed)
	for _, c := range parsed.Columns {
		if len(c.Fields) > 0 && (len(c.Fields) > 1 || c.Star) && slices.Contains(s.names, c.Fields[0]) && !slices.Contains(own, c.Fields[0]) {
			r.add(codeJoinReadsRow, query.At(c.Offset), fmt.Sprintf("a query read once per run cannot name %q", c.Fields[0]), "It is read at the start of the run, before any row is looked at.", "Compare with the row in \"where\", or write the query alone, as text.")
		}
	}
	return query
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
