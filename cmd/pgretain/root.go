package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `Retention for PostgreSQL, in PostgreSQL: a policy file becomes SQL functions, indexes and pg_cron
jobs, migrations install them, and a verifier proves that the database still does what the policy
says.

Results go to standard output, messages to standard error. Connection settings come from
--database-url or from PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD and their kin.

Exit codes:
  0  done, nothing to report
  1  findings: errors in the policy, drift, a run that failed
  2  could not run: wrong usage, unreadable file, no connection`

const rootExample = `  pgretain snapshot             # what the tables look like, into retention.catalog.json
  pgretain lint                 # is the policy right? needs no database
  pgretain generate             # write the next migration
  pgretain migrate up           # apply it
  pgretain verify               # does the database do what the policy says?`

const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &console{out: stdout, err: stderr}
	root := rootCommand(c)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	return c.exit(command, err)
}

func rootCommand(c *console) *cobra.Command {
	root := &cobra.Command{
		Use:           "pgretain COMMAND",
		Short:         "Retention for PostgreSQL, in PostgreSQL",
		Long:          rootHelp,
		Example:       rootExample,
		Args:          cobra.ArbitraryArgs,
		RunE:          onlyVerbs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.DisableFlagsInUseLine = true
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	cobra.EnableCommandSorting = false
	root.AddCommand(
		snapshotCommand(c), lintCommand(c), generateCommand(c), bootstrapCommand(c), migrateCommand(c),
		verifyCommand(c), previewCommand(c), runCommand(c), statusCommand(c), sandboxCommand(c),
		schemaCommand(c), completionCommand(c), versionCommand(c),
	)
	return root
}

// onlyVerbs is the action of a command that only has verbs.
func onlyVerbs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		command.SetOut(command.ErrOrStderr())
		_ = command.Help() // the exit code tells the rest
		return exitCode(2)
	}
	message := fmt.Sprintf("unknown command %q", args[0])
	command.SuggestionsMinimumDistance = 2
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		message += fmt.Sprintf("; did you mean %q?", strings.Join(near, `", "`))
	}
	return &usageError{message}
}

// noArguments refuses what stands behind a verb.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{fmt.Sprintf("%q takes no arguments, got %q", command.CommandPath(), args[0])}
	}
	return nil
}
