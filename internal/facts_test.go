package internal

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	codeOfVerify = regexp.MustCompile(`\bV0\d\d\b`)
	sentence     = regexp.MustCompile(`\b[A-Za-z]+,? [a-z]+,? [a-z]+\b`)
)

// serverTexts are texts in sql/verify that are no sentences of verify. Queries look for messages of
// the server and of the run log.
var serverTexts = map[string]bool{
	"the budget of %": true,
	` belongs to role "(.+)", which is not trusted`:                         true,
	"permission denied for %":                                               true,
	"^permission denied for (table|view|schema|function) (.+)$":             true,
	` belongs to (role ".+"), which is not trusted`:                         true,
	`^(role ".+") may create in schema `:                                    true,
	`(permission denied for (?:table|sequence|schema|view|function) (\w+))`: true,
	"% belongs to role %":                                                   true,
	`^(.*) belongs to role "`:                                               true,
	" with grant option":                                                    true, // of a privilege
}

// TestQueriesOfVerifyReturnFacts checks that queries of sql/verify return facts. Codes and
// sentences of findings belong to package messages.
func TestQueriesOfVerifyReturnFacts(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../sql/verify/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, m := range sqlText.FindAllStringSubmatch(sqlComment.ReplaceAllString(string(text), ""), -1) {
			literal := m[2]
			if codeOfVerify.MatchString(literal) || sentence.MatchString(literal) && !serverTexts[literal] {
				found = append(found, literal)
			}
		}
		if len(found) > 0 {
			t.Errorf("%s returns codes or sentences: %q. Return facts, and write the sentence in package messages.",
				path, found)
		}
	}
}
