// Command pgretain turns a retention policy into SQL that deletes rows inside PostgreSQL. It
// verifies that the database still does what the policy says.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

func init() { cobra.EnableCommandSorting = false }

func main() {
	if os.Getenv("GOGC") == "" {
		// the process is short: with 1,000 policies, garbage collection took an eighth of the time
		debug.SetGCPercent(400)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C cancels, the second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &console{out: plain(stdout), err: plain(stderr)}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(c.out)
	root.SetErr(c.err)
	command, err := root.ExecuteContextC(ctx)
	c.command = command
	return c.exit(err)
}

// action is a function that executes a command.
type action = func(c *console, ctx context.Context, args []string) error

const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`

// root creates all commands.
func (c *console) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "pgretain COMMAND",
		Short: "Retention for PostgreSQL, in PostgreSQL",
		Long: `pgretain deletes, archives or updates rows when they are due. It turns a policy file into SQL
functions, indexes and pg_cron jobs. Migrations install them in the database. A verifier checks that
the database still does what the policy says.

Results go to standard output, messages to standard error. Connection settings come from
--database-url, or from PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD and the other variables of
libpq.

Exit codes:
  0  done, nothing to report
  1  findings: errors in the policy, drift, a run that failed
  2  could not run: wrong usage, unreadable file, no connection`,
		Example: `  pgretain init                 # write retention.yaml with a proposal for each table of a database
  pgretain snapshot             # write the definitions of the tables to retention.catalog.json
  pgretain lint                 # check the policy file; needs no database
  pgretain generate             # write the next migration
  pgretain migrate up           # apply it
  pgretain verify               # check that the database does what the policy says`,
		Version: programVersion(),
		Args:    cobra.ArbitraryArgs, RunE: onlyVerbs, DisableFlagsInUseLine: true,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.AddCommand(
		c.initCommand(),
		c.snapshotCommand(),
		c.lintCommand(),
		c.explainCommand(),
		c.generateCommand(),
		c.bootstrapCommand(),
		c.migrateCommand(),
		c.verifyCommand(),
		c.planCommand(),
		c.previewCommand(),
		c.runCommand(),
		c.statusCommand(),
		c.reportCommand(),
		c.acceptCommand(),
		c.pauseCommand(),
		c.resumeCommand(),
		c.windowCommand(),
		c.holdCommand(),
		c.holdsCommand(),
		c.releaseCommand(),
		c.restoreCommand(),
		c.whyCommand(),
		c.adoptCommand(),
		c.markAbandonedCommand(),
		c.uninstallCommand(),
		c.sandboxCommand(),
		c.schemaCommand(),
		c.versionCommand(),
	)
	refuseArguments(root)
	root.SetVersionTemplate("pgretain {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args, completion.RunE = cobra.ArbitraryArgs, onlyVerbs
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if usage, ok := errors.AsType[*usageError](err); ok {
			return usage // of a flag that has a list of values
		}
		return usagef("%s", err)
	})
	return root
}

// inDatabases returns the function with which cobra executes a command: act, with the values of the
// flags, in one database or in each database of a fleet.
func (c *console) inDatabases(f *flags, act action) func(*cobra.Command, []string) error {
	return func(command *cobra.Command, args []string) error {
		c.command = command
		if err := f.complete(command); err != nil {
			return err
		}
		c.flags = *f
		if c.Fleet != "" {
			verb := strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
			return c.fleet(command.Context(), verb, act, args)
		}
		return act(c, command.Context(), args)
	}
}

// refuseArguments makes each command refuse arguments, unless it says how many it takes.
func refuseArguments(command *cobra.Command) {
	if command.Args == nil {
		command.Args = between(0, 0)
	}
	for _, verb := range command.Commands() {
		refuseArguments(verb)
	}
}

// between accepts from least to most arguments.
func between(least, most int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		switch n := len(args); {
		case n >= least && n <= most:
			return nil
		case most == 0:
			return usagef("%q takes no arguments, got %q", command.CommandPath(), args[0])
		}
		return usagef("wrong number of arguments for %q, usage: %s", command.CommandPath(), command.Use)
	}
}

func atLeast(least int) cobra.PositionalArgs { return between(least, math.MaxInt) }

// onlyVerbs reports an unknown subcommand of a command that only groups subcommands.
func onlyVerbs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		command.SetOut(command.ErrOrStderr())
		_ = command.Help() // the exit code is the result
		return exitCode(2)
	}
	names := lists.Map(command.Commands(), (*cobra.Command).Name)
	return &usageError{fmt.Sprintf("unknown command %q", args[0]), messages.DidYouMean(args[0], names)}
}
