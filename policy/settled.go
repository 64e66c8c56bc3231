package policy

// settled says whether the steps make the policy's rows go, or no longer due: otherwise the next
// run would find them again.
func (p *Policy) settled(steps []Step) bool {
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil && entry.Clock.Watermark != nil {
			return true
		}
	}
	read, all := p.judgedBy()
	for _, s := range steps {
		switch {
		case s.Detach != nil, s.Drop != nil, s.Delete != nil && s.Related == nil:
			return true
		case s.Update != nil && s.Related == nil:
			for _, a := range s.Update.Set {
				if all || read[a.Column] {
					return true
				}
			}
		case s.SQL != nil:
			for _, u := range writes(s.SQL) {
				if u.Table.same(p.Table) {
					return true
				}
			}
		}
	}
	return false
}

// judgedBy lists the columns of the row that where, due and keep read; all is true where they read
// other tables as well, which a step may change.
func (p *Policy) judgedBy() (read map[string]bool, all bool) {
	read = map[string]bool{}
	var l parts
	l.expr(p.Where)
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil {
			read[entry.Clock.Column] = true
		}
		l.clock(entry.Clock)
		l.rank(entry.Beyond)
	}
	for _, g := range p.Keep {
		l.expr(g.Condition)
		l.rank(g.Rank)
	}
	for _, part := range l.list {
		if part.Kind == IsExpression {
			all = part.judged(read) || all
		}
	}
	return read, all
}

// judged adds the row's columns that an expression reads, and says whether it reads more.
func (p Part) judged(read map[string]bool) (more bool) {
	parsed, err := p.Parse()
	if err != nil {
		return true // reported when it was read
	}
	more = parsed.Subquery
	for _, c := range parsed.Columns {
		switch {
		case len(c.Fields) == 1 && !c.Star:
			read[c.Fields[0]] = true
		case len(c.Fields) == 2 && c.Fields[0] == "t" && !c.Star:
			read[c.Fields[1]] = true
		case len(c.Fields) > 0 && c.Fields[0] != "keep":
			more = true
		}
	}
	return more
}

func (r *reader) leftDue(then field, what string, partitions bool) {
	if partitions {
		r.add(codeNoDelete, r.at(then.key), what+" leaves its partitions due", "No step detaches or drops them, so the next run would find them again.", `Add "detach" or "drop" to "then".`)
		return
	}
	r.add(codeNoDelete, r.at(then.key), what+" leaves its rows due",
		"No step deletes the rows of the policy's table, and none sets a column that where, due or keep read, so the next run would find them again.", `Add "delete" to "then", or an "update" that sets such a column.`)
}
