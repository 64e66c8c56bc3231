package pgparse

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEnclosed compares Enclosed with the scanner of PostgreSQL, for texts that are put together by
// chance.
func TestEnclosed(t *testing.T) {
	t.Parallel()
	pieces := []string{"(", ")", "(", ")", "[", "]", "a", " ", "'", "'it''s'", "')'", `"("`, `"a"")"`, `E'\')'`,
		`e'\\'`, "$$", "$$)$$", "$x$ ( $$ $x$", "a$b", " $1 ", "E", "é", " 1 ", ",", " AND ", "ne'('"}
	chance := rand.New(rand.NewPCG(1, 2))
	met := map[bool]int{}
	for range 50000 {
		var b strings.Builder
		b.WriteString("(")
		for range chance.IntN(6) {
			b.WriteString(pieces[chance.IntN(len(pieces))])
		}
		b.WriteString(")")
		sql := b.String()
		tokens, err := Tokens(sql)
		if err != nil {
			continue
		}
		for i, t := range tokens { // an unbalanced text is no valid SQL
			if t.depth < 0 || i == len(tokens)-1 && t.depth != 1 {
				err = errUnbalanced
			}
		}
		if want := enclosed(tokens); err == nil {
			met[want]++
			if got := Enclosed(sql); got != want {
				t.Fatalf("%s: got %v, want %v", sql, got, want)
			}
		}
	}
	if met[true] < 1000 || met[false] < 1000 {
		t.Errorf("met %v, want at least 1000 of each", met)
	}
}

var errUnbalanced = &Error{Message: "unbalanced"}
