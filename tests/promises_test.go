package tests

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/fixture"
)

// TestPromises checks that each test that docs/promises.md names exists. It also compares the
// promises of README.md with readmePromises.
func TestPromises(t *testing.T) {
	t.Parallel()
	var there []string
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t `).FindAllStringSubmatch(fixture.ReadFile(t,
				path), -1) {
				there = append(there, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := fixture.ReadFile(t, "../docs/promises.md")
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(page, -1)
	if len(named) < 40 {
		t.Errorf("docs/promises.md names %d tests, want at least 40", len(named))
	}
	for _, name := range named {
		if !slices.Contains(there, name) {
			t.Errorf("docs/promises.md names %s, but no such test exists", name)
		}
	}
	_, promises, _ := strings.Cut(fixture.ReadFile(t, "../README.md"), "## What it never does\n")
	promises, _, _ = strings.Cut(promises, "\n[")
	var listed []string
	for _, promise := range strings.Split(promises, "\n- ")[1:] {
		listed = append(listed, strings.Join(strings.Fields(promise), " "))
	}
	want := slices.Sorted(maps.Keys(readmePromises))
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(listed))); diff != "" {
		t.Errorf("README.md and readmePromises differ (-readmePromises +README.md):\n%s", diff)
	}
	for promise, tests := range readmePromises {
		for _, name := range tests {
			if !slices.Contains(named, name) {
				t.Errorf("docs/promises.md does not name %s, the test of promise: %s", name, promise)
			}
		}
	}
}

// readmePromises maps each promise of README.md to its tests. docs/promises.md names these tests
// too.
var readmePromises = map[string][]string{
	"It never takes a row that was refreshed after the scan: it rechecks each row when it changes it.": {
		"TestRowChangedDuringARun",
	},
	"It never takes a row because of a NULL, except where the policy says what NULL means: `nulls: due`, " +
		"or `else` of a window.": {
		"TestKeptBecauseOfNull",
	},
	"It never takes a held row. Cascades do not take held rows either.": {
		"TestHolds",
		"TestHoldsAlongKeysAddedLater",
	},
	"It never deletes or changes rows of a protected table, not even by a foreign key.": {
		"TestProtectedAfterInstall",
	},
	"It never lets a foreign key delete rows of a table that the policy does not name.": {
		"TestChangedDependencies",
	},
	"It never goes on after a change of a table, column or key that the policy uses.": {
		"TestCatalogChangesBetweenBatches",
	},
	"It never takes a row in a copy of the database that it detects, before somebody adopts the copy. " +
		"It does not detect [some copies](docs/copies.md#what-is-not-detected), " +
		"such as a snapshot of a whole volume.": {
		"TestCopyOfTheDatabase",
		"TestPhysicalCopies",
	},
	"It never commits half of a batch: all steps of a batch commit together or not at all.": {
		"TestStepFailsForOneRow",
	},
	"It never runs code of a role that you do not trust.": {
		"TestUntrustedCodeIsNotExecuted",
	},
	"It never ends without its state in the run log, except for a dry run that is cancelled.": {
		"TestCancelledAtAnyMoment",
		"TestTerminated",
	},
	"It never begins to take rows if it would take more than the breaker allows. " +
		"An operator can accept them for one run.": {
		"TestBreaker",
	},
}

// semantics lists the tests of each numbered rule of docs/policy.md, S1 to S36. An entry is a
// directory, a test, and optionally one of its cases. Each rule needs a test.
var semantics = [][]string{
	1: {
		"tests/behaviour TestUpdates/mark",
		"policy TestInvalid/sql_now",
		"policy TestInvalid/step_sql_truncate",
	},
	2: {
		"tests/behaviour TestZoneOfExpressions/a day of the zone",
		"tests/behaviour TestZoneOfExpressions/a text of the zone",
	},
	3: {
		"tests/behaviour TestWindowsInNewYork",
		"tests/behaviour TestWindowsInKolkata",
		"tests/behaviour TestWindowsInUTC",
	},
	4: {"tests/behaviour TestClockTypes"},
	5: {
		"tests/behaviour TestTiers/no grace, inclusive",
		"tests/behaviour TestCeilings/inclusive, in the clock's type",
	},
	6: {
		"tests/behaviour TestWhere/neither",
		"tests/behaviour TestGuards/no row is NULL and keeps",
		"tests/behaviour TestCeilings/NULL is nothing",
		"tests/behaviour TestWindowsFromData/no else, no bounds",
		"tests/behaviour TestClockExpressionsAndEnds/greatest, NULL is due",
	},
	7: {
		"tests/behaviour TestBeyond/two columns, one NULL",
		"tests/behaviour TestBeyond/first item NULLS FIRST has no place all the same",
		"tests/behaviour TestGuards/no place without a first item",
	},
	8: {
		"tests/behaviour TestWhere/any of two clocks",
		"tests/behaviour TestGuards/two guards, counted under the first",
		"policy TestInvalid/due_nested_any",
	},
	9: {
		"tests/behaviour TestBeyond/what a guard keeps takes a place",
		"tests/behaviour TestHoldsInRanks",
		"tests/behaviour TestScopeOfARank",
	},
	10: {
		"tests/behaviour TestBeyond/among",
		"tests/behaviour TestGuards/among",
	},
	11: {
		"tests/behaviour TestBeyond/ties by the key, downwards",
		"tests/behaviour TestBeyond/ties by the key, upwards",
		"tests/behaviour TestBeyond/with ties",
		"tests/behaviour TestGuards/ties",
	},
	12: {
		"tests/behaviour TestBeyond/or an age, oldest first",
		"tests/behaviour TestLaterPolicySeesTheEarlier",
	},
	13: {
		"tests/behaviour TestBeyond/and an age",
		"tests/behaviour TestBeyond/or an age",
	},
	14: {
		"policy TestInvalid/first_zero",
		"policy TestInvalid/first_negative",
		"policy TestInvalid/data_zero",
		"policy TestInvalid/data_negative",
		"tests/behaviour TestNumbersFromData/zero, and a sub-select",
		"tests/behaviour TestWindowsFromData/zero",
	},
	15: {
		"tests/behaviour TestJoinOfTwoRows",
		"tests/behaviour TestJoins/none leaves NULLs",
		"tests/behaviour TestWindowsFromData/days of the owner",
	},
	16: {
		"tests/behaviour TestJoins/a bare name is the row's",
		"tests/behaviour TestDelete/a bare name in a sub-select of a step",
		"policy TestInvalid/name_alias_in_subquery",
		"policy TestInvalid/then_alias_reserved",
	},
	17: {
		"tests/behaviour TestGuards/two guards, counted under the first",
		"tests/behaviour TestGuards/the other way round",
		"tests/behaviour TestHolds",
	},
	18: {
		"tests/behaviour TestDelete/a shared child goes with its last parent",
		"tests/behaviour TestDelete/before, the parents are still there",
	},
	19: {
		"tests/behaviour TestUpdates/update, then delete, with what was judged",
		"tests/behaviour TestDelete/arrays and texts of rows that are gone",
		"tests/behaviour TestInserts/a statement",
	},
	20: {
		"tests/behaviour TestDelete/each related row once",
		"tests/behaviour TestUpdates/the first in the batch's order wins",
	},
	21: {"tests/behaviour TestNoRelatedRows/none"},
	22: {
		"tests/behaviour TestDelete/where",
		"tests/behaviour TestUpdates/where passes by",
	},
	23: {
		"tests/behaviour TestUpdates/what does not change is not written",
		"policy TestInvalid/step_update_leaves_due",
		"policy TestInvalid/partitions_left",
	},
	24: {
		"tests/behaviour TestUpdates/pointers are repaired",
		"tests/behaviour TestBudgetOfRowsGoesOldestFirst",
	},
	25: {
		"tests/behaviour TestInserts/roll-up",
		"tests/behaviour TestInserts/the newest wins",
	},
	26: {
		"tests/behaviour TestArchives/columns",
		"tests/behaviour TestArchives/documents, related rows first",
		"tests/behaviour TestArchives/keep what is there",
		"tests/behaviour TestArchives/replace what is there",
	},
	27: {
		"tests/behaviour TestDelete/cascades",
		"tests/behaviour TestDelete/cascades into itself",
		"generator TestInvalid/cascade_not_named",
		"policy TestInvalid/then_protected_cascade",
	},
	28: {
		"policy TestInvalid/protect_steps",
		"policy TestInvalid/then_protected_table",
		"generator TestInvalid/protected_set_null",
		"generator TestInvalid/protected_two_deep",
	},
	29: {
		"tests/races TestHoldOnAChildKeepsItsParent",
		"tests/races TestHeldRelatedRowKeepsItsRow",
	},
	30: {
		"tests/behaviour TestEvents",
		"tests/behaviour TestExpressionFails",
	},
	31: {
		"tests/behaviour TestBudgetOfRowsGoesOldestFirst",
		"tests/behaviour TestBreaker",
		"tests/behaviour TestBreakerCounts",
		"tests/races TestBreakerByFractionDuringARun",
	},
	32: {
		"tests/behaviour TestLaterPolicySeesTheEarlier",
		"tests/behaviour TestJobGoesOnAfterAFailure",
		"tests/behaviour TestStrictJob",
	},
	33: {"tests/races TestTwoRunsOfOneTable"},
	34: {
		"tests/behaviour TestPartitionsOf/instants, on the bound",
		"tests/behaviour TestPartitionsOf/years, each newest and those without an upper bound stay",
		"tests/behaviour TestListPartitions/dates, on the cutoff",
		"tests/races TestPendingWhileTheBatchWaits",
		"policy TestInvalid/partitions_keys",
	},
	35: {"tests/behaviour TestSetWindow"},
	36: {
		"tests/behaviour TestUpdates/types",
		"tests/behaviour TestGuards/constants",
		"policy TestInvalid/kind_date_for_expression",
		"policy TestValid/steps",
	},
}

// TestSemantics checks that docs/policy.md has each numbered rule once, in order within its
// section, and that the rule's tests exist.
func TestSemantics(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../docs/policy.md")
	numbered, heading, last := map[string]int{}, "", 0
	rule := regexp.MustCompile("^- \\*\\*S(\\d+)\\*\\* [A-Z\"`]")
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "#") {
			heading, last = strings.TrimSpace(line), 0
		} else if m := rule.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			if n < last {
				t.Errorf("rule S%d follows S%d in section %q", n, last, heading)
			}
			numbered[m[1]]++
			last = n
		}
	}
	if len(numbered) != 36 || len(semantics) != 37 {
		t.Errorf("docs/policy.md has %d numbered rules, semantics %d; want 36", len(numbered), len(semantics)-1)
	}
	for i := range semantics[1:] {
		if n := numbered[strconv.Itoa(i+1)]; n != 1 {
			t.Errorf("docs/policy.md has rule S%d %d times, want once", i+1, n)
		}
	}
	known := map[string]map[string]map[string]bool{}
	for i, tests := range semantics[1:] {
		if len(tests) == 0 {
			t.Errorf("rule S%d has no test", i+1)
		}
		for _, name := range tests {
			directory, test, _ := strings.Cut(name, " ")
			if known[directory] == nil {
				known[directory] = testsOf(t, filepath.Join("..", directory))
			}
			test, part, parted := strings.Cut(test, "/")
			cases, ok := known[directory][test]
			if !ok || parted && !cases[part] && !isCase(filepath.Join("..", directory), part) {
				t.Errorf("rule S%d: there is no test %q", i+1, name)
			}
		}
	}
}

// testsOf maps the tests of a directory to the string literals in them.
func testsOf(t *testing.T, directory string) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests in %s: %v", directory, err)
	}
	tests := map[string]map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && strings.HasPrefix(function.Name.Name, "Test") {
				tests[function.Name.Name] = texts(function)
			}
		}
	}
	return tests
}

func texts(node ast.Node) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				found[text] = true
			}
		}
		return true
	})
	return found
}

// isCase reports whether testdata has a case of that name: a file, or a directory in a file.
func isCase(directory, name string) bool {
	paths, _ := filepath.Glob(filepath.Join(directory, "testdata", "*", "*.txtar"))
	return slices.ContainsFunc(paths, func(path string) bool {
		text, err := os.ReadFile(path)
		return filepath.Base(path) == name+".txtar" || err == nil && bytes.Contains(text, []byte("\n-- "+name+"/")) ||
			bytes.HasPrefix(text, []byte("-- "+name+"/"))
	})
}
