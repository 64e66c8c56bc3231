package model

import "slices"

// then chooses steps that fit each other.
func (a *author) then() {
	p, f := a.policy, a.family
	add := func(s ...step) { p.steps = append(p.steps, s...) }
	if a.resumes {
		add(deletion{cascades: a.children()})
		return
	}
	own := func(s interface {
		yamlOf(*family) any
		do(*model, []judged) error
	}) step {
		return bound{f, s}
	}
	some := func() expr {
		if a.in(3) {
			return a.condition(0, false)
		}
		return nil
	}
	if a.in(4) {
		add(own(sum{some(), a.ordered()}))
	}
	if a.in(6) {
		add(own(line{some()}))
	}
	c := p.clock()
	// rows without a clock are a batch of their own
	single := a.once && !p.any && p.budget == 0 && (c == nil || !c.nulls)
	p.whole = single && a.in(3) && (c == nil || c.watermark == nil)
	if a.once = single && !p.whole && a.in(8); a.once {
		add(own(header{}))
	}
	if a.in(6) {
		add(own(emission{some()}))
	}
	if c != nil && c.watermark != nil && a.in(2) {
		if p.steps == nil {
			add(own(sum{some(), a.ordered()}))
		}
		return
	}
	if a.in(5) && a.mark() {
		return
	}
	if a.in(4) {
		existing := pick(a.dice, "", "keep", "replace")
		if a.strict() {
			existing = "keep"
		}
		add(own(archive{existing: existing}))
	} else if a.in(6) {
		add(own(archive{document: true}))
	}
	cascades := a.children()
	d := deletion{cascades: cascades}
	if !p.whole && !a.once && p.budget == 0 && (c == nil || c.watermark == nil) && !p.copies() && a.in(3) {
		d.where = a.condition(0, false)
	}
	add(d)
}

// copies is whether a step copies rows, all of which have to go.
func (p *policy) copies() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool {
		b, ok := s.(bound)
		_, copies := b.of.(archive)
		return ok && copies
	})
}

// mark has the policy mark its rows: they leave where.
func (a *author) mark() bool {
	p, done := a.policy, a.col("done")
	var mark expr = is{col{"", done}, "NOT TRUE"}
	if p.where != nil {
		mark = logic{"AND", p.where, mark}
	}
	p.where = mark
	u := update{set: []assignment{{done, lit{true, boolean}}}}
	if a.in(2) {
		u.undo = []assignment{{done, lit{false, boolean}}}
	}
	if a.in(3) {
		u.set = append(u.set, assignment{a.col("n"), pick[expr](a.dice, lit{nil, integer}, col{"t", a.col("owner")})})
		u.undo = nil
	}
	p.steps = append(p.steps, u)
	return true
}

// children ties tables below the policy's, and has steps for them; it says which of them deletes
// reach.
func (a *author) children() (cascades []*table) {
	f, p := a.family, a.policy
	if p.whole && a.in(2) {
		f.child.tie(f.item, "NO ACTION") // a row with children is refused
		return nil
	}
	if a.in(2) {
		return nil
	}
	action := pick(a.dice, "CASCADE", "CASCADE", "SET NULL", "NO ACTION", "")
	if a.strict() && action == "NO ACTION" {
		action = "CASCADE"
	}
	below := pick(a.dice, "CASCADE", "SET NULL", "")
	tie := refersTo("c", f.item)
	var leaves []*table
	if below != "" {
		f.leaf.tie(f.child, below)
		leaves = []*table{f.leaf}
	}
	child := &related{f.child, "c", tie}
	if action != "" {
		f.child.tie(f.item, action)
	}
	if a.in(4) {
		p.steps = append(p.steps, bound{f, archive{related: child, document: true}},
			deletion{related: child, cascades: leaves})
	} else {
		switch {
		case a.in(3):
			p.steps = append(p.steps, deletion{related: child, cascades: leaves})
		case a.in(3):
			p.steps = append(p.steps, update{related: child, set: []assignment{{"note", word("gone")}}})
		case action == "" && a.in(2):
			p.steps = append(p.steps, update{related: child, set: []assignment{{"n", col{"t", a.col("n")}}}})
		}
	}
	switch action {
	case "CASCADE":
		return append([]*table{f.child}, leaves...)
	case "SET NULL":
		return []*table{f.child}
	}
	return nil
}

// ordered is whether the policy takes its rows in the order of a clock that all of them have.
func (a *author) ordered() bool {
	c := a.policy.clock()
	return c != nil && c.other == "" && a.policy.due[0].rank == nil && a.family.item.column(c.column).notNull
}

// strict is whether no row may be refused: it would be behind the watermark, or divide the batch.
func (a *author) strict() bool {
	c := a.policy.clock()
	return a.once || c != nil && c.watermark != nil
}
