package behaviour

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/tests/pgtest"
)

// TestNamesAreQuotedAsTheServerQuotesThem compares quote.Ident with quote_ident() of the server:
// for all of its key words, and for names with other characters. quote.Ident also quotes key words
// of PL/pgSQL and of other versions. The server must read each result as the name itself.
func TestNamesAreQuotedAsTheServerQuotesThem(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	rows, err := db.Query(t.Context(), "SELECT k.word FROM pg_get_keywords() k")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 400 {
		t.Fatal(len(names), err)
	}
	names = append(names, quote.Keywords...)
	names = append(names, "a", "_", "_1", "a1", "1a", "A", "aB", "a b", "a.b", `a"b`, `"`, "a$b", "a-b", "ä", "日本",
		"a\nb", "a'b", `a\b`, " a", "a%b", ":a", "")
	for _, name := range names {
		got, want := quote.Ident(name), pgtest.Value[string](t, db, "SELECT quote_ident($1)", name)
		if got != want && (got != `"`+want+`"` || !slices.Contains(quote.Keywords, name)) {
			t.Errorf("quote.Ident(%q) is %s, but the server writes %s", name, got, want)
		}
		if name == "" { // no name of an object
			continue
		}
		if read := pgtest.Value[[]string](t, db, "SELECT parse_ident($1)", got); !slices.Equal(read, []string{name}) {
			t.Errorf("the server reads %s as %q, not as %q", got, read, name)
		}
	}
}
