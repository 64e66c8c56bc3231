package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lint"
)

const lintHelp = `Checks the policy file, and with the catalog snapshot also its tables, columns and foreign keys.
Needs no database. Reports everything that is wrong at once.

With --sandbox it then installs everything in a throw-away PostgreSQL with pg_cron (see "pgretain
sandbox"), on the tables of --schema, and proves what no file alone can: plpgsql_check looks at every
routine, the migrations go up, down without a trace and up again, every policy runs, and the verifier
finds nothing. The directory's migrations are used, and the step that it lacks; where it has files of
your own or is for another tool than goose, one step with everything. One command for CI.

Exit codes:
  0  the policy is right (there may be warnings)
  1  the policy, the snapshot's tables or the migration directory has errors, or the rehearsal found any
  2  a file could not be read; with --sandbox: something is not installed, or a migration failed`

// linting is what the flags of lint say.
type linting struct {
	paths
	reporting
	sandbox bool
	schema  string
}

func lintCommand(c *console) *cobra.Command {
	var l linting
	command := &cobra.Command{
		Use:     "lint",
		Short:   "Check the policy file, without a database",
		Long:    lintHelp,
		Example: "  pgretain lint\n  pgretain lint --policy examples/bot-queue/retention.yaml\n  pgretain lint --sandbox --schema schema.sql   # install it in a throw-away database, too",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := l.reporting.check(); err != nil {
				return err
			}
			if l.sandbox != (l.schema != "") {
				return &usageError{"--sandbox and --schema go together"}
			}
			return c.lint(command.Context(), l, time.Now())
		},
	}
	l.addPolicy(command)
	l.addCatalog(command)
	l.addMigrations(command)
	l.addCronMigrations(command)
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
	if l.schema == "" || found.failed() {
		found.take(found.useless())
		c.tell(found)
		return c.conclude(found)
	}
	c.tell(found)
	if err := c.rehearse(ctx, found); err != nil {
		return err
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
		return p.errors()
	}
	history, err := readHistory(files.migrations)
	if err != nil {
		return err
	}
	p.notes, p.compiled = append(p.notes, generator.Diagnose(p.file, snapshot, history)...).Unique(), true
	if err := p.errors(); err != nil {
		return err
	}
	p.notes = append(p.notes, generator.Notes(p.file, snapshot)...)
	return p.errors()
}

// errors are the notes, where any of them is one.
func (p *project) errors() error {
	if p.notes.HasErrors() {
		return &problems{p.notes, p.sources}
	}
	return nil
}
