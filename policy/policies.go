package policy

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/parallel"
)

// policies reads them side by side: one does not depend on another.
func (r *reader) policies(file mapping) []*Policy {
	base := Default()
	if f, ok := file.fields["defaults"]; ok {
		if m, ok := r.mapping(f, `"defaults"`, []string{"batch", "budget", "breaker", "throttle"}); ok {
			r.fill(m, base)
		}
	}
	f, ok := file.require("policies")
	if !ok || unwritten(file, f) {
		return nil
	}
	m, ok := r.mapping(f, `"policies"`, nil)
	if ok && len(m.order) == 0 {
		r.add(codeMissing, r.fieldAt(f), "there is no policy", "", "Write at least one policy.")
	}
	type part struct {
		policy *Policy
		diags  diag.List
	}
	parts, _ := parallel.Each(m.order, func(name string) (part, error) {
		p := *base
		p.Name, p.Position = name, r.at(m.fields[name].key)
		own := reader{path: r.path, source: r.source, lines: r.lines, policy: &p}
		if !own.readPolicy(m.fields[name]) {
			return part{nil, own.diags}, nil
		}
		visitor{own.checkSQL, own.checkUnused}.policy(&p)
		return part{&p, own.diags}, nil
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

// unwritten says whether nothing stands under "policies" or "jobs" of a file that has "coverage": it speaks of tables
// before any of its policies is decided on.
func unwritten(file mapping, f field) bool { return isNull(f) && file.has("coverage") }

func (r *reader) readPolicy(f field) bool {
	p := r.policy
	r.named(f, p.Name, "policy")
	m, ok := r.mapping(f, fmt.Sprintf("policy %q", p.Name), keysOf(p))
	if !ok {
		return false
	}
	of, partitions := m.fields["partitions_of"]
	table, ok := m.fields["table"]
	switch {
	case ok && partitions:
		r.exclusive(m, "table", "partitions_of", "The rows of a policy are those of a table, or its partitions.", "Remove one of the two.")
	case partitions:
		p.Partitions = true
		p.Table, _ = r.table(of)
		r.notOfPartitions(m, "The rows of the policy are partitions.", "Remove the key, or write it in a policy of the table.", "scope", "ensure", "claim", "touch")
	case ok:
		p.Table, _ = r.table(table)
	default:
		m.require("table")
	}
	r.fill(m, p)
	for _, clock := range p.DueClocks() {
		if len(p.Scope) > 0 && clock.Watermark != nil {
			r.add(codeConflict, r.at(m.fields["scope"].key), `"scope" and "watermark" exclude each other`,
				"A run that takes one scope would move the watermark past the rows of the others, which nobody would work off.",
				"Write a policy for each value: a condition in \"where\", and a row of the watermark's table.")
		}
	}
	if then, ok := m.require("then"); ok {
		r.then(then, m.what)
	}
	if p.Claim != nil {
		r.checkClaim(p)
	}
	if !m.has("where") && !m.has("due") {
		r.add(codeNoRows, r.at(f.key), m.what+` needs "where" or "due"`, "Without both every row of the table would go.", `Say which rows the policy is about ("where") or when they go ("due").`)
	}
	return true
}

// notOfPartitions refuses keys that are about rows of a table.
func (r *reader) notOfPartitions(m mapping, detail, hint string, keys ...string) {
	for _, key := range keys {
		if f, ok := m.fields[key]; ok {
			r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is not allowed under \"partitions_of\"", key), detail, hint)
		}
	}
}

// read reads a join: a map, or a query as text.
func (j *Join) read(r *reader, f field) bool {
	j.Position = r.at(f.key)
	if kindName(f.value) == "text" {
		r.value(f, &j.Query, IsQuery)
		return true
	}
	m, ok := r.structure(f, f.title(), j)
	if ok && m.has("table") == m.has("query") {
		r.add(codeConflict, j.Position, m.what+` needs either "table" or "query"`, "", "A query without \"where\" is written as text, and read under the row's lock.")
	}
	return true
}

// read reads a guard: a condition is an expression, a rank a map.
func (g *Guard) read(r *reader, f field) bool {
	g.Position = r.at(f.key)
	if f.is(yaml.MappingNode) {
		r.value(f, &g.Rank, "")
	} else {
		r.value(f, &g.Condition, "")
	}
	return true
}

// mostRows is how many rows a batch that is sized by time has at most.
const mostRows = 50000

// Default is a policy with nothing but what holds where a file says nothing.
func Default() *Policy {
	return &Policy{
		Batch:    Batch{Rows: mostRows, Time: 50 * time.Millisecond, LockTimeout: 100 * time.Millisecond},
		Budget:   Budget{Time: 10 * time.Minute},
		Breaker:  Breaker{Rows: 5000000, Fraction: 0.5},
		Throttle: Throttle{Busy: 1},
	}
}

// DropsTables says whether a step drops the tables that rows name.
func (p *Policy) DropsTables() bool {
	return slices.ContainsFunc(p.Then, func(s Step) bool { return s.DropTable != nil })
}

// Bounded is the policy with the bounds that hold. Where tables go a batch looks at few rows, since each table stays
// locked until it commits, and one that cannot go is found soon. No share of a table's rows says anything about its
// partitions.
func (p *Policy) Bounded() *Policy {
	bounded := *p
	if p.Partitions || p.DropsTables() {
		bounded.Batch.Rows, bounded.Batch.Time = min(p.Batch.Rows, 10), 0
	}
	if p.Partitions {
		bounded.Breaker.Fraction = 0
	}
	return &bounded
}

// read reads rows and time: rows alone are exact.
func (b *Batch) read(r *reader, f field) bool {
	before := *b
	*b = Batch{LockTimeout: b.LockTimeout, Whole: b.Whole}
	_, ok := r.structure(f, f.title(), b)
	switch {
	case b.Rows == 0 && b.Time == 0:
		b.Rows, b.Time = before.Rows, before.Time
	case b.Rows == 0 && before.Time == 0:
		b.Rows = mostRows
	case b.Rows == 0:
		b.Rows = before.Rows
	}
	return ok
}

// checkProtected checks that nothing changes a protected table's rows: steps may insert and archive into
// it, no more.
func (r *reader) checkProtected(f *File) {
	for _, p := range f.Policies {
		for _, e := range p.effects() {
			if e.what == "" {
				continue
			}
			for _, t := range f.Protect {
				if t.same(e.Table) {
					r.add(codeProtected, e.Table.Position, fmt.Sprintf("%s would change or take rows of the protected table %q", e.what, e.Table),
						fmt.Sprintf("It is protected at %s.", t.Position), "Take the table out here, or out of \"protect\".")
				}
			}
		}
	}
}
