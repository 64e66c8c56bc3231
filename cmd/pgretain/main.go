// Command pgretain turns a retention policy into SQL that deletes rows inside PostgreSQL. It
// verifies that the database still does what the policy says.
package main

import (
	"cmp"
	"context"
	_ "embed" // for flags.txt, help.txt
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
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

// actions maps the names of commands to their functions. The variable "calls" has the other
// commands.
var actions = map[string]action{
	"init":           (*console).init,
	"snapshot":       (*console).snapshot,
	"lint":           (*console).lint,
	"explain":        (*console).explain,
	"generate":       (*console).generate,
	"bootstrap":      (*console).bootstrap,
	"migrate up":     (*console).up,
	"migrate down":   (*console).down,
	"migrate status": (*console).migrations,
	"verify":         (*console).verify,
	"plan":           (*console).plan,
	"preview":        (*console).preview,
	"run":            (*console).run,
	"status":         (*console).status,
	"report":         (*console).htmlReport,
	"uninstall":      (*console).uninstall,
	"sandbox":        (*console).sandbox,
	"schema":         (*console).schema,
	"version":        (*console).version,
}

// helpText has a part for each command. The first line of a part is the usage, which determines the
// number of arguments. The second line is the summary. The help, the examples and the flags begin
// at the fourth line.
//
//go:embed help.txt
var helpText []byte

const usageTemplate = `Usage:
  {{.UseLine}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}}  {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
`

// root creates the commands of help.txt, in its order.
func (c *console) root() (root *cobra.Command) {
	places := c.flags.places()
	for _, part := range txtar.Parse(helpText).Files {
		text, flags, _ := strings.Cut(strings.TrimSuffix(string(part.Data), "\n"), "\n\nFlags:\n")
		lines := strings.SplitN(text, "\n", 4)
		command := &cobra.Command{Use: lines[0], Short: lines[1]}
		command.Long, command.Example, _ = strings.Cut(lines[3], "\n\nExamples:\n")
		act := actions[part.Name]
		if _, calls := calls[part.Name]; calls {
			act = (*console).call
		}
		if act != nil {
			command.Args = arguments
			command.RunE = func(command *cobra.Command, args []string) error {
				return c.dispatch(command, part.Name, act, args)
			}
			c.flags.add(command, places, flags)
			complete(command)
		} else {
			command.Args, command.RunE, command.DisableFlagsInUseLine = cobra.ArbitraryArgs, onlyVerbs, true
		}
		if root == nil {
			root = command
			continue
		}
		// Find returns the deepest command that exists
		parent, _, _ := root.Find(strings.Fields(part.Name))
		parent.AddCommand(command)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = programVersion()
	root.SetVersionTemplate("pgretain {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args, completion.RunE = cobra.ArbitraryArgs, onlyVerbs
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%s", err) })
	return root
}

// dispatch executes a command in one database, or in each database of a fleet.
func (c *console) dispatch(command *cobra.Command, verb string, act action, args []string) error {
	c.command = command
	if err := c.flags.check(command); err != nil {
		return err
	}
	if c.Fleet != "" {
		return c.fleet(command.Context(), verb, act, args)
	}
	return act(c, command.Context(), args)
}

// arguments checks the number of arguments against the usage of a command.
func arguments(command *cobra.Command, args []string) error {
	use, _, _ := strings.Cut(command.Use, " |")
	least, most := 0, 0
	for _, word := range strings.Fields(use)[1:] {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if strings.Contains(word, "...") {
			most = max(most, len(args))
		}
	}
	switch n := len(args); {
	case n >= least && n <= most:
		return nil
	case most == 0:
		return usagef("%q takes no arguments, got %q", command.CommandPath(), args[0])
	}
	return usagef("wrong number of arguments for %q, usage: %s", command.CommandPath(), command.Use)
}

// onlyVerbs reports an unknown subcommand of a command that only groups subcommands.
func onlyVerbs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		command.SetOut(command.ErrOrStderr())
		_ = command.Help() // the exit code is the result
		return exitCode(2)
	}
	names := lists.Map(command.Commands(), (*cobra.Command).Name)
	return &usageError{fmt.Sprintf("unknown command %q", args[0]), policy.DidYouMean(args[0], names)}
}

func (c *console) version(context.Context, []string) error {
	members := []any{"pgretain", programVersion(), "runtime", sqlfiles.Version, "build", sqlfiles.Build(),
		"go", runtime.Version()}
	return c.result("version", members, members...)
}

// programVersion returns the module's version, or "(devel)" for a build from a checkout.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func (c *console) schema(context.Context, []string) error {
	c.printf("%s", policy.Schema)
	return nil
}

// flags are the values of the flags of all commands. Field AsOf holds --as-of. flags.txt and
// help.txt define which command has which flag, the meanings and the defaults.
type flags struct {
	Policy, Catalog, Migrations, CronMigrations string
	DatabaseURL, CronDatabaseURL, Fleet         string
	Format                                      string
	JSON, Verbose                               bool // JSON is also set by --format json

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

//go:embed flags.txt
var flagsText string

var (
	flagWord = regexp.MustCompile(`^([a-z-]+)(?:,(\w))?(?:\[=(.*)\])?(?:=(.*))?$`)
	kebab    = regexp.MustCompile(`([a-z])([A-Z])`)
)

// common maps the name of a flag to its line in flags.txt.
var common = func() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(flagsText) {
		lines[flagWord.ReplaceAllString(strings.Fields(line)[0], "$1")] = line
	}
	return lines
}()

// places maps the name of a flag to the variable for its value.
func (f *flags) places() map[string]any {
	places := map[string]any{}
	value := reflect.ValueOf(f).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if field.IsExported() {
			name := strings.ToLower(kebab.ReplaceAllString(field.Name, "$1-$2"))
			places[name] = value.FieldByIndex(field.Index).Addr().Interface()
		}
	}
	return places
}

// exclusive lists pairs of flags that exclude each other.
var exclusive = [][2]string{
	{"fleet", "database-url"},
	{"fleet", "cron-database-url"},
	{"fleet", "watch"},
	{"fleet", "serve"},
	{"serve", "output"},
}

// add adds the flags of a command. A line either lists names of flags.txt, or defines a flag.
func (f *flags) add(command *cobra.Command, places map[string]any, lines string) {
	set := command.Flags()
	for line := range strings.Lines(lines) {
		list := []string{line}
		if line = strings.TrimSpace(line); !strings.Contains(line, "  ") {
			list = lists.Map(strings.Fields(line), func(name string) string { return common[name] })
		}
		for _, line := range list {
			define(command, places, line)
		}
	}
	for _, pair := range exclusive {
		if set.Lookup(pair[0]) != nil && set.Lookup(pair[1]) != nil {
			command.MarkFlagsMutuallyExclusive(pair[0], pair[1])
		}
	}
}

// choices is the annotation that holds the allowed values of a flag, the default first.
const choices = "choices"

func define(command *cobra.Command, places map[string]any, line string) {
	set := command.Flags()
	word, usage, _ := strings.Cut(strings.TrimSpace(line), "  ")
	parts := flagWord.FindStringSubmatch(word)
	name, letter := parts[1], parts[2]
	switch to := places[name].(type) {
	case *string:
		set.StringVarP(to, name, letter, "", usage)
	case *bool:
		set.BoolVarP(to, name, letter, false, usage)
	case *int64:
		set.Int64VarP(to, name, letter, 0, usage)
	case *time.Duration:
		set.DurationVarP(to, name, letter, 0, usage)
	case *[]string:
		set.StringSliceVarP(to, name, letter, nil, usage)
	}
	flag := set.Lookup(name)
	flag.NoOptDefVal = cmp.Or(parts[3], flag.NoOptDefVal)
	if parts[4] != "" {
		known := strings.Split(parts[4], "|")
		flag.DefValue, flag.Annotations = known[0], map[string][]string{choices: known}
		if len(known) > 1 {
			propose := cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
			_ = command.RegisterFlagCompletionFunc(name, propose)
		}
	}
}

// check sets the defaults of the command's flags, and refuses invalid values.
func (f *flags) check(command *cobra.Command) (err error) {
	for _, name := range slices.Sorted(maps.Keys(f.places())) {
		flag := command.Flags().Lookup(name)
		if flag == nil {
			continue
		}
		known := flag.Annotations[choices]
		switch {
		case known != nil && !flag.Changed:
			_ = flag.Value.Set(known[0]) // a default is always valid
		case len(known) > 1:
			err = cmp.Or(err, oneOf(name, flag.Value.String(), known...))
		}
		if name == "format" && slices.Contains(known, "json") {
			if f.JSON {
				f.Format = "json"
			}
			f.JSON = f.Format == "json"
		}
	}
	f.fromPolicy(command)
	if filepath.Clean(f.Migrations) == filepath.Clean(f.cronDirectory()) {
		err = cmp.Or(err, usagef("--migrations and --cron-migrations must be different directories"))
	}
	return err
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
	if command.Name() == "generate" {
		f.Format = cmp.Or(f.Format, format)
	}
}

// oneOf refuses a value of a flag, unless it is one of the known values.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	known = slices.DeleteFunc(slices.Clone(known), func(one string) bool { return one == "" })
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
