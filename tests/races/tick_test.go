package races

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// tickSchema has the table that ticks ask about, and a table that the policy's guard reads.
const tickSchema = `
	CREATE TYPE state AS ENUM ('open', 'closed');
	CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int NOT NULL DEFAULT 0, note text,
		state state NOT NULL DEFAULT 'closed');
	CREATE INDEX m_at ON m (at);
	CREATE TABLE sig (m_id int NOT NULL);
	CREATE TABLE n (id int PRIMARY KEY);
	CREATE SCHEMA other;`

// tickBefore creates functions of a role that nobody trusts. The sequence foreign_code counts their
// calls, also those that are rolled back.
var tickBefore = pgtest.MakeRole("tick_eve") + `;
	CREATE SCHEMA eve AUTHORIZATION tick_eve;
	GRANT USAGE ON SCHEMA eve TO PUBLIC;
	CREATE SEQUENCE eve.foreign_code;
	GRANT USAGE ON SEQUENCE eve.foreign_code TO PUBLIC;
	SET ROLE tick_eve;
	CREATE FUNCTION eve.f(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
	BEGIN
		PERFORM nextval('eve.foreign_code');
		RETURN $1;
	END $$;
	CREATE FUNCTION eve.two(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
	BEGIN
		PERFORM nextval('eve.foreign_code');
		RETURN false;
	END $$;
	CREATE FUNCTION eve.lower(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
	BEGIN
		PERFORM nextval('eve.foreign_code');
		RETURN 'keep';
	END $$;
	CREATE FUNCTION eve.t() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM nextval('eve.foreign_code');
		RETURN NULL;
	END $$;
	RESET ROLE;`

const tickPolicies = `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: {days: 7, at_least: 1, at_most: 30}}}
    where: "v >= 0 AND lower(note) IS DISTINCT FROM 'keep' AND state = 'closed'"
    keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}
    then: [delete]
  q: {table: n, due: {beyond: {first: 1000, order: "id"}}, then: [delete]}
jobs:
  j: {schedule: "* * * * *", run: [p]}`

// nothingDue is the outcome of a call of run_if_due that ran no policy.
const nothingDue = "no row is due"

// ticking is a stage with job j, whose policy p has no due row. Two rows are not due.
func ticking(t *testing.T) *stage {
	t.Helper()
	s := newStageOf(t, tickSchema, tickPolicies, kit.Before(tickBefore))
	s.Exec(t, "INSERT INTO m VALUES (1, now()), (2, now() - interval '6 days')")
	return s
}

// tick calls run_if_due in a new session, as pg_cron does. It returns the outcome, or the error.
func (s *stage) tick() string {
	s.t.Helper()
	conn := s.session("retention_runner")
	defer conn.Close(s.t.Context())
	var outcome string
	if err := conn.QueryRow(s.t.Context(), "CALL retention.run_if_due('j')").Scan(&outcome); err != nil {
		return err.Error()
	}
	return outcome
}

// idle calls run_if_due until nothing is left to ask. It needs at most three calls: one that takes
// rows, one that asks the full questions, and one more if an hour has begun in the meantime.
func (s *stage) idle() {
	s.t.Helper()
	var outcome string
	for range 4 {
		if outcome = s.tick(); outcome == nothingDue {
			return
		}
	}
	s.t.Fatalf("the fourth tick still runs policies: %s", outcome)
}

const foreignCalls = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM eve.foreign_code"

// TestTickAfterChange changes one thing after a tick that found nothing to do. The next tick must
// then run the policy, and no code of an untrusted role may run.
func TestTickAfterChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"row inserted": "INSERT INTO m VALUES (3, now() - interval '8 days')",
		"row updated":  "UPDATE m SET at = at - interval '8 days' WHERE id = 1",
		"row meets the condition": "INSERT INTO m VALUES (3, now() - interval '8 days', -1); " +
			"UPDATE m SET v = 0 WHERE id = 3",
		"window set":              "SELECT retention.set_window('p', '8 days', 'test')",
		"paused":                  "SELECT retention.pause('p', 'test')",
		"all paused":              "SELECT retention.pause(reason => 'test')",
		"accepted":                "SELECT retention.accept('p', 'test', rows => 10)",
		"column dropped":          "ALTER TABLE m DROP COLUMN note",
		"column renamed":          "ALTER TABLE m RENAME note TO remark",
		"column of another type":  "ALTER TABLE m ALTER v TYPE bigint",
		"column with a collation": `ALTER TABLE m ALTER note TYPE text COLLATE "C"`,
		"column added":            "ALTER TABLE m ADD more int",
		"clock without time zone": "ALTER TABLE m ALTER at TYPE timestamp",
		"table replaced":          "ALTER TABLE m RENAME TO old; CREATE TABLE m (LIKE old INCLUDING ALL)",
		"table replaced by a view": "ALTER TABLE m RENAME TO old; " +
			"CREATE VIEW m AS SELECT * FROM old WHERE eve.two(v, v)",
		"table dropped":           "DROP TABLE m",
		"table in another schema": "ALTER TABLE m SET SCHEMA other",
		"schema renamed":          "ALTER SCHEMA public RENAME TO gone",
		"schema replaced": "ALTER SCHEMA public RENAME TO gone; " +
			"CREATE SCHEMA public; CREATE TABLE public.m (LIKE gone.m INCLUDING ALL)",
		"table unlogged": "ALTER TABLE m SET UNLOGGED",
		"child created":  "CREATE TABLE child () INHERITS (m)",
		"child attached": "CREATE TABLE child (LIKE m INCLUDING ALL); ALTER TABLE child INHERIT m",
		"attached as a partition": "CREATE TABLE root (LIKE m) PARTITION BY RANGE (at); " +
			"ALTER TABLE root ATTACH PARTITION m DEFAULT",
		"operator in public":       "CREATE OPERATOR public.>= (FUNCTION = eve.two, LEFTARG = int, RIGHTARG = int)",
		"equality in public":       "CREATE OPERATOR public.= (FUNCTION = eve.two, LEFTARG = int, RIGHTARG = int)",
		"function in public":       "CREATE FUNCTION public.lower(varchar) RETURNS text LANGUAGE sql AS 'SELECT NULL'",
		"function moved to public": "ALTER FUNCTION eve.lower SET SCHEMA public",
		"row security":             "ALTER TABLE m ENABLE ROW LEVEL SECURITY",
		"forced row security":      "ALTER TABLE m FORCE ROW LEVEL SECURITY",
		"rule":                     "CREATE RULE r AS ON DELETE TO m DO ALSO INSERT INTO sig VALUES (eve.f(1))",
		"trigger":                  "CREATE TRIGGER t BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION eve.t()",
		"trigger disabled": "ALTER TABLE m DISABLE TRIGGER ALL; " +
			"CREATE TRIGGER t AFTER DELETE ON m EXECUTE FUNCTION eve.t()",
		"foreign key":      "CREATE TABLE child (m_id int REFERENCES m ON DELETE CASCADE)",
		"expression index": "CREATE INDEX ON m ((eve.f(v)))",
		"partial index":    "CREATE INDEX ON m (id) WHERE eve.f(1) = 1",
		"index dropped":    "DROP INDEX m_at",
		"statistics":       "CREATE STATISTICS s ON (eve.f(v)), at FROM m",
		"constraint": "ALTER TABLE m ADD CHECK (eve.f(v) = v) NOT VALID; " +
			"ALTER TABLE m ALTER v SET STATISTICS 7",
		"worker without privilege":  "REVOKE ALL ON m FROM retention_worker",
		"worker without schema":     "REVOKE ALL ON SCHEMA public FROM PUBLIC, retention_worker",
		"privilege of an outsider":  "GRANT TRIGGER ON m TO tick_eve",
		"column privilege":          "GRANT REFERENCES (id) ON m TO tick_eve",
		"CREATE of an outsider":     "GRANT CREATE ON SCHEMA public TO tick_eve",
		"owner of the table":        "ALTER TABLE m OWNER TO tick_eve",
		"owner of the schema":       "ALTER SCHEMA public OWNER TO tick_eve",
		"enum type renamed":         "ALTER TYPE state RENAME TO stage",
		"enum type moved":           "ALTER TYPE state SET SCHEMA other",
		"search path":               "UPDATE retention.install SET search_path = 'eve, public'",
		"time zone":                 "UPDATE retention.install SET time_zone = 'America/New_York'",
		"protected table":           "UPDATE retention.install SET protect = '{public.m}'",
		"role that is trusted":      "UPDATE retention.install SET trust = '{tick_eve}'",
		"half an upgrade":           "UPDATE retention.install SET runtime_version = '0'",
		"adopted as another system": "UPDATE retention.install SET system_identifier = 1",
		"scope of the job":          `UPDATE retention.job SET scope = '{"v": 1}'`,
		"another policy in the job": "UPDATE retention.job SET policies = '{p,q}'",
		"other policies in the job": "UPDATE retention.job SET policies = '{q}'",
		"policy dropped":            "DELETE FROM retention.policy WHERE name = 'p'",
		"another run ended paused": "SELECT retention.pause('p', 'x');\nCALL retention.run('p');\n" +
			"SELECT retention.resume('p')",
		"no run in this hour": "UPDATE retention.probe SET asked_at = asked_at - interval '1 hour'",
		"run in the future":   "UPDATE retention.probe SET asked_at = now() + interval '1 hour'",
		"row meets the condition by another name of a value": "INSERT INTO m VALUES (3, now() - interval '8 days', " +
			"0, NULL, 'open');\nCALL retention.run_job('j');\nALTER TYPE state RENAME VALUE 'closed' TO 'shut';\n" +
			"ALTER TYPE state RENAME VALUE 'open' TO 'closed'",
		"owner of the enum type": "ALTER TYPE state OWNER TO tick_eve",
		"cast of the enum type": "CREATE FUNCTION eve.of(state) RETURNS int LANGUAGE sql AS 'SELECT eve.f(1)'; " +
			"ALTER FUNCTION eve.of OWNER TO tick_eve; CREATE CAST (state AS int) WITH FUNCTION eve.of AS IMPLICIT",
		"foreign table as a child": "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; " +
			"CREATE FOREIGN TABLE child () INHERITS (m) SERVER s",
		"table replaced by a materialized view": "ALTER TABLE m RENAME TO old; " +
			"CREATE MATERIALIZED VIEW m AS SELECT * FROM old",
		"generated column": "ALTER TABLE m ADD n int GENERATED ALWAYS AS (eve.f(v)) STORED",
		"constraint trigger": "CREATE CONSTRAINT TRIGGER t AFTER DELETE ON m DEFERRABLE INITIALLY DEFERRED " +
			"FOR EACH ROW EXECUTE FUNCTION eve.t()",
		"table named back": "ALTER TABLE m RENAME TO old; ALTER TABLE old RENAME TO m",
		"publication":      "CREATE PUBLICATION p FOR TABLE m",
		"owner of the database": "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO tick_eve', " +
			"current_database()); END $$",
		"row that is kept": "INSERT INTO m VALUES (3, now() - interval '8 days'); " +
			"INSERT INTO sig VALUES (3)",
		"row that is held": "INSERT INTO m VALUES (3, now() - interval '8 days'); " +
			"SELECT retention.place_hold('public.m', '3', 'x')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ticking(t)
			s.idle()
			for statement := range strings.SplitSeq(change, ";\n") {
				s.Exec(t, statement)
			}
			before := pgtest.Value[int](t, s, foreignCalls)
			outcome := s.tick()
			if outcome == nothingDue {
				t.Error("the tick after the change ran no policy")
			}
			if after := pgtest.Value[int](t, s, foreignCalls); after != before {
				t.Errorf("untrusted code ran %d times in the tick, which ended with %s", after-before, outcome)
			}
		})
	}
}

// TestTickIgnores checks that changes on which no answer rests leave ticks idle.
func TestTickIgnores(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	s.idle()
	for _, change := range []string{
		"INSERT INTO m VALUES (3, now())",
		"INSERT INTO m VALUES (4, now() - interval '8 days', -1, NULL, 'closed'), " +
			"(5, now() - interval '8 days', 0, 'KEEP', 'closed'), (6, now() - interval '8 days', 0, NULL, 'open')",
		"DELETE FROM m WHERE id = 1",
		"SELECT retention.place_hold('public.m', '2', 'x')",
		"CREATE TABLE unrelated (id int); CREATE FUNCTION other.unrelated() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"ANALYZE m",
		"ANALYZE pg_class; ANALYZE pg_attribute",
	} {
		s.Exec(t, change)
		if outcome := s.tick(); outcome != nothingDue {
			t.Errorf("after %s the tick ended with %s", change, outcome)
		}
	}
	s.appExec("VACUUM m")
	if outcome := s.tick(); outcome != nothingDue {
		t.Errorf("after VACUUM the tick ended with %s", outcome)
	}
}

// TestTickStorm commits due rows in a second session while ticks run. A tick may be idle only if no
// due row was committed before it started. If it is not, it takes the rows that were there.
func TestTickStorm(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	random := rand.New(rand.NewPCG(1, 2))
	idle, full, id := 0, 0, 100
	for range 60 {
		due := pgtest.Column[int](t, s.watch, "SELECT id FROM m WHERE at < now() - interval '7 days'")
		var insert *task
		if random.IntN(5) == 0 {
			id++
			insert = s.start(s.app, "INSERT INTO m VALUES ($1, now() - interval '8 days')", id)
		}
		if outcome := s.tick(); outcome == nothingDue {
			idle++
			if len(due) > 0 {
				t.Errorf("the tick was idle, although rows %v were due", due)
			}
		} else {
			full++
			if left := pgtest.Value[int](t, s.watch, "SELECT count(*) FROM m WHERE id = ANY ($1)", due); left > 0 {
				t.Errorf("the tick left %d of the rows %v: %s", left, due, outcome)
			}
		}
		if insert != nil {
			insert.mustSucceed()
		}
	}
	if idle == 0 || full == 0 {
		t.Errorf("%d idle ticks and %d others; so this test proves nothing", idle, full)
	}
}

// TestTickSwapStorm exchanges two tables in a second session while ticks run. One has a due row,
// which a guard keeps. A tick may be idle only if the other table has the policy's name.
func TestTickSwapStorm(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	s.Exec(t, `CREATE TABLE swapped (n int); INSERT INTO swapped VALUES (0);
		CREATE TABLE m2 (LIKE m INCLUDING ALL); ALTER TABLE m2 OWNER TO kit_migrator;
		GRANT SELECT, DELETE, UPDATE ON m2 TO retention_worker;
		INSERT INTO m2 VALUES (7, now() - interval '8 days'); INSERT INTO sig VALUES (7)`)
	const swap = `DO $$ BEGIN
		ALTER TABLE m RENAME TO m1;
		ALTER TABLE m2 RENAME TO m;
		ALTER TABLE m1 RENAME TO m2;
		UPDATE swapped SET n = n + 1;
	END $$`
	const state = "SELECT n * 2 + (EXISTS (SELECT FROM m WHERE id = 7))::int FROM swapped"
	random := rand.New(rand.NewPCG(3, 4))
	idle, full := 0, 0
	for range 60 {
		before := pgtest.Value[int](t, s.watch, state)
		var swapping *task
		if random.IntN(4) == 0 {
			swapping = s.start(s.app, swap)
		}
		outcome := s.tick()
		if swapping != nil {
			swapping.mustSucceed()
		}
		after := pgtest.Value[int](t, s.watch, state)
		if outcome == nothingDue {
			idle++
			if before == after && before%2 == 1 {
				t.Error("the tick was idle, although the table had a due row")
			}
		} else {
			full++
		}
	}
	if idle == 0 || full == 0 {
		t.Errorf("%d idle ticks and %d others; so this test proves nothing", idle, full)
	}
}

// TestTickNeverIdle checks tables on which a query could execute code of others, and conditions
// that a single query on one table cannot answer. Their policies run at each tick.
func TestTickNeverIdle(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"expression index": "CREATE INDEX ON m ((eve.f(v)))",
		"partial index":    "CREATE INDEX ON m (id) WHERE eve.f(1) = 1",
		"statistics":       "CREATE STATISTICS s ON (eve.f(v)), at FROM m",
		"child":            "CREATE TABLE child () INHERITS (m)",
		"window set":       "SELECT retention.set_window('p', '8 days', 'test')",
		"scope":            `UPDATE retention.job SET scope = '{"v": 1}'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ticking(t)
			s.Exec(t, before)
			called := pgtest.Value[int](t, s, foreignCalls)
			for range 3 {
				if outcome := s.tick(); outcome == nothingDue {
					t.Error("the tick ran no policy")
				}
			}
			if after := pgtest.Value[int](t, s, foreignCalls); after != called {
				t.Errorf("untrusted code ran %d times in the ticks", after-called)
			}
		})
	}
}

// TestProbes checks which policies have a probe.
func TestProbes(t *testing.T) {
	t.Parallel()
	const schema = `
		CREATE DOMAIN short AS text;
		CREATE TYPE pair AS (a int, b int);
		CREATE FUNCTION public.own(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, until timestamptz, v int, note text,
			s short, p pair, ps pair[], doc jsonb, parent int REFERENCES m);`
	for _, c := range []struct {
		policy string
		want   bool
	}{
		{"due: {age: {column: at, older_than: 7 days}}", true},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"v > 1\"", true},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"note LIKE 'a%' AND lower(note) <> 'b'\"", true},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"date_trunc('day', until) < at\"", true},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"doc ->> 'a' = 'b'\"", true},
		{"due: {age: {column: at, older_than: 7 days}}, keep: {own: \"own(note) = 'x'\"}", true},
		{"due: {age: {column: until, older_than: 7 days, nulls: due}}", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"own(note) = 'x'\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"s = 'x'\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"p = ROW(1, 2)::pair\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"note::tsvector @@ 'x'\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"note = current_setting('a.b', true)\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"note::regclass = 'm'::regclass\"", false},
		{"due: {age: {column: at, older_than: 7 days}}, where: \"EXISTS (SELECT FROM m o WHERE o.id = t.parent)\"",
			false},
		{"due: {beyond: {first: 5, order: \"id DESC\"}}", false},
	} {
		in := kit.Install(t, schema, "policies: {p: {table: m, "+c.policy+", then: [delete]}}")
		if got := pgtest.Value[bool](t, in, "SELECT EXISTS (SELECT FROM retention.probe)"); got != c.want {
			t.Errorf("%s: has a probe: %t, want %t", c.policy, got, c.want)
		}
	}
}

// TestTickAfterRunsThatTookRows checks the run after a run that took rows. It reads no row in its
// only batch, and the next call is idle.
func TestTickAfterRunsThatTookRows(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	const thisHour = "SELECT date_trunc('hour', clock_timestamp())::text"
	hour := pgtest.Value[string](t, s, thisHour)
	s.Exec(t, "INSERT INTO m VALUES (3, now() - interval '8 days')")
	var outcomes []string
	for range 3 {
		outcomes = append(outcomes, regexp.MustCompile(`run \d+`).ReplaceAllString(s.tick(), "run"))
	}
	s.wantLeft(1, 2)
	want := []string{"p: done (run): 1 of 1 rows taken", "p: done (run): 0 of 0 rows taken", nothingDue}
	if hour != pgtest.Value[string](t, s, thisHour) { // the third call may be the first of an hour
		want, outcomes = want[:2], outcomes[:2]
	}
	if diff := cmp.Diff(want, outcomes); diff != "" {
		t.Errorf("outcomes of the calls (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, s, "SELECT batches FROM retention.run ORDER BY id OFFSET 1 LIMIT 1"); n != 1 {
		t.Errorf("the second run has %d batches, want 1", n)
	}
}

// TestTickOrder checks that a policy whose rows an earlier policy of the job makes due runs in the
// same call, and that a policy before it stays idle.
func TestTickOrder(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, `
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, gone boolean NOT NULL DEFAULT false);
		CREATE TABLE o (id int PRIMARY KEY, at timestamptz NOT NULL);`, `
policies:
  first: {table: o, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
  mark: {table: m, where: "NOT gone", due: {age: {column: at, older_than: 7 days}},
    then: [{update: {set: {gone: "true"}}}]}
  erase: {table: m, where: "gone", due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs:
  j: {schedule: "* * * * *", run: [first, mark, erase]}`)
	s.idle()
	s.Exec(t, "INSERT INTO m VALUES (1, now() - interval '8 days')")
	hour := pgtest.Value[string](t, s, "SELECT date_trunc('hour', clock_timestamp())::text")
	outcome := s.tick()
	s.wantLeft()
	if hour == pgtest.Value[string](t, s, "SELECT date_trunc('hour', clock_timestamp())::text") &&
		!strings.HasPrefix(outcome, "first: no row is due\n") {
		t.Errorf("the tick ended with %q, want no run of policy first", outcome)
	}
}

// TestTickIsCounted checks what idle ticks leave behind: no row in the run log, few bytes of WAL, a
// success of each policy, and a counter that survives a migration of the job.
func TestTickIsCounted(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	s.idle()
	const ticks = "SELECT coalesce((SELECT k.ticks FROM retention.tick k WHERE k.job = 'j'), 0)"
	runs := pgtest.Value[int](t, s, "SELECT count(*) FROM retention.run")
	before := pgtest.Value[int](t, s, ticks)
	const most, ticked = 10_000, 20
	idle, least := 0, -1
	for n := 0; n < ticked && (n < 3 || least > most); n++ { // other databases of the server write WAL, too
		lsn := pgtest.Value[string](t, s, "SELECT pg_current_wal_insert_lsn()::text")
		if s.tick() != nothingDue {
			break
		}
		idle++
		wal := pgtest.Value[int](t, s,
			"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::text::pg_lsn)::int", lsn)
		if least < 0 || wal < least {
			least = wal
		}
	}
	if least > most {
		t.Errorf("each of %d idle ticks writes at least %d bytes of WAL, want at most %d", idle, least, most)
	}
	if idle >= 3 && pgtest.Value[int](t, s, "SELECT count(*) FROM retention.run") != runs {
		t.Error("idle ticks write rows into the run log")
	}
	if got := pgtest.Value[int](t, s, ticks); got != before+idle {
		t.Errorf("retention.tick counts %d ticks, want %d", got, before+idle)
	}
	s.Migrate(t, strings.Replace(tickPolicies, "* * * * *", "*/2 * * * *", 1))
	s.idle()
	if got := pgtest.Value[int](t, s, ticks); got <= before+idle {
		t.Errorf("after a migration retention.tick counts %d ticks, want more than %d", got, before+idle)
	}
	for what, sql := range map[string]string{
		"last_success_at is the last tick": `SELECT s.last_success_at = k.at FROM retention.status s, retention.tick k
			WHERE s.policy = 'p'`,
		"caught_up_at is the last tick": `SELECT s.caught_up_at = k.at FROM retention.job_status s, retention.tick k
			WHERE s.policy = 'p' AND s.job = 'j'`,
		"the last run ended done": "SELECT last_state = 'done' FROM retention.status WHERE policy = 'p'",
		"metrics count the ticks": `SELECT m.value = k.ticks FROM retention.metrics m, retention.tick k
			WHERE m.name = 'retention_idle_calls_total'`,
		"health is silent": "SELECT NOT EXISTS (SELECT FROM retention.health())",
	} {
		if !pgtest.Value[bool](t, s, sql) {
			t.Errorf("it is not true that %s", what)
		}
	}
	// The time of the last tick stays when the job gets other policies.
	at := pgtest.Value[string](t, s, "SELECT at::text FROM retention.tick")
	s.Migrate(t, strings.Replace(tickPolicies, "run: [p]", "run: [p, q]", 1))
	s.tick()
	if !pgtest.Value[bool](t, s, "SELECT last_success_at >= $1::text::timestamptz FROM retention.job_status "+
		"WHERE policy = 'p' AND job = 'j'", at) {
		t.Error("after the job has changed, the time of the last tick is lost")
	}
}

// TestTickInSessions calls run_if_due in sessions with other defaults, and inside a transaction.
func TestTickInSessions(t *testing.T) {
	t.Parallel()
	s := ticking(t)
	for i, set := range []string{
		"SET default_transaction_isolation = 'serializable'", "SET default_transaction_isolation = 'repeatable read'",
		"SET default_transaction_read_only = on", "SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard'",
		"SET TimeZone = 'Asia/Kathmandu'", "SET search_path = eve, pg_catalog", "SET array_nulls = off",
		"SET row_security = off", "SET enable_seqscan = on; SET enable_indexscan = off", "SET extra_float_digits = -15",
	} {
		conn := s.session("retention_runner")
		pgtest.Exec(t, conn, set)
		call := func() (outcome string) {
			if err := conn.QueryRow(t.Context(), "CALL retention.run_if_due('j')").Scan(&outcome); err != nil {
				t.Fatalf("after %s: %v", set, err)
			}
			return outcome
		}
		for n := 0; call() != nothingDue; n++ {
			if n == 4 {
				t.Fatalf("after %s no tick is idle", set)
			}
		}
		s.Exec(t, "INSERT INTO m VALUES ($1, now() - interval '8 days')", 100+i)
		if call() == nothingDue {
			t.Errorf("after %s a tick overlooks a due row", set)
		}
		s.wantLeft(1, 2)
	}
	conn := s.session("retention_runner")
	pgtest.Exec(t, conn, "BEGIN")
	if err := s.start(conn, "CALL retention.run_if_due('j')").wait(); err == nil || err.Code != "2D000" {
		t.Errorf("a call inside a transaction ended with %v, want 2D000", err)
	}
	if err := s.start(s.session("retention_runner"), "CALL retention.run_if_due('nobody')").wait(); err == nil ||
		err.Code != "P0002" {
		t.Errorf("a call of an unknown job ended with %v, want P0002", err)
	}
}

// TestTickInTheZoneOfTheInstall has a condition with a time that has no zone. It is a time in the
// zone of the install, also after this zone has changed. The rows are due in this zone only.
func TestTickInTheZoneOfTheInstall(t *testing.T) {
	t.Parallel()
	const yaml = `
install: {time_zone: Europe/Berlin, scheduler: none}
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, where: "at >= '2024-01-02'::timestamptz", then: [delete]}
jobs:
  j: {schedule: "* * * * *", run: [p]}`
	s := newStageOf(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL)", yaml)
	mustTake := func(row string) {
		t.Helper()
		s.idle()
		s.Exec(t, "INSERT INTO m VALUES "+row)
		if outcome := s.tick(); outcome == nothingDue {
			t.Errorf("the tick overlooks the due row %s", row)
		}
	}
	s.Exec(t, "INSERT INTO m VALUES (1, '2024-01-01 14:30+00')")
	mustTake("(2, '2024-01-01 23:30+00')")
	s.wantLeft(1)
	s.Migrate(t, strings.Replace(yaml, "Europe/Berlin", "Asia/Tokyo", 1))
	mustTake("(3, '2024-01-01 16:00+00')")
	s.wantLeft(1)
}
