package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgretain/policy"
)

// TestHiddenCharactersAreRefused writes every formatting character into each text of a policy file,
// as it is and as an escape.
func TestHiddenCharactersAreRefused(t *testing.T) {
	t.Parallel()
	const text = "version: 1\npolicies:\n  \"p%s\":\n    table: \"app.n%s\"\n    description: \"d%s\"\n    where: " +
		"\"t.a = 'x%s'\"\n" +
		"    due: {age: {column: \"at%s\", older_than: 7 days}}\n    keep: {\"k%s\": \"t.a = 'y%s'\"}\n    then: " +
		"[delete]\n"
	places := strings.Count(text, "%s")
	write := func(at int, what string) string {
		values := make([]any, places)
		for i := range values {
			values[i] = ""
		}
		if at >= 0 {
			values[at] = what
		}
		return fmt.Sprintf(text, values...)
	}
	if file, list := policy.Parse("a.yaml", []byte(write(-1, ""))); file == nil {
		t.Fatal(list)
	}
	refused := func(at int, what string, exact bool) {
		source := write(at, what)
		_, list := policy.Parse("a.yaml", []byte(source))
		before := source[:strings.Index(source, what)]
		line := 1 + strings.Count(before, "\n")
		column := 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
		if len(list) != 1 || list[0].Code != "P001" || list[0].Position.Line != line || exact &&
			list[0].Position.Column != column {
			t.Errorf("%q in place %d: %v, want line %d, column %d", what, at, list, line, column)
		}
	}
	tried := 0
	for r := range unicode.MaxRune + 1 {
		if !unicode.Is(unicode.Cf, r) {
			continue
		}
		tried++
		at := tried % places
		refused(at, string(r), true)
		refused(at, fmt.Sprintf(`\U%08x`, r), false)
	}
	for at := range places {
		refused(at, "\u202e", true)
		refused(at, `\u2066`, false)
		refused(at, strings.Repeat(" ", 4000)+"OR true", false)
	}
	if tried < 100 {
		t.Errorf("only %d characters", tried)
	}
}
