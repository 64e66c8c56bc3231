package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/policy"
)

func (c *console) generateCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "generate",
		Short: "Write the next migration",
		Long: `Compiles the policy, compares the result with what the migrations of the directory install, and
writes one step with the difference. The step has files for goose, tern, flyway, psql or, as plain
SQL, for any tool. It can be undone. If nothing differs, nothing is written. The command needs no
database: the directory records what is installed. If schema cron is in another database, the jobs
are a step in a second directory.

If two branches both added a step, the migrations fork. --rebase removes one side of the fork and
writes its changes as the last step. It removes the side with the greater number, or the side that
begins with FILE. The removed files must not have been applied anywhere. After an error the directory
is unchanged.

--squash replaces all steps by one that installs the same. Apply the last step to every database
first: then no database has to apply the new one.

Exit codes:
  0  written, or nothing to write
  1  errors in the policy or the directory; with --check: the directory lags behind the policy
  2  a file could not be read or written`,
		Example: `  pgretain generate
  pgretain generate --format tern   # only the first time; later steps get the format of the files
  pgretain generate --check    # in CI: write nothing, fail if a step is missing
  pgretain generate --rebase   # after a merge: write the later side of a fork again
  pgretain generate --squash   # replace the steps of years by one
  pgretain generate --uninstall   # for another tool: the step that removes everything`,
		RunE: c.inDatabases(&f, (*console).generate),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addMigrations(command)
	f.addCronMigrations(command)
	command.Flags().BoolVar(&f.Check, "check", false,
		"write nothing; show the difference, and exit with 1 if the directory lags behind")
	f.addJSON(command, "write the result as JSON")
	f.choose(command, &f.FileFormat, "format",
		"format of the files in an empty directory: goose, tern, flyway, psql or plain (default "+
			"goose)", "", "goose", "tern", "flyway", "psql", "plain")
	command.Flags().StringSliceVar(&f.Rebase, "rebase", nil,
		"write one side of a fork again: the later side, or the side that begins with this `FILE`; may be repeated")
	command.Flags().Lookup("rebase").NoOptDefVal = "later"
	command.Flags().BoolVar(&f.Squash, "squash", false,
		"replace all steps of the directory by one, with the numbers of the last files")
	command.Flags().BoolVar(&f.Uninstall, "uninstall", false,
		"write the step that removes everything; its Down installs everything again")
	return command
}

// step has the files that generate writes into one directory, and the changes that they make.
// Removed lists the files that generate deletes. history is the content of the directory without
// the removed sides of forks.
type step struct {
	directory
	history *generator.History
	install policy.Install
	Files   []output `json:"files"`
	Removed []string `json:"removed"`
	Changes []change `json:"changes"`
}

// generate writes the missing steps of the directories. With --check it only lists them.
func (c *console) generate(context.Context, []string) error {
	steps, err := c.nextSteps()
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return len(s.Files)+len(s.Removed) == 0 })
	if !c.Check {
		if err := writeSteps(pending); err != nil {
			return err
		}
	}
	for _, s := range pending {
		if len(s.Removed) > 0 {
			about := map[bool]string{false: "removed", true: "squashed"}[c.Squash]
			removed := message(about, map[string]any{"Step": s, "Check": c.Check})
			removed.Severity = diag.Warning
			c.show(diag.List{removed}, nil)
		}
	}
	data := map[string]any{"Steps": steps, "Pending": pending, "Policy": c.Policy, "Check": c.Check}
	members := []any{"steps", pending}
	if in := steps[0].install; c.Uninstall && !in.Roles.None {
		left := rolesLeft{Roles: quote.Idents(slices.Sorted(slices.Values(in.Roles.All()))), Migrator: "CURRENT_USER"}
		members, data["RolesLeft"] = append(members, "roles_left", left), left
	}
	if err = c.result("steps", data, members...); c.Check && len(pending) > 0 {
		err = errors.Join(err, exitCode(1))
	}
	return err
}

// nextSteps returns the next step of the directory of the tables' database. If jobs are or were
// scheduled in another database, it also returns the step of that directory.
func (c *console) nextSteps() ([]step, error) {
	project, err := c.read()
	if err != nil {
		return nil, err
	}
	var heads []string // a name in this list exists in one of the two directories only
	for _, value := range c.Rebase {
		known := []string{".", filepath.Clean(c.Migrations), filepath.Clean(c.cronDirectory())}
		if !slices.Contains(known, filepath.Dir(value)) {
			return nil, usagef("--rebase=%s is not a file in %s", value, c.Migrations)
		}
		heads = append(heads, filepath.Base(value))
	}
	here, err := directory{c.Migrations, false}.past(generator.Format(c.FileFormat), heads)
	if err == nil {
		err = c.checkOwn(here.history)
	}
	if err != nil {
		return nil, err
	}
	// The second directory gets the format of the first, unless it has a format already.
	there, err := directory{c.cronDirectory(), true}.past(generator.Format(c.FileFormat), heads)
	if err == nil && len(there.history.Files()) == 0 {
		there, err = there.past(here.history.Format(), heads)
	}
	if err != nil {
		return nil, err
	}
	for i, head := range heads { // a file in the middle of a chain cannot be removed
		if head != laterSide && !slices.Contains(here.Removed, head) && !slices.Contains(there.Removed, head) {
			return nil, usagef("the migrations do not fork at --rebase=%s", c.Rebase[i])
		}
	}
	objects, err := project.compile(project.snapshot, here.history)
	if err != nil {
		return nil, err
	}
	c.show(project.notes, project.sources)
	tables, jobs := generator.SplitCron(objects, project.file.Install)
	if c.Uninstall {
		tables, jobs = nil, nil
	}
	steps, wanted := []step{here}, [][]generator.Object{tables, jobs}
	if len(jobs)+len(there.history.Files()) > 0 {
		steps = append(steps, there)
	}
	for i := range steps {
		s := &steps[i]
		s.install = project.file.Install
		options := project.stepOptions(s.cron)
		files, err := generator.Next(s.history, wanted[i], options)
		switch {
		case c.Uninstall:
			files, err = generator.NextRemoval(s.history, options)
		case c.Squash && len(files) > 0:
			return nil, refuse("not up to date", s.Path)
		case c.Squash && err == nil && len(s.history.Files()) > 0:
			files, err = generator.Squash(s.history, wanted[i], options)
			if len(files) > 0 {
				s.Removed = lists.Map(s.history.Files(), func(m generator.Migration) string { return m.Name })
			}
		}
		if err != nil {
			return nil, project.explain(err)
		}
		s.Files = lists.Map(files, func(f generator.File) output {
			return output{filepath.Join(s.Path, f.Name), f.Text}
		})
		s.Changes = changes(s.history, generator.PolicyScripts(wanted[i], project.file.Install.Roles))
	}
	return steps, nil
}

// laterSide stands for --rebase without a file. No migration has this name.
const laterSide = "later"

// checkOwn requires --format if the directory has no generated files, but has files of another tool
// than goose. Otherwise the first step would be written in the wrong format.
func (c *console) checkOwn(history *generator.History) error {
	other, file := generator.Suggest(os.DirFS(c.Migrations))
	if c.FileFormat != "" || len(history.Files()) > 0 || other == "" {
		return nil
	}
	return usagef("%s looks like a migration for %s; use --format %s, or --format goose if it is not",
		filepath.Join(c.Migrations, file), other, other)
}

// writeSteps writes the steps, and creates directories where needed. If writing fails, a new
// directory is not removed.
func writeSteps(steps []step) error {
	var files []output
	var old []string
	for _, s := range steps {
		if err := os.MkdirAll(s.Path, 0o755); err != nil {
			return fmt.Errorf("creating the migration directory: %w", err)
		}
		files = append(files, s.Files...)
		old = append(old, lists.Map(s.Removed, func(name string) string { return filepath.Join(s.Path, name) })...)
	}
	return exchange(old, files, false)
}

// change describes how a step changes one object, or several objects of the runtime. Text is the
// description for people.
type change struct {
	generator.Change
	Text string
}

// changes lists the objects that a step creates, changes or drops. It only counts new and changed
// objects of the runtime, because there are about a hundred. For a changed policy, the field Text
// describes the change.
func changes(history *generator.History, wanted []generator.Object) []change {
	list, runtime := []change{}, map[string]int{}
	for _, c := range generator.Changes(history.Objects(), wanted) {
		o, sign := c.Object(), c.Sign()
		if sign != "-" && c.OfRuntime() {
			runtime[sign]++
			continue
		}
		list = append(list, change{c, sign + " " + string(o.Kind) + " " + o.Name + c.Words()})
	}
	for _, sign := range []string{"~", "+"} {
		if n := runtime[sign]; n > 0 {
			list = slices.Insert(list, 0, change{Text: sign + " runtime: " + plural(n, "object")})
		}
	}
	return list
}

func (c change) MarshalText() ([]byte, error) { return []byte(c.Text), nil }

// Difference returns the change of an object as a unified diff. For a new or dropped object it
// returns nil.
func (c change) Difference() []string {
	if c.Before == nil || c.After == nil {
		return nil
	}
	text := string(diff.Diff("before", []byte(c.Before.SQL), "after", []byte(c.After.SQL)))
	_, text, _ = strings.Cut(text, "\n+++ after\n")
	if c.Before.As != c.After.As {
		text = fmt.Sprintf("created as %s instead of %s\n", c.After.As, c.Before.As) + text
	}
	return slices.Collect(strings.Lines(text))
}
