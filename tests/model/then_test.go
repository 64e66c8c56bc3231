package model

import "slices"

// then adds random steps that are valid together.
func (a *author) then() {
	p, f := a.policy, a.tableSet
	add := func(s ...step) { p.steps = append(p.steps, s...) }
	if a.resumes {
		add(deletion{cascades: a.children()})
		return
	}
	own := func(s interface {
		yamlOf(*tableSet) any
		do(*model, []dueRow) error
	}) step {
		return tableStep{f, s}
	}
	some := func() expr {
		if a.oneIn(3) {
			return a.condition(0, false)
		}
		return nil
	}
	if a.oneIn(4) {
		add(own(keyedInsert{some(), a.ordered()}))
	}
	if a.oneIn(6) {
		add(own(plainInsert{some()}))
	}
	c := p.clock()
	// A run takes rows whose clock is NULL in a separate batch.
	single := a.once && !p.any && p.budget == 0 && (c == nil || !c.nulls)
	p.whole = single && a.oneIn(3) && (c == nil || c.watermark == nil)
	if a.once = single && !p.whole && a.oneIn(8); a.once {
		add(own(groupInsert{}))
	}
	if a.oneIn(6) {
		add(own(emitStep{some()}))
	}
	if c != nil && c.watermark != nil && a.oneIn(2) {
		if p.steps == nil {
			add(own(keyedInsert{some(), a.ordered()}))
		}
		return
	}
	if a.oneIn(5) && a.addMark() {
		return
	}
	if a.oneIn(4) {
		existing := pick(a.dice, "", "keep", "replace")
		if a.strict() {
			existing = "keep"
		}
		add(own(archive{existing: existing}))
	} else if a.oneIn(6) {
		add(own(archive{document: true}))
	}
	cascades := a.children()
	d := deletion{cascades: cascades}
	if !p.whole && !a.once && p.budget == 0 && (c == nil || c.watermark == nil) && !p.copies() && a.oneIn(3) {
		d.where = a.condition(0, false)
	}
	add(d)
}

// copies reports whether a step archives rows. Such a policy must take all rows that it copies.
func (p *policy) copies() bool {
	return slices.ContainsFunc(p.steps, func(s step) bool {
		b, ok := s.(tableStep)
		_, copies := b.of.(archive)
		return ok && copies
	})
}

// addMark adds an update that marks the rows. It also adds a condition to the policy's "where", so
// that the policy takes no marked rows.
func (a *author) addMark() bool {
	p, done := a.policy, a.col("done")
	var mark expr = is{col{"", done}, "NOT TRUE"}
	if p.where != nil {
		mark = logic{"AND", p.where, mark}
	}
	p.where = mark
	u := update{set: []assignment{{done, lit{true, boolean}}}}
	if a.oneIn(2) {
		u.undo = []assignment{{done, lit{false, boolean}}}
	}
	if a.oneIn(3) {
		u.set = append(u.set, assignment{a.col("n"), pick[expr](a.dice, lit{nil, integer}, col{"t", a.col("owner")})})
		u.undo = nil
	}
	p.steps = append(p.steps, u)
	return true
}

// children may add foreign keys to the policy's table, and steps on the referring tables. It
// returns the tables that cascades of a delete must name.
func (a *author) children() (cascades []*table) {
	f, p := a.tableSet, a.policy
	if p.whole && a.oneIn(2) {
		f.child.tie(f.item, "NO ACTION") // the foreign key refuses a row with children
		return nil
	}
	if a.oneIn(2) {
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
	if a.oneIn(4) {
		p.steps = append(p.steps, tableStep{f, archive{related: child, document: true}},
			deletion{related: child, cascades: leaves})
	} else {
		switch {
		case a.oneIn(3):
			p.steps = append(p.steps, deletion{related: child, cascades: leaves})
		case a.oneIn(3):
			p.steps = append(p.steps, update{related: child, set: []assignment{{"note", word("gone")}}})
		case action == "" && a.oneIn(2):
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

// ordered reports whether the policy takes its rows in the order of a clock that is never NULL.
func (a *author) ordered() bool {
	c := a.policy.clock()
	return c != nil && c.other == "" && a.policy.due[0].rank == nil && a.tableSet.item.column(c.column).notNull
}

// strict reports whether no row may be refused. A refused row would be before the watermark, or
// would divide the batch.
func (a *author) strict() bool {
	c := a.policy.clock()
	return a.once || c != nil && c.watermark != nil
}
