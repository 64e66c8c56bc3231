// Package lint finds parts of a policy file that contradict each other, or that have no effect.
// Each of these parts is valid by itself. The package needs no database. With the catalog snapshot
// it finds more. It reports only what is certain.
//
// Package messages contains the texts of the findings.
package lint

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// linter checks one policy file.
type linter struct {
	*policy.File
	jobs    map[string][]*policy.Job    // maps the name of a policy to the jobs that run it
	on      map[string][]*policy.Policy // maps the name of a table to its policies
	windows map[string][]windowed       // maps the name of a table to its policies with a constant window
	graph   catalog.Graph               // tables of the snapshot; empty without a snapshot
	list    diag.List
}

// Check returns the findings for a file that was read without errors. The snapshot may be nil. A
// finding is an Error if the policy can never do what it says, otherwise a Warning. The list is
// sorted by position.
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
	l.checkRowSecurity()
	for _, p := range file.Policies {
		l.checkWhere(p)
		l.checkGuards(p)
		l.checkSteps(p)
		l.checkRepeated(p)
		l.checkLabels(p)
		l.checkAssigned(p)
		l.checkLargeObjects(p)
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

func (l *linter) refuse(finding diag.Diagnostic, at diag.Position, p *policy.Policy) {
	l.add(diag.Error, finding, at, p)
}

func (l *linter) warn(finding diag.Diagnostic, at diag.Position, p *policy.Policy) {
	l.add(diag.Warning, finding, at, p)
}

// add adds a finding about a policy.
func (l *linter) add(severity diag.Severity, finding diag.Diagnostic, at diag.Position, p *policy.Policy) {
	finding.Severity, finding.Position, finding.Policy, finding.Table = severity, at, p.Name, p.Table.String()
	l.list.Add(finding)
}

// always is the condition "true". It replaces a missing condition.
var always = &pgparse.Condition{Form: pgparse.Fixed, Value: truth}

// condition returns the structure of an expression. It returns always for a missing expression, and
// nil for a query or a statement.
func condition(e *policy.Expr) *pgparse.Condition {
	if e == nil {
		return always
	}
	return e.Parsed().Condition()
}

// tableOf returns a policy's table in the snapshot. It returns nil for a policy on partitions, and
// if the snapshot does not have the table.
func (l *linter) tableOf(p *policy.Policy) *catalog.Table {
	if p.Partitions {
		return nil
	}
	return l.graph[p.Table.String()]
}

// deletes reports whether a policy deletes every row that it takes.
func deletes(p *policy.Policy) bool {
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool {
		return s.Delete != nil && s.Related == nil && s.Where == nil
	})
}
