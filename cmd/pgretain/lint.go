package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/internal/report"
	"pgretain/internal/suppress"
	"pgretain/verifier"
)

// linting is what the flags of lint say.
type linting struct {
	paths
	reporting
	sandbox bool
	schema  string
}

func lintCommand(c *console) *cobra.Command {
	var l linting
	command := verb("lint", func(ctx context.Context, _ []string) error {
		if l.sandbox != (l.schema != "") {
			return usagef("--sandbox and --schema go together")
		}
		return c.lint(ctx, l, time.Now())
	})
	l.paths.add(command, "policy", "catalog", "migrations", "cron-migrations")
	l.reporting.add(command)
	command.Flags().BoolVar(&l.sandbox, "sandbox", false, "install everything in a throw-away database and prove it there")
	command.Flags().StringVar(&l.schema, "schema", "", "the SQL `file` that makes the application's tables there")
	return command
}

// lint says what it finds as it goes, in text, or everything at the end. The day of suppressions is
// that of now.
func (c *console) lint(ctx context.Context, l linting, now time.Time) error {
	found, err := l.look(now)
	if err != nil {
		return err
	}
	rehearses := l.schema != "" && !found.failed()
	if !rehearses {
		found.take(found.useless())
	}
	c.tell(found)
	if rehearses {
		if err := c.rehearse(ctx, found); err != nil {
			return err
		}
	}
	return c.conclude(found)
}

// check looks for what parts of the file say together, compiles, and throws the result away; without a
// snapshot it says what was not checked.
func (p *project) check(files paths) error {
	snapshot, err := readCatalog(files.catalogFile())
	if err != nil {
		return err
	}
	p.notes = append(p.notes, lint.Check(p.file, snapshot)...).Unique()
	if snapshot == nil {
		p.notes.Add(diag.Diagnostic{
			Severity: diag.Warning,
			Message:  "tables and columns were not checked: there is no catalog snapshot " + quoted(files.catalogFile()),
			Hint:     `Write it with "pgretain snapshot", from a database or with --schema schema.sql.`,
		})
		return nil
	}
	history, _, err := replay(files.migrations, "", nil)
	if err != nil {
		return err
	}
	p.notes, p.compiled = append(p.notes, generator.Diagnose(p.file, snapshot, history)...).Unique(), true
	if !p.notes.HasErrors() {
		p.notes = append(p.notes, generator.Notes(p.file, snapshot)...)
	}
	return nil
}

// linted is what lint found.
type linted struct {
	linting
	project  *project // nil where the policy file has errors
	sources  map[string][]byte
	filter   suppress.Filter
	findings []report.Finding
	report   *verifier.Report // of the rehearsal, nil without one
}

// look checks the files. What is wrong with the policy is no error of ours.
func (l linting) look(now time.Time) (*linted, error) {
	found := &linted{linting: l}
	project, err := readProject(l.policy)
	if err == nil {
		found.project, found.filter = project, suppress.New(project.file, "LV", now)
		err = project.check(l.paths)
	}
	var wrong *problems
	switch {
	case err == nil:
		wrong = &problems{project.notes, project.sources}
	case !errors.As(err, &wrong):
		return nil, err
	}
	found.sources = wrong.sources
	found.take(wrong.list)
	return found, nil
}

// take adds what was found, with the suppressions that are about it.
func (l *linted) take(list diag.List) {
	for _, d := range list {
		if l.project != nil {
			d = l.project.place(d)
		}
		l.findings = append(l.findings, report.Finding{Diagnostic: d, Suppressed: l.filter.Match(d)})
	}
}

// failed says whether there are errors that count.
func (l *linted) failed() bool {
	return slices.ContainsFunc(l.findings, func(f report.Finding) bool { return f.Severity == diag.Error && f.Suppressed == nil })
}

// tell says in text what was found up to now.
func (c *console) tell(found *linted) {
	c.showFound(found, found.findings)
	if !found.text() || found.failed() {
		return
	}
	hidden := ""
	if n := (report.Log{Findings: found.findings}).Suppressed(); n > 0 {
		hidden = fmt.Sprintf(", %d suppressed", n)
	}
	file := found.project.file
	c.printf("%s: %s, %s, no errors%s\n", found.policy, plural(len(file.Policies), "policy"), plural(len(file.Jobs), "job"), hidden)
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

// conclude writes what machines read, with what the verifier of the rehearsal found, and ends with the exit code.
func (c *console) conclude(found *linted) (err error) {
	log := report.Log{Verb: "lint", File: found.policy, Findings: slices.Clone(found.findings)}
	failed := found.failed()
	if found.report != nil {
		log.Findings = append(log.Findings, found.report.Findings...)
		failed = failed || found.report.ExitCode() != 0
	}
	slices.SortStableFunc(log.Findings, func(a, b report.Finding) int { return diag.Compare(a.Diagnostic, b.Diagnostic) })
	switch {
	case !found.text():
		err = found.write(c.out, log, func(io.Writer) error {
			return c.document("file", log.File, "errors", log.Count(diag.Error)+log.Count(diag.Drift),
				"warnings", log.Count(diag.Warning)+log.Count(diag.Unknown), "suppressed", log.Suppressed(), "findings", log.Findings)
		})
	case found.report != nil && found.report.ExitCode() != 0:
		return c.report(found.report, found.reporting)
	}
	if err == nil && failed {
		err = exitCode(1)
	}
	return err
}

// The codes of suppressions in lint; those of verify are V095 and V096.
var (
	codeSuppressionEnded = diag.Register("L095", "a suppression is past its end, or not yet in force")
	codeSuppressionIdle  = diag.Register("L096", "a suppression matches nothing")
)

// useless warns of suppressions that are of no use: of the verifier's only where their day or their code
// says so.
func (l *linted) useless() diag.List {
	var list diag.List
	for _, e := range l.filter {
		d := e.Fault(l.looked(e.Check))
		d.Severity, d.Code = diag.Warning, codeSuppressionEnded
		switch {
		case diag.Title(e.Check) == "":
			d.Message, d.Detail = "the suppression of "+e.Check+" matches nothing", "This program has no such check."
			d.Code, d.Hint = codeSuppressionIdle, `Take it out of "suppress".`
		case e.Lapsed == "":
			d.Code = codeSuppressionIdle
		}
		if d.Message != "" {
			list.Add(d)
		}
	}
	return list
}

// looked says whether the findings of a check would have been seen: those from L050 on are the
// rehearsal's, and without a snapshot or with errors not everything was looked at.
func (l *linted) looked(code string) bool {
	switch {
	case !strings.HasPrefix(code, "L") || l.project == nil || !l.project.compiled || l.failed():
		return false
	case code >= "L050":
		return l.report != nil
	}
	return true
}

var topLevel = regexp.MustCompile(`^["'A-Za-z_]`)

// place says which policy or report a message is about, and of which table, where it does not say so itself.
func (p *project) place(d diag.Diagnostic) diag.Diagnostic {
	if d.Policy == "" && d.Position.File == p.file.Path {
		d.Policy = p.namedAt(d.Position.Line)
	}
	for _, policy := range p.file.Policies {
		if d.Table == "" && policy.Name == d.Policy {
			d.Table = policy.Table.String()
		}
	}
	return d
}

// namedAt is the last policy or report that begins at or above a line, as long as no line between begins
// another part of the file.
func (p *project) namedAt(line int) string {
	names := map[int]string{}
	for _, policy := range p.file.Policies {
		names[policy.Position.Line] = policy.Name
	}
	for _, report := range p.file.Reports {
		names[report.Position.Line] = report.Name
	}
	lines := strings.Split(string(p.sources[p.file.Path]), "\n")
	for n := min(line, len(lines)); n > 0 && !topLevel.MatchString(lines[n-1]); n-- {
		if names[n] != "" {
			return names[n]
		}
	}
	return ""
}
