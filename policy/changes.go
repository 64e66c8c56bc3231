package policy

import "slices"

// Changes lists the tables whose rows a policy changes or takes, each once. What it only adds to,
// with an insert or an archive, is not among them.
func (p *Policy) Changes() []Table {
	var list []Table
	add := func(t Table) {
		if !slices.ContainsFunc(list, t.same) {
			list = append(list, t)
		}
	}
	if own := p.ownAccess(); own.Update || own.Delete || p.takesPartitions() {
		add(p.Table)
	}
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil && entry.Clock.Watermark != nil {
			add(entry.Clock.Watermark.Table)
		}
	}
	for _, s := range p.Then {
		for _, t := range s.changes() {
			add(t)
		}
	}
	if p.Claim != nil && p.Claim.Cursor != nil {
		add(p.Claim.Cursor.Table)
	}
	return list
}

func (p *Policy) takesPartitions() bool {
	return slices.ContainsFunc(p.Then, func(s Step) bool { return s.Detach != nil || s.Drop != nil })
}

// StatementDeletes lists the tables that statements of the policy's own words delete from.
func (p *Policy) StatementDeletes() []Table {
	var list []Table
	for _, s := range p.Then {
		for _, u := range writes(s.SQL) {
			if u.Access.Delete {
				list = append(list, u.Table)
			}
		}
	}
	return list
}

// changes are the tables beside the policy's own, and those that its statement names.
func (s Step) changes() []Table {
	var list []Table
	if s.Related != nil && (s.Delete != nil || s.Update != nil) {
		list = append(list, s.Related.Table)
	}
	if s.Archive != nil && s.Archive.Existing == "replace" {
		list = append(list, s.Archive.Into)
	}
	for _, u := range writes(s.SQL) {
		if u.Access.Update && !u.Access.Insert || u.Access.Delete {
			list = append(list, u.Table)
		}
	}
	return list
}
