package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/report"
	"pgretain/internal/suppress"
	"pgretain/verifier"
)

// linted is what lint found.
type linted struct {
	linting
	project  *project // nil where the policy file has errors
	sources  map[string][]byte
	filter   *suppress.Filter
	findings []report.Finding
	report   *verifier.Report // of the rehearsal, nil without one
}

// look checks the files. What is wrong with the policy is no error of ours.
func (l linting) look(now time.Time) (*linted, error) {
	project, err := readProject(l.policy)
	if err == nil {
		err = project.check(l.paths)
	}
	found := &linted{linting: l, project: project, filter: &suppress.Filter{}}
	if project != nil {
		found.filter = suppress.New(project.file, "LV", now)
	}
	var wrong *problems
	switch {
	case errors.As(err, &wrong):
		found.sources = wrong.sources
		found.take(wrong.list)
	case err != nil:
		return nil, err
	default:
		found.sources = project.sources
		found.take(project.notes)
	}
	return found, nil
}

// take adds what was found, with the suppressions that are about it.
func (l *linted) take(list diag.List) {
	for _, d := range list {
		if l.project != nil {
			d = l.project.place(d)
		}
		l.findings = append(l.findings, report.Finding{Diagnostic: d, Suppressed: l.filter.Match(
			suppress.Subject{Check: d.Code, Policy: d.Policy, Table: d.Table, Object: d.Object, Certain: true})})
	}
}

// failed says whether there are errors that count.
func (l *linted) failed() bool {
	return slices.ContainsFunc(l.findings, func(f report.Finding) bool { return f.Severity == diag.Error && f.Suppressed == nil })
}

// log is what machines read: with what the verifier of the rehearsal found.
func (l *linted) log() report.Log {
	log := report.Log{Verb: "lint", Version: programVersion(), File: l.policy, Root: checkout(), Findings: slices.Clone(l.findings)}
	if l.report != nil {
		log.Findings = append(log.Findings, l.report.Log("", "").Findings...)
	}
	slices.SortStableFunc(log.Findings, func(a, b report.Finding) int { return diag.Compare(a.Diagnostic, b.Diagnostic) })
	return log
}

// lintReport is version 1 of the form that docs/cli.md describes.
type lintReport struct {
	Version    int              `json:"version"`
	File       string           `json:"file"`
	Errors     int              `json:"errors"`
	Warnings   int              `json:"warnings"`
	Suppressed int              `json:"suppressed"`
	Findings   []report.Finding `json:"findings"`
}

// tell says in text what was found up to now.
func (c *console) tell(found *linted) {
	c.showFound(found, found.findings)
	if found.text() && !found.failed() {
		c.printf("%s: %s, %s, no errors%s\n", found.policy, plural(len(found.project.file.Policies), "policy"),
			plural(len(found.project.file.Jobs), "job"), found.hidden())
	}
}

// hidden counts what the policy file suppresses.
func (l *linted) hidden() string {
	if n := (report.Log{Findings: l.findings}).Suppressed(); n > 0 {
		return fmt.Sprintf(", %d suppressed", n)
	}
	return ""
}

// showFound writes findings for people.
func (c *console) showFound(found *linted, findings []report.Finding) {
	var list diag.List
	for _, f := range findings {
		if f.Suppressed == nil || found.verbose {
			list = append(list, f.Shown())
		}
	}
	if found.text() {
		c.show(list, found.sources)
	}
}

// conclude writes what machines read, and ends with the exit code.
func (c *console) conclude(found *linted) error {
	log := found.log()
	var err error
	switch found.format {
	case "json":
		err = report.WriteJSON(c.out, lintReport{1, log.File, log.Count(diag.Error) + log.Count(diag.Drift), log.Count(diag.Warning) + log.Count(diag.Unknown), log.Suppressed(), log.Findings})
	case "sarif":
		err = log.SARIF(c.out)
	case "github":
		err = log.GitHub(c.out)
	default:
		if found.report != nil && found.report.ExitCode() != 0 {
			return c.report(found.report, found.reporting)
		}
	}
	if err == nil && (found.failed() || found.report != nil && found.report.ExitCode() != 0) {
		return exitCode(1)
	}
	return err
}
