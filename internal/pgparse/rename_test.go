package pgparse

import "testing"

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
