package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

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
