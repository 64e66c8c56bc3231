// Command pgretain turns a retention policy into SQL that deletes rows inside PostgreSQL, and
// proves that the database still does what the policy says.
package main

import (
	"context"
	_ "embed" // help.txt
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"

	"pgretain/internal/lists"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

//go:generate go test . -run TestExamples$ -update

func init() { cobra.EnableCommandSorting = false }

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a short life: with a thousand policies an eighth of it went into collecting garbage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks, the second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &console{out: stdout, err: stderr}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	c.command = command
	return c.exit(err)
}

// action is what a verb does.
type action = func(c *console, ctx context.Context, args []string) error

// actions are the verbs; all else about them is in help.txt.
var actions = map[string]action{
	"init": (*console).init, "snapshot": (*console).snapshot, "lint": (*console).lint, "explain": (*console).explain,
	"generate": (*console).generate, "bootstrap": (*console).bootstrap,
	"migrate up": (*console).up, "migrate down": (*console).down, "migrate status": (*console).migrations,
	"verify": (*console).verify, "plan": (*console).plan, "preview": (*console).preview, "run": (*console).run,
	"status": (*console).status, "report": (*console).htmlReport, "uninstall": (*console).uninstall,
	"accept": (*console).call, "pause": (*console).call, "resume": (*console).call, "window": (*console).call,
	"hold": (*console).call, "holds": (*console).call, "release": (*console).call, "restore": (*console).call,
	"why": (*console).call, "adopt": (*console).call, "settle": (*console).call,
	"sandbox": (*console).sandbox, "schema": (*console).schema,
	"version": (*console).version,
}

// helpText has a part for each verb: how it is called, which says how many arguments it takes, a line on it, and from
// the fourth line on the help, with examples and flags at its end.
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

// root makes the commands of help.txt, in its order.
func (c *console) root() (root *cobra.Command) {
	places := c.flags.places()
	for _, part := range txtar.Parse(helpText).Files {
		text, flags, _ := strings.Cut(strings.TrimSuffix(string(part.Data), "\n"), "\n\nFlags:\n")
		lines := strings.SplitN(text, "\n", 4)
		command := &cobra.Command{Use: lines[0], Short: lines[1]}
		command.Long, command.Example, _ = strings.Cut(lines[3], "\n\nExamples:\n")
		if act := actions[part.Name]; act != nil {
			command.Args = arguments
			command.RunE = func(command *cobra.Command, args []string) error { return c.act(command, part.Name, act, args) }
			c.flags.add(command, places, flags)
		} else {
			command.Args, command.RunE, command.DisableFlagsInUseLine = cobra.ArbitraryArgs, onlyVerbs, true
		}
		group, _, below := strings.Cut(part.Name, " ")
		parent := root
		if below {
			parent, _, _ = root.Find([]string{group})
		}
		if root == nil {
			root = command
		} else {
			parent.AddCommand(command)
		}
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.InitDefaultCompletionCmd()
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%s", err) })
	return root
}

// act does what a verb does, in a database or in each of a fleet.
func (c *console) act(command *cobra.Command, verb string, act action, args []string) error {
	c.command = command
	if err := c.flags.check(command); err != nil {
		return err
	}
	if c.Fleet != "" {
		return c.fleet(command.Context(), verb, act, args)
	}
	return act(c, command.Context(), args)
}

// arguments holds what stands behind a verb to the line that says how it is called.
func arguments(command *cobra.Command, args []string) error {
	use, _, _ := strings.Cut(command.Use, " |")
	least, most := 0, 0
	for _, word := range strings.Fields(use)[1:] {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if strings.Contains(word, "...") {
			most = len(args)
		}
	}
	switch n := len(args); {
	case n >= least && n <= most:
		return nil
	case most == 0:
		return usagef("%q takes no arguments, got %q", command.CommandPath(), args[0])
	}
	return usagef("%q is called as: %s", command.CommandPath(), command.Use)
}

// onlyVerbs is a command that has verbs and does nothing itself.
func onlyVerbs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		command.SetOut(command.ErrOrStderr())
		_ = command.Help() // the exit code tells the rest
		return exitCode(2)
	}
	names := lists.Map(command.Commands(), (*cobra.Command).Name)
	return &usageError{fmt.Sprintf("unknown command %q", args[0]), policy.DidYouMean(args[0], names)}
}

func (c *console) version(context.Context, []string) error {
	if c.JSON {
		return c.document("pgretain", programVersion(), "runtime", sqlfiles.Version, "go", runtime.Version())
	}
	c.printf("pgretain %s, runtime %s, %s\n", programVersion(), sqlfiles.Version, runtime.Version())
	return nil
}

// programVersion is the module's version, "(devel)" for a build from a checkout.
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
