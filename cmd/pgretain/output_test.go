package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/explain"
	"pgretain/policy"
)

func TestWriteAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := filepath.Join(dir, "b.sql")
	if err := os.WriteFile(taken, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := []output{{filepath.Join(dir, "a.sql"), "new a"}, {taken, "new b"}}
	if err := writeAll(files, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("writeAll returned error %v, want fs.ErrExist", err)
	}
	if diff := cmp.Diff(map[string]string{"b.sql": "old"}, contents(t, dir)); diff != "" {
		t.Errorf("after the error the directory has other files (-want +got):\n%s", diff)
	}
	if err := writeAll(files, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a.sql": "new a", "b.sql": "new b"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestWriteAllTakesBack checks that writeAll leaves no file behind if it cannot write one of them.
func TestWriteAllTakesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := []output{{filepath.Join(dir, "a.sql"), "a"}, {filepath.Join(dir, "missing", "b.sql"), "b"}}
	if err := writeAll(files, false); err == nil {
		t.Error("writeAll returned no error for a directory that does not exist")
	}
	if diff := cmp.Diff(map[string]string{}, contents(t, dir)); diff != "" {
		t.Errorf("after the error the directory has other files (-want +got):\n%s", diff)
	}
}

// TestExchange checks that exchange removes all old files and writes all new files, or changes
// nothing. After an error, every file has its old content. After success, the directory contains
// only the new files and the files that exchange did not have to remove.
func TestExchange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.sql": "old a", "b.sql": "old b", "c.sql": "own"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := contents(t, dir)
	a, b, c := filepath.Join(dir, "a.sql"), filepath.Join(dir, "b.sql"), filepath.Join(dir, "c.sql")
	for name, try := range map[string]struct {
		old   []string
		files []output
	}{
		"an old file does not exist": {[]string{a, filepath.Join(dir, "d.sql")}, []output{{b, "new"}}},
		"a new name exists":          {[]string{a, b}, []output{{a, "new a"}, {c, "new c"}}},
		"a file cannot be written": {[]string{a, b}, []output{
			{b, "new b"},
			{filepath.Join(dir, "missing", "d.sql"), "d"},
		}},
		"a file that is not old is in use": {[]string{b}, []output{{a, "new a"}}},
	} {
		if err := exchange(try.old, try.files, false); err == nil {
			t.Errorf("%s: exchange returned no error", name)
		}
		if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
			t.Fatalf("%s: the error changed the directory (-before +after):\n%s", name, diff)
		}
	}
	if err := exchange([]string{a, b}, []output{{b, "new b"}}, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"b.sql": "new b", "c.sql": "own"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestNextNumber(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 15, 4, 5, 0, time.FixedZone("", 3600))
	for _, c := range []struct{ previous, want int64 }{
		{0, 1}, {17, 18}, {99999, 100000},
		{20261121140404, 20261121140405}, {20261121140405, 20261121140406},
		{20261231235959, 20261231235960}, {20270101000060, 20270101000061}, {99999999999999, 100000000000000},
	} {
		if got := generator.NextNumber(c.previous, now); got != c.want {
			t.Errorf("after %d: %d, want %d", c.previous, got, c.want)
		}
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

func TestTable(t *testing.T) {
	t.Parallel()
	text := "one\n" + row("NAME", ">ROWS", "NOTE") + row("é", int64(1000), nil) + row("longer|", 2, "x\ny") + "two\n"
	for format, want := range map[string]string{
		"text": "one\n" +
			"NAME      ROWS  NOTE\n" +
			"é        1,000\n" +
			"longer|      2  x y\n" +
			"two\n",
		"markdown": "one\n" +
			"| NAME | ROWS | NOTE |\n" +
			"| --- | ---: | --- |\n" +
			"| é | 1,000 |  |\n" +
			"| longer\\| | 2 | x y |\n" +
			"two\n",
	} {
		var out bytes.Buffer
		c := console{out: &out, flags: flags{Format: format}}
		c.aligned(text)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestProgressLine(t *testing.T) {
	t.Parallel()
	text := "policy: 7 of 50 rows, 2 rows/s"
	for width, want := range map[int]string{
		0:             text + "\n",
		len(text) + 1: "\r\x1b[K" + text,
		13:            "\r\x1b[Kpolicy: 7 of",
	} {
		if diff := cmp.Diff(want, progressLine(text, width)); diff != "" {
			t.Errorf("width %d: %s", width, diff)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -123: "-123", -1234: "-1,234",
	} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

// TestTablesOf checks that tablesOf returns the tables of every key of the policy language that can
// name a table. It does not return tables of the runtime.
func TestTablesOf(t *testing.T) {
	t.Parallel()
	file, list := policy.Parse("p.yaml", []byte(`version: 1
protect: [app.kept]
policies:
  p:
    table: app.item
    where: "EXISTS (SELECT FROM a1)"
    join:
      j: {table: app.joined, where: "j.id = t.id AND EXISTS (SELECT FROM a2)"}
      q: "SELECT 1 AS n FROM app.a3 WHERE id = t.id"
    due:
      age: {column: at, older_than: [{when: "EXISTS (SELECT FROM a4)", then: 1 day}, {else: 2 days}]}
      beyond: {first: 1, per: ["(SELECT a FROM a5)"], order: "(SELECT b FROM a6)", among: "EXISTS (SELECT FROM a7)"}
    keep:
      g: "EXISTS (WITH x AS (SELECT FROM a8) SELECT FROM x, pg_catalog.pg_class, retention.run)"
      r: {first: 1, order: "(SELECT c FROM a9)"}
    then:
      - delete: {table: app.related, as: r, where: "r.id = t.id AND NOT EXISTS (SELECT FROM b1)"}
      - delete: {where: "EXISTS (SELECT FROM b2)", cascades: [app.child]}
`))
	if list.HasErrors() {
		t.Fatal(list)
	}
	var got []string
	for _, m := range tablesOf(file) {
		got = append(got, m.name)
	}
	want := []string{
		"app.kept", "app.item", "a1", "app.joined", "a2", "app.a3", "a7", "a5", "a6", "a4", "a8",
		"pg_catalog.pg_class", "a9", "app.related", "b1", "b2", "app.child",
	}
	sorted := cmp.Transformer("set", func(names []string) map[string]bool {
		set := map[string]bool{}
		for _, name := range names {
			set[name] = true
		}
		return set
	})
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Error(diff)
	}
}

func changeOf(before, after string) change {
	return change{generator.Change{Before: &generator.Object{SQL: before, As: "owner"},
		After: &generator.Object{SQL: after, As: "owner"}}, "~ function f()"}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	new, same, moved := changeOf("", "a\n"), changeOf("a\n", "a\n"), changeOf("a\n", "a\n")
	new.Before, moved.After.As = nil, "runner"
	for want, c := range map[string]change{
		"@@ -2,5 +2,6 @@\n b\n c\n d\n---e\n+++e\n f\n+g\n": changeOf("a\nb\nc\nd\n--e\nf\n",
			"a\nb\nc\nd\n++e\nf\ng\n"),
		"created as runner instead of owner\n": moved,
	} {
		if diff := cmp.Diff(want, strings.Join(c.Difference(), "")); diff != "" {
			t.Error(diff)
		}
	}
	for _, c := range []change{new, same, {Text: "+ runtime: 3 objects"}} {
		if got := c.Difference(); len(got) > 0 {
			t.Errorf("%s: %q", c.Text, got)
		}
	}
}

// TestTablesFit checks that no line of a table is wider than the terminal. A table that is too wide
// wraps its last column. If that does not help, each row becomes a list. No word is lost.
func TestTablesFit(t *testing.T) {
	t.Parallel()
	wide := table{{"POLICY", ">DUE", "NEXT RUN"},
		{"lines_old", "89", "would trip: the breaker allows 10 rows, and 89 are due"}}
	many := table{{"POLICY", "JOB", ">RUN", "STARTED", ">TAKEN", ">HOLDS", "PAUSED"},
		{"lines_old", "nightly", "15", "2026-11-26 05:05:21+00", "8,400 deleted", "",
			"by ann: release 42 is not out yet"}}
	for name, c := range map[string]struct {
		table table
		room  int
		want  string
	}{
		"no terminal": {wide, 0, `
POLICY     DUE  NEXT RUN
lines_old   89  would trip: the breaker allows 10 rows, and 89 are due
`},
		"last column": {wide, 45, `
POLICY     DUE  NEXT RUN
lines_old   89  would trip: the breaker
                allows 10 rows, and 89 are
                due
`},
		"list": {many, 40, `
lines_old
  job      nightly
  run      15
  started  2026-11-26 05:05:21+00
  taken    8,400 deleted
  paused   by ann: release 42 is not out
           yet
`},
	} {
		var out bytes.Buffer
		lines := make(table, len(c.table)) // print changes the heading
		for i, cells := range c.table {
			lines[i] = slices.Clone(cells)
		}
		lines.print(&out, false, c.room)
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), out.String()); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, diff)
		}
	}
}

// TestWordsFit checks that the lines of explain fit into a terminal, and that no word is lost.
func TestWordsFit(t *testing.T) {
	t.Parallel()
	const text = "trips if more than 5,000,000 rows are due, or more than 50% of a table of 10,000 rows or more"
	things := []explainedThing{{"a", []explain.Line{{Key: "breaker", Text: text}}}}
	for room, lines := range map[int]int{0: 1, 120: 1, 60: 3, 40: 4, 10: 4} {
		shown := strings.Split(say("things", map[string]any{"Things": things, "Room": room}), "\n")
		body := shown[1 : len(shown)-1]
		for _, line := range body {
			if len(line) > max(room, 40) && room > 0 {
				t.Errorf("in %d columns a line has %d: %s", room, len(line), line)
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(body, " ")), " "); got != "breaker "+text ||
			len(body) != lines {
			t.Errorf("in %d columns %d lines are %q, want %d lines", room, len(body), got, lines)
		}
	}
}

// TestSharedLines checks that explain says a bound once if several policies share it, and keeps a
// bound that differs or that a policy lacks.
func TestSharedLines(t *testing.T) {
	t.Parallel()
	line := func(key, text string) explain.Line { return explain.Line{Key: key, Text: text} }
	common, own := shared([]explainedThing{
		{"a", []explain.Line{line("due", "x"), line("batch", "1"), line("waits", "1"), line("busy", "1")}},
		{"b", []explain.Line{line("due", "x"), line("batch", "1"), line("waits", "2"), line("busy", "1")}},
		{"c", []explain.Line{line("due", "x"), line("batch", "2"), line("waits", "3")}},
	})
	want := []explainedThing{
		{"a", []explain.Line{line("due", "x"), line("waits", "1"), line("busy", "1")}},
		{"b", []explain.Line{line("due", "x"), line("waits", "2"), line("busy", "1")}},
		{"c", []explain.Line{line("due", "x"), line("batch", "2"), line("waits", "3")}},
	}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("the policies differ (-want +got):\n%s", diff)
	}
	if len(common) != 1 || len(common[0].Lines) != 1 || common[0].Lines[0] != line("batch", "1") {
		t.Errorf("all policies: %v", common)
	}
}
