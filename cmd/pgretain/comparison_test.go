package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
)

func changeOf(before, after string) change {
	return change{generator.Change{Before: &generator.Object{SQL: before, As: "owner"}, After: &generator.Object{SQL: after, As: "owner"}}, "~", "function f()"}
}

func TestComparison(t *testing.T) {
	t.Parallel()
	before, after := "a\nb\nc\nd\n--e\nf\n", "a\nb\nc\nd\n++e\nf\ng\n"
	want := `      @@ -2,5 +2,6 @@
       b
       c
       d
      ---e
      +++e
       f
      +g
`
	var out bytes.Buffer
	c := &comparison{out: &out, left: 100}
	c.print(changeOf(before, after))
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
	out.Reset()
	c.colour = true
	c.print(changeOf("a\n", "b\n"))
	want = "      \x1b[36m@@ -1,1 +1,1 @@\x1b[0m\n      \x1b[31m-a\x1b[0m\n      \x1b[32m+b\x1b[0m\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestComparisonOfNewObjectsAndRoles(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := &comparison{out: &out, left: 100}
	c.print(change{sign: "+", text: "runtime: 3 objects"})
	same := changeOf("a\n", "a\n")
	c.print(same)
	same.After.As = "runner"
	c.print(same)
	if diff := cmp.Diff("      created as runner instead of owner\n", out.String()); diff != "" {
		t.Error(diff)
	}
}

// Long texts are cut for each object and for all of them.
func TestComparisonIsBounded(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	var out bytes.Buffer
	c := &comparison{out: &out, left: linesOfObject + 10}
	for range 3 {
		out.Reset()
		c.print(changeOf("", long.String()))
	}
	if diff := cmp.Diff("      ... 501 more lines\n", out.String()); diff != "" {
		t.Error(diff)
	}
	c.left = linesOfAll
	out.Reset()
	c.print(changeOf("", long.String()))
	if n := strings.Count(out.String(), "\n"); n != linesOfObject+1 || !strings.HasSuffix(out.String(), "      ... 461 more lines\n") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}
