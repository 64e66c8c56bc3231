package behaviour

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// tenants returns SQL that creates the named schemas. Each has messages that are 0 to 9 days old.
// Message 8 is pinned.
func tenants(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(strings.ReplaceAll(`
CREATE SCHEMA s.x;
CREATE TABLE s.message (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE INDEX ON s.message (at, id);
CREATE TABLE s.pin (message_id bigint PRIMARY KEY);
CREATE TABLE s.reaction (id bigint PRIMARY KEY, message_id bigint REFERENCES s.message ON DELETE CASCADE);
INSERT INTO s.message SELECT n, '`+noon+`'::timestamptz - n * interval '1 day' FROM generate_series(0, 9) n;
INSERT INTO s.pin VALUES (8);
INSERT INTO s.reaction SELECT n, n FROM generate_series(0, 9) n;
`, "s.", name+"."))
	}
	return strings.ReplaceAll(b.String(), ".x;", ";")
}

// messages returns a policy for each tenant's schema. It deletes messages that are older than the
// given days.
func messages(days int) string {
	return fmt.Sprintf(`
each: {each_tenant: {schemas: "tenant_*"}}
policies:
  messages:
    table: each_tenant.message
    due: {age: {column: at, older_than: %d days}}
    keep: {pinned: "EXISTS (SELECT FROM each_tenant.pin p WHERE p.message_id = t.id)"}
    then: [{delete: {cascades: [each_tenant.reaction]}}]
jobs: {hourly: {schedule: "@hourly", run: [messages]}}`, days)
}

// wantLeft compares the messages of each schema, and the reactions to them, with the ids in want.
func wantLeft(t *testing.T, in *kit.Installed, want map[string]string) {
	t.Helper()
	for schema, ids := range want {
		got := in.Rows(strings.ReplaceAll(`SELECT (SELECT string_agg(id::text, '' ORDER BY id) FROM s.message),
			(SELECT string_agg(message_id::text, '' ORDER BY message_id) FROM s.reaction)`, "s.", schema+"."))
		if diff := cmp.Diff([]string{"(" + ids + "," + ids + ")"}, got); diff != "" {
			t.Errorf("rows of %s differ:\n%s", schema, diff)
		}
	}
}

// whole lists all messages. rest lacks message 9, the only one that is older than 7 days and not
// pinned.
const whole, rest = "0123456789", "012345678"

// TestEach checks a policy that has an instance for each schema. A job runs it in every matching
// schema that exists when the job starts, and in no other. Schemas with other names, or without the
// table, do not match. "_" in the pattern matches only itself, unlike in LIKE.
func TestEach(t *testing.T) {
	t.Parallel()
	yaml := messages(7)
	in := kit.Install(t, tenants("tenant_a", "tenant_b", "tenantx", "atenant_a"), yaml)
	// This setting changes the meaning of a backslash in the runner's session. It must not change
	// the result.
	pgtest.Exec(t, in.Runner(), "SET standard_conforming_strings = off")
	call := func(want map[string]string, runs string) {
		t.Helper()
		if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
			t.Error(err)
		}
		wantLeft(t, in, want)
		got := in.Rows(`SELECT string_agg(concat(substr(policy, 10), ' ', state, ' ', taken), ', ' ORDER BY id)
			FROM retention.run`)
		if diff := cmp.Diff([]string{`("` + runs + `")`}, got); diff != "" {
			t.Errorf("runs differ:\n%s", diff)
		}
		wanted, _ := in.Compile(t, yaml)
		in.WantConforms(t, wanted)
	}
	call(map[string]string{"tenant_a": rest, "tenant_b": rest, "tenantx": whole, "atenant_a": whole},
		"tenant_a done 1, tenant_b done 1")
	// The next tick finds a new schema and runs its instance first. The instance of a dropped
	// schema is removed, but its runs stay in the log.
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+";"+tenants("tenant_c")+"DROP SCHEMA tenant_b CASCADE; RESET ROLE")
	want := `schema "tenant_b" is gone, and the instance of policy "messages" for it is not dropped yet
the instance of policy "messages" for schema "tenant_c" does not exist yet`
	if got := in.Finding(t, yaml, "V019"); got != want {
		t.Errorf("verify says %q", got)
	}
	call(map[string]string{"tenant_a": rest, "tenant_c": rest},
		"tenant_a done 1, tenant_b done 1, tenant_c done 1, tenant_a done 0")
	if diff := cmp.Diff([]string{"(messages@tenant_a)", "(messages@tenant_c)"},
		in.Rows("SELECT name FROM retention.policy ORDER BY 1")); diff != "" {
		t.Errorf("policies (-want +got):\n%s", diff)
	}
	// After a migration, the next run of each instance has the new version.
	yaml = messages(4)
	in.Migrate(t, yaml)
	for _, call := range []string{ // they would describe the next run by the previous version
		"SELECT * FROM retention.preview('messages@tenant_a')",
		"SELECT * FROM retention.blast_radius('messages@tenant_a')",
		`SELECT * FROM retention.why('messages@tenant_a', '{"id": 5}')`,
		"SELECT retention.accept('messages@tenant_a', 'x', 9)",
	} {
		var refused *pgconn.PgError
		if err := in.Operator(call); !errors.As(err, &refused) || refused.Code != "55000" {
			t.Errorf("%s returned %v, want SQLSTATE 55000", call, err)
		}
	}
	call(map[string]string{"tenant_a": "012348", "tenant_c": "012348"},
		"tenant_a done 1, tenant_b done 1, tenant_c done 1, tenant_a done 0, tenant_c done 3, tenant_a done 3")
	// A schema that is dropped and re-created gets a new instance.
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+"; DROP SCHEMA tenant_c CASCADE;"+tenants("tenant_c")+"RESET ROLE")
	call(map[string]string{"tenant_a": "012348", "tenant_c": "012348"},
		"tenant_a done 1, tenant_b done 1, tenant_c done 1, "+
			"tenant_a done 0, tenant_c done 3, tenant_a done 3, tenant_c done 4, tenant_a done 0")
	// Each instance also gets a changed description.
	yaml = strings.Replace(yaml, "  messages:", "  messages:\n    description: for four days", 1)
	in.Migrate(t, yaml)
	call(map[string]string{"tenant_a": "012348", "tenant_c": "012348"},
		"tenant_a done 1, tenant_b done 1, tenant_c done 1, "+
			"tenant_a done 0, tenant_c done 3, tenant_a done 3, tenant_c done 4, tenant_a done 0, tenant_c done 0, "+
			"tenant_a done 0")
	// The verifier reports an additional index in the schema that the snapshot shows. That is no
	// drift, because it changes no policy.
	wanted, _ := in.Compile(t, yaml)
	in.DB.Exec(t, "CREATE INDEX ON tenant_a.message (id, at)")
	if report := in.Verify(t, "", wanted); report.Verdict() != "conforms" || len(report.Findings) == 0 {
		t.Errorf("verify says %+v", report.Findings)
	}
	// A schema without the table has no instance, and the verifier reports it.
	in.DB.Exec(t, "CREATE SCHEMA tenant_empty")
	want = `schema "tenant_empty" has no table "message", for policy "messages"`
	if got := in.Finding(t, yaml, "V019"); got != want {
		t.Errorf("verify says %q", got)
	}
	// A policy file can also name a table of one schema. This may even be the schema that
	// represents all matching schemas in the snapshot.
	in.Migrate(t, yaml+`
reports: {left: {query: "SELECT count(*) AS n FROM tenant_a.message a JOIN tenant_c.message c USING (id)"}}`)
	if got := in.Rows("SELECT answer ->> 'n' FROM retention.report_rows('left')"); len(got) != 1 || got[0] != "(6)" {
		t.Errorf("the report says %v", got)
	}
	if _, err := in.TryDown(t, true); err != nil {
		t.Error(err)
	}
}

// TestEachInvalidInstances checks schemas in which the policy cannot run. Their runs fail or trip
// and say why; the other instances run. One schema has a name that needs quotes, one has a table
// with another type. A third one has code of an untrusted role, which must not run.
func TestEachInvalidInstances(t *testing.T) {
	t.Parallel()
	yaml := messages(7)
	in := kit.Install(t, tenants("tenant_b", "tenant_d"), yaml)
	quoted := strings.ReplaceAll(tenants("tenant_x"), "tenant_x", `"tenant_C"`)
	change := "; ALTER TABLE tenant_b.message ALTER at TYPE timestamp;" + quoted
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+change+"RESET ROLE")
	const stranger = "each_stranger"
	in.DB.Exec(t, pgtest.MakeRole(stranger)+`
		DO $$ BEGIN
			EXECUTE format('GRANT CREATE ON DATABASE %I TO `+stranger+`', current_database());
		END $$;
		SET ROLE `+stranger+";"+tenants("tenant_a")+`
		CREATE FUNCTION tenant_a.mine() RETURNS trigger
			LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a stranger''; END';
		CREATE TRIGGER mine BEFORE DELETE ON tenant_a.message FOR EACH STATEMENT EXECUTE FUNCTION tenant_a.mine();
		RESET ROLE`)
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err == nil {
		t.Error("the job did not fail")
	}
	wantLeft(t, in, map[string]string{"tenant_a": whole, "tenant_b": whole, `"tenant_C"`: whole, "tenant_d": rest})
	want := []string{
		`(messages@tenant_C,failed,"schema ""tenant_C"" cannot be an instance of policy ""messages""")`,
		`(messages@tenant_a,tripped,"function tenant_a.mine() belongs to role ""` + stranger + `"", ` +
			`which is not trusted; change its owner, drop it, or list the role under ""trust"" of the install")`,
		`(messages@tenant_b,tripped,"column ""at"" of ""tenant_b.message"" is of type ` +
			`timestamp without time zone, not timestamp with time zone; ALTER TABLE tenant_b.message ` +
			`ALTER COLUMN at TYPE timestamp with time zone USING at AT TIME ZONE 'UTC'")`,
		`(messages@tenant_d,done,)`,
	}
	if diff := cmp.Diff(want, in.Rows("SELECT policy, state, message FROM retention.run")); diff != "" {
		t.Errorf("runs differ:\n%s", diff)
	}
	if got := in.Rows("SELECT proname FROM pg_proc WHERE proname LIKE '%@tenant_a%'"); len(got) > 0 {
		t.Errorf("functions were created for the schema of an untrusted role: %v", got)
	}
	for code, want := range map[string]string{
		"V046": `the last run of policy "messages@tenant_C" (1) failed
the last run of policy "messages@tenant_a" (2) was tripped`, // V050 explains the run in tenant_b
		"V050": `policy "messages@tenant_b" was not generated for this catalog: ` +
			`column "at" of "tenant_b.message" is of type timestamp without time zone, not timestamp with time zone`,
		"V019": `schema "tenant_C" cannot be an instance of policy "messages"
the instance of policy "messages" for schema "tenant_a" does not exist yet`,
	} {
		if got := in.Finding(t, yaml, code); got != want {
			t.Errorf("%s: verify reports\n%s\nwant\n%s", code, got, want)
		}
	}
	wanted, _ := in.Compile(t, yaml)
	for _, f := range in.Verify(t, "", wanted).Findings {
		switch {
		case f.Object == "messages@tenant_a" && f.Code.String() == "V019" && !strings.HasPrefix(f.Detail,
			"Its last run (2) could not create it: function tenant_a.mine() belongs to role"):
			t.Errorf("V019 does not say why the instance is missing: %s", f.Detail)
		case f.Code.String() == "V050" && f.Hint != "ALTER TABLE tenant_b.message ALTER COLUMN at "+
			"TYPE timestamp with time zone USING at AT TIME ZONE 'UTC';":
			t.Errorf("the hint for one schema is %s", f.Hint)
		}
	}
	if got := in.Rows("SELECT policy FROM retention.health() WHERE severity = 'error'"); !cmp.Equal(got,
		[]string{"(messages@tenant_C)", "(messages@tenant_a)", "(messages@tenant_b)"}) {
		t.Errorf("health() names %v", got)
	}
	// No caller can run the policy in a schema that its pattern does not match.
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+";"+tenants("tenants_archive")+"RESET ROLE")
	_, err := in.Call("CALL retention.run('messages@tenants_archive', $1)", noon)
	if err == nil || !strings.Contains(err.Message, `schema "tenants_archive" is not one of policy "messages"`) {
		t.Errorf("a run in a schema that the policy is not for: %v", err)
	}
	wantLeft(t, in, map[string]string{"tenants_archive": whole})
	in.Migrate(t, messages(4)) // an invalid schema does not stop a migration
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err == nil {
		t.Error("the job did not fail")
	}
	wantLeft(t, in, map[string]string{"tenant_a": whole, "tenant_b": whole, `"tenant_C"`: whole, "tenant_d": "012348"})
}

// TestEachWhileItChanges checks a migration that drops the policy, or restricts it to fewer
// schemas. A run that starts meanwhile must not create functions for an instance. A schema that no
// longer matches must not have runs.
func TestEachWhileItChanges(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tenants("tenant_a"), messages(7))
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+";"+tenants("tenant_b")+"RESET ROLE")
	migration := in.Conn(t)
	pgtest.Exec(t, migration, "BEGIN; SET LOCAL ROLE retention_owner; SELECT retention._drop_each('messages')")
	// meanwhile starts a call and waits until the call waits for a lock. Then it commits the
	// transaction of the session "other", and returns the error of the call.
	meanwhile := func(other *pgx.Conn, call string) *pgconn.PgError {
		ended := make(chan *pgconn.PgError)
		go func() {
			_, err := in.Call(call, noon)
			ended <- err
		}()
		for !pgtest.Value[bool](t, in, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`) {
			select {
			case err := <-ended:
				t.Fatalf("the call did not wait: %v", err)
			case <-time.After(10 * time.Millisecond):
			}
		}
		pgtest.Exec(t, other, "COMMIT")
		return <-ended
	}
	if err := meanwhile(migration, "CALL retention.run('messages@tenant_b', $1)"); err == nil || err.Code != "P0002" {
		t.Errorf("a run of a policy that was dropped meanwhile: %v", err)
	}
	wantLeft(t, in, map[string]string{"tenant_b": whole})
	if got := in.Rows("SELECT name FROM retention.policy"); len(got) > 0 {
		t.Errorf("policies %v are left, want none", got)
	}

	in = kit.Install(t, tenants("tenant_a", "tenant_b"), messages(20))
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
		t.Error(err)
	}
	in.Migrate(t, strings.Replace(messages(20), "tenant_*", "tenant_a*", 1))
	if _, err := in.Call("CALL retention.run('messages@tenant_b', $1)", noon); err == nil || err.Code != "55000" {
		t.Errorf("a run in a schema that no longer matches: %v", err)
	}
	if got := in.Rows("SELECT name FROM retention.policy"); len(got) != 1 || got[0] != "(messages@tenant_a)" {
		t.Errorf("policies are %v, want one", got)
	}

	// Two schemas swap their names. The functions of each instance were created for the table that
	// now has the other name.
	in = kit.Install(t, tenants("tenant_a", "tenant_b"), messages(7))
	for range 2 {
		if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
			t.Error(err)
		}
		wantLeft(t, in, map[string]string{"tenant_a": rest, "tenant_b": rest})
		in.DB.Exec(t, `INSERT INTO tenant_a.message VALUES (9, '2020-01-01');
			INSERT INTO tenant_a.reaction VALUES (9, 9)`)
		in.DB.Exec(t, `ALTER SCHEMA tenant_a RENAME TO a;
			ALTER SCHEMA tenant_b RENAME TO tenant_a;
			ALTER SCHEMA a RENAME TO tenant_b`)
	}

	// Two concurrent calls remove the instance of a dropped schema.
	in = kit.Install(t, tenants("tenant_a", "tenant_b"), messages(20))
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
		t.Error(err)
	}
	in.DB.Exec(t, "DROP SCHEMA tenant_b CASCADE")
	other := in.Conn(t)
	pgtest.Exec(t, other, "BEGIN; SET LOCAL ROLE retention_owner; SELECT retention._expand_instances('{messages}')")
	if err := meanwhile(other, "CALL retention.run_job('hourly', $1)"); err != nil {
		t.Errorf("the second of two concurrent calls: %v", err)
	}
}

// TestEachAndBack changes a policy on one table into a policy for each schema, and back. pause and
// resume by the policy's name apply to all instances. The install has one role for everything, and
// another schema.
func TestEachAndBack(t *testing.T) {
	t.Parallel()
	const install = "install: {schema: keep, roles: none, scheduler: none}"
	single := install + `
policies:
  messages:
    table: tenant_a.message
    due: {age: {column: at, older_than: 8 days}}
    then: [{delete: {cascades: [tenant_a.reaction]}}]
jobs: {hourly: {schedule: "@hourly", run: [messages]}}`
	in := kit.Install(t, tenants("tenant_a", "tenant_b"), single)
	run := func(sql, want string, left map[string]string) {
		t.Helper()
		if _, err := in.Call(sql, noon); err != nil {
			t.Error(err)
		}
		wantLeft(t, in, left)
		got := in.Rows("SELECT string_agg(concat(policy, ' ', state), ', ' ORDER BY id) FROM keep.run")
		if diff := cmp.Diff([]string{`("` + want + `")`}, got); diff != "" {
			t.Errorf("%s: runs differ:\n%s", sql, diff)
		}
	}
	in.Migrate(t, install+messages(7))
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+"; SELECT keep.pause('messages'); RESET ROLE")
	run("CALL keep.run_job('hourly', $1)", "messages@tenant_a paused, messages@tenant_b paused",
		map[string]string{"tenant_a": whole, "tenant_b": whole})
	if got := in.Rows("SELECT policy, state FROM keep.preview_job('hourly')"); len(got) != 2 {
		t.Errorf("preview_job says %v", got)
	}
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+"; SELECT keep.resume('messages'); RESET ROLE")
	run("CALL keep.run('messages', $1)", "messages@tenant_a paused, messages@tenant_b paused, messages@tenant_a "+
		"done, messages@tenant_b done",
		map[string]string{"tenant_a": rest, "tenant_b": rest})
	// A pause of the policy stops a run of an instance before its next batch.
	in.DB.Exec(t, `UPDATE keep.policy SET batch_rows = 1, batch_time_ms = NULL;
		CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			PERFORM keep.pause('messages');
			RETURN NULL;
		END $$;
		CREATE TRIGGER stop AFTER DELETE ON tenant_a.message FOR EACH STATEMENT EXECUTE FUNCTION stop();
		INSERT INTO tenant_a.message SELECT n, '2020-01-01' FROM generate_series(100, 110) n`)
	_, _ = in.Call("CALL keep.run('messages', $1)", noon)
	if got := in.Rows(`SELECT state, taken FROM keep.run WHERE policy = 'messages@tenant_a' AND taken > 0
		AND state <> 'done'`); len(got) != 1 || got[0] != "(paused,1)" {
		t.Errorf("a run that was paused: %v", got)
	}
	in.DB.Exec(t, `DROP TRIGGER stop ON tenant_a.message;
		SET ROLE `+kit.Migrator+`;
		SELECT keep.resume('messages');
		RESET ROLE;
		UPDATE keep.policy SET batch_rows = 50000, batch_time_ms = 50`)
	_, err := in.Call("SELECT keep.why('messages', '1')")
	hint := `It has one instance for each schema that matches tenant_*. ` +
		`Give the name of an instance, "messages@" and the schema.`
	if err == nil || err.Hint != hint {
		t.Errorf("why of all says %v", err)
	}
	wanted, _ := in.Compile(t, install+messages(7))
	in.WantConforms(t, wanted)
	in.Migrate(t, single)
	wanted, _ = in.Compile(t, single)
	in.WantConforms(t, wanted)
	if got := in.Rows("SELECT name FROM keep.policy"); len(got) != 1 {
		t.Errorf("policies are %v, want one", got)
	}
	if _, err := in.TryDown(t, false); err != nil { // back to the policy for each schema
		t.Error(err)
	}
	in.Compile(t, install+messages(7))
	if got := in.Rows("SELECT name FROM keep.policy"); len(got) != 1 || got[0] != "(messages@tenant_a)" {
		t.Errorf("policies are %v, want one", got)
	}
}

// A job checks all its instances for due rows together. For an instance without due rows, the log,
// the counters and the views get the same values as from a run of its own. Any other instance gets
// a run of its own.
func TestEachWithNothingDue(t *testing.T) {
	t.Parallel()
	names := strings.Split("a b c d e f g h", " ")
	var schemas, alone []string
	for _, name := range names {
		schemas, alone = append(schemas, "tenant_"+name), append(alone, "messages@tenant_"+name)
	}
	in := kit.Install(t, tenants(schemas...), messages(20))
	for range 2 { // the first run creates the functions of the instance
		for _, name := range alone {
			in.Done(name, noon)
		}
	}
	// logged returns the log, the batches and the counters of the newest run of each instance. It
	// leaves out times and the job.
	logged := func() map[string]string {
		rows := map[string]string{}
		for _, row := range pgtest.Column[string](t, in, `SELECT concat_ws(' ', r.policy,
				to_jsonb(r) - '{id,job,started_at,ended_at}'::text[],
				(SELECT jsonb_agg(to_jsonb(b) - '{run_id,at,ms}'::text[]) FROM retention.batch b
					WHERE b.run_id = r.id),
				to_jsonb(t) - '{job,runs,last_run,success_run}'::text[], t.last_run = r.id)
			FROM retention.status s
				JOIN retention.run r ON r.id = (SELECT max(n.id) FROM retention.run n WHERE n.policy = s.policy)
			JOIN retention.total t ON t.policy = r.policy AND t.job = coalesce(r.job, '')`) {
			name, row, _ := strings.Cut(row, " ")
			rows[name] = row
		}
		return rows
	}
	want := logged()
	job := func(states string) {
		t.Helper()
		last := pgtest.Value[int64](t, in, "SELECT max(id) FROM retention.run")
		_, _ = in.Call("CALL retention.run_job('hourly', $1)", noon)
		got := pgtest.Value[string](t, in, `SELECT string_agg(concat(right(r.policy, 1),
				CASE WHEN n > 1 THEN '+' END, ' ', state, ' ', taken), ', ' ORDER BY id)
			FROM (SELECT r.*, count(*) OVER (PARTITION BY started_at) AS n FROM retention.run r
				WHERE id > $1) r`, last)
		if got != states { // "+" marks runs that the job checked together
			t.Errorf("the job ran %s\nwant %s", got, states)
		}
	}
	job("a+ done 0, b+ done 0, c+ done 0, d+ done 0, e+ done 0, f+ done 0, g+ done 0, h+ done 0")
	if diff := cmp.Diff(want, logged()); diff != "" || len(want) != len(names) {
		t.Errorf("log, counters or views differ (-alone +together):\n%s", diff)
	}
	if runs := pgtest.Column[int64](t, in, `SELECT DISTINCT sum(runs)::bigint FROM retention.total
		GROUP BY policy`); len(runs) != 1 || runs[0] != 3 {
		t.Errorf("runs: %v", runs)
	}

	locked, busy := in.Conn(t), in.Conn(t)
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+`; INSERT INTO tenant_b.message VALUES (10, '2020-01-01');
		ALTER TABLE tenant_c.message ALTER at TYPE timestamp; SELECT retention.pause('messages@tenant_d');
		SELECT retention.accept('messages@tenant_e', 'once', 10); RESET ROLE`)
	pgtest.Exec(t, locked, "BEGIN; LOCK TABLE tenant_f.message")
	pgtest.Exec(t, busy, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state)
		SELECT name, table_name, hash, now(), 'running' FROM retention.policy WHERE name = 'messages@tenant_g'`)
	pgtest.Exec(t, busy, "BEGIN; LOCK TABLE retention.run IN ROW EXCLUSIVE MODE")
	in.Exec(t, "UPDATE retention.job SET every = '1 s'") // the job waits less than 1 s for a busy policy
	job("a+ done 0, h+ done 0, b done 1, c tripped 0, d paused 0, e done 0, f more 0, g busy 0")
	pgtest.Exec(t, locked, "ROLLBACK")
	pgtest.Exec(t, busy, "ROLLBACK; DELETE FROM retention.run WHERE state = 'running'")
	wantLeft(t, in, map[string]string{"tenant_a": whole, "tenant_b": whole})
	if left := in.Rows("SELECT policy, name FROM retention.setting"); len(left) != 1 ||
		left[0] != "(messages@tenant_d,paused)" {
		t.Errorf("settings: %v", left)
	}
	if err := in.Operator("SELECT retention.place_hold('tenant_a.message', '3', 'a case')"); err != nil {
		t.Error(err)
	}
	job("a+ done 0, b+ done 0, e+ done 0, f+ done 0, g+ done 0, h+ done 0, c tripped 0, d paused 0")
	in.DB.Exec(t, "ALTER TABLE tenant_h.pin RENAME TO nails") // no row is due, so no run evaluates the guard
	job("a+ done 0, b+ done 0, e+ done 0, f+ done 0, g+ done 0, h tripped 0, c tripped 0, d paused 0")
}

// A cancel request ends the job while it checks its instances for due rows, as a cancel request
// during a run does.
func TestEachCancelled(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tenants("tenant_a", "tenant_b")+`
		CREATE TABLE shut ();
		CREATE FUNCTION gate() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public AS $$
		BEGIN IF EXISTS (SELECT FROM shut) THEN PERFORM pg_sleep(1000); END IF; RETURN true; END $$;`,
		strings.Replace(messages(7), "table: each_tenant.message", `table: each_tenant.message
    where: "public.gate()"`, 1))
	// This run creates the functions of the instances.
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", "2020-01-01"); err != nil {
		t.Fatal(err)
	}
	in.DB.Exec(t, "INSERT INTO shut DEFAULT VALUES")
	pid := in.Runner().PgConn().PID()
	ended := make(chan *pgconn.PgError)
	go func() {
		_, err := in.Call("CALL retention.run_job('hourly', $1)", noon)
		ended <- err
	}()
	pgtest.Until(t, in, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep')", pid)
	in.DB.Exec(t, "SELECT pg_cancel_backend($1)", pid)
	if err := <-ended; err == nil || err.Code != "57014" ||
		!strings.Contains(err.Message, "not run, because messages@tenant_a ended stopped: messages@tenant_b") {
		t.Errorf("the job raised %v", err)
	}
	if got := in.Rows("SELECT policy, state, sqlstate FROM retention.run ORDER BY id DESC LIMIT 1"); len(got) != 1 ||
		got[0] != "(messages@tenant_a,stopped,57014)" {
		t.Errorf("the last run: %v", got)
	}
	in.DB.Exec(t, "TRUNCATE shut")
	if _, err := in.Call("CALL retention.run_job('hourly', $1)", noon); err != nil {
		t.Error(err)
	}
	wantLeft(t, in, map[string]string{"tenant_a": rest, "tenant_b": rest})
}
