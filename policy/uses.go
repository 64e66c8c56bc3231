package policy

import "slices"

// Access says what a policy does with a table's rows.
type Access struct{ Insert, Update, Delete bool }

// Use is a table that a policy names outside of expressions.
type Use struct {
	Table   Table
	Access  Access
	Reached bool // by foreign keys of a delete only
	Created bool // an archive that the policy creates where it is missing
}

// Uses lists the tables that a policy names outside of expressions, and those that its statements
// change, its own first.
func (p *Policy) Uses() []Use {
	uses := []Use{{Table: p.Table, Access: p.ownAccess()}}
	for _, j := range p.Joins {
		uses = addJoin(uses, j)
	}
	return slices.Concat(uses, p.stepUses(), p.application())
}

// stepUses are the tables of watermarks and steps.
func (p *Policy) stepUses() []Use {
	var uses []Use
	for _, entry := range p.dueEntries() {
		if k := entry.Clock; k != nil && k.Watermark != nil {
			uses = append(uses, Use{Table: k.Watermark.Table, Access: Access{Update: true}})
		}
	}
	for _, s := range p.Then {
		uses = append(uses, s.uses()...)
	}
	return uses
}

// Writes lists what statements of runs do to tables, as in "DELETE public.message".
func (p *Policy) Writes() []string {
	list := []string{}
	add := func(event string, does bool, t Table) {
		if text := event + " " + t.String(); does && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	for _, u := range append(p.stepUses(), Use{Table: p.Table, Access: p.taken()}) {
		add("INSERT", u.Access.Insert, u.Table)
		add("UPDATE", u.Access.Update, u.Table)
		add("DELETE", u.Access.Delete, u.Table)
	}
	slices.Sort(list)
	return list
}

func addJoin(uses []Use, j Join) []Use {
	if j.Table == nil {
		return uses
	}
	return append(uses, Use{Table: *j.Table})
}

// ownAccess is what steps and functions do with the policy's own rows.
func (p *Policy) ownAccess() Access {
	a := p.taken()
	a.Insert = a.Insert || p.Claim != nil || p.Touch != nil && p.Touch.Revive != nil
	a.Update = a.Update || p.Claim != nil || p.Touch != nil
	return a
}

// taken is what steps do with the policy's own rows.
func (p *Policy) taken() Access {
	var a Access
	for _, s := range p.Then {
		if s.Related == nil {
			a.Update = a.Update || s.Update != nil
			a.Delete = a.Delete || s.Delete != nil
		}
	}
	return a
}

func (s Step) uses() []Use {
	var uses []Use
	if s.Related != nil {
		uses = append(uses, Use{Table: s.Related.Table, Access: Access{Update: s.Update != nil, Delete: s.Delete != nil}})
		for _, j := range s.Related.Joins {
			uses = addJoin(uses, j)
		}
	}
	switch {
	case s.Delete != nil:
		for _, t := range s.Delete.Cascades {
			uses = append(uses, Use{Table: t, Reached: true})
		}
	case s.Insert != nil:
		uses = append(uses, Use{Table: s.Insert.Into, Access: Access{Insert: true, Update: len(s.Insert.Key) > 0}})
	case s.Archive != nil:
		uses = append(uses, Use{Table: s.Archive.Into, Access: Access{Insert: true, Update: s.Archive.Existing == "replace"}, Created: s.Archive.Create})
	}
	return append(uses, writes(s.SQL)...)
}

// application lists the tables of claim and touch.
func (p *Policy) application() []Use {
	var uses []Use
	if p.Claim != nil && p.Claim.Cursor != nil {
		uses = append(uses, Use{Table: p.Claim.Cursor.Table, Access: Access{Insert: true, Update: true}})
	}
	if p.Touch != nil && p.Touch.Revive != nil {
		uses = append(uses, Use{Table: p.Touch.Revive.Table})
	}
	return uses
}

func (p *Policy) dueEntries() []Entry {
	if p.Due == nil {
		return nil
	}
	return p.Due.Entries
}
