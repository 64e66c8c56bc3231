package policy

import (
	"fmt"
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

// effect is what one part of a policy does with a table that it names outside of expressions.
type effect struct {
	Use
	step      int          // in Then; one of the constants below for other parts
	own       bool         // a step on the policy's own rows
	changes   bool         // rows that are there change or go
	what      string       // the part, where it may not concern a protected table
	sets      []Assignment // columns that it sets in rows that are there; values that nobody can tell beforehand are empty
	statement bool         // by a statement of the policy's own words
}

const (
	ofPolicy   = -1 - iota // its own table, and joins
	ofMark                 // the watermark
	ofFunction             // functions for the application
)

// effects lists what a policy does: with its own table in all first, then by part.
func (p *Policy) effects() []effect {
	var list []effect
	for _, j := range p.Joins {
		list = j.effect(list, ofPolicy)
	}
	for _, entry := range p.DueEntries() {
		if mark := entry.watermark(); mark != nil {
			list = append(list, effect{Use: Use{Table: mark.Table, Access: Access{Update: true}}, step: ofMark, changes: true,
				what: `"watermark"`, sets: []Assignment{{Column: mark.Column}}})
		}
	}
	own := effect{Use: Use{Table: p.Table}, step: ofPolicy, what: fmt.Sprintf("policy %q", p.Name)}
	for i, s := range p.Then {
		if s.Related == nil && (s.Delete != nil || s.Update != nil) {
			e := effect{Use: Use{Table: p.Table, Access: Access{Update: s.Update != nil, Delete: s.Delete != nil}}, step: i, own: true, changes: true}
			if s.Update != nil {
				e.sets = s.Update.Set
			}
			own.Access.Update, own.Access.Delete = own.Access.Update || e.Access.Update, own.Access.Delete || e.Access.Delete
			list = append(list, e)
		}
		own.changes = own.changes || s.Detach != nil || s.Drop != nil
		list = append(list, s.effects(i)...)
	}
	if p.Claim != nil {
		own.Access.Insert, own.Access.Update = true, true
		if c := p.Claim.Cursor; c != nil {
			list = append(list, effect{Use: Use{Table: c.Table, Access: Access{Insert: true, Update: true}}, step: ofFunction, changes: true, what: `"cursor"`})
		}
	}
	if p.Touch != nil {
		own.Access.Update = true
		if p.Touch.Revive != nil {
			own.Access.Insert = true
			list = append(list, effect{Use: Use{Table: p.Touch.Revive.Table}, step: ofFunction})
		}
	}
	own.changes = own.changes || own.Access.Update || own.Access.Delete
	return append([]effect{own}, list...)
}

func (j Join) effect(list []effect, step int) []effect {
	if j.Table == nil {
		return list
	}
	return append(list, effect{Use: Use{Table: *j.Table}, step: step})
}

// effects lists what a step does with other tables than the policy's, and those that its statement names.
func (s Step) effects(step int) []effect {
	var list []effect
	if s.Related != nil {
		e := effect{Use: Use{Table: s.Related.Table, Access: Access{Update: s.Update != nil, Delete: s.Delete != nil}}, step: step}
		if s.Update != nil {
			e.sets = s.Update.Set
		}
		if s.Update != nil || s.Delete != nil {
			e.changes, e.what = true, "a step on related rows"
		}
		list = append(list, e)
		for _, j := range s.Related.Joins {
			list = j.effect(list, step)
		}
	}
	switch {
	case s.Delete != nil:
		for _, t := range s.Delete.Cascades {
			list = append(list, effect{Use: Use{Table: t, Reached: true}, step: step, what: `"cascades"`})
		}
	case s.Insert != nil:
		e := effect{Use: Use{Table: s.Insert.Into, Access: Access{Insert: true, Update: len(s.Insert.Key) > 0}}, step: step}
		if e.Access.Update { // what they become depends on the row that is there
			for _, a := range slices.Concat(s.Insert.Add, s.Insert.Max, s.Insert.Min, s.Insert.Set) {
				e.sets = append(e.sets, Assignment{Column: a.Column, Position: a.Position})
			}
		}
		list = append(list, e)
	case s.Archive != nil:
		e := effect{Use: Use{Table: s.Archive.Into, Access: Access{Insert: true}, Created: s.Archive.Create}, step: step}
		if s.Archive.Existing == "replace" {
			e.Access.Update, e.changes, e.what = true, true, `"existing: replace"`
		}
		list = append(list, e)
	case s.SQL != nil:
		list = append(list, statementEffects(s.SQL, step)...)
	}
	return list
}

func statementEffects(sql *Expr, step int) []effect {
	var list []effect
	for _, w := range sql.Statement().Writes {
		if w.Table.Schema == "" {
			continue // a name of its own WITH
		}
		t := Table{Schema: w.Table.Schema, Name: w.Table.Name, Position: sql.At(w.Table.Offset)}
		e := effect{Use: Use{Table: t, Access: Access{Insert: w.Insert, Update: w.Update, Delete: w.Delete}}, step: step, statement: true}
		if w.Update && !w.Insert || w.Delete {
			e.changes, e.what = true, "a statement"
		}
		for _, column := range w.Sets {
			e.sets = append(e.sets, Assignment{Column: column})
		}
		list = append(list, e)
	}
	return list
}

// Uses lists the tables that a policy names outside of expressions, and those that its statements
// change, its own first.
func (p *Policy) Uses() []Use {
	var list []Use
	for _, e := range p.effects() {
		if !e.own {
			list = append(list, e.Use)
		}
	}
	return list
}

// Changes lists the tables whose rows a policy changes or takes, each once. What it only adds to,
// with an insert or an archive, is not among them.
func (p *Policy) Changes() []Table {
	var list []Table
	for _, e := range p.effects() {
		if e.changes && !slices.ContainsFunc(list, e.Table.same) {
			list = append(list, e.Table)
		}
	}
	return list
}

// Writes lists what statements of runs do to tables, as in "DELETE public.message".
func (p *Policy) Writes() []string {
	list := []string{}
	for _, e := range p.effects() {
		if e.step == ofPolicy || e.step == ofFunction {
			continue
		}
		for event, does := range map[string]bool{"INSERT": e.Access.Insert, "UPDATE": e.Access.Update, "DELETE": e.Access.Delete} {
			if does {
				list = append(list, event+" "+e.Table.String())
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Deletion is a table that a step of a policy deletes from.
type Deletion struct {
	Table Table
	Step  int // in Then
}

// Deletes lists the deletions of a policy, those of its statements too, in their order.
func (p *Policy) Deletes() []Deletion {
	var list []Deletion
	for _, e := range p.effects() {
		if e.step >= 0 && e.Access.Delete {
			list = append(list, Deletion{e.Table, e.step})
		}
	}
	return list
}

// StatementDeletes lists the tables that statements of the policy's own words delete from.
func (p *Policy) StatementDeletes() []Table {
	var list []Table
	for _, e := range p.effects() {
		if e.statement && e.Access.Delete {
			list = append(list, e.Table)
		}
	}
	return list
}

// Written is what a policy sets in rows of a table that are there already.
type Written struct {
	Table Table
	Step  int          // in Then, -1 for the watermark
	Set   []Assignment // values that nobody can tell beforehand are empty
}

// Sets lists the columns that runs of a policy set, by step.
func (p *Policy) Sets() []Written {
	var list []Written
	for _, e := range p.effects() {
		if len(e.sets) > 0 {
			list = append(list, Written{Table: e.Table, Step: max(e.step, -1), Set: e.sets})
		}
	}
	return list
}

// Covers lists the tables whose rows do not stay for ever as they are, by this policy: those it takes
// rows from or, of its own table, changes rows of; and those that a delete reaches by foreign key,
// where the catalog tells whether rows go. What it only writes to grows.
func (p *Policy) Covers() []Use {
	return slices.DeleteFunc(p.Uses(), func(use Use) bool {
		own := use.Table.same(p.Table) && (use.Access.Update || p.Partitions)
		return !use.Access.Delete && !use.Reached && !own
	})
}

// clearsDue says whether the steps make the policy's rows go, or no longer due: otherwise the next
// run would find them again.
func (p *Policy) clearsDue() bool {
	read, all := p.judgedBy()
	for _, e := range p.effects() {
		switch {
		case e.step == ofMark, e.own && e.Access.Delete, e.statement && e.Table.same(p.Table):
			return true
		case e.own && slices.ContainsFunc(e.sets, func(a Assignment) bool { return all || read[a.Column] }):
			return true
		}
	}
	return slices.ContainsFunc(p.Then, func(s Step) bool { return s.Detach != nil || s.Drop != nil })
}

// judgedBy lists the columns of the row that where, due and keep read; all is true where they read
// other tables as well, which a step may change.
func (p *Policy) judgedBy() (read map[string]bool, all bool) {
	read = map[string]bool{}
	for _, entry := range p.DueEntries() {
		if entry.Clock != nil {
			read[entry.Clock.Column] = true
		}
	}
	for _, part := range p.decides() {
		if part.Kind != IsExpression {
			continue
		}
		parsed, err := part.Parse()
		if err != nil {
			return read, true // reported when it was read
		}
		all = all || parsed.Subquery
		for _, c := range parsed.Columns {
			switch {
			case len(c.Fields) == 1 && !c.Star:
				read[c.Fields[0]] = true
			case len(c.Fields) == 2 && c.Fields[0] == "t" && !c.Star:
				read[c.Fields[1]] = true
			case len(c.Fields) > 0 && c.Fields[0] != "keep":
				all = true
			}
		}
	}
	return read, all
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
	for _, e := range p.effects() {
		if e.step >= 0 && !e.own && e.changes && (e.step < step || anyStep) && slices.Contains(names, e.Table.String()) {
			return true
		}
	}
	if c.reads[p] == nil {
		c.reads[p] = map[string]bool{}
		for _, t := range c.file.Reads(p) {
			c.reads[p][t.String()] = true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return c.reads[p][name] || slices.ContainsFunc(c.deletes[name], func(other *Policy) bool { return other != p })
	})
}
