package pgparse_test

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/lint"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// TestParsedOnce checks that the checks of "pgretain lint" parse each text once, although several
// places of the policy file have it.
func TestParsedOnce(t *testing.T) {
	source, tables := readExample(t, "retention.yaml"), readExample(t, catalog.FileName)
	places := map[string]int{}
	var root yaml.Node
	if err := yaml.Unmarshal(source, &root); err != nil {
		t.Fatal(err)
	}
	countScalars(&root, places)
	parsed := pgparse.CountTexts(func() {
		file, list := policy.Parse("retention.yaml", source)
		snapshot, err := catalog.Read(string(tables))
		if list.HasErrors() || err != nil {
			t.Fatal(list, err)
		}
		lint.Check(file, snapshot)
		generator.Faults(file, snapshot, nil)
		generator.Notes(file, snapshot)
	})
	several := 0
	for text, n := range parsed {
		if places[strings.TrimSuffix(strings.TrimPrefix(text, "SELECT ("), ")")] > 1 {
			several++
		}
		if n > 1 {
			t.Errorf("parsed %d times: %s", n, text)
		}
	}
	if len(parsed) < 30 || several < 5 {
		t.Errorf("parsed %d texts, %d of them at several places; want at least 30 and 5", len(parsed), several)
	}
}

func readExample(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("../../examples/mutual-aid/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// countScalars counts the places of each text. An alias is a place of its own.
func countScalars(node *yaml.Node, places map[string]int) {
	switch node.Kind {
	case yaml.AliasNode:
		countScalars(node.Alias, places)
	case yaml.ScalarNode:
		places[quote.OneLine(node.Value)]++
	}
	for _, inner := range node.Content {
		countScalars(inner, places)
	}
}
