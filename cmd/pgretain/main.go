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

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

//go:generate go test . -run TestExamples$ -update

func init() { cobra.EnableCommandSorting = false } // for all roots: those of a fleet are made beside each other

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a short life: with a thousand policies an eighth of it went into collecting garbage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks, the second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

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
	c := &console{out: stdout, err: stderr, args: args}
	root := rootCommand(c)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	command, err := root.ExecuteContextC(ctx)
	return c.exit(command, err)
}

func rootCommand(c *console) *cobra.Command {
	root := verbs("pgretain",
		originVerb("init", c.init), originVerb("snapshot", c.snapshot), lintCommand(c), explainCommand(c), generateCommand(c), bootstrapCommand(c),
		verbs("migrate", migrateVerb("up", c.up), migrateVerb("down", c.down), migrateVerb("status", c.migrations)),
		verifyCommand(c), planCommand(c), previewCommand(c), runCommand(c), statusCommand(c), reportCommand(c))
	for _, k := range calls {
		root.AddCommand(k.command(c))
	}
	root.AddCommand(uninstallCommand(c), sandboxCommand(c), schemaCommand(c), completionCommand(c), versionCommand(c))
	c.addFleet(root)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetUsageTemplate(usageTemplate)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err.Error()} })
	return root
}

// helpText has a part for each verb: how it is called, a line on it, and from the fourth line on the help, with
// examples at its end.
//
//go:embed help.txt
var helpText []byte

// verb is a command with the texts of help.txt, which takes no arguments.
func verb(name string, run func(ctx context.Context, args []string) error) *cobra.Command {
	command := &cobra.Command{
		Args: noArguments,
		RunE: func(command *cobra.Command, args []string) error { return run(command.Context(), args) },
	}
	for _, part := range txtar.Parse(helpText).Files {
		if part.Name == name {
			lines := strings.SplitN(strings.TrimSuffix(string(part.Data), "\n"), "\n", 4)
			command.Use, command.Short = lines[0], lines[1]
			command.Long, command.Example, _ = strings.Cut(lines[3], "\n\nExamples:\n")
		}
	}
	return command
}

// verbs is a command that only has verbs.
func verbs(name string, list ...*cobra.Command) *cobra.Command {
	command := verb(name, nil)
	command.Args, command.RunE = cobra.ArbitraryArgs, onlyVerbs
	command.DisableFlagsInUseLine = true
	command.AddCommand(list...)
	return command
}

func onlyVerbs(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		command.SetOut(command.ErrOrStderr())
		_ = command.Help() // the exit code tells the rest
		return exitCode(2)
	}
	message := fmt.Sprintf("unknown command %q", args[0])
	var near []string
	for distance := 1; distance <= 2 && len(near) == 0; distance++ {
		command.SuggestionsMinimumDistance = distance
		near = command.SuggestionsFor(args[0])
	}
	if len(near) > 0 {
		message += fmt.Sprintf("; did you mean \"%s\"?", strings.Join(near, `" or "`))
	}
	return &usageError{message}
}

func versionCommand(c *console) *cobra.Command {
	var format string
	command := verb("version", func(context.Context, []string) error {
		if format == "text" {
			c.printf("pgretain %s, runtime %s, %s\n", programVersion(), sqlfiles.Version, runtime.Version())
			return nil
		}
		return c.document("pgretain", programVersion(), "runtime", sqlfiles.Version, "go", runtime.Version())
	})
	addFormat(command, &format)
	return command
}

// programVersion is the module's version, "(devel)" for a build from a checkout.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func schemaCommand(c *console) *cobra.Command {
	return verb("schema", func(context.Context, []string) error {
		c.printf("%s", policy.Schema)
		return nil
	})
}

func completionCommand(c *console) *cobra.Command {
	command := verb("completion", nil)
	command.ValidArgs = []string{"bash", "zsh", "fish"}
	command.RunE = func(command *cobra.Command, args []string) error {
		root := command.Root()
		switch {
		case len(args) != 1:
			return usagef("%q needs a shell: bash, zsh or fish", command.CommandPath())
		case args[0] == "bash":
			return root.GenBashCompletionV2(c.out, true)
		case args[0] == "zsh":
			return root.GenZshCompletion(c.out)
		case args[0] == "fish":
			return root.GenFishCompletion(c.out, true)
		}
		return usagef("unknown shell %q; bash, zsh and fish are known", args[0])
	}
	command.Args = cobra.ArbitraryArgs
	return command
}
