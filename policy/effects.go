package policy

import (
	"slices"
)

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

// Concerns knows what the policies of a file do about the rows of tables.
type Concerns struct {
	file    *File
	deletes map[string][]*Policy        // by table
	reads   map[*Policy]map[string]bool // by table; filled when asked for
}

// Concerns collects them.
func (f *File) Concerns() *Concerns {
	c := &Concerns{f, map[string][]*Policy{}, map[*Policy]map[string]bool{}}
	for _, p := range f.Policies {
		for _, d := range p.Deletes() {
			c.deletes[d.Table.String()] = append(c.deletes[d.Table.String()], p)
		}
	}
	return c
}

// About says whether the file does something about rows of a table that refer to what step number step of
// a policy deletes: an earlier step of the policy changes or deletes them (any step, if that is early
// enough), its expressions or joins read them, or another policy deletes them. The table has several
// names: its own, and those of the tables above it.
func (c *Concerns) About(names []string, p *Policy, step int, anyStep bool) bool {
	for i, s := range p.Then {
		earlier := &Policy{Then: []Step{s}}
		if (i < step || anyStep) && slices.ContainsFunc(earlier.Changes(), func(t Table) bool { return slices.Contains(names, t.String()) }) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return c.readBy(p)[name] || slices.ContainsFunc(c.deletes[name], func(other *Policy) bool { return other != p })
	})
}

func (c *Concerns) readBy(p *Policy) map[string]bool {
	if c.reads[p] == nil {
		c.reads[p] = map[string]bool{}
		for _, t := range c.file.Reads(p) {
			c.reads[p][t.String()] = true
		}
	}
	return c.reads[p]
}

// Reads lists the tables that joins and expressions of a policy read, in every schema that the search
// path would find them in.
func (f *File) Reads(p *Policy) []Table {
	var list []Table
	for _, j := range p.joinsOfAll() {
		list = addJoined(list, j)
	}
	for _, part := range p.Parts() {
		for _, t := range part.Tables() {
			if t.Schema != "" {
				list = append(list, t)
				continue
			}
			for _, schema := range f.Install.SearchPath {
				list = append(list, Table{Schema: schema, Name: t.Name, Position: t.Position})
			}
		}
	}
	return list
}

func (p *Policy) joinsOfAll() []Join {
	list := slices.Clone(p.Joins)
	for _, s := range p.Then {
		if s.Related != nil {
			list = append(list, s.Related.Joins...)
		}
	}
	return list
}

func addJoined(list []Table, j Join) []Table {
	if j.Table == nil {
		return list
	}
	return append(list, *j.Table)
}

// Tables lists the tables that a piece of SQL names; the schema is "" where the SQL has none.
func (p Part) Tables() []Table {
	parsed, err := p.Parse()
	if err != nil {
		return nil // refused when the file was read
	}
	var list []Table
	for _, ref := range parsed.Tables {
		list = append(list, Table{Schema: ref.Schema, Name: ref.Name, Position: p.Expr.At(ref.Offset)})
	}
	return list
}

// Deletion is a table that a step of a policy deletes from.
type Deletion struct {
	Table Table
	Step  int // in Then
}

// Deletes lists the deletions of a policy, those of its statements too, in their order.
func (p *Policy) Deletes() []Deletion {
	var list []Deletion
	for i, s := range p.Then {
		switch {
		case s.Delete != nil && s.Related != nil:
			list = append(list, Deletion{s.Related.Table, i})
		case s.Delete != nil:
			list = append(list, Deletion{p.Table, i})
		}
		for _, t := range (&Policy{Then: []Step{s}}).StatementDeletes() {
			list = append(list, Deletion{t, i})
		}
	}
	return list
}
