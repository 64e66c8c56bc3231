package internal

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"pgretain/tests/fixture"
)

var updateHints = flag.Bool("update-hints", false, "write testdata/untested_hints.txt again")

// typed matches what a reader of a hint can type: a command of pgretain, or a statement.
var typed = regexp.MustCompile(`\bpgretain (?:accept|adopt|` +
	`bootstrap|explain|generate|hold|holds|init|lint|migrate|pause|` +
	`plan|preview|release|report|restore|resume|run|snapshot|status|uninstall|verify|window)\b` +
	`|\b(?:SELECT|CALL) (?:cron|retention|setval|\* FROM retention|[a-z, ]+ FROM retention)\b` +
	`|\bretention\.[a-z]\w*\(` +
	`|\b(?:GRANT|REVOKE|ALTER|DROP|ANALYZE|CREATE(?: UNIQUE)? INDEX) (?:[%A-Z]|\.\.\.|\{\{)`)

// notTyped maps patterns of texts that typed matches to the reason why nobody types them. Most of
// them are executed by the program or the runtime. A pattern matches the beginning of "path: text".
var notTyped = map[string]string{
	`cmd/pgretain/plan\.go: (ALTER TABLE|CREATE INDEX) `:                               "what a migration does",
	`cmd/pgretain/sql/rehearsal/`:                                                      "executed",
	`generator/(runtime|statements)\.go: `:                                             "a pattern for statements",
	`internal/htmlreport/htmlreport\.go: <!DOCTYPE`:                                    "a mark in the report's file",
	`internal/install/sql/bootstrap[a-z_]*\.sql\.tmpl: (ALTER|GRANT)`:                  "executed",
	`internal/install/sql/(lock_holder|session|try_lock)\.sql: pgretain migrate$`:      "the name of a lock",
	`internal/install/check\.go: the runtime in schema`:                                "a message, not a hint",
	`sql/engine/[345]_[a-z]+/_(begin_policy|put_policy|start|prove_statements)\.sql: `: "executed",
	`sql/engine/2_driver/_begin\.sql: Only retention\.preview`:                         "a fact",
	`sql/engine/3_start/_copy\.sql: ; `:                                                "a message",
	`sql/engine/5_trust/_[a-z_]+\.sql: (%s has|; undo)`:                                "_trip_hint makes it a hint",
	`sql/inspect/(_radius_query|partitions|row_statistics)\.sql: `:                     "executed",
	`sql/inspect/_why_as_worker\.sql: SELECT true`:                                     "executed",
	`sql/migrate/_(apply_privileges|index_later_partitions)\.sql: `:                    "executed",
	`templates/uninstall\.sql\.tmpl: (ALTER|DROP|REVOKE) `:                             "executed",
}

// TestHintsAreTested checks each text of the program and of the runtime that contains something to
// type. It must be part of a hint that a test executes, or stand in testdata/untested_hints.txt.
func TestHintsAreTested(t *testing.T) {
	t.Parallel()
	tested := testedHints(t)
	untested, met := map[string]bool{}, map[string]bool{}
	for path, texts := range hintTexts(t) {
		for _, text := range texts {
			line := strings.Join(strings.Fields(strings.ReplaceAll(text, "''", "'")), " ")
			found := strings.TrimPrefix(filepath.ToSlash(path), "../") + ": " + line
			if !typed.MatchString(line) {
				continue
			}
			if pattern := patternOf(found); pattern != "" {
				met[pattern] = true
			} else if !regexp.MustCompile(shape(line)).MatchString(tested) {
				untested[found] = true
			}
		}
	}
	for pattern := range notTyped {
		if !met[pattern] {
			t.Errorf("notTyped lists %s, but no text matches it", pattern)
		}
	}
	got := slices.Sorted(maps.Keys(untested))
	if *updateHints {
		if err := os.WriteFile("testdata/untested_hints.txt", []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.Split(strings.TrimSpace(fixture.ReadFile(t, "testdata/untested_hints.txt")), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hints that no test executes (-listed +found). Write a case in tests/hints. If only words changed, "+
			"run go test ./internal -run TestHintsAreTested -update-hints:\n%s", diff)
	}
}

// patternOf returns the pattern of notTyped that matches a text, "" if there is none.
func patternOf(found string) string {
	for pattern := range notTyped {
		if regexp.MustCompile("^" + pattern).MatchString(found) {
			return pattern
		}
	}
	return ""
}

var (
	placeholder = regexp.MustCompile(`%(?:\[\d+\]|\d+\$)?[sdqvIL]|\{\{[^}]*\}\}`)
	hintOfText  = regexp.MustCompile(`(?ms)^hint: (.*?)(?:\{\{end\}\}$|^\s*$)`)
)

// shape returns a regular expression for the texts that a format can become.
func shape(format string) string {
	var parts []string
	last := 0
	for _, at := range append(placeholder.FindAllStringIndex(format, -1), []int{len(format), len(format)}) {
		parts = append(parts, regexp.QuoteMeta(format[last:at[0]]))
		last = at[1]
	}
	return strings.Join(parts, ".*?")
}

// hintTexts returns by file the texts of allTexts. Of a template of messages it returns the hints.
func hintTexts(t *testing.T) map[string][]string {
	t.Helper()
	all := allTexts(t)
	for path, texts := range all {
		if strings.HasSuffix(path, ".txt.tmpl") {
			all[path] = nil
			for _, m := range hintOfText.FindAllStringSubmatch(texts[0], -1) {
				all[path] = append(all[path], m[1])
			}
		}
	}
	return all
}

// testedHints returns the hints that tests execute, with one blank between words: the SQL in
// reports of verify, and all hints in the cases of tests/hints and tests/life.
func testedHints(t *testing.T) string {
	t.Helper()
	var hints []string
	for _, source := range []struct {
		pattern string
		hint    *regexp.Regexp
	}{
		{"../tests/testdata/drift/*.txtar", regexp.MustCompile(`(?m)^hint:((?: .*|(?:\n.+)+);)$`)},
		{"../tests/life/testdata/changes/*.txtar", regexp.MustCompile(`(?m)^hint: +(.*)$`)},
		{"../tests/hints/testdata/*.txtar", regexp.MustCompile(`(?mi)^(?:.*\|)?hint: +(.*)$`)},
	} {
		paths, err := filepath.Glob(source.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			archive := txtar.Parse([]byte(fixture.ReadFile(t, path)))
			if slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "unpasted.txt" }) {
				continue
			}
			for _, f := range archive.Files {
				if name := filepath.Base(f.Name); name != "report.txt" && name != "shown.txt" && name != "hints.txt" {
					continue
				}
				for _, m := range source.hint.FindAllStringSubmatch(string(f.Data), -1) {
					hints = append(hints, strings.Join(strings.Fields(m[1]), " "))
				}
			}
		}
	}
	return strings.Join(hints, "\n")
}
