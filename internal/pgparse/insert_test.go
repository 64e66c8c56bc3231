package pgparse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseInsert(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		want *Insert
	}{
		"values": {
			"-- a; comment\nINSERT INTO r.p (a, \"B\", c)\nVALUES ('x, ''y'', (', ARRAY['1', '2']::text[],\n (1 + 2)) ON CONFLICT (a) DO UPDATE SET c = excluded.c;\nSELECT 1;",
			&Insert{Columns: []string{"a", "B", "c"}, Values: []string{"'x, ''y'', ('", "ARRAY['1', '2']::text[]", "(1 + 2)"}},
		},
		"select": {
			"SELECT 1; INSERT INTO p (a, b) SELECT NULL, f(1, 2) FROM g() ON CONFLICT DO NOTHING;",
			&Insert{Columns: []string{"a", "b"}, Values: []string{"NULL", "f(1, 2)"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseInsert(c.sql)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, sql := range []string{"SELECT 1", "INSERT INTO p VALUES (1)", "INSERT INTO p (a, b) VALUES (1)"} {
		if got, err := ParseInsert(sql); err == nil {
			t.Errorf("%s: got %v, want an error", sql, got)
		}
	}
}
