package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/parallel"
)

const generateHelp = `Compiles the policy, compares the result with what the migrations of the directory install, and
writes one step that makes up the difference: files for goose, tern, flyway or psql, each with its way
back. The directory is the only state; needs no database. Where nothing differs, nothing is written.
Where schema cron lives in another database, its jobs are a step in a directory of their own.

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
	g.addCronMigrations(command)
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
	steps, err := c.nextSteps(g)
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(steps), step.empty)
	if len(pending) == 0 {
		for _, s := range steps {
			c.printf("%s is up to date with %s\n", s.dir, g.policy)
		}
		return nil
	}
	if g.check {
		for _, s := range pending {
			c.printf("%s lags behind %s; \"pgretain generate\" would write:\n", s.dir, g.policy)
			c.warnRebased(s.removed, s.dir, false)
			c.describe(s, newComparison(c.out))
		}
		return exitCode(1)
	}
	if err := writeSteps(pending); err != nil {
		return err
	}
	for _, s := range pending {
		c.warnRebased(s.removed, s.dir, true)
		c.describe(s, nil)
	}
	return nil
}

// step is what a generate writes into one directory, and why; removed are the names of files that it
// takes out.
type step struct {
	dir     string
	files   []output
	removed []string
	changes []change
}

func (s step) empty() bool { return len(s.files) == 0 && len(s.removed) == 0 }

// nextSteps reads everything, compiles, and compares: the directory of the tables' database, and
// that of schema cron's where it is another one, or was.
func (c *console) nextSteps(g generation) ([]step, error) {
	if err := g.checkDirectories(); err != nil {
		return nil, err
	}
	tablesThere := parallel.Start(func() (*catalog.Snapshot, error) { return requireCatalog(g.catalogFile()) })
	project, err := readProject(g.policy)
	if err != nil {
		return nil, err
	}
	snapshot, err := tablesThere()
	if err != nil {
		return nil, err
	}
	format := formatFlag(g.format)
	if err := format.check(); err != nil {
		return nil, err
	}
	tables, err := g.past(g.migrations, format, false)
	if err != nil {
		return nil, err
	}
	jobs, err := g.pastJobs(tables.history.Format())
	if err != nil {
		return nil, err
	}
	objects, err := project.compile(snapshot, tables.history)
	if err != nil {
		return nil, err
	}
	c.show(project.notes, project.sources)
	here, elsewhere := generator.SplitCron(objects, project.file.Install)
	first, err := g.step(project, tables, here)
	if err != nil || len(elsewhere) == 0 && len(jobs.history.Files()) == 0 {
		return []step{first}, err
	}
	second, err := g.step(project, jobs, elsewhere)
	return []step{first, second}, err
}

// past is what one of the directories says.
type past struct {
	dir     string
	cron    bool
	history *generator.History
	removed []string
}

// past reads one of the directories, without the sides that are to be written again.
func (g generation) past(dir string, format formatFlag, cron bool) (past, error) {
	p := past{dir: dir, cron: cron}
	var err error
	if p.history, p.removed, err = rebased(dir, generator.Format(format), g.rebase.of(g.cronDirectory(), cron)); err != nil {
		return p, err
	}
	if cron {
		return p, onlyJobs(p.history, dir)
	}
	return p, errors.Join(onlyTables(p.history, dir), format.checkOwn(p.history, dir))
}

// pastJobs reads the directory of the database where schema cron lives. It has the format of the other
// one, unless it has one of its own already.
func (g generation) pastJobs(format generator.Format) (past, error) {
	p, err := g.past(g.cronDirectory(), formatFlag(g.format), true)
	if err == nil && len(p.history.Files()) == 0 {
		p, err = g.past(g.cronDirectory(), formatFlag(format), true)
	}
	return p, err
}

// step compares one directory with what is wanted of it.
func (g generation) step(project *project, p past, wanted []generator.Object) (step, error) {
	options := project.nextOptions()
	if p.cron {
		options.Cron, options.Schema = true, "" // jobs need none
	}
	numbers := numbering{g.numbers, time.Now}
	options.Version = numbers.next
	if err := numbers.check(p.history, p.dir); err != nil {
		return step{}, err
	}
	files, err := generator.Next(p.history, wanted, options)
	if err != nil {
		return step{}, project.explain(err)
	}
	return step{p.dir, outputs(files, p.dir), p.removed, changes(p.history, generator.Pages(wanted, options.Roles))}, nil
}

func outputs(files []generator.File, dir string) []output {
	var list []output
	for _, f := range files {
		list = append(list, output{filepath.Join(dir, f.Name), f.Pieces})
	}
	return list
}

// writeSteps makes directories where needed, and takes them away again when nothing came of it.
func writeSteps(steps []step) error {
	var files []output
	var old, made []string
	for _, s := range steps {
		if _, missing := os.Stat(s.dir); missing != nil {
			made = append(made, s.dir)
		}
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			removeAll(made)
			return fmt.Errorf("creating the migration directory: %w", err)
		}
		files = append(files, s.files...)
		for _, name := range s.removed {
			old = append(old, filepath.Join(s.dir, name))
		}
	}
	err := exchange(old, files)
	if err != nil {
		removeAll(made) // refuses a directory that somebody else has written to
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

// change is what a step does to one object: "+" new, "~" changed, "-" removed. Text is what a person
// reads of it; before and after are there for changed objects alone.
type change struct {
	sign, text    string
	before, after generator.Object
}

// changes tells what a step does to which object. New and changed objects of the runtime are only
// counted: there are about a hundred and nobody chose them. Of a changed policy the words say how.
func changes(history *generator.History, wanted []generator.Object) []change {
	list := make([]change, 0, len(wanted))
	runtime := map[string]int{}
	seen := map[generator.ID]bool{}
	note := func(sign string, o, before generator.Object) {
		if sign != "-" && ofRuntime(o) {
			runtime[sign]++
			return
		}
		text := string(o.Kind) + " " + o.Name
		if sign == "~" && o.Kind == generator.KindPolicy {
			text += ": " + generator.Differences(before.SQL, o.SQL)
		}
		list = append(list, change{sign, text, before, o})
	}
	for _, o := range wanted {
		seen[o.ID()] = true
		before, had := history.Object(o.ID())
		switch {
		case !had:
			note("+", o, o)
		case before.Hash() != o.Hash():
			note("~", o, before)
		}
	}
	for _, o := range history.Objects() {
		if !seen[o.ID()] {
			note("-", o, o)
		}
	}
	return append(runtimeChanges(runtime), list...)
}

func runtimeChanges(changed map[string]int) []change {
	var list []change
	for _, sign := range []string{"+", "~"} {
		if n := changed[sign]; n > 0 {
			list = append(list, change{sign: sign, text: "runtime: " + plural(n, "object")})
		}
	}
	return list
}

// ofRuntime says whether no policy of the file wants an object.
func ofRuntime(o generator.Object) bool {
	switch o.Kind {
	case generator.KindType, generator.KindTable, generator.KindUpgrade, generator.KindFunction, generator.KindProcedure, generator.KindView:
		return o.Policy == ""
	}
	return false
}

// explain shows what Next refuses with the source of the policy.
func (p *project) explain(err error) error {
	var refused *generator.ObjectError
	if !errors.As(err, &refused) {
		return err
	}
	return &problems{append(diag.List{}, install.Diagnostics(err)...), p.sources}
}

// A comparison is for a person who decides whether to read on: so many lines of one object, and so
// many of all. The whole text is in the step that "pgretain generate" writes.
const (
	linesOfObject = 40
	linesOfAll    = 400
)

// comparison prints what differs in changed objects, as unified diffs below their lines.
type comparison struct {
	out    io.Writer
	colour bool
	left   int // lines
}

func newComparison(out io.Writer) *comparison {
	return &comparison{out, isTerminal(out) && os.Getenv("NO_COLOR") == "", linesOfAll}
}

// print does nothing for new and removed objects.
func (c *comparison) print(change change) {
	if change.before.As != change.after.As {
		fmt.Fprintf(c.out, "      created as %s instead of %s\n", change.after.As, change.before.As)
	}
	lines := unified(change.before.SQL, change.after.SQL)
	shown := min(len(lines), linesOfObject, c.left)
	for _, line := range lines[:shown] {
		fmt.Fprintf(c.out, "      %s\n", c.paint(line))
	}
	if more := len(lines) - shown; more > 0 {
		fmt.Fprintf(c.out, "      ... %s\n", plural(more, "more line"))
	}
	c.left -= shown
}

// unified is a diff of two texts without its head; none when they are equal.
func unified(before, after string) []string {
	text := string(diff.Diff("before", []byte(before), "after", []byte(after)))
	_, text, _ = strings.Cut(text, "\n+++ after\n")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// paint gives lines the colours that git gives them.
func (c *comparison) paint(line string) string {
	code := map[byte]string{'+': "32", '-': "31", '@': "36"}
	if !c.colour || line == "" || code[line[0]] == "" {
		return line
	}
	return "\x1b[" + code[line[0]] + "m" + line + "\x1b[0m"
}
