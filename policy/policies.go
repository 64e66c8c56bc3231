package policy

import (
	"fmt"

	"pgretain/internal/diag"
	"pgretain/internal/parallel"
)

var policyShape = shape{
	keys: append([]string{
		"description", "table", "partitions_of", "scope", "where", "join", "due", "keep", "then", "ensure", "claim", "touch", "triggers",
	}, boundKeys...),
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
	type part struct {
		policy *Policy
		diags  diag.List
	}
	parts, _ := parallel.Each(m.order, func(name string) (part, error) { // one does not depend on another
		own := reader{path: r.path, source: r.source, lines: r.lines}
		p := own.policy(m.fields[name], name, base)
		return part{p, own.diags}, nil
	})
	var policies []*Policy
	for _, part := range parts {
		r.diags = append(r.diags, part.diags...)
		if part.policy != nil {
			policies = append(policies, part.policy)
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
	r.rows(p, m)
	s := scope{names: []string{"t"}, partitions: p.Partitions, table: p.Table}
	p.Joins, s = r.joins(m.fields["join"], s)
	if where, ok := m.fields["where"]; ok {
		p.Where = r.expression(where, s)
	}
	due := s
	due.rank, due.guards = true, r.guardNames(m.fields["keep"])
	p.Due = r.due(m.fields["due"], due)
	r.noScope(p, m.fields["scope"])
	p.Keep = r.keep(m.fields["keep"], s)
	p.Then = r.then(m, p, s)
	p.Ensure = r.ensure(m.fields["ensure"])
	p.Claim, p.Touch = r.claim(m.fields["claim"], p), r.touch(m.fields["touch"])
	p.Triggers = r.triggers(m.fields["triggers"])
	b := r.boundsOf(m, base)
	p.Batch, p.Budget, p.Breaker, p.Throttle = b.batch, b.budget, b.breaker, b.throttle
	if !m.has("where") && !m.has("due") {
		r.add(codeNoRows, r.at(f.key), m.what+` needs "where" or "due"`, "Without both every row of the table would go.", `Say which rows the policy is about ("where") or when they go ("due").`)
	}
	return p
}

// rows reads what the policy's rows are: those of a table, or its partitions.
func (r *reader) rows(p *Policy, m mapping) {
	of, partitions := m.fields["partitions_of"]
	table, ok := m.fields["table"]
	switch {
	case ok && partitions:
		r.add(codeConflict, r.at(of.key), `"table" and "partitions_of" exclude each other`, "The rows of a policy are those of a table, or its partitions.", "Remove one of the two.")
	case partitions:
		p.Partitions = true
		p.Table, _ = r.table(of)
		r.partitionKeys(m)
	case ok:
		p.Table, _ = r.table(table)
	default:
		m.require("table")
	}
	p.Scope = r.columns(m.fields["scope"])
}

// partitionKeys refuses what is about rows of a table.
func (r *reader) partitionKeys(m mapping) {
	for _, key := range []string{"scope", "ensure", "claim", "touch"} {
		if f, ok := m.fields[key]; ok {
			r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is not allowed under \"partitions_of\"", key), "The rows of the policy are partitions.", "Remove the key, or write it in a policy of the table.")
		}
	}
}

func (r *reader) description(m mapping) string {
	f, ok := m.fields["description"]
	if !ok {
		return ""
	}
	text, _ := r.text(f)
	return text
}
