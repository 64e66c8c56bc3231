// Command pgretain turns a retention policy into SQL that deletes rows inside PostgreSQL, and
// proves that the database still does what the policy says.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	sqlfiles "pgretain/sql"
)

//go:generate go test . -run TestExamples$ -update

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a short life: with a thousand policies an eighth of it went into collecting garbage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks, the second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

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

const versionHelp = `Prints the versions of this program, of the runtime that it generates, and of Go.

Exit codes:
  0  printed`

func versionCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print versions", Long: versionHelp, Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			c.printf("pgretain %s, runtime %s, %s\n", programVersion(), sqlfiles.Version, runtime.Version())
			return nil
		},
	}
}

// programVersion is the module's version, "(devel)" for a build from a checkout.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// paths are the files that the verbs read and write.
type paths struct {
	policy, migrations, cronMigrations, catalog string
}

func (p *paths) addPolicy(command *cobra.Command) {
	command.Flags().StringVarP(&p.policy, "policy", "p", "retention.yaml", "the policy `file`")
}

func (p *paths) addMigrations(command *cobra.Command) {
	command.Flags().StringVarP(&p.migrations, "migrations", "m", "migrations", "the migration `directory`")
}

func (p *paths) addCronMigrations(command *cobra.Command) {
	command.Flags().StringVar(&p.cronMigrations, "cron-migrations", "",
		"the migration `directory` of the database where schema cron lives, if that is another one (default: that of --migrations and \"_cron\")")
}

// cronDirectory is where the migrations of the other database are.
func (p *paths) cronDirectory() string {
	if p.cronMigrations != "" {
		return p.cronMigrations
	}
	return filepath.Clean(p.migrations) + "_cron"
}

// checkDirectories refuses one directory for two databases.
func (p *paths) checkDirectories() error {
	if filepath.Clean(p.migrations) == filepath.Clean(p.cronDirectory()) {
		return &usageError{"--migrations and --cron-migrations must be two directories"}
	}
	return nil
}

func (p *paths) addCatalog(command *cobra.Command) {
	command.Flags().StringVar(&p.catalog, "catalog", "",
		"the catalog snapshot `file` (default \""+catalog.FileName+"\" beside the policy)")
}

// catalogFile is where the snapshot is.
func (p *paths) catalogFile() string {
	if p.catalog != "" {
		return p.catalog
	}
	return filepath.Join(filepath.Dir(p.policy), catalog.FileName)
}

func addDatabaseURL(command *cobra.Command, url *string) {
	command.Flags().StringVar(url, "database-url", "", "the `URL` of the database (default: the PG* variables)")
}

func addFormat(command *cobra.Command, format *string) {
	command.Flags().StringVar(format, "format", "text", "`text` or json")
}

// reportFormats are what verify and lint write.
var reportFormats = []string{"text", "json", "sarif", "github"}

// reporting is how findings are written.
type reporting struct {
	format  string
	verbose bool
}

func (r *reporting) add(command *cobra.Command) {
	command.Flags().StringVar(&r.format, "format", "text", "`text`, json, sarif or github (workflow commands)")
	command.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "show in the text what the policy file suppresses")
}

// check refuses a --format that nobody writes.
func (r *reporting) check() error {
	if !slices.Contains(reportFormats, r.format) {
		return &usageError{"--format must be text, json, sarif or github, got " + quoted(r.format)}
	}
	return nil
}

// text says whether people read it.
func (r *reporting) text() bool { return r.format == "text" }

// checkout is the directory that files are named from in reports for machines: that of the repository in
// GitHub's workflows, elsewhere the working directory.
func checkout() string {
	if dir := os.Getenv("GITHUB_WORKSPACE"); filepath.IsAbs(dir) {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return "/" // files keep the names that they were given by
	}
	return dir
}

// checkFormat refuses a --format that nobody writes.
func checkFormat(format string) error {
	if format != "text" && format != "json" {
		return &usageError{"--format must be text or json, got " + quoted(format)}
	}
	return nil
}
