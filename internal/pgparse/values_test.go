package pgparse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/pgparse"
)

// TestValueList checks which conditions are lists of texts.
func TestValueList(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string][]string{
		`(status = ANY (ARRAY['a'::text, 'b'::text]))`:                                        {"a", "b"},
		`((v)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))`: {"a", "b"},
		`VALUE IN ('a', 'it''s')`:            {"a", "it's"},
		`a = 'x' OR a IS NULL OR a IN ('y')`: {"x", "y"},
		`a = 'x' OR b = 'y'`:                 nil,
		`a = 'x' OR length(a) > 3`:           nil,
		`a = 'x' AND a = 'y'`:                nil,
		`a <> 'x'`:                           nil,
		`a NOT IN ('x')`:                     nil,
		`NOT (a = 'x')`:                      nil,
		`a = ALL (ARRAY['x'])`:               nil,
		`a = ANY (ARRAY['x', lower('Y')])`:   nil,
		`a IN (1, 2)`:                        nil,
		`lower(a) = 'x'`:                     nil,
		`a IS NULL`:                          nil,
		`a = 'x' OR a IS NOT NULL`:           nil,
	} {
		if diff := cmp.Diff(want, pgparse.ValueList(sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}
