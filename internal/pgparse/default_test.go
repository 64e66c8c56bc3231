package pgparse_test

import (
	"testing"

	"pgretain/internal/pgparse"
)

// The second is what PostgreSQL prints of the first, or of another default.
func TestLikeDefault(t *testing.T) {
	t.Parallel()
	cases := []struct {
		wanted, printed string
		want            pgparse.Likeness
	}{
		{"now()", "now()", pgparse.Same},
		{"pg_catalog.now()", "now()", pgparse.Same},
		{"CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP", pgparse.Same},
		{"current_timestamp", "now()", pgparse.Same},
		{"make_id()", "public.make_id()", pgparse.Same},
		{"lower('X')", "lower('X'::text)", pgparse.Same},
		{"'queued'", "'queued'::text", pgparse.Same},
		{"-1", "'-1'::integer", pgparse.Same},
		{"0", "0", pgparse.Same},
		{"0", "'0'::bigint", pgparse.Same},
		{"'t'", "true", pgparse.Same},
		{"NULL", "", pgparse.Same},
		{"now() + interval '7 days'", "(now() + '7 days'::interval)", pgparse.Same},
		{"interval '24 hours'", "'24:00:00'::interval", pgparse.Unclear},
		{"B'1'", "'1'::\"bit\"", pgparse.Same},
		{"CASE WHEN true THEN 1 END", "2", pgparse.Unclear},
		{"current_date", "", pgparse.Different},
		{"now()", "", pgparse.Different},
		{"", "now()", pgparse.Different},
		{"now()", "'infinity'::timestamp with time zone", pgparse.Different},
		{"now()", "clock_timestamp()", pgparse.Different},
		{"0", "1", pgparse.Different},
		{"'a'", "'b'::text", pgparse.Different},
		{"now()", "(now() + '7 days'::interval)", pgparse.Different},
	}
	for _, c := range cases {
		got, _, err := pgparse.LikeDefault(c.wanted, c.printed)
		if err != nil || got != c.want {
			t.Errorf("%s, printed %s: %d (%v), want %d", c.wanted, c.printed, got, err, c.want)
		}
	}
}
