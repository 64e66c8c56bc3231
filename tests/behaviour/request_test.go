package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// scoped creates the table of the constant plain, with two more columns for scopes. narrowed has a
// policy p. The window of p is 7 days, and may be set from 3 to 90 days.
const (
	scoped = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, g int, k text);
		INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 day', nullif(i % 3, 2),
			chr(97 + i % 2) FROM generate_series(1, 20) i`
	narrowed = `policies: {p: {table: m,
		scope: [g, k], due: {age: {column: at, older_than: {days: 7, at_least: 3, at_most: 90}}}, then: [delete]}}`
)

// TestRefusedArguments calls run() and preview() with scopes and windows that the policy does not
// allow. Both calls must fail. The run log has an entry for a refused window, but none for a
// refused scope.
func TestRefusedArguments(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scoped, old(""))
	for _, c := range []struct{ argument, message, hint string }{
		{`scope => '{"g": 1}'`, `policy "p" cannot be narrowed by "g"`, "policy file"},
		{"older_than => '8 days'", "cannot be changed at run time", "at_least"},
	} {
		refused(t, in, c.argument, c.message, c.hint)
	}
	in.Migrate(t, narrowed)
	for _, c := range []struct{ argument, message, hint string }{
		{`scope => '{"g": 1, "id": 2}'`, `cannot be narrowed by "id"`, "It can be narrowed by: g, k."},
		{`scope => '{"g": null}'`, `the scope must give "g" a single value, not null`, "Give a text"},
		{`scope => '{"g": [1]}'`, "a single value, not an array", "Give a text"},
		{`scope => '{"g": {}}'`, "a single value, not an object", "Give a text"},
		{`scope => '{}'`, "{} is not a scope", "for all rows"},
		{`scope => 'null'`, "null is not a scope", "chain_id"},
		{`scope => '["g"]'`, `["g"] is not a scope`, "chain_id"},
		{`scope => '"g"'`, `"g" is not a scope`, "chain_id"},
		{
			"older_than => '2 days 23:59:59'",
			`a window of 2 days 23:59:59 is out of bounds: policy "p" allows at least 3 days and at most 90 days`,
			"at_least and at_most",
		},
		{"older_than => '90 days 1 second'", "out of bounds", "at_least and at_most"},
		{"older_than => '0'", "is not a window", "longer than zero"},
		{"older_than => '-7 days'", "is not a window", "longer than zero"},
		{"older_than => '1 month -20 days'", "is not a window", "longer than zero"},
		{"older_than => '1001 years'", "is not a window", "1000 years"},
	} {
		refused(t, in, c.argument, c.message, c.hint)
	}
	for _, argument := range []string{`scope => '{"g": 1, "k": "x"}'`, "older_than => '3 days'",
		"older_than => '90 days'", "older_than => '1 month'"} {
		if _, err := in.Call("CALL retention.run('p', '" + noon + "', dry_run => true, " + argument + ")"); err != nil {
			t.Errorf("run() with %s failed: %v", argument, err)
		}
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left, want 20", n)
	}
	if got := in.Rows("SELECT scope, older_than FROM retention.run WHERE state = 'done'"); !cmp.Equal(got,
		[]string{`("{""g"": 1, ""k"": ""x""}",)`, `(,"1 mon")`, `(,"3 days")`, `(,"90 days")`}) {
		t.Errorf("the run log has scopes and windows %q", got)
	}
}

func refused(t *testing.T, in *kit.Installed, argument, message, hint string) {
	t.Helper()
	_, err := in.Call("CALL retention.run('p', '" + noon + "', " + argument + ")")
	if err == nil || err.Code != "22023" || !strings.Contains(err.Message, message) {
		t.Errorf("run() with %s: got error %v, want 22023 with %q", argument, err, message)
	}
	want := []string{}
	if strings.HasPrefix(argument, "older_than") {
		want = append(want, "failed 22023")
	}
	logged := pgtest.Column[string](t, in, "DELETE FROM retention.run RETURNING concat(state, ' ', sqlstate)")
	if !slices.Equal(want, logged) {
		t.Errorf("%s: the log has the runs %v, want %v", argument, logged, want)
	}
	_, err = in.Call("SELECT due::text FROM retention.preview('p', " + argument + ")")
	if err == nil || err.Code != "22023" || !strings.Contains(err.Message, message) ||
		!strings.Contains(err.Hint, hint) {
		t.Errorf("preview() with %s: got error %v, want 22023 with %q", argument, err, message)
	}
}

// TestArgumentsOfARun checks runs with a scope or a window. The run, the preview and the dry run
// must have the due rows that an independent statement computes.
func TestArgumentsOfARun(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"", "keep: {fifteen: 'id = 15'}, "} {
		in := kit.Install(t, scoped, strings.Replace(narrowed, "then:", shape+"then:", 1))
		in.SetBatch(3)
		in.Exec(t, "CREATE TABLE before AS TABLE m")
		for _, c := range []struct{ arguments, want string }{
			{"", "at < '2024-03-24 12:00+00'"},
			{`, scope => '{"g": 1}'`, "g = 1 AND at < '2024-03-24 12:00+00'"},
			{`, scope => '{"g": 0, "k": "b"}'`, "g = 0 AND k = 'b' AND at < '2024-03-24 12:00+00'"},
			{`, scope => '{"k": "it''s"}'`, "false"},
			{", older_than => '15 days 12:00'", "at < '2024-03-16 00:00+00'"},
			{", older_than => '3 days'", "at < '2024-03-28 12:00+00'"},
			{`, older_than => '3 days', scope => '{"g": 1}'`, "g = 1 AND at < '2024-03-28 12:00+00'"},
		} {
			in.Exec(t, "TRUNCATE m; INSERT INTO m TABLE before")
			want := pgtest.Column[int](t, in, "SELECT id FROM before WHERE ("+
				c.want+") IS NOT TRUE OR $1 AND id = 15 ORDER BY id", shape != "")
			preview := pgtest.Value[int](t, in, "SELECT due FROM retention.preview('p', '"+noon+"'"+c.arguments+")")
			outcome, err := in.Call("CALL retention.run('p', '" + noon + "', dry_run => true" + c.arguments + ")")
			if err != nil || !strings.Contains(outcome, fmt.Sprintf("would take %d of ", 20-len(want))) ||
				preview != 20-len(want) {
				t.Errorf("%s: preview %d, dry run %q %v, want %d", c.arguments, preview, outcome, err, 20-len(want))
			}
			if _, err := in.Call("CALL retention.run('p', '" + noon + "'" + c.arguments + ")"); err != nil {
				t.Errorf("run() with %s failed: %v", c.arguments, err)
			}
			if diff := cmp.Diff(want, ids(t, in)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.arguments, diff)
			}
		}
	}
}

// TestWindowIsRaisedToItsBound checks that a window is never shorter than its lower bound, and
// never longer than its upper bound. A window of one month has 28 to 31 days.
func TestWindowIsRaisedToItsBound(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain,
		strings.Replace(narrowed,
			"scope: [g, k], due: {age: {column: at, older_than: {days: 7, at_least: 3, at_most: 90}}}",
			"due: {age: {column: at, older_than: {days: 60, at_least: 30, at_most: 60}}}", 1))
	for _, c := range []struct{ asOf, window, want string }{
		{"2023-03-10 12:00+00", "1 month", "30 days"},  // 28 days
		{"2023-04-10 12:00+00", "1 month", "1 mon"},    // 31 days
		{"2023-05-10 12:00+00", "1 month", "1 mon"},    // 30 days
		{"2023-08-31 12:00+00", "2 months", "60 days"}, // 62 days
		{"2023-04-01 12:00+00", "2 months", "2 mons"},  // 59 days
	} {
		if _, err := in.Call("CALL retention.run('p', $1, older_than => $2, dry_run => true)", c.asOf,
			c.window); err != nil {
			t.Errorf("run() with %v failed: %v", c, err)
		}
		if got := pgtest.Value[string](t, in, `SELECT older_than::text FROM retention.run ORDER BY id DESC
			LIMIT 1`); got != c.want {
			t.Errorf("%s before %s: %s, want %s", c.window, c.asOf, got, c.want)
		}
	}
}

func TestSetWindow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scoped, old(""))
	window := func() string {
		t.Helper()
		return pgtest.Value[string](t, in, "SELECT coalesce(retention.window_of('p')::text, 'none')")
	}
	if window() != "none" {
		t.Error("window_of() returns a window that cannot be set, want NULL")
	}
	in.Migrate(t, narrowed)
	for _, arguments := range []string{"'p', '2 days', 'x'", "'p', '91 days', 'x'", "'p', '0', 'x'",
		"'p', '-1 day', 'x'", "'p', '8 days', ''", "'p', '8 days', NULL",
		"'q', '8 days', 'x'", "'p', '1001 years', 'x'"} {
		if err := in.Operator("SELECT retention.set_window(" + arguments + ")"); err == nil {
			t.Errorf("set_window(%s) was accepted", arguments)
		}
	}
	if window() != "7 days" {
		t.Errorf("window %s, want 7 days", window())
	}
	for _, arguments := range []string{"'p', '1 month', 'the disk is full'", "'p', '10 days', 'fuller'"} {
		if err := in.Operator("SELECT retention.set_window(" + arguments + ")"); err != nil {
			t.Fatal(err)
		}
	}
	in.Exec(t, "ALTER ROLE retention_runner SET intervalstyle = 'sql_standard'")
	if due := pgtest.Value[int](t, in, "SELECT due FROM retention.preview('p', $1)", noon); due != 10 {
		t.Errorf("preview says %d, want 10", due)
	}
	if o := in.Done("p", noon); o.Taken != 10 {
		t.Errorf("want a run with taken 10; got %+v", o)
	}
	if got := pgtest.Value[string](t, in, "SELECT older_than::text FROM retention.run"); window() != "10 days" ||
		got != "10 days" {
		t.Errorf("window_of() is %s and the run used %s, want 10 days for both", window(), got)
	}
	status := in.Rows(`SELECT older_than,
		older_than_note ~ '^set by retention_operator at .* instead of 7 days: fuller$' FROM retention.status
		WHERE policy = 'p'`)
	if diff := cmp.Diff([]string{`("10 days",t)`}, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	// A run ignores a window that was set and is not valid any more. The run and health() report
	// such a window.
	for _, c := range []struct{ change, note string }{
		{"UPDATE retention.policy SET window_at_most = '9 days' WHERE name = 'p'", "out of bounds"},
		{"UPDATE retention.setting SET value = 'banana'", `"banana" is no interval`},
		{"UPDATE retention.setting SET value = '-3 days'", "is not a window"},
		{"UPDATE retention.policy SET window_own = NULL, window_at_least = NULL WHERE name = 'p'",
			"cannot be changed at run time"},
		{
			`UPDATE retention.policy SET window_own = '7 days', window_at_least = '3 days',
					window_at_most = '90 days' WHERE name = 'p';
				UPDATE retention.setting SET value = '99999999999 years'`,
			"is no interval",
		},
	} {
		in.Exec(t, c.change)
		in.Done("p", noon)
		got := in.Rows("SELECT older_than, note ~ '" + c.note + "' FROM retention.run ORDER BY id DESC LIMIT 1")
		if diff := cmp.Diff([]string{"(,t)"}, got); diff != "" {
			t.Errorf("%s: run log (-want +got):\n%s", c.change, diff)
		}
		if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.health() WHERE policy = 'p' AND problem ~ $1",
			c.note); n != 1 {
			t.Errorf("%s: health() does not report it", c.change)
		}
		if set := pgtest.Value[float64](t, in, `SELECT value FROM retention.metrics
			WHERE name = 'retention_window_set' AND labels ->> 'policy' = 'p'`); set != -1 {
			t.Errorf("%s: the metric says %v, want -1", c.change, set)
		}
	}
	if err := in.Operator("SELECT retention.set_window('p', NULL, 'bought a disk')"); err != nil {
		t.Fatal(err)
	}
	if window() != "7 days" {
		t.Errorf("window %s, want 7 days", window())
	}
	history := pgtest.Column[string](t, in, `SELECT concat_ws('|', policy, name, old, new, reason, set_by)
		FROM retention.setting_change ORDER BY id`)
	want := []string{"p|window|1 mon|the disk is full|retention_operator",
		"p|window|1 mon|10 days|fuller|retention_operator",
		"p|window|99999999999 years|bought a disk|retention_operator"}
	if diff := cmp.Diff(want, history); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if fmt.Sprint(in.Rows("SELECT name FROM retention.setting")) != "[]" {
		t.Error("table setting still has a row")
	}
}

// TestDroppedPolicyTakesItsWindowAlong checks that the window set for a policy is deleted with the
// policy. The history of settings keeps an entry about the window.
func TestDroppedPolicyTakesItsWindowAlong(t *testing.T) {
	t.Parallel()
	const other = "policies: {q: {table: m, where: id > 100, then: [delete]}}"
	in := kit.Install(t, scoped, narrowed)
	if err := in.Operator("SELECT retention.set_window('p', '10 days', 'x')"); err != nil {
		t.Fatal(err)
	}
	in.Migrate(t, other)
	in.Migrate(t, narrowed)
	if got := pgtest.Value[string](t, in, "SELECT retention.window_of('p')::text"); got != "7 days" {
		t.Errorf("the new policy has the old one's window: %s, want 7 days", got)
	}
	if got := in.Rows("SELECT old, new, reason FROM retention.setting_change WHERE new IS NULL"); len(got) != 1 ||
		got[0] != `("10 days",,"the policy was dropped")` {
		t.Errorf("the history of settings has %v, want one row for the dropped policy", got)
	}
}
