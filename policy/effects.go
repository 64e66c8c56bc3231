package policy

import (
	"slices"

	"pgretain/internal/lists"
)

// Access says which statements a policy executes on a table.
type Access struct{ Insert, Update, Delete bool }

// Effect says what one part of a policy does with a table. The part must name the table outside of
// expressions.
type Effect struct {
	Table  Table
	Access Access
	Step   int // index in Then, or one of the constants below
	// columns set in existing rows; a value is empty if it is not known in advance
	Set []Assignment

	Reached   bool // reached only by foreign keys of a delete
	Created   bool // an archive that the policy creates if it does not exist
	Own       bool // a step on the policy's own rows
	Statement bool // effect of a statement in an SQL step

	changes bool // the policy changes or takes existing rows
	// name of the part in messages, if protected tables do not allow it; "" if they allow it
	what string
}

// Verb returns what the part does with rows, or "" if it only reads them.
func (e Effect) Verb() Verb {
	switch {
	case e.Statement:
		return VerbSQL
	case e.Reached:
		return VerbCascade
	case e.Access.Insert:
		return VerbInsert
	case e.Access.Update:
		return VerbUpdate
	case e.Access.Delete:
		return VerbDelete
	}
	return ""
}

const (
	ofMark     = -1 - iota // the watermark
	ofPolicy               // the policy's own table and its joins
	ofFunction             // functions for the application
)

// effects lists what a policy does. The first entry sums up the effects on the policy's own table.
// The other entries follow in the order of watermarks, steps and functions for applications.
func (p *Policy) effects() []Effect {
	list := []Effect{{Table: p.Table, Step: ofPolicy, what: "policy"}}
	add := func(step int, more ...Effect) {
		for _, e := range more {
			e.Step = step
			list = append(list, e)
		}
	}
	add(ofPolicy, joined(p.Joins)...)
	for _, clock := range p.DueClocks() {
		if mark := clock.Watermark; mark != nil {
			add(ofMark, Effect{Table: mark.Table, Access: Access{Update: true}, changes: true,
				what: `"watermark"`, Set: []Assignment{{Column: mark.Column}}})
		}
	}
	for i, s := range p.Then {
		add(i, s.effects(p.Table)...)
	}
	if p.Claim != nil && p.Claim.Cursor != nil {
		add(ofFunction, Effect{Table: p.Claim.Cursor.Table, Access: Access{Insert: true, Update: true},
			changes: true, what: `"cursor"`})
	}
	revives := p.Touch != nil && p.Touch.Revive != nil
	if revives {
		add(ofFunction, Effect{Table: p.Touch.Revive.Table})
	}
	own := &list[0]
	own.Access = Access{Insert: p.Claim != nil || revives, Update: p.Claim != nil || p.Touch != nil}
	for _, e := range list {
		own.Access.Update = own.Access.Update || e.Own && e.Access.Update
		own.Access.Delete = own.Access.Delete || e.Own && e.Access.Delete
	}
	own.changes = own.Access.Update || own.Access.Delete || slices.ContainsFunc(p.Then, Step.takesPartition)
	return list
}

func (s Step) takesPartition() bool { return s.Detach != nil || s.Drop != nil }

// joined lists the tables that joins read.
func joined(joins []Join) (list []Effect) {
	for _, j := range joins {
		if j.Table != nil {
			list = append(list, Effect{Table: *j.Table})
		}
	}
	return list
}

// effects lists what a step does with other tables. It also lists the policy's own table if the
// step changes its rows.
func (s Step) effects(own Table) (list []Effect) {
	e := Effect{Table: own, Access: Access{Update: s.Update != nil, Delete: s.Delete != nil}, Own: s.Related == nil}
	e.changes = e.Access.Update || e.Access.Delete
	if s.Update != nil {
		e.Set = s.Update.Set
	}
	if s.Related != nil {
		if e.Table = s.Related.Table; e.changes {
			e.what = "a step on related rows"
		}
		list = append(append(list, e), joined(s.Related.Joins)...)
	} else if e.changes {
		list = append(list, e)
	}
	switch {
	case s.Delete != nil:
		for _, t := range s.Delete.Cascades {
			list = append(list, Effect{Table: t, Reached: true, what: `"cascades"`})
		}
	case s.Insert != nil:
		e := Effect{Table: s.Insert.Into, Access: Access{Insert: true, Update: len(s.Insert.Key) > 0}}
		if e.Access.Update { // the new values depend on the existing row
			e.Set = lists.Map(slices.Concat(s.Insert.Add, s.Insert.Max, s.Insert.Min, s.Insert.Set),
				func(a Assignment) Assignment { return Assignment{Column: a.Column, Position: a.Position} })
		}
		list = append(list, e)
	case s.Archive != nil:
		e := Effect{Table: s.Archive.Into, Access: Access{Insert: true}, Created: s.Archive.Create}
		if s.Archive.Existing == "replace" {
			e.Access.Update, e.changes, e.what = true, true, `"existing: replace"`
		}
		list = append(list, e)
	case s.SQL != nil:
		list = append(list, statementEffects(s.SQL)...)
	}
	return list
}

func statementEffects(sql *Expr) (list []Effect) {
	for _, w := range sql.parsed.Writes {
		if w.Table.Schema == "" {
			continue // a query in WITH has this name, so it is no table
		}
		t := Table{Schema: w.Table.Schema, Name: w.Table.Name, Position: sql.At(w.Table.Offset)}
		e := Effect{Table: t, Access: Access{Insert: w.Insert, Update: w.Update, Delete: w.Delete}, Statement: true}
		if w.Update && !w.Insert || w.Delete {
			e.changes, e.what = true, "a statement"
		}
		e.Set = lists.Map(w.Sets, func(column string) Assignment { return Assignment{Column: column} })
		list = append(list, e)
	}
	return list
}

// effectsWhere lists the effects for which matches returns true.
func (p *Policy) effectsWhere(matches func(Effect) bool) []Effect {
	return slices.DeleteFunc(p.effects(), func(e Effect) bool { return !matches(e) })
}

func tables(list []Effect) []Table { return lists.Map(list, func(e Effect) Table { return e.Table }) }

// Uses lists the tables that a policy names outside of expressions, its own table first. It
// includes the tables that SQL steps change.
func (p *Policy) Uses() []Effect { return p.effectsWhere(func(e Effect) bool { return !e.Own }) }

// Changes lists the tables whose existing rows a policy changes or takes, each once. A table that
// only receives rows from an insert or archive is not listed.
func (p *Policy) Changes() (list []Table) {
	for _, t := range tables(p.effectsWhere(func(e Effect) bool { return e.changes })) {
		if !slices.ContainsFunc(list, t.same) {
			list = append(list, t)
		}
	}
	return list
}

// Writes lists the statements that runs execute on tables, for example "DELETE public.message".
func (p *Policy) Writes() []string {
	list := []string{}
	for _, e := range p.effectsWhere(func(e Effect) bool { return e.Step != ofPolicy && e.Step != ofFunction }) {
		events := map[string]bool{"INSERT": e.Access.Insert, "UPDATE": e.Access.Update, "DELETE": e.Access.Delete}
		for event, does := range events {
			if does {
				list = append(list, event+" "+e.Table.String())
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Effects lists what the first n steps do, without the tables that they only read.
func (p *Policy) Effects(n int) []Effect {
	return p.effectsWhere(func(e Effect) bool { return e.Step >= 0 && e.Step < n && e.Verb() != "" })
}

// Deletes lists the deletions of a policy in the order of its steps, including those of SQL steps.
func (p *Policy) Deletes() []Effect {
	return p.effectsWhere(func(e Effect) bool { return e.Step >= 0 && e.Access.Delete })
}

// Sets lists the columns that the runs of a policy set, by step.
func (p *Policy) Sets() []Effect {
	return p.effectsWhere(func(e Effect) bool { return len(e.Set) > 0 })
}

// StatementDeletes lists the tables from which SQL steps delete.
func (p *Policy) StatementDeletes() []Table {
	return tables(p.effectsWhere(func(e Effect) bool { return e.Statement && e.Access.Delete }))
}

// Covers lists the tables whose rows the policy takes. Its own table is also listed if the policy
// updates rows. Tables that a delete reaches by foreign key are listed as well, because only the
// catalog says whether their rows are deleted. Tables into which the policy only inserts are not
// listed.
func (p *Policy) Covers() []Effect {
	return slices.DeleteFunc(p.Uses(), func(use Effect) bool {
		own := use.Table.same(p.Table) && (use.Access.Update || p.Partitions)
		return !use.Access.Delete && !use.Reached && !own
	})
}

// clearsDue reports whether the steps take the due rows or make them no longer due. Otherwise the
// next run would find the same rows again.
func (p *Policy) clearsDue() bool {
	read, all := p.conditionColumns()
	return slices.ContainsFunc(p.Then, Step.takesPartition) || slices.ContainsFunc(p.effects(), func(e Effect) bool {
		return e.Step == ofMark || e.Own && e.Access.Delete || e.Statement && e.Table.same(p.Table) ||
			e.Own && slices.ContainsFunc(e.Set, func(a Assignment) bool { return all || read[a.Column] })
	})
}

// conditionColumns lists the columns of the row that "where", "due" and "keep" read. The result
// "all" is true if they also read other tables, because a step may change those.
func (p *Policy) conditionColumns() (read map[string]bool, all bool) {
	read = map[string]bool{}
	for _, clock := range p.DueClocks() {
		read[clock.Column] = true
	}
	for _, part := range (&Policy{Where: p.Where, Due: p.Due, Keep: p.Keep}).Fragments() {
		if part.Kind != IsExpression {
			continue
		}
		parsed := part.Expr.parsed
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

// AccessIndex tells which policies of a file delete from a table, and which tables a policy reads.
type AccessIndex struct {
	deletes map[string][]*Policy        // maps a table to the policies that delete from it
	reads   map[*Policy]map[string]bool // maps a policy to the names of the tables that it reads
}

// AccessIndex returns the index of the file.
func (f *File) AccessIndex() *AccessIndex {
	c := &AccessIndex{map[string][]*Policy{}, map[*Policy]map[string]bool{}}
	for _, p := range f.Policies {
		c.reads[p] = map[string]bool{}
		for _, t := range f.Reads(p) {
			c.reads[p][t.String()] = true
		}
		for _, d := range p.Deletes() {
			c.deletes[d.Table.String()] = append(c.deletes[d.Table.String()], p)
		}
	}
	return c
}

// AffectsReferring is about the rows that refer to rows which one step of policy p deletes. The
// parameter "names" contains the names of the referring table and of its parents.
//
// AffectsReferring returns true in three cases:
//   - An earlier step of p changes or deletes the referring rows. If anyStep is true, a later step
//     counts, too.
//   - Policy p reads the referring table.
//   - Another policy deletes from the referring table.
func (c *AccessIndex) AffectsReferring(names []string, p *Policy, step int, anyStep bool) bool {
	for _, e := range p.effects() {
		early := e.Step >= 0 && (e.Step < step || anyStep)
		if early && !e.Own && e.changes && slices.Contains(names, e.Table.String()) {
			return true
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return c.reads[p][name] || slices.ContainsFunc(c.deletes[name], func(other *Policy) bool { return other != p })
	})
}
