package roles

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// commands runs each command of the command line as each role, and checks the exit code. A new
// command needs an entry.
func commands(s *stage) {
	var verbs []string
	_, list, _ := strings.Cut(s.must(stranger, "--help"), "\nCommands:")
	list, _, _ = strings.Cut(list, "Flags:")
	for line := range strings.Lines(list) {
		if word := strings.Fields(line); len(word) > 1 {
			verbs = append(verbs, word[0])
		}
	}
	if len(verbs) < 15 {
		s.t.Fatalf("--help lists %q, want at least 15 commands", verbs)
	}
	type verb struct {
		args  []string
		codes [5]int // exit codes, in the order of persons
		says  string // text in the output if the exit code is 2
	}
	want := map[string][]verb{
		"bootstrap": {{[]string{"bootstrap"}, [5]int{0, 0, 0, 0, 0}, ""}}, // prints a script and does not connect
		"preview":   {{[]string{"preview", "notes"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"run": {
			{[]string{"run", "plain"}, [5]int{0, 0, 2, 2, 2}, "permission denied"},
			{[]string{"run", "--job", "nightly"}, [5]int{0, 0, 2, 2, 2}, "permission denied"},
		},
		"status": {{[]string{"status"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"report": {{[]string{"report"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"verify": {{[]string{"verify"}, [5]int{0, 0, 0, 2, 2}, ""}},
		"plan":   {{[]string{"plan"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"accept": {{[]string{"accept", "capped", "--rows", "5"}, [5]int{2, 0, 2, 2, 2}, "permission denied"}},
		"pause": {
			{[]string{"pause", "tracked"}, [5]int{2, 0, 2, 2, 2}, "permission denied"},
			{[]string{"resume", "tracked"}, [5]int{2, 0, 2, 2, 2}, "permission denied"},
		},
		"resume": {{[]string{"resume"}, [5]int{2, 0, 2, 2, 2}, "permission denied"}},
		"window": {
			{[]string{"window", "notes", "31 days", "--reason", "why"}, [5]int{2, 0, 2, 2, 2}, "permission denied"},
			{[]string{"window", "notes", "default", "--reason", "why"}, [5]int{2, 0, 2, 2, 2}, "permission denied"},
		},
		"hold": {
			{
				[]string{"hold", "app.note", "id=1", "--reason", "case", "--until", "2100-01-01"},
				[5]int{2, 0, 2, 2, 2}, "permission denied",
			},
			{[]string{"release", "1"}, [5]int{2, 0, 2, 2, 2}, "permission denied"},
		},
		"release":        {{[]string{"release", "1000"}, [5]int{2, 2, 2, 2, 2}, ""}}, // no such hold
		"holds":          {{[]string{"holds"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"restore":        {{[]string{"restore", "notes", "1000"}, [5]int{2, 2, 2, 2, 2}, ""}}, // no such run
		"why":            {{[]string{"why", "notes", "id=1"}, [5]int{0, 0, 0, 2, 2}, "permission denied"}},
		"adopt":          {{[]string{"adopt"}, [5]int{2, 0, 2, 2, 2}, "permission denied"}},
		"mark-abandoned": {{[]string{"mark-abandoned"}, [5]int{0, 0, 2, 2, 2}, "permission denied"}},
		"uninstall":      {{[]string{"uninstall", "--yes"}, [5]int{2, 2, 2, 2, 2}, ""}},
		"migrate": {
			{[]string{"migrate", "up"}, [5]int{2, 2, 2, 2, 2}, "cannot SET ROLE"},
			{[]string{"migrate", "down"}, [5]int{2, 2, 2, 2, 2}, "cannot SET ROLE"},
		},
	}
	// These commands use no database, or read only its catalog.
	offline := []string{"explain", "generate", "help", "init", "lint", "sandbox", "schema", "snapshot", "version"}
	for _, name := range verbs {
		if _, known := want[name]; !known && !slices.Contains(offline, name) {
			s.t.Errorf("the test has no entry for command %s", name)
		}
	}
	for _, cases := range want {
		for _, v := range cases {
			for i, p := range persons {
				var says []string
				if v.codes[i] == 2 && v.says != "" {
					says = []string{v.says}
				}
				s.refused(p.name, v.codes[i], says, v.args...)
			}
		}
	}
}

// operatorAtWork calls each function that is for operators, in the operator's own session.
func operatorAtWork(s *stage) {
	value := func(sql string) string {
		s.t.Helper()
		return ask[string](s, operator, sql)
	}
	s.as(deploy, `INSERT INTO app.note
		SELECT i, 'k', false, now() - interval '40 days' FROM generate_series(101, 103) i`)
	equal := func(what, got, want string) {
		s.t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			s.t.Errorf("%s:\n%s", what, diff)
		}
	}
	equal("preview", value("SELECT due::text FROM retention.preview('notes')"), "3")
	s.as(operator, "SELECT retention.pause('notes', 'look first')")
	s.refused(operator, 1, []string{"paused by anna"}, "run", "notes")
	equal("resume", value("SELECT retention.resume('notes')::text"), "true")
	hold := value("SELECT hold_id::text FROM retention.place_hold('app.note', '101', 'case 7')")
	equal("window", value("SELECT retention.set_window('notes', '50 days', 'wait')::text"), "50 days")
	s.must(operator, "run", "notes")
	equal("kept by the window", ask[string](s, deploy, "SELECT count(*)::text FROM app.note WHERE id > 100"), "3")
	s.as(operator, "SELECT retention.set_window('notes', NULL, 'no more')")
	s.must(operator, "run", "notes")
	equal("held", ask[string](s, deploy, "SELECT string_agg(id::text, ',') FROM app.note WHERE id > 100"), "101")
	equal("restored", value(`SELECT restored::text
		FROM retention.restore('notes', (SELECT max(id) FROM retention.run WHERE policy = 'notes'))`), "2")
	equal("released", value("SELECT table_name FROM retention.release_hold("+hold+", 'closed')"), "app.note")
	equal("events", value("SELECT count(*)::text FROM retention.take_events(1)"), "1")
	equal("set_by", value(`SELECT string_agg(DISTINCT set_by, ',') FROM retention.setting_change
		WHERE new IS NOT NULL OR name <> 'accepted'`), "anna")
	equal("adopted", value("SELECT (retention.adopt('meant') LIKE '%adopted by anna')::text"), "true")
	if err := s.try(operator, "SELECT retention.accept('notes', 'why')"); err == nil || err.Code != "55000" {
		s.t.Errorf("accept() without a tripped run: %v, want SQLSTATE 55000", err)
	}
	for _, sql := range []string{
		"DELETE FROM retention.run",
		"UPDATE retention.hold SET released_at = now()",
		"DELETE FROM retention.setting",
		"UPDATE retention.policy SET breaker_rows = NULL",
		"SELECT retention.notes_take(NULL)",
		"SELECT retention._finish(1, 'done')",
		"SET ROLE retention_owner",
		"SET ROLE retention_runner",
		"SELECT nextval('retention.run_id_seq')",
		"INSERT INTO retention.event (policy) VALUES ('x')",
		"SELECT cron.unschedule('retention.nightly')",
		"COPY retention.run TO PROGRAM 'true'",
		"BEGIN; LOCK TABLE retention.run IN ROW EXCLUSIVE MODE",
	} {
		if err := s.try(operator, sql); err == nil || err.Code != "42501" {
			s.t.Errorf("%s: %v, want SQLSTATE 42501", sql, err)
		}
	}
	// An operator may call the functions of a run one by one, but _step refuses REPEATABLE READ.
	if err := s.try(operator, `
		BEGIN;
		SELECT retention._begin(('plain', NULL, NULL, NULL, NULL, NULL, false, NULL));
		COMMIT;
		BEGIN ISOLATION LEVEL REPEATABLE READ;
		SELECT retention._step(max(r.id)) FROM retention.run r WHERE r.policy = 'plain';
		COMMIT`); err != nil {
		s.t.Error(err)
	}
	const lastMessage = "SELECT message FROM retention.run WHERE policy = 'plain' ORDER BY id DESC LIMIT 1"
	if message := ask[string](s, operator, lastMessage); !strings.Contains(message, "READ COMMITTED") {
		s.t.Errorf("message after a step in REPEATABLE READ: %q, want one about READ COMMITTED", message)
	}
}

// applicationAtWork checks that a role under "grant" may call the functions of its policies, and
// has no other privilege.
func applicationAtWork(s *stage) {
	s.as(deploy, "INSERT INTO app.catalog VALUES ('new')")
	for _, sql := range []string{
		"SELECT retention.trades_claim('a')",
		"SELECT retention.trades_claim(ARRAY['a', 'b'])",
		"SELECT retention.trades_seen('a')",
		"SELECT retention.trades_seen(ARRAY['a'])",
		"SELECT retention.trades_advance('x', 1)",
		"SELECT retention.trades_cursor('x')",
		"SELECT retention.tracked_touch(ARRAY['new'])",
	} {
		s.as(app, sql)
	}
	got := pgtest.Column[string](s.t, s, `
		SELECT 'schema ' || x.privilege_type
		FROM pg_namespace n, aclexplode(n.nspacl) x
		WHERE n.nspname = 'retention' AND x.grantee = 'shop_app'::regrole
		UNION ALL
		SELECT p.proname || ' ' || x.privilege_type || x.is_grantable
		FROM pg_proc p, aclexplode(p.proacl) x
		WHERE x.grantee = 'shop_app'::regrole
		UNION ALL
		SELECT c.relname || ' ' || x.privilege_type
		FROM pg_class c, aclexplode(c.relacl) x
		WHERE x.grantee = 'shop_app'::regrole AND c.relname <> 'note_old'
		ORDER BY 1`)
	want := []string{
		"schema USAGE",
		"tracked_touch EXECUTEfalse",
		"trades_advance EXECUTEfalse",
		"trades_claim EXECUTEfalse",
		"trades_claim EXECUTEfalse",
		"trades_cursor EXECUTEfalse",
		"trades_seen EXECUTEfalse",
		"trades_seen EXECUTEfalse",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("privileges of the application's role (-want +got):\n%s", diff)
	}
}

// hostileText passes SQL and format strings as reasons, names and keys. The functions must treat
// them as data.
func hostileText(s *stage) {
	before := ask[string](s, deploy, "SELECT count(*)::text FROM app.note")
	for _, text := range []string{
		`'; DROP TABLE app.note; --`,
		`$function$; DELETE FROM app.note; $function$`,
		`%I %L %s %1$s`,
		`\`,
		`" OR true --`,
		"a\nb",
		"{{ .Schema }}",
	} {
		for _, call := range []string{
			"SELECT retention.pause(NULL, $1)",
			"SELECT retention.set_window('notes', '40 days', $1)",
			"SELECT retention.set_window('notes', NULL, $1)",
			"SELECT retention.place_hold('app.note', '60', $1)",
			"SELECT retention.release_hold((SELECT max(id) FROM retention.hold), $1)",
			"CALL retention.run('plain', NULL, $1)",
			"SELECT retention.adopt($1)",
			"SELECT retention.take_events(1, $1)",
			"SELECT retention.place_hold('app.trade', jsonb_build_object('hash', $1::text)::text, 'a key')",
			"SELECT retention.place_hold('app.note', jsonb_build_object('kind', $1::text)::text, 'a kind')",
			"SELECT retention.preview('notes', scope => jsonb_build_object('kind', $1::text))",
			"CALL retention.run('notes', scope => jsonb_build_object('kind', $1::text))",
			"SELECT retention.trades_claim($1::text)",
			"SELECT retention.tracked_touch(ARRAY[$1])",
		} {
			if err := s.call(operator, call, text); err != nil {
				s.t.Errorf("%s with %q: %v", call, text, err)
			}
		}
		s.as(operator, "SELECT retention.health(); SELECT * FROM retention.status; SELECT retention.resume()")
		for _, call := range []string{
			"SELECT retention.pause($1)",
			"SELECT retention.preview($1)",
			"CALL retention.run($1)",
			"CALL retention.run_job($1)",
			"SELECT retention.restore($1, 1)",
			"SELECT retention.set_window($1, '40 days', 'x')",
			"SELECT retention.window_of($1)",
			"SELECT retention.preview('notes', scope => jsonb_build_object($1::text, 1))",
			"SELECT retention.place_hold('app.note', jsonb_build_object($1::text, 1)::text, 'x')",
			"SELECT retention.place_hold('app.note', $1, 'x')",
			"SELECT retention.place_hold($1, '1', 'x')",
		} {
			err := s.call(operator, call, text)
			if err == nil || !slices.Contains([]string{"P0002", "22023", "42703", "22P02", "42P01"}, code(err)) {
				s.t.Errorf("%s with %q: %v, want an error about the name or value", call, text, err)
			}
		}
	}
	if after := ask[string](s, deploy, "SELECT count(*)::text FROM app.note"); after != before {
		s.t.Errorf("app.note had %s rows before the calls and has %s after, want the same", before, after)
	}
}

// foreignTables checks that an operator's own types, views and tables cannot run code with the
// owner's rights. Reading a key would run the table's types, casts and views.
func foreignTables(s *stage) {
	s.as(super, "CREATE SCHEMA lab; GRANT CREATE, USAGE ON SCHEMA lab TO anna, retention_owner")
	s.as(operator, `
		CREATE FUNCTION lab.evil(p text) RETURNS boolean LANGUAGE plpgsql AS $$
		BEGIN
			DELETE FROM retention.run;
			DELETE FROM app.note;
			RETURN true;
		END $$;
		CREATE DOMAIN lab.trap AS text CHECK (lab.evil(VALUE));
		CREATE TABLE lab.t (k lab.trap PRIMARY KEY, o lab.trap);
		CREATE VIEW lab.v AS SELECT 'x'::text AS k, lab.evil('x') AS o;
		GRANT ALL ON ALL TABLES IN SCHEMA lab TO PUBLIC`)
	runs := ask[int](s, super, "SELECT count(*) FROM retention.run")
	for _, sql := range []string{
		`SELECT retention.place_hold('lab.t', 'x', 'x')`,
		`SELECT retention.place_hold('lab.t', '{"o": "x"}', 'x')`,
		`SELECT retention.place_hold('lab.v', '{"o": "x"}', 'x')`,
		`SELECT retention.place_hold('lab.v', '{"k": "x"}', 'x')`,
		`CREATE TEMP TABLE t (k lab.trap PRIMARY KEY);
		GRANT ALL ON t TO PUBLIC;
		SELECT retention.place_hold(
			(SELECT nspname || '.t' FROM pg_namespace WHERE oid = pg_my_temp_schema()), 'x', 'x')`,
		`SELECT retention.place_hold('pg_catalog.pg_tables', '{"tablename": "x"}', 'x')`,
	} {
		if err := s.try(operator, sql); err == nil || err.Code != "42501" && err.Code != "42809" {
			s.t.Errorf("%s: %v, want SQLSTATE 42501 or 42809", sql, err)
		}
	}
	if n := ask[int](s, super, "SELECT count(*) FROM retention.run"); n != runs {
		s.t.Errorf("retention.run had %d rows before the calls and has %d after, want the same", runs, n)
	}
	if n := ask[int](s, operator,
		"SELECT count(retention._table_rows('lab.t')) + count(retention._table_rows('app.other'))"); n != 0 {
		s.t.Error("_table_rows() returns the size of a table without a policy, want NULL")
	}
}

// shadows checks that temporary objects and session settings of the caller have no effect on
// SECURITY DEFINER functions.
func shadows(s *stage) {
	conn := s.Conn(s.t, operator)
	pgtest.Exec(s.t, conn, `
		CREATE TEMP TABLE note (id bigint, kind text, pinned boolean, at timestamptz);
		CREATE TEMP TABLE run (id bigint);
		CREATE TEMP TABLE pg_class (oid oid);
		CREATE TEMP TABLE hold (id bigint, table_name text);
		CREATE TEMP TABLE policy (name text);
		CREATE FUNCTION pg_temp.now() RETURNS timestamptz
			LANGUAGE sql AS 'SELECT timestamptz ''2099-01-01''';
		CREATE FUNCTION pg_temp.count(bigint) RETURNS bigint
			LANGUAGE sql AS 'SELECT 0::bigint';
		CREATE FUNCTION pg_temp.format(text, text) RETURNS text
			LANGUAGE sql AS 'SELECT ''DROP TABLE app.note''';
		CREATE FUNCTION pg_temp.clock_timestamp() RETURNS timestamptz
			LANGUAGE sql AS 'SELECT timestamptz ''2099-01-01''';
		CREATE TYPE pg_temp.text AS (a int);
		SET search_path = pg_temp, lab, pg_catalog`)
	before := ask[int](s, deploy, "SELECT count(*) FROM app.plain")
	s.as(deploy, "INSERT INTO app.plain SELECT i, now() - i * interval '1 day' FROM generate_series(201, 203) i")
	if due := pgtest.Value[int](s.t, conn, "SELECT due FROM retention.preview('plain')"); due != 3 {
		s.t.Errorf("preview finds %d rows, want 3", due)
	}
	pgtest.Exec(s.t, conn, "CALL retention.run('plain')")
	if after := ask[int](s, deploy, "SELECT count(*) FROM app.plain"); after != before {
		s.t.Errorf("app.plain had %d rows before 3 due rows were added and has %d after the run", before, after)
	}
	pgtest.Exec(s.t, conn, `
		SELECT retention.pause('plain', 'x');
		SELECT retention.resume('plain');
		SELECT * FROM retention.place_hold('app.note', '60', 'x');
		SELECT * FROM retention.health();
		SELECT * FROM retention.status;
		SELECT * FROM retention.metrics`)
}
