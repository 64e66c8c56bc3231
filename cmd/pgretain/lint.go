package main

import (
	"github.com/spf13/cobra"

	"pgretain/internal/diag"
)

const lintHelp = `Checks the policy file, and with the catalog snapshot also its tables, columns and foreign keys.
Needs no database. Reports everything that is wrong at once.

Exit codes:
  0  the policy is right (there may be warnings)
  1  the policy, the snapshot's tables or the migration directory has errors
  2  a file could not be read`

func lintCommand(c *console) *cobra.Command {
	var p paths
	command := &cobra.Command{
		Use:     "lint",
		Short:   "Check the policy file, without a database",
		Long:    lintHelp,
		Example: "  pgretain lint\n  pgretain lint --policy examples/bot-queue/retention.yaml",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return c.lint(p) },
	}
	p.addPolicy(command)
	p.addCatalog(command)
	p.addMigrations(command)
	return command
}

func (c *console) lint(p paths) error {
	project, err := readProject(p.policy)
	if err != nil {
		return err
	}
	if err := project.check(p); err != nil {
		return err
	}
	c.show(project.notes, project.sources)
	c.printf("%s: %s, %s, no errors\n", p.policy,
		plural(len(project.file.Policies), "policy"), plural(len(project.file.Jobs), "job"))
	return nil
}

// check compiles and throws the result away; without a snapshot it says what was not checked.
func (p *project) check(files paths) error {
	snapshot, err := readCatalog(files.catalogFile())
	if err != nil {
		return err
	}
	if snapshot == nil {
		p.notes.Add(diag.Diagnostic{
			Severity: diag.Warning,
			Message:  "tables and columns were not checked: there is no catalog snapshot " + quoted(files.catalogFile()),
			Hint:     `Write it with "pgretain snapshot", from a database or with --schema schema.sql.`,
		})
		return nil
	}
	history, err := readHistory(files.migrations)
	if err != nil {
		return err
	}
	_, err = p.compile(snapshot, history)
	return err
}
