// Package lint finds what is wrong with a policy file although every part of it is right: parts that
// contradict each other, or do less than they say. It needs no database, and with the catalog snapshot it
// finds more. It says only what is certain.
package lint

import (
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
