package life_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/fixture"
)

const page = "../../docs/changes.md"

// chapters maps the files of cases to the headings of docs/changes.md.
var chapters = map[string]string{
	"a_columns":    "Columns and types",
	"b_tables":     "Tables and archives",
	"c_keys":       "Keys, indexes and triggers of foreign keys",
	"d_partitions": "Partitions",
	"e_guards":     "Views, functions and triggers",
	"f_rights":     "Owners and privileges",
	"g_tenants":    "Tenants",
	"h_settings":   "Settings and the policy file",
	"roles":        "Roles and pg_cron",
}

// TestPageOfChanges checks that the tables of docs/changes.md have a line for each case, with what
// the case does.
func TestPageOfChanges(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	all, more := 0, 0
	for _, file := range slices.Sorted(maps.Keys(chapters)) {
		fmt.Fprintf(&out, "\n### %s\n\n%s", chapters[file], tableHead)
		for _, own := range append(allChanges(t), serverChanges(t)...) {
			if own.File() != file {
				continue
			}
			c := readChange(t, own)
			next, verify := outcomeInWords(own.Text("outcome.txt"))
			fmt.Fprintf(&out, "| %s. | %s | %s | %s |\n", c.Title, next, verify, c.wayInWords())
			all++
			if slices.ContainsFunc(c.Way, func(step string) bool { return !slices.Contains(usual, step) }) {
				more++
			}
			if slices.Contains(c.Way, "own") != (c.Missing != "") {
				t.Errorf("%s: a case has a step of its own if, and only if, it says what is missing", own.Name)
			}
		}
	}
	t.Logf("%d of %d changes need no more than the usual way", all-more, all)
	text := fixture.ReadFile(t, page)
	before, rest, found := strings.Cut(text, "<!-- cases -->\n")
	_, after, ends := strings.Cut(rest, "\n<!-- end of cases -->")
	if !found || !ends {
		t.Fatal("docs/changes.md does not mark where the cases begin and end")
	}
	fixture.CompareFile(t, page, before+"<!-- cases -->\n"+out.String()+"\n<!-- end of cases -->"+after)
}

const tableHead = "| change | next run | `verify` | what to type |\n|---|---|---|---|\n"

// usual lists the steps that are no more than the usual way.
var usual = []string{"edit", "snapshot", "generate", "migrate", "usual"}

// outcomeInWords returns how the next run of the policy ends, and what verify reports.
func outcomeInWords(outcome string) (next, verify string) {
	lines := strings.Split(strings.TrimSpace(outcome), "\n")
	verify = strings.TrimPrefix(lines[len(lines)-1], "verify: ")
	verify = regexp.MustCompile(`\b(V\d+)\b`).ReplaceAllString(verify, "[$1](checks/$1.md)")
	states := map[string]bool{}
	for _, line := range lines[:len(lines)-1] {
		state := "`" + line[strings.LastIndex(line, " ")+1:] + "`" // the name of a schema may contain spaces
		switch {
		case strings.HasSuffix(line, " "+notRun):
			state = "is cancelled before it begins"
		case strings.Contains(line, "@"):
			state += " for this tenant"
		}
		states[state] = true
	}
	if len(states) == 0 {
		return "goes on", verify
	}
	return strings.Join(slices.Sorted(maps.Keys(states)), ", "), verify
}

// wayInWords returns what to type after a change.
func (c change) wayInWords() string {
	var words []string
	for _, step := range c.Way {
		switch verb, code, _ := strings.Cut(step, " "); verb {
		case "edit":
			words = append(words, "policy file: "+c.Says)
		case "usual":
			words = append(words, "the usual way")
		case "snapshot":
			words = append(words, "`pgretain snapshot`")
		case "generate":
			words = append(words, "`pgretain generate`")
		case "migrate":
			words = append(words, "`pgretain migrate up`")
		case "hint":
			words = append(words, "the hint of ["+code+"](checks/"+code+".md)")
		case "run":
			words = append(words, "the next run")
		case "bootstrap":
			words = append(words, "`pgretain bootstrap --migrator NEW --apply`, by a DBA")
		case "file":
			words = append(words, "the Up part of the file that ["+code+"](checks/"+code+".md) names")
		case "own":
			words = append(words, c.Missing)
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, "; ")
}

// otherTest matches the name of a test in the list at the end of docs/changes.md.
var otherTest = regexp.MustCompile(`<!-- (Test\w+|test\w+) -->`)

// TestOtherTests checks that each test which docs/changes.md names exists.
func TestOtherTests(t *testing.T) {
	t.Parallel()
	names := otherTest.FindAllStringSubmatch(fixture.ReadFile(t, page), -1)
	if len(names) == 0 {
		t.Fatal("docs/changes.md names no test")
	}
	var sources strings.Builder
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			sources.WriteString(fixture.ReadFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(sources.String(), "\nfunc "+name[1]+"(") {
			t.Errorf("docs/changes.md names %s, and there is no such test", name[1])
		}
	}
}
