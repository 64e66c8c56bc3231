package internal

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeOfCheck   = regexp.MustCompile(`\b[LPV]0\d\d\b`)
	sentence      = regexp.MustCompile(`\b[A-Za-z]+[,:]? [a-z]+[,:]? [a-z]+\b`)
	formattedWord = regexp.MustCompile(`%(?:\d+\$)?[sIL]`)
)

// wordsInQueries maps texts that look like sentences to the reason why queries have them. The list
// may only get shorter.
var wordsInQueries = map[string]string{
	// Queries look for these messages of the server and of the run log.
	"the budget of %": "of the run log",
	` belongs to role "(.+)", which is not trusted`:                         "of the run log",
	` belongs to (role ".+"), which is not trusted`:                         "of the run log",
	`^(role ".+") may create in schema `:                                    "of the run log",
	"% belongs to role %":                                                   "of the run log",
	`^(.*) belongs to role "`:                                               "of the run log",
	"permission denied for %":                                               "of the server",
	"^permission denied for (table|view|schema|function) (.+)$":             "of the server",
	`(permission denied for (?:table|sequence|schema|view|function) (\w+))`: "of the server",

	// The report and the progress of a run show these texts in a table or a line.
	" with grant option":             "a privilege",
	"pgretain: index %s of ":         "the comment of an index",
	"pgretain: column of policy %":   "the comment of a column",
	"locks of other sessions":        "a reason in the report",
	"on delete cascade":              "an action in the report",
	"on delete set null":             "an action in the report",
	"on delete set default":          "an action in the report",
	"%s rows, %s refused":            "a value in the report",
	"%s: %s%s%s rows, %s rows/s%s%s": "the line of progress",
	", waited %s s for %s":           "the line of progress",
	"pgretain tries a schedule":      "the name of a job",
}

// TestQueriesReturnFacts checks that queries of the program return facts. Codes and sentences
// belong to package messages. The scripts of bootstrap, migrations and the runtime may have
// sentences, because they run without the program.
func TestQueriesReturnFacts(t *testing.T) {
	t.Parallel()
	found, queries := map[string]bool{}, 0
	for _, root := range []string{"sql/verify", "sql/catalog", "cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if query := strings.HasSuffix(path, ".sql") || strings.HasSuffix(path, ".sql.tmpl"); d.IsDir() || !query ||
				strings.HasPrefix(d.Name(), "bootstrap") {
				return nil
			}
			queries++
			text, err := os.ReadFile(path)
			for _, m := range sqlText.FindAllStringSubmatch(sqlComment.ReplaceAllString(string(text), ""), -1) {
				literal := m[2]
				if words := formattedWord.ReplaceAllString(literal, "x"); !codeOfCheck.MatchString(words) &&
					!sentence.MatchString(words) {
					continue
				}
				if found[literal] = true; wordsInQueries[literal] == "" {
					t.Errorf("%s returns a code or a sentence: %q. Return facts, and write the sentence in package "+
						"messages.", path, literal)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for literal := range wordsInQueries {
		if !found[literal] {
			t.Errorf("wordsInQueries lists %q, but no query has it", literal)
		}
	}
	if queries < 100 {
		t.Errorf("found %d queries, want at least 100", queries)
	}
}
