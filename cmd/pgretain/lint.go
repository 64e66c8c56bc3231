package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
	"pgretain/internal/messages"
	"pgretain/internal/report"
	"pgretain/internal/suppress"
)

func (c *console) lintCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "lint",
		Short: "Check the policy file, without a database",
		Long: `Checks the policy file. If there is a catalog snapshot, also checks tables, columns and foreign keys.
Needs no database. Reports all errors at once.

With --sandbox it also rehearses the installation, which is useful in CI. It installs the policy in a
temporary PostgreSQL with pg_cron (see "pgretain sandbox"), on the tables of --schema. It checks:
  - plpgsql_check finds no error in any routine.
  - The migrations can be applied, undone without leftovers, and applied again.
  - Every policy runs.
  - The verifier finds nothing.
The rehearsal applies the migrations of the directory and the step that "generate" would add. If the
directory has files of your own, or is for another tool than goose, it applies one complete step.

Exit codes:
  0  no errors (there may be warnings)
  1  errors in the policy, in the snapshot's tables or in the migration directory, or in the rehearsal
  2  a file could not be read; with --sandbox: something is not installed, or a migration failed`,
		Example: `  pgretain lint
  pgretain lint --policy examples/bot-queue/retention.yaml
  pgretain lint --sandbox --schema schema.sql   # also install it in a temporary database`,
		RunE: c.inDatabases(&f, (*console).lint),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addMigrations(command)
	f.addCronMigrations(command)
	f.addVerbose(command)
	f.addFormat(command, "`text`, json, sarif or github (workflow commands)", "text", "json", "sarif", "github")
	command.Flags().BoolVar(&f.Sandbox, "sandbox", false,
		"install everything in a temporary database and check it there")
	command.Flags().StringVar(&f.Schema, "schema", "", "the SQL `file` that creates the application's tables there")
	return command
}

// linted is the result of lint.
type linted struct {
	project   *project // nil if the policy file has errors
	filter    suppress.Filter
	findings  []report.Finding
	rehearsed bool // the rehearsal ran, including the verifier
}

func (c *console) lint(ctx context.Context, _ []string) error {
	if c.Sandbox != (c.Schema != "") {
		return usagef("--sandbox and --schema must be used together")
	}
	return c.lintAt(ctx, time.Now())
}

// lintAt checks the policy file and prints all findings at the end. The parameter "now" decides
// whether a suppression is in force.
func (c *console) lintAt(ctx context.Context, now time.Time) error {
	found := &linted{}
	project, err := readProject(c.Policy)
	if err == nil {
		found.project, found.filter = project, suppress.New(project.file, "LV", now)
		err = project.check(&c.flags)
	}
	wrong, ofPolicy := errors.AsType[*problems](err)
	switch {
	case err == nil:
		wrong = &problems{project.notes, project.sources}
	case !ofPolicy: // err is not about the policy
		return err
	}
	found.take(wrong.list)
	err = nil
	if c.Schema != "" && !found.failed() {
		err = c.rehearse(ctx, found)
	}
	if err == nil {
		found.take(found.useless())
	}
	var list diag.List // for people
	for _, f := range found.findings {
		if c.Format == "text" && f.Severity != diag.Info && (f.Suppressed == nil || c.Verbose) {
			list = append(list, f.Shown())
		}
	}
	c.show(list, wrong.sources)
	if err != nil {
		return err
	}
	return c.conclude(found)
}

// check runs the checks that combine several parts of the file, and compiles it without keeping the
// result. Without a snapshot it reports which checks were left out.
func (p *project) check(files *flags) error {
	snapshot, err := readCatalog(files.catalogFile())
	if err != nil {
		return err
	}
	p.notes = slices.Concat(p.notes, lint.Check(p.file, snapshot), lint.Unscheduled(p.file)).Unique()
	if snapshot == nil {
		unchecked := message("not checked", files.catalogFile())
		unchecked.Severity = diag.Warning
		p.notes.Add(unchecked)
		return nil
	}
	history, _, err := replay(files.Migrations, "", nil)
	if err != nil {
		return err
	}
	p.notes, p.compiled = append(p.notes, generator.Faults(p.file, snapshot, history)...).Unique(), true
	if !p.notes.HasErrors() {
		p.notes = append(p.notes, generator.Notes(p.file, snapshot)...)
	}
	return nil
}

// The method "take" adds findings and applies the suppressions. If a finding names no policy or no
// table, the method derives them from the finding's line.
func (l *linted) take(list diag.List) {
	owners, tables := map[int]string{}, map[string]string{}
	if l.project != nil {
		owners = l.project.owners()
		for _, policy := range l.project.file.Policies {
			tables[policy.Name] = policy.Table.String()
		}
	}
	for _, d := range list {
		if l.project != nil && d.Position.File == l.project.file.Path {
			d.Policy = cmp.Or(d.Policy, owners[d.Position.Line])
		}
		d.Table = cmp.Or(d.Table, tables[d.Policy])
		l.findings = append(l.findings, report.Finding{Diagnostic: d, Suppressed: l.filter.Match(d)})
	}
}

// failed reports whether there are errors that are not suppressed, or whether the verifier of the
// rehearsal failed.
func (l *linted) failed() bool {
	return slices.ContainsFunc(l.findings, func(f report.Finding) bool {
		return f.Suppressed == nil && f.Severity != diag.Warning && f.Severity != diag.Info &&
			f.Severity != diag.Undecided
	})
}

// conclude writes the summary or the machine-readable output, and returns the exit code.
func (c *console) conclude(found *linted) (err error) {
	log := report.Log{Verb: "lint", File: c.Policy, Findings: append([]report.Finding{}, found.findings...)}
	slices.SortStableFunc(log.Findings, func(a, b report.Finding) int {
		return diag.Compare(a.Diagnostic, b.Diagnostic)
	})
	switch {
	case c.Format != "text":
		err = c.log(log, func(io.Writer) error {
			return c.document("file", log.File, "errors", log.Count(diag.Error)+log.Count(diag.Drift),
				"warnings", log.Count(diag.Warning)+log.Count(diag.Unknown), "suppressed", log.Suppressed(),
				"findings", log.Findings)
		})
	case !found.failed():
		hidden := ""
		if n := log.Suppressed(); n > 0 {
			hidden = fmt.Sprintf(", %d suppressed", n)
		}
		policies, jobs := len(found.project.file.Policies), len(found.project.file.Jobs)
		c.printf("%s: %s, %s, no errors%s\n", c.Policy, plural(policies, "policy"), plural(jobs, "job"), hidden)
	}
	if err == nil && found.failed() {
		err = exitCode(1)
	}
	return err
}

// log writes findings for machines. The names of files are relative to the repository in GitHub's
// workflows, otherwise to the working directory. The parameter "json" writes the form for --format
// json, which differs between commands.
func (c *console) log(log report.Log, json func(io.Writer) error) error {
	log.Version, log.Root = programVersion(), os.Getenv("GITHUB_WORKSPACE")
	if !filepath.IsAbs(log.Root) {
		log.Root, _ = filepath.Abs(".") // on error "": files keep the names that were given
	}
	switch c.Format {
	case "json":
		return json(c.out)
	case "sarif":
		return log.SARIF(c.out)
	}
	return log.GitHub(c.out)
}

// useless returns warnings about suppressions without effect. For checks of the verifier it only
// checks that the code exists and the suppression is in force.
func (l *linted) useless() diag.List {
	var list diag.List
	for _, e := range l.filter {
		d, wrong := e.Fault(messages.LintSuppressions, l.looked(e.Check))
		if !e.Known() {
			d, wrong = messages.LintSuppressions.MatchesNothing(e.Check, false), true
		}
		if wrong {
			d.Severity, d.Position = diag.Warning, e.Position
			list.Add(d)
		}
	}
	return list
}

// looked reports whether this command made the check with this code. Checks from L050 on need a
// rehearsal. Without a snapshot, or after errors, some checks are not made.
func (l *linted) looked(code string) bool {
	compiled := l.project != nil && l.project.compiled && !l.failed()
	return compiled && strings.HasPrefix(code, "L") && (code < messages.FirstOfRehearsal.String() || l.rehearsed)
}

var topLevel = regexp.MustCompile(`^["'A-Za-z_]`)

// owners maps the lines of the file to their policies and reports. A policy extends to the next
// one, or to the next part of the file.
func (p *project) owners() map[int]string {
	names, owners, owner := map[int]string{}, map[int]string{}, ""
	for _, policy := range p.file.Policies {
		names[policy.Position.Line] = policy.Name
	}
	for _, report := range p.file.Reports {
		names[report.Position.Line] = report.Name
	}
	for i, line := range strings.Split(string(p.sources[p.file.Path]), "\n") {
		if topLevel.MatchString(line) {
			owner = ""
		}
		owner = cmp.Or(names[i+1], owner)
		owners[i+1] = owner
	}
	return owners
}
