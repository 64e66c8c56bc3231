package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgretain/policy"
)

// TestHiddenCharactersAreRefused writes every formatting character of Unicode into a text of a
// policy file, as it is and as an escape. It checks that each file is refused at the position of
// the character.
func TestHiddenCharactersAreRefused(t *testing.T) {
	t.Parallel()
	const text = `version: 1
policies:
  "p%s":
    table: "app.n%s"
    description: "d%s"
    where: "t.a = 'x%s'"
    due: {age: {column: "at%s", older_than: 7 days}}
    keep: {"k%s": "t.a = 'y%s'"}
    then: [delete]
`
	places := strings.Count(text, "%s")
	fileWith := func(at int, inserted string) string {
		values := make([]any, places)
		for i := range values {
			values[i] = ""
		}
		if at >= 0 {
			values[at] = inserted
		}
		return fmt.Sprintf(text, values...)
	}
	if file, list := policy.Parse("a.yaml", []byte(fileWith(-1, ""))); file == nil {
		t.Fatal(list)
	}
	checkRefused := func(at int, inserted string, exact bool) {
		source := fileWith(at, inserted)
		_, list := policy.Parse("a.yaml", []byte(source))
		before := source[:strings.Index(source, inserted)]
		line := 1 + strings.Count(before, "\n")
		column := 1 + utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:])
		if len(list) != 1 || list[0].Code.String() != "P001" || list[0].Position.Line != line || exact &&
			list[0].Position.Column != column {
			t.Errorf("%q in text %d: got %v, want P001 in line %d, column %d", inserted, at, list, line, column)
		}
	}
	tried := 0
	for r := range unicode.MaxRune + 1 {
		if !unicode.Is(unicode.Cf, r) {
			continue
		}
		tried++
		at := tried % places
		checkRefused(at, string(r), true)
		checkRefused(at, fmt.Sprintf(`\U%08x`, r), false)
	}
	for at := range places {
		checkRefused(at, "\u202e", true)
		checkRefused(at, `\u2066`, false)
		checkRefused(at, strings.Repeat(" ", 4000)+"OR true", false)
	}
	if tried < 100 {
		t.Errorf("got %d formatting characters, want at least 100", tried)
	}
}
