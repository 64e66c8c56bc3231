// Package lint finds what is wrong with a policy file although every part of it is right: parts that
// contradict each other, or do less than they say. It needs no database, and with the catalog snapshot it
// finds more. It says only what is certain.
package lint

import (
	"fmt"
	"slices"

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

// check is one kind of finding. It has a page in docs/checks; codes from L001 to L049 keep their meaning for ever.
type check struct {
	code, title string
	run         func(*linter)
}

var checks = registered([]check{
	{"L001", "a where that is never true", eachPolicy((*linter).checkWhere)},
	{"L002", "guards that spare every row", eachPolicy((*linter).checkGuards)},
	{"L004", "a tier that never applies", eachClock((*linter).checkTiers)},
	{"L005", "a clock that is NULL in every row", eachClock((*linter).checkClockNull)},
	{"L006", "a step that never acts", eachPolicy((*linter).checkSteps)},
	{"L007", "an update that leaves its rows due", eachPolicy((*linter).checkLeftDue)},
	{"L008", "a comparison with NULL", (*linter).checkNullCompared},
	{"L009", "a BETWEEN that nothing is in", (*linter).checkBetween},
	{"L010", "a guard that keeps every row with a NULL", eachPolicy((*linter).checkGuardNull)},
	{"L011", "a where that passes by rows with a NULL", eachPolicy((*linter).checkWhereNull)},
	{"L012", "a sub-select of IN that may hold a NULL", eachPolicy((*linter).checkInNull)},
	{"L013", "a cap below what is kept", eachPolicy((*linter).checkCap)},
	{"L014", "a rank in groups of one row", eachPolicy((*linter).checkGroups)},
	{"L015", "an archive that keeps its rows no longer than the table", (*linter).checkArchives},
	{"L016", "rows that are destroyed as soon as they are marked", eachTwoClocks((*linter).checkGrace)},
	{"L017", "a policy that another one leaves nothing for", eachTwoClocks((*linter).checkOvertaken)},
	{"L018", "rows that go with others before their own time", (*linter).checkParents},
	{"L019", "two policies that set a column to and fro", (*linter).checkFights},
	{"L020", "a policy with a time that no job runs", eachPolicy((*linter).checkNoJob)},
	{"L021", "a schedule that never comes", eachJob((*linter).checkNever)},
	{"L022", "a job that may take longer than until its next start", eachJob((*linter).checkBudget)},
	{"L023", "two jobs that always start together on one table", (*linter).checkBusy},
	{"L024", "a schedule that another of the job covers", eachJob((*linter).checkScheduleTwice)},
	{"L025", "a breaker below the budget", eachPolicy((*linter).checkBreaker)},
	{"L026", "a policy of all rows that its breaker stops", eachPolicy((*linter).checkEveryRow)},
	{"L027", "a watermark that passes rows not committed yet", eachClock((*linter).checkMarkBehind)},
	{"L030", "a window of hours on a clock of days", eachClock((*linter).checkDays)},
	{"L031", "an encoding that the numbers cannot have", eachClock((*linter).checkEncoding)},
	{"L032", "a short window on local time", eachClock((*linter).checkLocalTime)},
	{"L033", "a where that no index can hold", eachPolicy((*linter).checkZone)},
	{"L034", "a clock that no index can hold", eachClock((*linter).checkClockZone)},
})

func registered(list []check) []check {
	for _, c := range list {
		diag.Register(c.code, c.title)
	}
	return list
}

func eachPolicy(f func(*linter, *policy.Policy)) func(*linter) {
	return func(l *linter) {
		for _, p := range l.file.Policies {
			f(l, p)
		}
	}
}

func eachClock(f func(*linter, *policy.Policy, *policy.Clock)) func(*linter) {
	return eachPolicy(func(l *linter, p *policy.Policy) {
		for _, k := range p.DueClocks() {
			f(l, p, k)
		}
	})
}

func eachJob(f func(*linter, *policy.Job)) func(*linter) {
	return func(l *linter) {
		for _, j := range l.file.Jobs {
			f(l, j)
		}
	}
}

// eachTwoClocks calls f for every two policies of one table that go by one clock, in both orders.
func eachTwoClocks(f func(l *linter, a, b clocked)) func(*linter) {
	return func(l *linter) {
		for _, policies := range l.tables() {
			list := clockedPolicies(policies)
			for _, a := range list {
				for _, b := range list {
					if a.Policy != b.Policy && a.sameClock(b) {
						f(l, a, b)
					}
				}
			}
		}
	}
}

// linter goes through one file.
type linter struct {
	file     *policy.File
	policies map[string]*policy.Policy // by name
	jobs     map[string][]*policy.Job  // that run a policy, by its name
	graph    catalog.Graph             // of the snapshot, empty without one
	code     string                    // of the check that runs
	list     diag.List
}

func newLinter(file *policy.File, snapshot *catalog.Snapshot) *linter {
	l := &linter{file: file, policies: map[string]*policy.Policy{}, jobs: map[string][]*policy.Job{}}
	if snapshot != nil {
		l.graph = snapshot.Graph()
	}
	for _, p := range file.Policies {
		l.policies[p.Name] = p
	}
	for _, j := range file.Jobs {
		for _, run := range j.Run {
			l.jobs[run.Text] = append(l.jobs[run.Text], j)
		}
	}
	return l
}

// finding is what a check says of a policy, or of a job, which is its object.
type finding = diag.Diagnostic

func (l *linter) refuse(f finding) { l.add(diag.Error, f) }
func (l *linter) warn(f finding)   { l.add(diag.Warning, f) }

// refuseEntry refuses a policy for an entry of its due; where other entries may find rows it warns.
func (l *linter) refuseEntry(p *policy.Policy, f finding) {
	if len(p.Due.Entries) > 1 {
		l.warn(f)
	} else {
		l.refuse(f)
	}
}

func (l *linter) add(severity diag.Severity, f finding) {
	f.Severity, f.Code = severity, l.code
	if p := l.policies[f.Policy]; p != nil {
		f.Table = p.Table.String()
	}
	l.list.Add(f)
}

// always is what stands for a condition that is not there.
var always = &pgparse.Condition{Form: pgparse.Fixed, Values: []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}}}

// condition reads an expression; nil where it cannot be read.
func condition(e *policy.Expr) *pgparse.Condition {
	if e == nil {
		return always
	}
	c, _ := pgparse.ParseCondition(e.SQL) // an error was reported when it was read
	return c
}

// says is the constraint that an expression is one of a set.
func says(e *policy.Expr, is ternary) constraint { return constraint{c: condition(e), is: is} }

// wanted are the constraints that a row meets which the policy may take: its where is true.
func wanted(p *policy.Policy) []constraint { return []constraint{says(p.Where, yes)} }

// taken adds that no guard spares the row.
func taken(p *policy.Policy) []constraint {
	constraints := wanted(p)
	for _, g := range p.Keep {
		if g.Condition != nil {
			constraints = append(constraints, says(g.Condition, no))
		}
	}
	return constraints
}

// takes says whether a policy may take a row that meets further constraints.
func (l *linter) takes(p *policy.Policy, more ...constraint) bool {
	return l.rowOf(p).possible(append(taken(p), more...)...)
}

// never says whether a policy takes rows, but none that meets further constraints.
func (l *linter) never(p *policy.Policy, more ...constraint) bool {
	return l.rowOf(p).excludes(taken(p), more...)
}

// isNull is the condition that a column is NULL.
func isNull(column string) *pgparse.Condition {
	return &pgparse.Condition{Form: pgparse.IsNull, Left: pgparse.Operand{Column: column}}
}

// tables lists the policies of each table, in the order of the file.
func (l *linter) tables() (all [][]*policy.Policy) {
	place := map[string]int{}
	for _, p := range l.file.Policies {
		name := p.Table.String()
		if _, known := place[name]; !known {
			place[name], all = len(all), append(all, nil)
		}
		all[place[name]] = append(all[place[name]], p)
	}
	return all
}

// deletes says whether every row that a policy takes is deleted.
func deletes(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Delete != nil && s.Related == nil && s.Where == nil })
}

// ownUpdates are the steps that change the policy's rows.
func ownUpdates(p *policy.Policy) []policy.Step {
	return slices.DeleteFunc(slices.Clone(p.Then), func(s policy.Step) bool { return s.Update == nil || s.Related != nil })
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
	c.Walk(func(c *pgparse.Condition) {
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
	c.Walk(func(c *pgparse.Condition) {
		found = found || c.Form == pgparse.IsNull && c.Left.Column == column || c.Form == pgparse.Is && slices.Contains(columns(c.Parts[0]), column)
	})
	return found
}
