// Package lint finds what is wrong with a policy file although every part of it is right: parts that
// contradict each other, or do less than they say. It needs no database, and with the catalog snapshot it
// finds more. It says only what is certain.
package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/calendar"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// Check lints a file that was read without errors; snapshot may be nil. An Error is a policy that can
// never do what it says, everything else a Warning. The list is sorted by place.
func Check(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	l := newLinter(file, snapshot)
	for _, c := range checks {
		l.code = c.code
		c.run(l)
	}
	return l.list.Unique()
}

// check is one kind of finding. It has a file of its own here, and a page in docs/checks.
type check struct {
	code string
	run  func(*linter)
}

var checks []check

// register makes a check known, from a package variable. Codes from L001 to L049 keep their meaning for
// ever.
func register(code, title string, run func(*linter)) string {
	checks = append(checks, check{diag.Register(code, title), run})
	return code
}

// linter goes through one file.
type linter struct {
	file       *policy.File
	policies   map[string]*policy.Policy // by name
	jobs       map[string][]*policy.Job  // that run a policy, by its name
	ticks      map[*policy.Job]calendar.Ticks
	rows       map[*policy.Policy]*row
	snapshot   *catalog.Snapshot
	code       string // of the check that runs
	list       diag.List
	conditions map[string]*pgparse.Condition
}

func newLinter(file *policy.File, snapshot *catalog.Snapshot) *linter {
	l := &linter{file: file, snapshot: snapshot, policies: map[string]*policy.Policy{}, jobs: map[string][]*policy.Job{},
		ticks: map[*policy.Job]calendar.Ticks{}, rows: map[*policy.Policy]*row{}, conditions: map[string]*pgparse.Condition{}}
	for _, p := range file.Policies {
		l.policies[p.Name] = p
	}
	for _, j := range file.Jobs {
		for _, run := range j.Run {
			l.jobs[run.Name] = append(l.jobs[run.Name], j)
		}
	}
	return l
}

// finding is what a check says.
type finding struct {
	at                    diag.Position
	policy, job           string
	message, detail, hint string
}

func (l *linter) refuse(f finding) { l.add(diag.Error, f) }
func (l *linter) warn(f finding)   { l.add(diag.Warning, f) }

func (l *linter) add(severity diag.Severity, f finding) {
	d := diag.Diagnostic{Position: f.at, Severity: severity, Code: l.code, Message: f.message, Detail: f.detail, Hint: f.hint, Policy: f.policy, Object: f.job}
	if p := l.policies[f.policy]; p != nil {
		d.Table = p.Table.String()
	}
	l.list.Add(d)
}

// always is what stands for a condition that is not there.
var always = &pgparse.Condition{Form: pgparse.Fixed, Values: []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}}}

// condition reads an expression, once; nil where it cannot be read.
func (l *linter) condition(e *policy.Expr) *pgparse.Condition {
	if e == nil {
		return always
	}
	if c, ok := l.conditions[e.SQL]; ok {
		return c
	}
	c, err := pgparse.ParseCondition(e.SQL)
	if err != nil {
		c = nil // reported when it was read
	}
	l.conditions[e.SQL] = c
	return c
}

// wanted are the wishes that a row meets which the policy may take: its where is true.
func (l *linter) wanted(p *policy.Policy) []wish { return []wish{{c: l.condition(p.Where), is: yes}} }

// taken adds that no guard spares the row.
func (l *linter) taken(p *policy.Policy) []wish {
	wishes := l.wanted(p)
	for _, g := range p.Keep {
		if g.Condition != nil {
			wishes = append(wishes, wish{c: l.condition(g.Condition), is: no})
		}
	}
	return wishes
}

// isNull is the condition that a column is NULL.
func isNull(column string) *pgparse.Condition {
	return &pgparse.Condition{Form: pgparse.IsNull, Left: pgparse.Operand{Column: column}}
}

// clocked is a policy whose only clock is an age or an expiry by a column with constant windows.
type clocked struct {
	*policy.Policy
	clock     *policy.Clock
	shortest  policy.Interval
	longest   policy.Interval
	unlimited bool // some rows are never due
}

// clockedPolicies are those whose windows can be compared.
func clockedPolicies(policies []*policy.Policy) []clocked {
	var list []clocked
	for _, p := range policies {
		if c, ok := clockOf(p); ok {
			list = append(list, c)
		}
	}
	return list
}

// tables lists the policies of each table that has several, in the order of the file.
func (l *linter) tables() [][]*policy.Policy {
	return slices.DeleteFunc(l.allTables(), func(list []*policy.Policy) bool { return len(list) < 2 })
}

// allTables lists the policies of each table.
func (l *linter) allTables() [][]*policy.Policy {
	place := map[string]int{}
	var all [][]*policy.Policy
	for _, p := range l.file.Policies {
		name := p.Table.String()
		i, ok := place[name]
		if !ok {
			i = len(all)
			place[name] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], p)
	}
	return all
}

func clockOf(p *policy.Policy) (clocked, bool) {
	if p.Partitions || p.Due == nil || len(p.Due.Entries) != 1 {
		return clocked{}, false
	}
	k := p.Due.Entries[0].Clock
	if k == nil || k.Column == "" || k.Kind == "position" || p.Due.Entries[0].Beyond != nil {
		return clocked{}, false
	}
	c := clocked{Policy: p, clock: k}
	return c, c.windows(k.Window)
}

// windows finds the shortest and the longest; false where the data have a say.
func (c *clocked) windows(w policy.Window) bool {
	c.unlimited = w.Tiers[len(w.Tiers)-1].When != nil // no "else"
	first := true
	for _, t := range w.Tiers {
		i := t.Interval
		switch {
		case t.Never:
			c.unlimited = true
			continue
		case t.Data != nil && (t.Data.Value != nil || t.Data.Else == nil):
			return false
		case t.Data != nil:
			i = *t.Data.Else
		}
		if first || longer(c.shortest, i) {
			c.shortest = i
		}
		if first || longer(i, c.longest) {
			c.longest = i
		}
		first = false
	}
	return !first
}

// sameClock says whether two policies of one table go by one column.
func (c clocked) sameClock(o clocked) bool {
	a, b := c.clock.Encoding, o.clock.Encoding
	return c.clock.Column == o.clock.Column && a.Kind == b.Kind && a.Shift == b.Shift && a.Epoch == b.Epoch
}

// deletes says whether every row that a policy takes is deleted.
func deletes(p *policy.Policy) bool {
	for _, s := range p.Then {
		if s.Delete != nil && s.Related == nil && s.Where == nil {
			return true
		}
	}
	return false
}

// ownUpdates are the steps that change the policy's rows.
func ownUpdates(p *policy.Policy) []policy.Step {
	var list []policy.Step
	for _, s := range p.Then {
		if s.Update != nil && s.Related == nil {
			list = append(list, s)
		}
	}
	return list
}

// sets says whether a step of a policy's own rows writes a column.
func sets(p *policy.Policy, column string) bool {
	for _, s := range ownUpdates(p) {
		for _, a := range s.Update.Set {
			if a.Column == column {
				return true
			}
		}
	}
	return false
}

// guarded says whether a policy has guards, of which some may be read at run time only.
func guarded(p *policy.Policy) bool { return len(p.Keep) > 0 }

// runsWhole says whether a job runs a policy on all its rows. Where no job runs anything, something else
// may.
func (l *linter) runsWhole(p *policy.Policy) bool {
	return len(l.file.Jobs) == 0 || slices.ContainsFunc(l.jobs[p.Name], func(j *policy.Job) bool { return len(j.Scope) == 0 })
}

func place(p *policy.Policy) string {
	return fmt.Sprintf("Policy %q is in line %d.", p.Name, p.Position.Line)
}

// columns lists the columns that a condition compares or asks for, each once.
func columns(c *pgparse.Condition) []string {
	var list []string
	walk(c, func(c *pgparse.Condition) {
		for _, name := range append(slices.Clone(c.Strict), c.Left.Column) {
			if name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	})
	return list
}

// asksNull says whether a condition asks if a column is NULL.
func asksNull(c *pgparse.Condition, column string) bool {
	found := false
	walk(c, func(c *pgparse.Condition) {
		asks := c.Form == pgparse.IsNull || c.Form == pgparse.Distinct
		if c.Form == pgparse.Is && slices.Contains(columns(c.Parts[0]), column) || asks && c.Left.Column == column {
			found = true
		}
	})
	return found
}

// walk calls f for a condition and all its parts.
func walk(c *pgparse.Condition, f func(*pgparse.Condition)) {
	if c != nil {
		c.Walk(f)
	}
}
