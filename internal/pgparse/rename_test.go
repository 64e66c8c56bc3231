package pgparse

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRename(t *testing.T) {
	t.Parallel()
	names := map[string]string{"v_a": "$1", "v_in.rows": "$2"}
	for sql, want := range map[string]string{
		`t."x" < v_a AND v_in.rows - 1 > (v_a)`: `t."x" < $1 AND $2 - 1 > ($1)`,
		`t.v_a = 'v_a' OR v_a.x`:                `t.v_a = 'v_a' OR v_a.x`,
		`"v_a" = v_ab`:                          `"v_a" = v_ab`,
		`v_in.rows_of = v_in`:                   `v_in.rows_of = v_in`,
		"v_a -- v_a\n+ v_in.rows::bigint":       "$1 -- v_a\n+ $2::bigint",
	} {
		if got := Rename(sql, names); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
		}
	}
}

// TestRenameSimple holds the way without the scanner to the way with it.
func TestRenameSimple(t *testing.T) {
	t.Parallel()
	parts := []string{"v_a", "v_in", ".", ".", "rows", " ", " ", "\n", `"v_a"`, `"`, "--", "-", "(", "<=", "::", "1", "é", "'v_a'", "$1", "/* v_a */", "]", ","}
	random := rand.New(rand.NewPCG(1, 2))
	simple, renamed := 0, 0
	for range 200_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		sql := b.String()
		quick, ok := simpleWords(sql)
		if _, err := scanAll(sql); err != nil || !ok {
			continue
		}
		simple++
		names := map[string]string{"v_a": "$1", "v_in.rows": "$2"}
		got, want := replaced(sql, quick, names), replaced(sql, scannedWords(sql), names)
		if got != want {
			t.Fatalf("%q\nwithout scanner %q\nwith it         %q", sql, got, want)
		}
		if want != sql {
			renamed++
		}
	}
	if simple < 50_000 || renamed < 5_000 {
		t.Errorf("only %d texts were simple, %d had a name", simple, renamed)
	}
}
