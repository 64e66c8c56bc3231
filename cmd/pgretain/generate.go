package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// generation is the command line of generate.
type generation struct {
	paths
	check   bool
	json    bool
	numbers string
	format  string
	rebase  []string
}

func generateCommand(c *console) *cobra.Command {
	var g generation
	command := verb("generate", func(context.Context, []string) error { return c.generate(g) })
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) == 1 && len(g.rebase) > 0 { // the likeliest mistake
			return usagef("write --rebase=%s, with an equals sign", args[0])
		}
		return noArguments(command, args)
	}
	g.add(command, "policy", "catalog", "migrations", "cron-migrations")
	flags := command.Flags()
	flags.BoolVar(&g.check, "check", false, "write nothing; show what differs and exit with 1 when the directory lags behind")
	flags.BoolVar(&g.json, "json", false, "write what is done as JSON")
	flags.StringVar(&g.numbers, "numbers", "", "of the files of an empty directory: sequential or timestamp (default sequential)")
	flags.StringVar(&g.format, "format", "", "of the files of an empty directory: goose, tern, flyway or psql (default goose)")
	flags.StringArrayVar(&g.rebase, "rebase", nil, "write one side of a fork again: the later one, or the one that begins with `FILE`; may be repeated")
	flags.Lookup("rebase").NoOptDefVal = laterSide
	return command
}

func (c *console) generate(g generation) error {
	steps, err := c.nextSteps(g)
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(steps), step.empty)
	if len(pending) == 0 && !g.json {
		for _, s := range steps {
			c.printf("%s is up to date with %s\n", s.path, g.policy)
		}
		return nil
	}
	if !g.check {
		if err := writeSteps(pending); err != nil {
			return err
		}
	}
	if g.json {
		return c.generated(pending, g.check)
	}
	for _, s := range pending {
		var compare *comparison
		if g.check {
			c.printf("%s lags behind %s; \"pgretain generate\" would write:\n", s.path, g.policy)
			compare = &comparison{c.out, coloured(c.out), linesOfAll}
		}
		c.warnRebased(s, !g.check)
		c.describe(s, compare)
	}
	if g.check {
		return exitCode(1)
	}
	return nil
}

// generated is what generate wrote, or would write, in JSON of version 1.
func (c *console) generated(steps []step, check bool) error {
	type jsonStep struct {
		Directory string   `json:"directory"`
		Files     []string `json:"files"`
		Removed   []string `json:"removed"`
		Changes   []string `json:"changes"`
	}
	list := []jsonStep{}
	for _, s := range steps {
		c.warnRebased(s, !check)
		list = append(list, jsonStep{s.path, lists.Map(s.files, func(f output) string { return f.path }), append([]string{}, s.removed...),
			lists.Map(s.changes, func(c change) string { return c.sign + " " + c.text })})
	}
	err := c.document("steps", list)
	if check && len(steps) > 0 {
		return errors.Join(err, exitCode(1))
	}
	return err
}

// step is what a generate writes into one directory, and why. History is what the directory says without the sides that
// are to be written again, and removed are the names of their files, which it takes out.
type step struct {
	directory
	history *generator.History
	removed []string
	files   []output
	changes []change
}

func (s step) empty() bool { return len(s.files) == 0 && len(s.removed) == 0 }

// nextSteps reads everything, compiles, and compares: the directory of the tables' database, and
// that of schema cron's where it is another one, or was.
func (c *console) nextSteps(g generation) ([]step, error) {
	if err := g.checkDirectories(); err != nil {
		return nil, err
	}
	project, snapshot, err := g.read()
	if err != nil {
		return nil, err
	}
	if err := oneOf("format", cmp.Or(g.format, "goose"), "goose", "tern", "flyway", "psql"); err != nil {
		return nil, err
	}
	var heads []string // no file of ours has one name in both directories
	for _, value := range g.rebase {
		if dir := filepath.Dir(value); !slices.Contains([]string{".", filepath.Clean(g.migrations), filepath.Clean(g.cronDirectory())}, dir) {
			return nil, usagef("--rebase=%s is not a file of %s", value, g.migrations)
		}
		heads = append(heads, filepath.Base(value))
	}
	here, err := directory{g.migrations, false}.past(generator.Format(g.format), heads)
	if err == nil {
		err = g.checkOwn(here.history)
	}
	if err != nil {
		return nil, err
	}
	// The other directory has the format of this one, unless it has one of its own already.
	there, err := directory{g.cronDirectory(), true}.past(generator.Format(g.format), heads)
	if err == nil && len(there.history.Files()) == 0 {
		there, err = there.past(here.history.Format(), heads)
	}
	if err == nil {
		err = g.checkHeads(slices.Concat(here.removed, there.removed))
	}
	if err != nil {
		return nil, err
	}
	objects, err := project.compile(snapshot, here.history)
	if err != nil {
		return nil, err
	}
	c.show(project.notes, project.sources)
	wantedHere, wantedThere := generator.SplitCron(objects, project.file.Install)
	err = g.next(&here, project, wantedHere)
	if err != nil || len(wantedThere) == 0 && len(there.history.Files()) == 0 {
		return []step{here}, err
	}
	err = g.next(&there, project, wantedThere)
	return []step{here, there}, err
}

// checkOwn asks for --format where the directory holds nothing of ours, but files of another tool than
// goose: the first step would be written for a tool that the project does not use.
func (g generation) checkOwn(history *generator.History) error {
	other, file := generator.Suggest(os.DirFS(g.migrations))
	if g.format != "" || len(history.Files()) > 0 || other == "" {
		return nil
	}
	return usagef("%s looks like a migration for %s: say --format %s, or --format goose if it is not",
		filepath.Join(g.migrations, file), other, other)
}

// next compares one directory with what is wanted of it.
func (g generation) next(s *step, project *project, wanted []generator.Object) error {
	numbers := numbering{g.numbers, time.Now}
	if err := numbers.check(s.history, s.path); err != nil {
		return err
	}
	files, err := project.next(s.history, wanted, s.cron, numbers)
	s.files, s.changes = outputs(files, s.path), changes(s.history, generator.Pages(wanted, project.file.Install.Roles))
	return err
}

func outputs(files []generator.File, dir string) []output {
	return lists.Map(files, func(f generator.File) output { return output{filepath.Join(dir, f.Name), []string{f.Text}} })
}

// writeSteps makes directories where needed, and takes them away again when nothing came of it.
func writeSteps(steps []step) (err error) {
	var files []output
	var old, made []string
	defer func() {
		for _, dir := range made {
			if err != nil {
				_ = os.Remove(dir) // fails where there are other files in it
			}
		}
	}()
	for _, s := range steps {
		if _, missing := os.Stat(s.path); missing != nil {
			made = append(made, s.path)
		}
		if err := os.MkdirAll(s.path, 0o755); err != nil {
			return fmt.Errorf("creating the migration directory: %w", err)
		}
		files = append(files, s.files...)
		old = append(old, lists.Map(s.removed, func(name string) string { return filepath.Join(s.path, name) })...)
	}
	return exchange(old, files, false)
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

// laterSide is what --rebase means without a file. No migration has this name.
const laterSide = "later"

// checkHeads refuses files that begin no side of a fork: nothing is taken out of the middle of a chain.
func (g generation) checkHeads(removed []string) error {
	for _, file := range g.rebase {
		if file != laterSide && !slices.Contains(removed, filepath.Base(file)) {
			return usagef("the migrations do not fork at --rebase=%s", file)
		}
	}
	return nil
}

// warnRebased says what has to be true of the files that a rebase takes out.
func (c *console) warnRebased(s step, written bool) {
	if len(s.removed) == 0 {
		return
	}
	verb := "would be removed"
	if written {
		verb = "removed"
	}
	c.show(diag.List{{Severity: diag.Warning,
		Message: fmt.Sprintf("%s from %s: %s", verb, s.path, strings.Join(s.removed, ", ")),
		Detail:  "They must not have been applied anywhere. What they did is in the new step, as far as the policy still wants it.",
		Hint: "A database that has them applied: run \"pgretain migrate down\" there, in a checkout that still has " +
			"these files, before the new step is applied.",
	}}, nil)
}
