package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// flags are the values of a command's flags. Each command has values of its own, because defaults
// differ. Before a command runs, the console gets its values.
type flags struct {
	Policy, Catalog, Migrations, CronMigrations string
	DatabaseURL, CronDatabaseURL, Fleet         string
	Format, FileFormat                          string // of the output; of the files that generate writes
	JSON, Verbose                               bool   // JSON is also set by --format json

	Schema                      string // schema of the runtime, or the file that creates the tables
	AsOf, OlderThan, Scope, Job string
	Reason, Rows, Run           string
	Until, HoldUntil            string
	Limit                       int64
	First, Yes, DryRun          bool

	Check, Cron, All, Counts, Verify, Force, Sandbox, Apply, Uninstall, Squash bool
	Export, Output, Serve, Example, Database, Migrator                         string
	Rebase, Only, Skip                                                         []string
	Timeout, Watch                                                             time.Duration
}

// The following flags belong to several commands.

func (f *flags) addPolicy(command *cobra.Command) {
	command.Flags().StringVarP(&f.Policy, "policy", "p", "retention.yaml", "the policy `file`")
}

func (f *flags) addCatalog(command *cobra.Command) {
	command.Flags().StringVar(&f.Catalog, "catalog", "",
		"the catalog snapshot `file` (default \"retention.catalog.json\" beside the policy)")
}

func (f *flags) addMigrations(command *cobra.Command) {
	command.Flags().StringVarP(&f.Migrations, "migrations", "m", "migrations",
		"the migration `directory`; install.migrations of the policy file comes before the default")
}

func (f *flags) addCronMigrations(command *cobra.Command) {
	command.Flags().StringVar(&f.CronMigrations, "cron-migrations", "",
		"the migration `directory` of the database with schema cron, if that is another database (default: "+
			"--migrations followed by \"_cron\")")
}

func (f *flags) addDatabaseURL(command *cobra.Command) {
	command.Flags().StringVar(&f.DatabaseURL, "database-url", "",
		"the `URL` of the database (default: the PG* variables)")
}

func (f *flags) addRuntimeSchema(command *cobra.Command) {
	command.Flags().StringVar(&f.Schema, "schema", "",
		"the `schema` of the runtime (default: the schema in the policy file, or \"retention\")")
}

func (f *flags) addAsOf(command *cobra.Command) {
	command.Flags().StringVar(&f.AsOf, "as-of", "",
		"measure ages at this `time` instead of now; without a zone, it is in the time zone of the install")
}

func (f *flags) addScope(command *cobra.Command) {
	command.Flags().StringVar(&f.Scope, "scope", "",
		"take only these rows: a JSON object of columns and values, such as '{\"chain_id\": 1}', or "+
			"`COLUMN=VALUE`; \"all\" for all rows")
}

func (f *flags) addReason(command *cobra.Command) {
	command.Flags().StringVar(&f.Reason, "reason", "", "a `text` that is recorded")
}

func (f *flags) addExport(command *cobra.Command) {
	command.Flags().StringVar(&f.Export, "export", "", "first write the holds and the run log to this new `file`")
}

func (f *flags) addVerbose(command *cobra.Command) {
	command.Flags().BoolVarP(&f.Verbose, "verbose", "v", false,
		"also print the findings that the policy file suppresses")
}

func (f *flags) addJSON(command *cobra.Command, usage string) {
	command.Flags().BoolVar(&f.JSON, "json", false, usage)
}

// addFormat adds --format, and --json, which is the same as --format json.
func (f *flags) addFormat(command *cobra.Command, usage string, known ...string) {
	f.choose(command, &f.Format, "format", usage, known[0], known...)
	f.addJSON(command, "the same as --format json")
}

// addRuntime adds the flags of a command that calls the runtime of one database.
func (f *flags) addRuntime(command *cobra.Command) {
	f.addPolicy(command)
	f.addRuntimeSchema(command)
	f.addDatabaseURL(command)
	f.addFormat(command, "`text` or json", "text", "json")
}

// addDirectories adds the flags of a command that compares the migrations with the databases. They
// name the policy file, both directories and both databases.
func (f *flags) addDirectories(command *cobra.Command) {
	f.addPolicy(command)
	f.addMigrations(command)
	f.addCronMigrations(command)
	f.addDatabaseURL(command)
	command.Flags().StringVar(&f.CronDatabaseURL, "cron-database-url", "",
		"the `URL` of the database with schema cron, if that is another database (default: the connection "+
			"with install.cron_database)")
}

// addFleet adds --fleet. The flags that exclude it come before it.
func (f *flags) addFleet(command *cobra.Command) {
	command.Flags().StringVar(&f.Fleet, "fleet", "",
		"run the command in every database of this `file`; see docs/fleet.md")
	for _, other := range []string{"database-url", "cron-database-url", "watch", "serve"} {
		if command.Flags().Lookup(other) != nil {
			command.MarkFlagsMutuallyExclusive("fleet", other)
		}
	}
}

// choose adds a flag whose value must be in a list. The shell proposes the values of the list.
func (f *flags) choose(command *cobra.Command, to *string, name, usage, value string, known ...string) {
	*to = value
	command.Flags().Var(&choice{to, name, known}, name, usage)
	propose := cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
	_ = command.RegisterFlagCompletionFunc(name, propose) // fails only for an unknown flag
}

// choice is the value of a flag that has a list of possible values. It implements pflag.Value.
type choice struct {
	to    *string
	name  string // of the flag
	known []string
}

func (v *choice) String() string { return *v.to }

func (v *choice) Set(text string) error {
	*v.to = text
	return oneOf(v.name, text, v.known...)
}

func (v *choice) Type() string { return "string" }

// complete sets flags that follow from others or from the policy file, and refuses values that do
// not fit together.
func (f *flags) complete(command *cobra.Command) error {
	if f.JSON {
		f.Format = "json"
	}
	f.JSON = f.Format == "json"
	f.fromPolicy(command)
	if filepath.Clean(f.Migrations) == filepath.Clean(f.cronDirectory()) {
		return usagef("--migrations and --cron-migrations must be different directories")
	}
	return nil
}

// fromPolicy sets --migrations, and --format of "pgretain generate", to install.migrations and
// install.format of the policy file, unless the command line has these flags.
func (f *flags) fromPolicy(command *cobra.Command) {
	set := command.Flags().Lookup("migrations")
	if set == nil {
		return
	}
	source, err := readFile("policy file", f.Policy, "")
	if err != nil {
		return // the command reports the error
	}
	directory, format := policy.Migrations(source)
	if directory != "" && !set.Changed {
		if f.Migrations = directory; !filepath.IsAbs(directory) {
			f.Migrations = filepath.Join(filepath.Dir(f.Policy), directory)
		}
	}
	f.FileFormat = cmp.Or(f.FileFormat, format)
}

// oneOf refuses a value of a flag, unless it is one of the known values.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	last := len(known) - 1
	return usagef("--%s must be %s or %s, got %q", flag, strings.Join(known[:last], ", "), known[last], value)
}

// cronDirectory returns the migration directory of the database with schema cron.
func (f *flags) cronDirectory() string {
	return cmp.Or(f.CronMigrations, filepath.Clean(f.Migrations)+"_cron")
}

// catalogFile returns the path of the snapshot.
func (f *flags) catalogFile() string {
	return cmp.Or(f.Catalog, filepath.Join(filepath.Dir(f.Policy), catalog.FileName))
}
