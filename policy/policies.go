package policy

import "fmt"

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
