package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/report"
	"pgretain/policy"
)

// noArguments refuses what stands behind a verb.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%q takes no arguments, got %q", command.CommandPath(), args[0])
	}
	return nil
}

// oneOf refuses a value of a flag that means nothing.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	last := len(known) - 1
	return usagef("--%s must be %s or %s, got %q", flag, strings.Join(known[:last], ", "), known[last], value)
}

// paths are the files and databases that the verbs read and write.
type paths struct {
	policy, migrations, cronMigrations, catalog string
	url, cronURL                                string
	named                                       bool // --policy was given
}

// noPolicy says whether there is no policy file, and none was named.
func (p *paths) noPolicy() bool {
	_, err := os.Lstat(p.policy)
	return !p.named && errors.Is(err, fs.ErrNotExist)
}

// add gives a command those of the flags that it needs, by their names.
func (p *paths) add(command *cobra.Command, names ...string) {
	for _, flag := range []struct {
		to                        *string
		name, short, value, usage string
	}{
		{&p.policy, "policy", "p", "retention.yaml", "the policy `file`"},
		{&p.migrations, "migrations", "m", "migrations", "the migration `directory`"},
		{&p.cronMigrations, "cron-migrations", "", "", "the migration `directory` of the database where schema cron lives, " +
			"if that is another one (default: that of --migrations and \"_cron\")"},
		{&p.catalog, "catalog", "", "", "the catalog snapshot `file` (default \"" + catalog.FileName + "\" beside the policy)"},
		{&p.url, "database-url", "", "", "the `URL` of the database (default: the PG* variables)"},
		{&p.cronURL, "cron-database-url", "", "", "the `URL` of the database where schema cron lives, if that is another one " +
			"(default: the connection with install.cron_database)"},
	} {
		if slices.Contains(names, flag.name) {
			command.Flags().StringVarP(flag.to, flag.name, flag.short, flag.value, flag.usage)
		}
	}
	command.PreRun = func(command *cobra.Command, _ []string) { p.named = command.Flags().Changed("policy") }
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

// catalogFile is where the snapshot is.
func (p *paths) catalogFile() string {
	if p.catalog != "" {
		return p.catalog
	}
	return filepath.Join(filepath.Dir(p.policy), catalog.FileName)
}

// addFormat is --format of a verb that prints a result, not findings.
func addFormat(command *cobra.Command, format *string) {
	addFormats(command, format, "`text` or json", "text", "json")
}

// addFormats is --format of a verb, which runs only with a known one; --json is short for --format json everywhere.
func addFormats(command *cobra.Command, format *string, usage string, known ...string) {
	command.Flags().StringVar(format, "format", "text", usage)
	command.Flags().BoolFunc("json", "the same as --format json", func(string) error {
		*format = "json"
		return nil
	})
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := oneOf("format", *format, known...); err != nil {
			return err
		}
		return run(command, args)
	}
}

// reporting is how findings are written.
type reporting struct {
	format  string
	verbose bool
}

func (r *reporting) add(command *cobra.Command) {
	addFormats(command, &r.format, "`text`, json, sarif or github (workflow commands)", "text", "json", "sarif", "github")
	command.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "show in the text what the policy file suppresses")
}

// text says whether people read it.
func (r *reporting) text() bool { return r.format == "text" }

// write writes a log for machines; json is its own form of the verb.
func (r *reporting) write(out io.Writer, log report.Log, json func(io.Writer) error) error {
	log.Version, log.Root = programVersion(), checkout()
	switch r.format {
	case "json":
		return json(out)
	case "sarif":
		return log.SARIF(out)
	}
	return log.GitHub(out)
}

// checkout is the directory that files are named from in reports for machines: that of the repository in
// GitHub's workflows, else the working directory.
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

// completeNames completes with names of the policy file as it is: a file that is missing or wrong has none. Most verbs
// take one name.
func completeNames(path *string, names func(*policy.File) []string, many bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
		source, err := readFile(*path)
		if err == nil && (many || len(args) == 0) {
			if file, _ := policy.Parse(*path, source); file != nil {
				list = names(file)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

func policyNames(file *policy.File) []string {
	return lists.Map(file.Policies, func(p *policy.Policy) string { return p.Name })
}

func jobNames(file *policy.File) []string {
	return lists.Map(file.Jobs, func(j *policy.Job) string { return j.Name })
}

func addAsOf(command *cobra.Command, asOf *string) {
	command.Flags().StringVar(asOf, "as-of", "", "the `instant` that ages are measured at (default: now), in the install's time zone\nunless it says otherwise")
}
