package policy

import (
	"slices"

	"pgretain/internal/lists"
)

// Access says what a policy does with a table's rows.
type Access struct{ Insert, Update, Delete bool }

// Effect is what one part of a policy does with a table that it names outside of expressions.
type Effect struct {
	Table  Table
	Access Access
	Step   int          // in Then; one of the constants below for other parts
	Set    []Assignment // columns that it sets in rows that are there; values that nobody can tell beforehand are empty

	Reached   bool // by foreign keys of a delete only
	Created   bool // an archive that the policy creates where it is missing
	Own       bool // a step on the policy's own rows
	Statement bool // by a statement of the policy's own words

	changes bool   // rows that are there change or go
	what    string // the part, where it may not concern a protected table
}

// Verb is what the part does with rows: "" for one that only reads them.
func (e Effect) Verb() string {
	switch {
	case e.Statement:
		return "sql"
	case e.Reached:
		return "cascade"
	case e.Access.Insert:
		return "insert"
	case e.Access.Update:
		return "update"
	case e.Access.Delete:
		return "delete"
	}
	return ""
}

const (
	ofMark     = -1 - iota // the watermark
	ofPolicy               // its own table, and joins
	ofFunction             // functions for the application
)

// effects lists what a policy does: with its own table in all first, then by part.
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

// joined are the tables that joins read.
func joined(joins []Join) (list []Effect) {
	for _, j := range joins {
		if j.Table != nil {
			list = append(list, Effect{Table: *j.Table})
		}
	}
	return list
}

// effects lists what a step does with rows of the policy's table, where it changes these, and with other tables.
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
		if e.Access.Update { // what they become depends on the row that is there
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
	for _, w := range sql.Statement().Writes {
		if w.Table.Schema == "" {
			continue // a name of its own WITH
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

func (p *Policy) which(is func(Effect) bool) []Effect {
	return slices.DeleteFunc(p.effects(), func(e Effect) bool { return !is(e) })
}

func tables(list []Effect) []Table { return lists.Map(list, func(e Effect) Table { return e.Table }) }

// Uses lists the tables that a policy names outside of expressions, and those that its statements
// change, its own first.
func (p *Policy) Uses() []Effect { return p.which(func(e Effect) bool { return !e.Own }) }

// Changes lists the tables whose rows a policy changes or takes, each once. What it only adds to,
// with an insert or an archive, is not among them.
func (p *Policy) Changes() (list []Table) {
	for _, t := range tables(p.which(func(e Effect) bool { return e.changes })) {
		if !slices.ContainsFunc(list, t.same) {
			list = append(list, t)
		}
	}
	return list
}

// Writes lists what statements of runs do to tables, as in "DELETE public.message".
func (p *Policy) Writes() []string {
	list := []string{}
	for _, e := range p.which(func(e Effect) bool { return e.Step != ofPolicy && e.Step != ofFunction }) {
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

// Effects lists what the first n steps do, but for what they only read.
func (p *Policy) Effects(n int) []Effect {
	return p.which(func(e Effect) bool { return e.Step >= 0 && e.Step < n && e.Verb() != "" })
}

// Deletes lists the deletions of a policy, those of its statements too, in their order.
func (p *Policy) Deletes() []Effect {
	return p.which(func(e Effect) bool { return e.Step >= 0 && e.Access.Delete })
}

// Sets lists the columns that runs of a policy set, by step.
func (p *Policy) Sets() []Effect {
	return p.which(func(e Effect) bool { return len(e.Set) > 0 })
}

// StatementDeletes lists the tables that statements of the policy's own words delete from.
func (p *Policy) StatementDeletes() []Table {
	return tables(p.which(func(e Effect) bool { return e.Statement && e.Access.Delete }))
}

// Covers lists the tables whose rows do not stay for ever as they are, by this policy: those it takes
// rows from or, of its own table, changes rows of; and those that a delete reaches by foreign key,
// where the catalog tells whether rows go. What it only writes to grows.
func (p *Policy) Covers() []Effect {
	return slices.DeleteFunc(p.Uses(), func(use Effect) bool {
		own := use.Table.same(p.Table) && (use.Access.Update || p.Partitions)
		return !use.Access.Delete && !use.Reached && !own
	})
}

// clearsDue says whether the steps make the policy's rows go, or no longer due: otherwise the next
// run would find them again.
func (p *Policy) clearsDue() bool {
	read, all := p.judgedBy()
	return slices.ContainsFunc(p.Then, Step.takesPartition) || slices.ContainsFunc(p.effects(), func(e Effect) bool {
		return e.Step == ofMark || e.Own && e.Access.Delete || e.Statement && e.Table.same(p.Table) ||
			e.Own && slices.ContainsFunc(e.Set, func(a Assignment) bool { return all || read[a.Column] })
	})
}

// judgedBy lists the columns of the row that where, due and keep read; all is true where they read
// other tables as well, which a step may change.
func (p *Policy) judgedBy() (read map[string]bool, all bool) {
	read = map[string]bool{}
	for _, clock := range p.DueClocks() {
		read[clock.Column] = true
	}
	for _, part := range (&Policy{Where: p.Where, Due: p.Due, Keep: p.Keep}).Parts() {
		if part.Kind != IsExpression {
			continue
		}
		parsed := part.Parsed()
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
	deletes map[string][]*Policy        // by table
	reads   map[*Policy]map[string]bool // by table
}

// Concerns collects them.
func (f *File) Concerns() *Concerns {
	c := &Concerns{map[string][]*Policy{}, map[*Policy]map[string]bool{}}
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

// About says whether the file does something about rows of a table that refer to what step number step of
// a policy deletes: an earlier step of the policy changes or deletes them (any step, if that is early
// enough), its expressions or joins read them, or another policy deletes them. The table has several
// names: its own, and those of the tables above it.
func (c *Concerns) About(names []string, p *Policy, step int, anyStep bool) bool {
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
