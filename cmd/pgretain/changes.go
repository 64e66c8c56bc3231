package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"pgretain/generator"
)

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

// A comparison is for a person who decides whether to read on: so many lines of one object, and so
// many of all. The whole text is in the step that "pgretain generate" writes.
const (
	linesOfObject = 40
	linesOfAll    = 400
)

// comparison prints what differs in changed objects, as unified diffs below their lines, in the colours that git gives them.
type comparison struct {
	out    io.Writer
	colour bool
	left   int // lines
}

var colours = map[byte]string{'+': "32", '-': "31", '@': "36"}

// print does nothing for new and removed objects.
func (c *comparison) print(change change) {
	if change.Before == nil || change.After == nil {
		return
	}
	if change.Before.As != change.After.As {
		fmt.Fprintf(c.out, "      created as %s instead of %s\n", change.After.As, change.Before.As)
	}
	text := string(diff.Diff("before", []byte(change.Before.SQL), "after", []byte(change.After.SQL)))
	_, text, _ = strings.Cut(text, "\n+++ after\n")
	shown, more := min(linesOfObject, c.left), 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if shown--; shown < 0 {
			more++
			continue
		}
		c.left--
		if code := colours[(line + " ")[0]]; c.colour && code != "" {
			line = "\x1b[" + code + "m" + line + "\x1b[0m"
		}
		fmt.Fprintf(c.out, "      %s\n", line)
	}
	if more > 0 {
		fmt.Fprintf(c.out, "      ... %s\n", plural(more, "more line"))
	}
}
