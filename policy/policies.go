package policy

import (
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/messages"
	"pgretain/internal/parallel"
)

// policies reads the policies of a file in parallel. One policy does not depend on another.
func (r *reader) policies(file mapping) {
	base := Default()
	if f, ok := file.fields["defaults"]; ok {
		keys := []string{"index", "batch", "budget", "breaker", "throttle"}
		r.try(func() { r.fill(r.mapping(f, `"defaults"`, keys), base) })
	}
	f, ok := file.require("policies")
	if !ok || unwritten(file, f) {
		return
	}
	var m mapping
	if r.try(func() { m = r.mapping(f, `"policies"`, nil) }) && len(m.order) == 0 {
		r.add(messages.NoPolicy, r.fieldAt(f))
	}
	parts, _ := parallel.Each(m.order, func(name string) (*reader, error) {
		p := *base
		p.Name, p.Position = name, r.at(m.fields[name].key)
		own := &reader{path: r.path, source: r.source, lines: r.lines, policy: &p, parse: r.parse}
		if own.value(m.fields[name], &p, "") {
			visitor{own.checkSQL, own.checkUnused}.policy(&p)
		}
		return own, nil
	})
	for _, part := range parts {
		r.diags = append(r.diags, part.diags...)
		r.model.Policies = append(r.model.Policies, part.policy)
	}
}

// unwritten reports whether "policies" or "jobs" is empty in a file that has "coverage". Such a
// file lists tables before anyone decides on policies.
func unwritten(file mapping, f field) bool { return isNull(f) && file.has("coverage") }

func (p *Policy) read(r *reader, f field) {
	r.named(f, p.Name, "policy")
	m := r.mapping(f, fmt.Sprintf("policy %q", p.Name), keysOf(p))
	m.exclusive(messages.TableAndPartitions, "table", "partitions_of")
	p.Partitions = m.has("partitions_of") && !m.has("table")
	if p.Partitions {
		m.refuse(messages.RowKeyOfPartitions, "scope", "ensure", "claim", "touch")
		m.readKey("partitions_of", &p.Table, "")
	} else {
		m.require("table")
		m.readKey("table", &p.Table, "")
	}
	r.fill(m, p)
	if slices.ContainsFunc(p.DueClocks(), func(c *Clock) bool { return c.Watermark != nil }) {
		m.refuse(messages.ScopeAndWatermark, "scope")
	}
	m.require("then")
	r.checkThen(p, m)
	if p.Claim != nil {
		r.checkClaim(p)
	}
	if !m.has("where", "due") {
		r.add(messages.NeitherWhereNorDue(m.what), r.at(f.key))
	}
}

// read reads a join: a map, or a query as text.
func (j *Join) read(r *reader, f field) {
	if kindName(f.value) == "text" {
		r.value(f, &j.Query, IsQuery)
		return
	}
	m := r.structure(f, f.title(), j)
	m.either(messages.TableOrQuery, "table", "query")
}

// read reads a guard. A map defines a rank; a text is a condition.
func (g *Guard) read(r *reader, f field) {
	if f.is(yaml.MappingNode) {
		r.value(f, &g.Rank, "")
	} else {
		r.value(f, &g.Condition, "")
	}
}

// mostRows is the default for the greatest number of rows in a batch.
const mostRows = 50000

// Default returns a policy with the defaults of all bounds.
func Default() *Policy {
	return &Policy{
		Batch:    Batch{Rows: mostRows, Time: 50 * time.Millisecond, LockTimeout: 100 * time.Millisecond},
		Budget:   Budget{Time: 10 * time.Minute},
		Breaker:  Breaker{Rows: 5000000, Fraction: 0.5},
		Throttle: Throttle{Busy: 1},
	}
}

// DropsTables reports whether a step drops tables and takes their names from the rows.
func (p *Policy) DropsTables() bool {
	return slices.ContainsFunc(p.Then, func(s Step) bool { return s.DropTable != nil })
}

// Bounds are the bounds of a policy's batches and runs.
type Bounds struct {
	Partitions bool // the rows of the policy are partitions
	Batch      Batch
	Budget     Budget
	Breaker    Breaker
	Throttle   Throttle
}

// Bounded returns the bounds that the runs use. A batch that drops tables reads at most 10 rows,
// because each table stays locked until the batch commits. A policy on partitions has no
// breaker.fraction: the share of rows says nothing about partitions.
func (p *Policy) Bounded() Bounds {
	bounded := Bounds{p.Partitions, p.Batch, p.Budget, p.Breaker, p.Throttle}
	if p.Partitions || p.DropsTables() {
		bounded.Batch.Rows, bounded.Batch.Time = min(p.Batch.Rows, 10), 0
	}
	if p.Partitions {
		bounded.Breaker.Fraction = 0
	}
	return bounded
}

// read reads the bounds of a batch. If only rows is set, every batch reads that number of rows.
func (b *Batch) read(r *reader, f field) {
	before := *b
	*b = Batch{LockTimeout: b.LockTimeout, Whole: b.Whole}
	r.structure(f, f.title(), b)
	switch {
	case b.Rows == 0 && b.Time == 0:
		b.Rows, b.Time = before.Rows, before.Time
	case b.Rows == 0 && before.Time == 0:
		b.Rows = mostRows
	case b.Rows == 0:
		b.Rows = before.Rows
	}
}

// checkProtected checks that no policy changes rows of a protected table. Steps may insert and
// archive into such a table. It also refuses policies on the runtime's schema, in which migrations
// set all privileges.
func (r *reader) checkProtected(f *File) {
	for _, p := range f.Policies {
		if p.Table.Schema == f.Install.Schema {
			r.add(messages.RuntimeSchema(p.Table.Schema), p.Table.Position)
		}
		for _, e := range p.effects() {
			if i := slices.IndexFunc(f.Protect, e.Table.same); i >= 0 && e.what != "" {
				r.add(messages.ChangesProtected(e.what, p.Name, e.Table.String(), f.Protect[i].Position),
					e.Table.Position)
			}
		}
	}
}
