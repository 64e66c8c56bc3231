package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// step is what a generate writes into one directory, and why. History is what the directory says without the sides that
// are to be written again, and removed are the names of their files, which it takes out.
type step struct {
	directory
	history *generator.History
	removed []string
	files   []output
	changes []change
}

// generate writes the steps that the directories lack, or with --check says what they would be.
func (c *console) generate(context.Context, []string) error {
	steps, err := c.nextSteps()
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return len(s.files)+len(s.removed) == 0 })
	if len(pending) == 0 && !c.JSON {
		for _, s := range steps {
			c.printf("%s is up to date with %s\n", s.path, c.Policy)
		}
	}
	if !c.Check {
		if err := writeSteps(pending); err != nil {
			return err
		}
	}
	type jsonStep struct {
		Directory string   `json:"directory"`
		Files     []string `json:"files"`
		Removed   []string `json:"removed"`
		Changes   []string `json:"changes"`
	}
	list := []jsonStep{}
	for _, s := range pending {
		if !c.JSON && c.Check {
			c.printf("%s lags behind %s; \"pgretain generate\" would write:\n", s.path, c.Policy)
		}
		c.warnRebased(s)
		if !c.JSON {
			c.describe(s)
		}
		list = append(list, jsonStep{s.path, lists.Map(s.files, func(f output) string { return f.path }), append([]string{}, s.removed...),
			lists.Map(s.changes, func(c change) string { return c.sign + " " + c.text })})
	}
	if c.JSON {
		err = c.document("steps", list)
	}
	if c.Check && len(pending) > 0 {
		err = errors.Join(err, exitCode(1))
	}
	return err
}

// nextSteps reads everything, compiles, and compares: the directory of the tables' database, and
// that of schema cron's where it is another one, or was.
func (c *console) nextSteps() ([]step, error) {
	if err := c.checkDirectories(); err != nil {
		return nil, err
	}
	project, err := c.read()
	if err != nil {
		return nil, err
	}
	var heads []string // no file of ours has one name in both directories
	for _, value := range c.Rebase {
		known := []string{".", filepath.Clean(c.Migrations), filepath.Clean(c.cronDirectory())}
		if !slices.Contains(known, filepath.Dir(value)) {
			return nil, usagef("--rebase=%s is not a file of %s", value, c.Migrations)
		}
		heads = append(heads, filepath.Base(value))
	}
	here, err := directory{c.Migrations, false}.past(generator.Format(c.Format), heads)
	if err == nil {
		err = c.checkOwn(here.history)
	}
	if err != nil {
		return nil, err
	}
	// The other directory has the format of this one, unless it has one of its own already.
	there, err := directory{c.cronDirectory(), true}.past(generator.Format(c.Format), heads)
	if err == nil && len(there.history.Files()) == 0 {
		there, err = there.past(here.history.Format(), heads)
	}
	if err != nil {
		return nil, err
	}
	for i, head := range heads { // nothing is taken out of the middle of a chain
		if head != laterSide && !slices.Contains(here.removed, head) && !slices.Contains(there.removed, head) {
			return nil, usagef("the migrations do not fork at --rebase=%s", c.Rebase[i])
		}
	}
	objects, err := project.compile(project.snapshot, here.history)
	if err != nil {
		return nil, err
	}
	c.show(project.notes, project.sources)
	wantedHere, wantedThere := generator.SplitCron(objects, project.file.Install)
	err = c.next(&here, project, wantedHere)
	if err != nil || len(wantedThere) == 0 && len(there.history.Files()) == 0 {
		return []step{here}, err
	}
	err = c.next(&there, project, wantedThere)
	return []step{here, there}, err
}

// laterSide is what --rebase means without a file. No migration has this name.
const laterSide = "later"

// checkOwn asks for --format where the directory holds nothing of ours, but files of another tool than
// goose: the first step would be written for a tool that the project does not use.
func (c *console) checkOwn(history *generator.History) error {
	other, file := generator.Suggest(os.DirFS(c.Migrations))
	if c.Format != "" || len(history.Files()) > 0 || other == "" {
		return nil
	}
	return usagef("%s looks like a migration for %s: say --format %s, or --format goose if it is not",
		filepath.Join(c.Migrations, file), other, other)
}

// next compares one directory with what is wanted of it.
func (c *console) next(s *step, project *project, wanted []generator.Object) error {
	files, err := project.next(s.history, wanted, s.cron)
	s.files = lists.Map(files, func(f generator.File) output { return output{filepath.Join(s.path, f.Name), f.Text} })
	s.changes = changes(s.history, generator.Pages(wanted, project.file.Install.Roles))
	return err
}

// writeSteps makes directories where needed. One that was made stays where a step cannot be written.
func writeSteps(steps []step) error {
	var files []output
	var old []string
	for _, s := range steps {
		if err := os.MkdirAll(s.path, 0o755); err != nil {
			return fmt.Errorf("creating the migration directory: %w", err)
		}
		files = append(files, s.files...)
		old = append(old, lists.Map(s.removed, func(name string) string { return filepath.Join(s.path, name) })...)
	}
	return exchange(old, files, false)
}

// describe lists files and objects; with --check also what differs in those that change.
func (c *console) describe(s step) {
	for _, f := range s.files {
		c.printf("%s\n", f.path)
	}
	for _, change := range s.changes {
		c.printf("  %s %s\n", change.sign, change.text)
		if !c.Check {
			continue
		}
		for line := range strings.Lines(change.difference()) {
			c.printf("      %s", line)
		}
	}
}

// warnRebased says what has to be true of the files that a rebase takes out.
func (c *console) warnRebased(s step) {
	if len(s.removed) == 0 {
		return
	}
	removed := map[bool]string{true: "would be removed", false: "removed"}[c.Check]
	c.show(diag.List{{Severity: diag.Warning,
		Message: fmt.Sprintf("%s from %s: %s", removed, s.path, strings.Join(s.removed, ", ")),
		Detail:  "They must not have been applied anywhere. What they did is in the new step, as far as the policy still wants it.",
		Hint: "A database that has them applied: run \"pgretain migrate down\" there, in a checkout that still has " +
			"these files, before the new step is applied.",
	}}, nil)
}

// timestamp is the form of numbers that say when a file was written, in UTC: 14 digits.
const timestamp = "20060102150405"

// nextNumber comes after previous: one more, or the time where a directory has times, also where the clock is behind it.
func nextNumber(previous int64, now time.Time) int64 {
	if len(strconv.FormatInt(previous, 10)) != len(timestamp) {
		return previous + 1
	}
	at, _ := strconv.ParseInt(now.UTC().Format(timestamp), 10, 64) // fourteen digits are a number
	return max(at, previous+1)
}

// change is what a step does to one object, or to several of the runtime. Text is what a person reads of it.
type change struct {
	generator.Change
	sign, text string
}

// changes tells what a step does to which object. New and changed objects of the runtime are only
// counted: there are about a hundred, and no policy names them. Of a changed policy the words say how.
func changes(history *generator.History, wanted []generator.Object) []change {
	var list, counted []change
	runtime := map[string]int{}
	for _, c := range generator.Changes(history.Objects(), wanted) {
		o, sign := c.Object(), c.Sign()
		if sign != "-" && c.OfRuntime() {
			runtime[sign]++
			continue
		}
		list = append(list, change{c, sign, string(o.Kind) + " " + o.Name + c.Words()})
	}
	for _, sign := range []string{"+", "~"} {
		if n := runtime[sign]; n > 0 {
			counted = append(counted, change{sign: sign, text: "runtime: " + plural(n, "object")})
		}
	}
	return append(counted, list...)
}

// difference is what changes in an object, as a unified diff; of one that is new or goes nothing.
func (c change) difference() string {
	if c.Before == nil || c.After == nil {
		return ""
	}
	text := string(diff.Diff("before", []byte(c.Before.SQL), "after", []byte(c.After.SQL)))
	_, text, _ = strings.Cut(text, "\n+++ after\n")
	if c.Before.As != c.After.As {
		text = fmt.Sprintf("created as %s instead of %s\n", c.After.As, c.Before.As) + text
	}
	return text
}
