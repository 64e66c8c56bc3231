package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A strict job goes on only after "done", and says what it did not run.
func TestStrictJobSaysWhatItLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		second, code, message string
		runs                  []string
	}{
		{`{table: m, due: {age: {column: at, older_than: 15 days}}, then: [delete]}`, "", "",
			[]string{"(first,done,1)", "(last,done,8)", "(second,done,4)"}},
		{`{table: m, due: {age: {column: at, older_than: 15 days}}, budget: {rows: 2}, then: [delete]}`, "P0001",
			"not run, because second ended more: last", []string{"(first,done,1)", "(second,more,2)"}},
		{`{table: m, where: "current_setting('retention.' || id) <> ''", then: [delete]}`, "42704",
			"second: failed", []string{"(first,done,1)", "(second,failed,0)"}},
	} {
		for _, strict := range []bool{true, false} {
			in := kit.Install(t, plain, `
policies:
  first: {table: m, due: {age: {column: at, older_than: 19 days}}, then: [delete]}
  second: `+c.second+`
  last: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [first, second, last]`+map[bool]string{true: ", strict: true"}[strict]+`}}`)
			_, err := in.Call("CALL retention.run_job('nightly', $1)", noon)
			got := in.Rows("SELECT policy, state, taken FROM retention.run")
			if !strict {
				if len(got) != 3 || err != nil && err.Code != "42704" {
					t.Errorf("not strict: %v, %v", got, err)
				}
				continue
			}
			if diff := cmp.Diff(c.runs, got); diff != "" {
				t.Errorf("%s: runs differ:\n%s", c.second, diff)
			}
			switch {
			case c.code == "" && err != nil:
				t.Errorf("%s: %v", c.second, err)
			case c.code != "" && (err == nil || err.Code != c.code || !strings.Contains(err.Message, c.message) || !strings.Contains(err.Message, "not run, because second ended")):
				t.Errorf("%s: %v", c.second, err)
			}
		}
	}
}

// The scope of a job narrows every policy of it, and nothing else.
func TestJobWithAScope(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scoped, `
policies:
  aged: {table: m, scope: [g, k], due: {age: {column: at, older_than: 12 days}}, then: [delete]}
  rest: {table: m, scope: [g], where: "id > 3", then: [delete]}
jobs:
  ones: {schedule: "@daily", run: [aged, rest], scope: {g: 1}, strict: true}
  all: {schedule: "@daily", run: [aged]}
  letters: {schedule: "@daily", run: [aged], scope: {g: 0, k: "'b'"}}`)
	in.Exec(t, "CREATE TABLE before AS TABLE m")
	for _, c := range []struct{ job, gone string }{
		{"letters", "g = 0 AND k = 'b' AND id > 12"}, {"ones", "g = 1 AND (id > 12 OR id > 3)"}, {"all", "id > 12"},
	} {
		in.Exec(t, "TRUNCATE m; INSERT INTO m TABLE before")
		if _, err := in.Call("CALL retention.run_job($1, $2)", c.job, noon); err != nil {
			t.Errorf("%s: %v", c.job, err)
		}
		want := pgtest.Column[int](t, in, "SELECT id FROM before WHERE ("+c.gone+") IS NOT TRUE ORDER BY id")
		if diff := cmp.Diff(want, ids(t, in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.job, diff)
		}
	}
	// A policy that somehow lost its scope takes nothing, rather than everything.
	in.Exec(t, "TRUNCATE m; INSERT INTO m TABLE before; UPDATE retention.policy SET scope = '{}' WHERE name = 'aged'")
	if _, err := in.Call("CALL retention.run_job('ones', $1)", noon); err == nil || err.Code != "22023" || !strings.Contains(err.Message, "not run, because aged ended failed: rest") {
		t.Errorf("%v", err)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left", n)
	}
}
