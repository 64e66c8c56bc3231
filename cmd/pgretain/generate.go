package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"pgretain/generator"
)

const generateHelp = `Compiles the policy, compares the result with what the migrations of the directory install, and
writes one step that makes up the difference: files for goose, tern, flyway or psql, each with its way
back. The directory is the only state; needs no database. Where nothing differs, nothing is written.

Two branches that both added a step make a fork. --rebase removes one side of it and writes what
that side did as the last step: the side with the greater number, or the one that begins with FILE.
The removed files must not have been applied anywhere. All or nothing: after an error the directory
is as it was.

Exit codes:
  0  written, or nothing to write
  1  errors in the policy or the directory; with --check: the directory lags behind the policy
  2  a file could not be read or written`

const generateExample = `  pgretain generate
  pgretain generate --format tern   # the first time; afterwards the directory tells
  pgretain generate --check    # in CI: write nothing, fail when something is missing
  pgretain generate --rebase   # after a merge: write the later side of a fork again`

// generation is the command line of generate.
type generation struct {
	paths
	check   bool
	numbers string
	format  string
	rebase  side
}

func generateCommand(c *console) *cobra.Command {
	var g generation
	command := &cobra.Command{
		Use: "generate", Short: "Write the next migration", Long: generateHelp, Example: generateExample,
		Args: g.noArguments, RunE: func(*cobra.Command, []string) error { return c.generate(g) },
	}
	g.addPolicy(command)
	g.addCatalog(command)
	g.addMigrations(command)
	flags := command.Flags()
	flags.BoolVar(&g.check, "check", false, "write nothing; show what differs and exit with 1 when the directory lags behind")
	flags.StringVar(&g.numbers, "numbers", "", "of the files of an empty directory: sequential or timestamp (default sequential)")
	flags.StringVar(&g.format, "format", "", "of the files of an empty directory: goose, tern, flyway or psql (default goose)")
	flags.StringArrayVar((*[]string)(&g.rebase), "rebase", nil, "write one side of a fork again: the later one, or the one that begins with `FILE`; may be repeated")
	flags.Lookup("rebase").NoOptDefVal = laterSide
	return command
}

// noArguments knows the likeliest mistake: a flag whose value is optional takes it with "=" only.
func (g *generation) noArguments(command *cobra.Command, args []string) error {
	if len(args) == 1 && len(g.rebase) > 0 {
		return &usageError{fmt.Sprintf("write --rebase=%s, with an equals sign", args[0])}
	}
	return noArguments(command, args)
}

func (c *console) generate(g generation) error {
	step, err := c.nextStep(g)
	if err != nil {
		return err
	}
	if len(step.files) == 0 && len(step.removed) == 0 {
		c.printf("%s is up to date with %s\n", g.migrations, g.policy)
		return nil
	}
	if g.check {
		c.printf("%s lags behind %s; \"pgretain generate\" would write:\n", g.migrations, g.policy)
		c.warnRebased(step.removed, g.migrations, false)
		c.describe(step, newComparison(c.out))
		return exitCode(1)
	}
	if err := writeStep(step, g.migrations); err != nil {
		return err
	}
	c.warnRebased(step.removed, g.migrations, true)
	c.describe(step, nil)
	return nil
}

// step is what a generate writes, and why; removed are the names of files that it takes out.
type step struct {
	files   []output
	removed []string
	changes []change
}

// nextStep reads everything, compiles, and compares.
func (c *console) nextStep(g generation) (step, error) {
	project, err := readProject(g.policy)
	if err != nil {
		return step{}, err
	}
	snapshot, err := requireCatalog(g.catalogFile())
	if err != nil {
		return step{}, err
	}
	history, removed, err := g.history()
	if err != nil {
		return step{}, err
	}
	options := project.nextOptions()
	numbers := numbering{g.numbers, time.Now}
	options.Version = numbers.next
	if err := numbers.check(history, g.migrations); err != nil {
		return step{}, err
	}
	objects, err := project.compile(snapshot, history)
	if err != nil {
		return step{}, err
	}
	c.show(project.notes, project.sources)
	files, err := generator.Next(history, objects, options)
	if err != nil {
		return step{}, project.explain(err)
	}
	return step{outputs(files, g.migrations), removed, changes(history, objects)}, nil
}

// history is what the directory installs, without the sides that are to be written again.
func (g generation) history() (*generator.History, []string, error) {
	format := formatFlag(g.format)
	if err := format.check(); err != nil {
		return nil, nil, err
	}
	history, removed, err := rebased(g.migrations, generator.Format(format), g.rebase)
	if err == nil {
		err = format.checkOwn(history, g.migrations)
	}
	return history, removed, err
}

func outputs(files []generator.File, dir string) []output {
	var list []output
	for _, f := range files {
		list = append(list, output{filepath.Join(dir, f.Name), f.Content})
	}
	return list
}

// writeStep makes the directory where needed, and takes it away again when nothing came of it.
func writeStep(s step, dir string) error {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("creating the migration directory: %w", err)
	}
	var old []string
	for _, name := range s.removed {
		old = append(old, filepath.Join(dir, name))
	}
	err := exchange(old, s.files)
	if err != nil && missing != nil {
		_ = os.Remove(dir) // refuses a directory that somebody else has written to
	}
	return err
}

// describe lists files and objects; with a comparison also what differs in those that change.
func (c *console) describe(s step, compare *comparison) {
	for _, f := range s.files {
		c.printf("%s\n", f.path)
	}
	for _, change := range s.changes {
		c.printf("  %s %s\n", change.sign, change.text)
		if compare != nil {
			compare.print(change)
		}
	}
}
