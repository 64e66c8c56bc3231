package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestReadmeShowsWhatIsGenerated holds the README's excerpts to the example: its SQL is a piece of
// a generated migration, and its policy parses.
func TestReadmeShowsWhatIsGenerated(t *testing.T) {
	t.Parallel()
	readme := fixture.ReadFile(t, "../README.md")
	statement := block(t, readme, "sql")
	found := false
	files, err := filepath.Glob("../examples/bot-queue/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations of the example", err)
	}
	for _, file := range files {
		found = found || strings.Contains(fixture.ReadFile(t, file), statement)
	}
	if !found {
		t.Errorf("no migration of the example holds the README's statement:\n%s", statement)
	}
	if file, diags := policy.Parse("README.md", []byte(block(t, readme, "yaml"))); file == nil {
		t.Errorf("the README's policy: %v", diags)
	}
}

// TestReadmeLinks holds the README's relative links to files that exist.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(fixture.ReadFile(t, "../README.md"), -1)
	if len(links) < 5 {
		t.Fatalf("only %d links", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("..", link[1])); err != nil {
			t.Errorf("link to %s: %v", link[1], err)
		}
	}
}

// block is the first fenced block of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no block of %s", language)
	}
	return found[1]
}
