// Package lint finds what is wrong with a policy file although every part of it is right: parts
// that contradict each other, or do less than they say. It needs no database, and with the catalog
// snapshot it finds more. It says only what is certain.
//
// findings.txt.tmpl has the sentences; what they are said of is here.
package lint

import (
	_ "embed" // findings.txt.tmpl
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// linter goes through one file.
type linter struct {
	*policy.File
	jobs    map[string][]*policy.Job    // that run a policy, by its name
	on      map[string][]*policy.Policy // those of a table, by its name
	windows map[string][]windowed       // the same, of those that have one
	graph   catalog.Graph               // of the snapshot, empty without one
	list    diag.List
}

// Check lints a file that was read without errors; snapshot may be nil. An Error is a policy that
// can never do what it says, everything else a Warning. The list is sorted by place.
func Check(file *policy.File, snapshot *catalog.Snapshot) diag.List {
	l := &linter{File: file, jobs: map[string][]*policy.Job{},
		on: map[string][]*policy.Policy{}, windows: map[string][]windowed{}}
	if snapshot != nil {
		l.graph = snapshot.Graph()
	}
	for _, j := range file.Jobs {
		l.checkNever(j)
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
	for _, p := range file.Policies {
		l.checkWhere(p)
		l.checkGuards(p)
		l.checkSteps(p)
		l.checkRepeated(p)
		l.checkNullInto(p)
		l.checkConstants(p)
		l.checkGuardNull(p)
		l.checkWhereNull(p)
		l.checkInNull(p)
		l.checkNoJob(p)
		for _, k := range p.DueClocks() {
			l.checkTiers(p, k)
			l.checkMarkBehind(p, k)
			l.checkEqualPositions(p, k)
			l.checkEncoding(p, k)
			l.checkLocalTime(p, k)
		}
	}
	for _, list := range l.windows {
		for _, w := range list {
			l.checkArchives(w)
			l.checkGrace(w)
			l.checkOvertaken(w)
			l.checkParents(w)
		}
	}
	return l.list.Unique()
}

// words are what the sentences of a finding speak of.
type words map[string]any

//go:embed findings.txt.tmpl
var source string

var sentences = diag.ReadSentences(source, nil)

func (l *linter) refuse(code string, at diag.Position, p *policy.Policy, about words) {
	l.say(diag.Diagnostic{Severity: diag.Error, Code: code, Position: at, Policy: p.Name,
		Table: p.Table.String()}, about)
}

func (l *linter) warn(code string, at diag.Position, p *policy.Policy, about words) {
	l.say(diag.Diagnostic{Severity: diag.Warning, Code: code, Position: at, Policy: p.Name,
		Table: p.Table.String()}, about)
}

// say adds a finding with the sentences of its code.
func (l *linter) say(d diag.Diagnostic, about words) {
	about["Policy"], about["Object"] = d.Policy, d.Object
	l.list.Add(sentences.Say(d.Code, d, about))
}

// always is what stands for a condition that is not there.
var always = &pgparse.Condition{Form: pgparse.Fixed, Value: truth}

// condition reads an expression; nil where it cannot be read.
func condition(e *policy.Expr) *pgparse.Condition {
	if e == nil {
		return always
	}
	c, _ := pgparse.ParseCondition(e.SQL) // an error was reported when it was read
	return c
}

// tableOf is what the snapshot knows of a policy's rows; nil for partitions, and where it knows
// nothing.
func (l *linter) tableOf(p *policy.Policy) *catalog.Table {
	if p.Partitions {
		return nil
	}
	return l.graph[p.Table.String()]
}

// deletes says whether every row that a policy takes is deleted.
func deletes(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool {
		return s.Delete != nil && s.Related == nil && s.Where == nil
	})
}
