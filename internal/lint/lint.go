// Package lint finds what is wrong with a policy file although every part of it is right: parts that
// contradict each other, or do less than they say. It needs no database, and with the catalog snapshot it
// finds more. It says only what is certain.
//
// findings.txt.tmpl has the sentences; what they are said of is here.
package lint

import (
	_ "embed" // findings.txt.tmpl
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// checks have a page each in docs/checks. Codes from L001 to L049 keep their meaning for ever: one that is not here any
// more is never given to another check.
var checks = registered([]check{
	{"L001", "a where that is never true", eachPolicy((*linter).checkWhere)},
	{"L002", "guards that spare every row", eachPolicy((*linter).checkGuards)},
	{"L004", "a tier that never applies", eachClock((*linter).checkTiers)},
	{"L006", "a step that never acts", eachPolicy((*linter).checkSteps)},
	{"L008", "a comparison with NULL", eachPolicy((*linter).checkNullCompared)},
	{"L009", "a BETWEEN that nothing is in", eachPolicy((*linter).checkBetween)},
	{"L010", "a guard that keeps every row with a NULL", eachPolicy((*linter).checkGuardNull)},
	{"L011", "a where that passes by rows with a NULL", eachPolicy((*linter).checkWhereNull)},
	{"L012", "a sub-select of IN that may hold a NULL", eachPolicy((*linter).checkInNull)},
	{"L015", "an archive that keeps its rows no longer than the table", eachWindow((*linter).checkArchives)},
	{"L016", "rows that are destroyed as soon as they are marked", eachWindow((*linter).checkGrace)},
	{"L017", "a policy that another one leaves nothing for", eachWindow((*linter).checkOvertaken)},
	{"L018", "rows that go with others before their own time", eachWindow((*linter).checkParents)},
	{"L020", "a policy with a time that no job runs", eachPolicy((*linter).checkNoJob)},
	{"L021", "a schedule that never comes", eachJob((*linter).checkNever)},
	{"L023", "two jobs that always start together on one table", (*linter).checkBusy},
	{"L027", "a watermark that passes rows not committed yet", eachClock((*linter).checkMarkBehind)},
	{"L031", "an encoding that the numbers cannot have", eachClock((*linter).checkEncoding)},
	{"L032", "a short window on local time", eachClock((*linter).checkLocalTime)},
})

type check struct {
	code, title string
	run         func(*linter)
}

func registered(list []check) []check {
	for _, c := range list {
		diag.Register(c.code, c.title)
	}
	return list
}

// Check lints a file that was read without errors; snapshot may be nil. An Error is a policy that can
// never do what it says, everything else a Warning. The list is sorted by place.
func Check(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	l := &linter{file: file, jobs: map[string][]*policy.Job{}, on: map[string][]*policy.Policy{}, windows: map[string][]windowed{}}
	if snapshot != nil {
		l.graph = snapshot.Graph()
	}
	for _, j := range file.Jobs {
		for _, run := range j.Run {
			l.jobs[run.Text] = append(l.jobs[run.Text], j)
		}
	}
	for _, p := range file.Policies {
		table := p.Table.String()
		l.on[table] = append(l.on[table], p)
		if w, ok := windowOf(p); ok {
			l.windows[table] = append(l.windows[table], w)
		}
	}
	for _, c := range checks {
		l.code = c.code
		c.run(l)
	}
	return l.list.Unique()
}

// linter goes through one file.
type linter struct {
	file    *policy.File
	jobs    map[string][]*policy.Job    // that run a policy, by its name
	on      map[string][]*policy.Policy // those of a table, by its name
	windows map[string][]windowed       // the same, of those that have one
	graph   catalog.Graph               // of the snapshot, empty without one
	code    string                      // of the check that runs
	list    diag.List
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

func eachWindow(f func(*linter, windowed)) func(*linter) {
	return func(l *linter) {
		for _, list := range l.windows {
			for _, w := range list {
				f(l, w)
			}
		}
	}
}

func eachJob(f func(*linter, *policy.Job)) func(*linter) {
	return func(l *linter) {
		for _, j := range l.file.Jobs {
			f(l, j)
		}
	}
}

// words are what the sentences of a finding speak of.
type words map[string]any

//go:embed findings.txt.tmpl
var source string

// A line break of the template is a space.
var sentences = template.Must(template.New("").Option("missingkey=zero").Funcs(template.FuncMap{
	"q": func(what any) string { return fmt.Sprintf("%q", what) },
}).Parse(regexp.MustCompile(`\n\s*`).ReplaceAllString(source, " ")))

func (l *linter) refuse(at diag.Position, p *policy.Policy, about words) {
	l.say(diag.Diagnostic{Severity: diag.Error, Position: at, Policy: p.Name, Table: p.Table.String()}, about)
}

func (l *linter) warn(at diag.Position, p *policy.Policy, about words) {
	l.say(diag.Diagnostic{Severity: diag.Warning, Position: at, Policy: p.Name, Table: p.Table.String()}, about)
}

// say adds a finding with the sentences of the check that runs.
func (l *linter) say(d diag.Diagnostic, about words) {
	about["Policy"], about["Object"] = d.Policy, d.Object
	var text strings.Builder
	if err := sentences.ExecuteTemplate(&text, l.code, about); err != nil {
		panic(err) // of our own template
	}
	message, rest, _ := strings.Cut(text.String(), " detail: ")
	detail, hint, _ := strings.Cut(rest, " hint: ")
	d.Code, d.Message, d.Detail, d.Hint = l.code, message, strings.TrimSpace(detail), strings.TrimSpace(hint)
	l.list.Add(d)
}

// always is what stands for a condition that is not there.
var always = &pgparse.Condition{Form: pgparse.Fixed, Values: []pgparse.Constant{truth}}

// condition reads an expression; nil where it cannot be read.
func condition(e *policy.Expr) *pgparse.Condition {
	if e == nil {
		return always
	}
	c, _ := pgparse.ParseCondition(e.SQL) // an error was reported when it was read
	return c
}

// tableOf is what the snapshot knows of a policy's rows; nil for partitions, and where it knows nothing.
func (l *linter) tableOf(p *policy.Policy) *catalog.Table {
	if p.Partitions {
		return nil
	}
	return l.graph[p.Table.String()]
}

// columnOf is a column of the policy's own rows, nil where it is not known.
func (l *linter) columnOf(p *policy.Policy, name string) *catalog.Column {
	if table := l.tableOf(p); table != nil {
		return table.Column(name)
	}
	return nil
}

// deletes says whether every row that a policy takes is deleted.
func deletes(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Delete != nil && s.Related == nil && s.Where == nil })
}
