package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"pgretain/generator"
)

const generateHelp = `Compiles the policy, compares the result with what the migrations of the directory install, and
writes one step that makes up the difference: files for goose, each with its way back. The
directory is the only state; needs no database. Where nothing differs, nothing is written.

Exit codes:
  0  written, or nothing to write
  1  errors in the policy or the directory; with --check: the directory lags behind the policy
  2  a file could not be read or written`

func generateCommand(c *console) *cobra.Command {
	var p paths
	var check bool
	command := &cobra.Command{
		Use:     "generate",
		Short:   "Write the next migration",
		Long:    generateHelp,
		Example: "  pgretain generate\n  pgretain generate --check   # in CI: write nothing, fail when something is missing",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return c.generate(p, check) },
	}
	p.addPolicy(command)
	p.addCatalog(command)
	p.addMigrations(command)
	command.Flags().BoolVar(&check, "check", false, "write nothing; exit with 1 when the directory lags behind")
	return command
}

func (c *console) generate(p paths, check bool) error {
	step, err := c.nextStep(p)
	if err != nil {
		return err
	}
	if len(step.files) == 0 {
		c.printf("%s is up to date with %s\n", p.migrations, p.policy)
		return nil
	}
	if check {
		c.printf("%s lags behind %s; \"pgretain generate\" would write:\n", p.migrations, p.policy)
		c.describe(step)
		return exitCode(1)
	}
	if err := writeStep(step.files, p.migrations); err != nil {
		return err
	}
	c.describe(step)
	return nil
}

// step is what a generate writes, and why.
type step struct {
	files   []output
	changes []string
}

// nextStep reads everything, compiles, and compares.
func (c *console) nextStep(p paths) (step, error) {
	project, err := readProject(p.policy)
	if err != nil {
		return step{}, err
	}
	snapshot, err := requireCatalog(p.catalogFile())
	if err != nil {
		return step{}, err
	}
	history, err := readHistory(p.migrations)
	if err != nil {
		return step{}, err
	}
	objects, err := project.compile(snapshot, history)
	if err != nil {
		return step{}, err
	}
	c.show(project.notes, project.sources)
	files, err := generator.Next(history, objects, project.nextOptions())
	if err != nil {
		return step{}, project.explain(err)
	}
	return step{outputs(files, p.migrations), changes(history, objects)}, nil
}

func outputs(files []generator.File, dir string) []output {
	var list []output
	for _, f := range files {
		list = append(list, output{filepath.Join(dir, f.Name), f.Content})
	}
	return list
}

// writeStep makes the directory where needed, and takes it away again when nothing came of it.
func writeStep(files []output, dir string) error {
	_, missing := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("creating the migration directory: %w", err)
	}
	err := writeAll(files, false)
	if err != nil && missing != nil {
		_ = os.Remove(dir) // refuses a directory that somebody else has written to
	}
	return err
}

func (c *console) describe(s step) {
	for _, f := range s.files {
		c.printf("%s\n", f.path)
	}
	for _, line := range s.changes {
		c.printf("  %s\n", line)
	}
}
