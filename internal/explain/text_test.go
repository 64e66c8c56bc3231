package explain

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// TestPagesReadBack checks that Read returns the lines that Page formatted, for random texts. No
// line of a page may be longer than width.
func TestPagesReadBack(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 3))
	words := []string{"a", "created_at", "lies", "more,", "größer;", "EXISTS", "(SELECT", "-- next", "'two  blanks'",
		strings.Repeat("x", 60), "$description$"}
	for range 500 {
		var lines []Line
		for _, key := range []string{"about", "due", "due", "step 10"} {
			var text []string
			for range 1 + random.IntN(40) {
				text = append(text, words[random.IntN(len(words))])
			}
			lines = append(lines, Line{Key: key, Text: strings.Join(text, " ")})
		}
		page := Page(lines)
		if diff := cmp.Diff(lines, Read("\n"+page)); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, page)
		}
		for line := range strings.Lines(page) {
			if utf8.RuneCountInString(line) > width+1 {
				t.Fatalf("a line has %d characters, want at most %d: %s", utf8.RuneCountInString(line), width, line)
			}
		}
	}
}

// TestNamesWithDots checks that descriptions quote names of schemas with dots.
func TestNamesWithDots(t *testing.T) {
	t.Parallel()
	s := subject{&policy.Policy{}, Facts{Holds: []string{"a.b.c"},
		Tables:   catalog.Graph{"a.b.c": {Schema: "a.b", Name: "c"}},
		Cascades: []catalog.ForeignKey{{Table: "a.b.c", Columns: []string{"d"}, OnDelete: "cascade"}}}}
	if diff := cmp.Diff([]string{`"a.b".c`, `"a.b".c (d): ON DELETE CASCADE`},
		append([]string{s.Held()}, s.Reached()...)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	page := func(lines ...string) string {
		var list []Line
		for _, line := range lines {
			key, text, _ := strings.Cut(line, ": ")
			list = append(list, Line{Key: key, Text: text})
		}
		return Page(list)
	}
	for name, c := range map[string]struct {
		before, after []string
		want          string
	}{
		"nothing": {[]string{"takes: x", "due: a"}, []string{"takes: x", "due: a"}, ""},
		"a window": {[]string{"due: at lies more than 7 days back"}, []string{"due: at lies more than 3 days back"},
			"due: ... 7 days back -> ... 3 days back"},
		"all of it": {[]string{"due: at has passed"}, []string{"due: every such row"},
			"due: at has passed -> every such row"},
		"a long end": {[]string{"where: a = 1 AND b = 2 AND c = 3"}, []string{"where: a = 4 AND b = 2 AND c = 3"},
			"where: a = 1 AND b ... -> a = 4 AND b ..."},
		"more at an end": {[]string{"due: at lies more than 7 days back"},
			[]string{"due: at lies more than 7 days back (days of Europe/Berlin)"},
			"due: ... days back -> ... days back (days of Europe/Berlin)"},
		"more in between": {[]string{"where: a b c d e f g h i"}, []string{"where: a b c d e x f g h i"},
			"where: ... d e f g ... -> ... d e x f g ..."},
		"a line more": {[]string{"deletes: rows"}, []string{"deletes: rows", "keeps: a: b"}, "with keeps: a: b"},
		"a line less": {[]string{"keeps: a: b", "keeps: c: d"}, []string{"keeps: c: d"}, "without keeps: a: b"},
		"one of several": {[]string{"keeps: a: b", "keeps: c: d"}, []string{"keeps: a: b", "keeps: c: e"},
			"keeps: c: d -> c: e"},
		"their order": {[]string{"keeps: a", "keeps: b"}, []string{"keeps: b", "keeps: a"}, ""},
		"a bound by default": {[]string{"takes: x"}, []string{"takes: x", "batch: 100 rows"},
			"batch: sized for 50 ms, at most 50,000 rows -> 100 rows"},
		"a bound of partitions": {[]string{"drops: partitions", "takes: x"},
			[]string{"drops: partitions", "takes: x", "batch: 3 partitions"},
			"batch: 10 partitions -> 3 partitions"},
		"a bound where tables are dropped": {[]string{"takes: x", "step 1: drop the table that name names",
			"batch: 3 rows"},
			[]string{"takes: x", "step 1: drop the table that name names"}, "batch: 3 rows -> 10 rows"},
	} {
		if got := Changes(page(c.before...), page(c.after...)); got != c.want {
			t.Errorf("%s: Changes returns %q, want %q", name, got, c.want)
		}
	}
}
