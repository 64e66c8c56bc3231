package behaviour

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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

// Each policy of a job is previewed on what those before it leave, and then everything is as it was. A policy that fails
// does not hide what the next one does.
func TestPreviewOfAJob(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`; CREATE TABLE n (id int PRIMARY KEY, m int, at timestamptz NOT NULL);
		INSERT INTO n SELECT id, id, '2024-03-01 12:00+00' FROM m`, `
policies:
  aged: {table: m, due: {age: {column: at, older_than: 12 days}}, then: [{update: {table: n, as: c, where: "c.m = t.id", set: {m: "NULL"}}}, delete]}
  fails: {table: m, where: "current_setting('retention.' || id) <> ''", due: {age: {column: at, older_than: 1 day}}, then: [delete]}
  orphans: {table: n, where: "m IS NULL", due: {age: {column: at, older_than: 1 day}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [aged, fails, orphans]}}`)
	const foreseen = "SELECT policy, state, taken FROM retention.preview_job('nightly', '" + noon + "')"
	want := []string{"(aged,done,8)", "(fails,failed,0)", "(orphans,done,8)"}
	if diff := cmp.Diff(want, pgtest.Column[string](t, in.Runner(), "SELECT format('%s', p) FROM ("+foreseen+") p")); diff != "" {
		t.Errorf("the preview differs (-want +got):\n%s", diff)
	}
	if left := in.Rows("SELECT count(*) FROM m UNION ALL SELECT count(m) FROM n UNION ALL SELECT count(*) FROM retention.run"); !cmp.Equal(left, []string{"(0)", "(20)", "(20)"}) {
		t.Errorf("the preview left %v", left)
	}
	if _, err := in.Call("CALL retention.run_job('nightly', $1)", noon); err == nil {
		t.Error("the job with a policy that fails ended well")
	}
	if diff := cmp.Diff(want, in.Rows("SELECT policy, state, taken FROM retention.run")); diff != "" {
		t.Errorf("the runs differ (-want +got):\n%s", diff)
	}
	err := pgx.BeginFunc(t.Context(), in.Runner(), func(tx pgx.Tx) error {
		pgtest.Exec(t, in.Runner(), "CREATE TEMPORARY TABLE begun ()")
		_, err := tx.Exec(t.Context(), foreseen)
		return err
	})
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "25001" {
		t.Errorf("a preview in a transaction that has written: %v", err)
	}
}
