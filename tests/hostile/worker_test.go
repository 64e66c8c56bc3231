package hostile

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// evilSchema creates tables on which a policy executes code of a trusted role: in its condition,
// triggers, a default, a check and an index. All this code executes the statements in evil.todo.
const evilSchema = `
	CREATE SCHEMA evil;
	GRANT USAGE ON SCHEMA evil TO public;
	CREATE TABLE evil.todo (sql pg_catalog.text);
	GRANT SELECT ON evil.todo TO public;
	CREATE FUNCTION evil.escape() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE s pg_catalog.varchar; BEGIN
	    FOR s IN SELECT t.sql FROM evil.todo t LOOP BEGIN EXECUTE s; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP;
	    RETURN true; END $$;
	CREATE FUNCTION evil.escape(bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN evil.escape(); END';
	CREATE FUNCTION evil.fire() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN PERFORM evil.escape(); RETURN coalesce(NEW, OLD); END';
	CREATE FUNCTION evil.witness() RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN RAISE WARNING ''ran as %'', current_user; RETURN true; END';
	CREATE FUNCTION evil.caught() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM evil.witness(); RETURN NULL; END';
	CREATE FUNCTION evil.same(text, text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN evil.witness(); END';
	CREATE FUNCTION evil.same(name, name) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN evil.witness(); END';
	CREATE FUNCTION evil.current_setting(text) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM evil.witness(); RETURN ''pg_catalog, pg_temp''; END';
	CREATE FUNCTION evil.format(text, name) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM evil.witness(); RETURN ''x''; END';
	CREATE OPERATOR evil.= (FUNCTION = evil.same, LEFTARG = text, RIGHTARG = text);
	CREATE OPERATOR evil.<> (FUNCTION = evil.same, LEFTARG = text, RIGHTARG = text);
	CREATE OPERATOR evil.= (FUNCTION = evil.same, LEFTARG = name, RIGHTARG = name);
	CREATE VIEW evil.pg_class AS SELECT c.*, evil.witness() FROM pg_catalog.pg_class c;
	CREATE DOMAIN evil.text AS pg_catalog.text CHECK (evil.witness());
	CREATE DOMAIN evil.jsonb AS pg_catalog.jsonb CHECK (evil.witness());
	CREATE DOMAIN evil.name AS pg_catalog.name CHECK (evil.witness());
	CREATE DOMAIN evil.timestamptz AS pg_catalog.timestamptz CHECK (evil.witness());
	CREATE DOMAIN evil.oid AS pg_catalog.oid CHECK (evil.witness());
	CREATE DOMAIN evil.regclass AS pg_catalog.regclass CHECK (evil.witness());
	CREATE TYPE evil.record AS (a pg_catalog.bool);
	CREATE OPERATOR evil.|| (FUNCTION = evil.same, LEFTARG = text, RIGHTARG = text);
	CREATE FUNCTION evil.witness(int) RETURNS boolean
		LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN evil.witness(); END';
	CREATE DOMAIN evil.code AS varchar CHECK (evil.witness());
	CREATE TABLE item (id bigint PRIMARY KEY, at timestamptz NOT NULL,
		state varchar(9) NOT NULL DEFAULT 'done', code evil.code);
	CREATE INDEX ON item (at) WHERE evil.witness(1);
	CREATE TABLE part (id bigint PRIMARY KEY, item_id bigint REFERENCES item ON DELETE CASCADE);
	CREATE TABLE attic (id bigint, at timestamptz, state varchar(9), code varchar, run_id bigint,
		good boolean DEFAULT evil.escape(), CHECK (evil.escape()));
	CREATE INDEX ON attic (evil.escape(id));
	CREATE TRIGGER a BEFORE DELETE ON item FOR EACH ROW EXECUTE FUNCTION evil.fire();
	CREATE TRIGGER b AFTER DELETE ON part FOR EACH ROW EXECUTE FUNCTION evil.fire();
	CREATE CONSTRAINT TRIGGER c AFTER INSERT ON attic DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
		EXECUTE FUNCTION evil.fire()`

const evilPolicies = `
policies:
  p:
    table: item
    where: "evil.escape()"
    due: {age: {column: at, older_than: 7 days}}
    batch: {rows: 1}
    then:
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [part]}
reports:
  r: {query: "SELECT i.id FROM item i WHERE evil.escape()", alert: "false"}
`

// escapes has statements by which the code might get another role's privileges, separated by ";;".
// :f stands for every function that the worker owns, :r for every role.
var escapes = map[string]string{
	"itself":   "SELECT evil.witness()",
	"SET ROLE": "SET ROLE :r", "SET LOCAL ROLE": "SET LOCAL ROLE :r", "RESET ROLE": "RESET ROLE;;SET ROLE " +
		"NONE;;RESET ALL;;DISCARD ALL",
	"SET SESSION AUTHORIZATION": "SET SESSION AUTHORIZATION :r;;RESET SESSION AUTHORIZATION;;SET SESSION " +
		"AUTHORIZATION DEFAULT",
	"set_config of the role": `SELECT set_config('role', ':r',
		false);;SELECT set_config('session_authorization', ':r', true)`,
	"functions as their caller":  "ALTER FUNCTION :f SECURITY INVOKER",
	"functions with his path":    "ALTER FUNCTION :f SET search_path = evil, pg_catalog",
	"both":                       "ALTER FUNCTION :f SECURITY INVOKER SET search_path = evil, pg_catalog",
	"functions without settings": "ALTER FUNCTION :f RESET ALL",
	"as their caller without":    "ALTER FUNCTION :f SECURITY INVOKER RESET ALL",
	"functions with the worker":  "ALTER FUNCTION :f SECURITY INVOKER SET role = retention_worker",
	"functions as the worker":    "ALTER FUNCTION :f SECURITY INVOKER SET session_authorization = retention_worker",
	"functions as both": `ALTER FUNCTION :f SECURITY INVOKER SET role = retention_worker;;ALTER FUNCTION :f
		SET session_authorization = retention_worker`,
	"functions with a role": `ALTER FUNCTION :f SECURITY INVOKER SET role = retention_owner;;ALTER FUNCTION :f
		SET search_path = evil, pg_catalog`,
	"functions that are strict":    "ALTER FUNCTION :f STRICT",
	"functions that may not write": "ALTER FUNCTION :f IMMUTABLE PARALLEL SAFE SET search_path = evil, pg_catalog",
	"functions of others": `ALTER FUNCTION :f OWNER TO :r;;ALTER FUNCTION :f RENAME TO z;;ALTER FUNCTION :f
		SET SCHEMA evil;;ALTER FUNCTION :f SUPPORT array_subscript_handler`,
	"functions for all": "GRANT EXECUTE ON FUNCTION :f TO public, stranger WITH GRANT OPTION",
	"functions that write": `ALTER FUNCTION :f
		SET transaction_read_only = off;;ALTER FUNCTION :f SECURITY INVOKER`,
	"his path":                  "SET search_path = evil, pg_catalog;;SET SESSION search_path TO evil, pg_catalog",
	"the path as it is":         "SET search_path = pg_catalog, pg_temp",
	"his path once all is over": "SET search_path = evil, pg_catalog; SET LOCAL search_path = pg_catalog, pg_temp",
	"his path, said otherwise": `SELECT set_config('search_path', 'evil, pg_catalog', false),
		set_config('search_path', 'pg_catalog, pg_temp', true);;ALTER FUNCTION :f RESET search_path`,
	"functions that come first": `
		SET LOCAL search_path = evil, pg_catalog;
		DO $$ DECLARE f pg_catalog.varchar; BEGIN FOR f IN SELECT pg_catalog.format('SELECT retention.%I(%s)',
			p.proname, pg_catalog.array_to_string(pg_catalog.array_fill('NULL'::pg_catalog.text,
			ARRAY[p.pronargs::int4]), ', ')) FROM pg_catalog.pg_proc p
			JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
			WHERE n.nspname OPERATOR(pg_catalog.=) 'retention' AND p.proconfig IS NULL AND p.pronargs > 0
			AND p.proname OPERATOR(pg_catalog.<>) 'r_report' LOOP BEGIN EXECUTE f; EXCEPTION WHEN OTHERS
			THEN NULL; END; END LOOP; END $$;
		SET LOCAL search_path = pg_catalog, public, pg_temp`,
	"replication": "SET session_replication_role = replica;;SET LOCAL session_replication_role = replica",
	"messages":    "SET lc_messages = 'C';;SET log_statement = 'none';;SET log_min_messages = 'panic'",
	"libraries": "SET local_preload_libraries = 'evil';;SET session_preload_libraries = 'evil';;LOAD 'evil';;SET " +
		"dynamic_library_path = '/tmp'", "settings that others parse by": "SET standard_conforming_strings = " +
		"off;;SET quote_all_identifiers = on;;SET check_function_bodies = off;;SET row_security = on;;SET " +
		"transform_null_equals = on",
	"writing where it looks": `
		SET transaction_read_only = off;
		UPDATE item SET at = '2999-01-01';;RESET transaction_read_only;
		UPDATE retention.policy SET hash = '';;SET transaction_read_only TO DEFAULT;
		INSERT INTO item VALUES (9, '2999-01-01')`,
	"a trigger put off where it looks": `
		RESET transaction_read_only;
		CREATE TEMP TABLE q (x int);
		CREATE CONSTRAINT TRIGGER d AFTER INSERT ON q DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			EXECUTE FUNCTION evil.caught();
		INSERT INTO q VALUES (1)`,
	"its trigger put off anew": "SET CONSTRAINTS ALL DEFERRED;;SET CONSTRAINTS ALL IMMEDIATE",
	"tables in the way": `
		RESET transaction_read_only;
		CREATE TEMP VIEW pg_class AS SELECT c.*, evil.witness()
			FROM pg_catalog.pg_class c;;RESET transaction_read_only;
		CREATE TEMP VIEW policy AS SELECT p.*, evil.witness() FROM retention.policy p;
		CREATE TEMP VIEW run AS SELECT evil.witness();
		GRANT ALL ON pg_temp.run TO public`,
	"types in the way": `
		RESET transaction_read_only;
		CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (evil.witness());
		CREATE DOMAIN pg_temp.jsonb AS pg_catalog.jsonb CHECK (evil.witness());
		CREATE FUNCTION pg_temp.now() RETURNS timestamptz
			LANGUAGE sql AS 'SELECT pg_catalog.now() FROM evil.witness()'`,
	"objects of the runtime": `CREATE FUNCTION retention._pin(int) RETURNS void
		LANGUAGE sql AS '';;CREATE TABLE retention.z ();;CREATE OPERATOR retention.= (FUNCTION = evil.same,
		LEFTARG = text, RIGHTARG = text);;CREATE FUNCTION pg_catalog.z() RETURNS void
		LANGUAGE sql AS '';;CREATE SCHEMA z`,
	"functions anew": "CREATE OR REPLACE FUNCTION retention._check_search_path() RETURNS void " +
		"LANGUAGE sql AS '';;CREATE OR REPLACE FUNCTION retention._execute_as_worker(text, jsonb, text) RETURNS " +
		"jsonb LANGUAGE sql SECURITY INVOKER AS 'SELECT to_jsonb(evil.witness())';;ALTER FUNCTION " +
		"retention._pin(retention.policy) SET search_path = evil;;DROP FUNCTION retention._check_search_path()",
	"a cursor that is held":             "DECLARE c CURSOR WITH HOLD FOR SELECT evil.witness()",
	"a statement under a client's name": "DEALLOCATE kept; PREPARE kept AS SELECT evil.witness()",
	"that statement, and a failure": "DO $$ BEGIN EXECUTE 'DEALLOCATE kept'; EXECUTE 'PREPARE kept AS SELECT " +
		"evil.witness()'; RAISE assert_failure; END $$",
	"the log": `UPDATE retention.run SET message = 'z';;DELETE
		FROM retention.run;;INSERT INTO retention.run (policy) VALUES ('p');;UPDATE retention.batch
		SET taken = 0;;DELETE
		FROM retention.total;;TRUNCATE retention.run CASCADE;;LOCK TABLE retention.run IN ACCESS EXCLUSIVE MODE`,
	"registry and settings": `UPDATE retention.policy SET owns = '{}';;DELETE
		FROM retention.policy;;INSERT INTO retention.setting (policy, name) VALUES ('p', 'paused');;DELETE
		FROM retention.setting;;UPDATE retention.install SET trust = '{stranger,evil}';;DELETE
		FROM retention.job`,
	"holds": `UPDATE retention.hold SET released_at = now();;DELETE
		FROM retention.hold;;SELECT retention.release_hold(1);;SELECT retention.release_hold(h.id)
		FROM retention.hold h;;INSERT INTO retention.hold SELECT h.* FROM retention.hold h
		ON CONFLICT (id) DO UPDATE SET released_at = now()`,
	"functions of operators": `SELECT retention.pause('p',
		'z');;SELECT retention.accept('p');;SELECT retention.adopt();;SELECT retention.place_hold('item', '7',
		'z');;SELECT retention.set_window('p', '1 s', 'z');;SELECT retention.restore('p', 1)`,
	"functions of the owner": "SELECT retention._register('{}');;SELECT " +
		"retention._drop_policy('p');;SELECT retention._apply_privileges();;SELECT retention._change_setting('p', " +
		"'paused', NULL, 'z');;SELECT retention._finish(1, 'done');;SELECT retention._finish(r.id, 'failed', " +
		"'XX000', 'z') FROM retention.run r;;SELECT retention._step(r.id) FROM retention.run r;;SELECT " +
		"retention._begin(('p', NULL, NULL, NULL, NULL, NULL, false, NULL))",
	"the worker for others": "GRANT retention_worker TO stranger;;GRANT stranger TO " +
		"retention_worker;;GRANT :r TO retention_worker;;GRANT retention_worker TO CURRENT_USER WITH ADMIN OPTION",
	"privileges for others": "GRANT ALL ON ALL TABLES IN SCHEMA retention TO stranger;;GRANT ALL ON " +
		"ALL FUNCTIONS IN SCHEMA retention TO stranger;;GRANT ALL ON SCHEMA retention TO retention_worker;;ALTER " +
		"DEFAULT PRIVILEGES IN SCHEMA retention GRANT ALL ON TABLES TO stranger",
	"roles": `ALTER ROLE retention_worker SUPERUSER;;ALTER ROLE :r PASSWORD 'z';;ALTER ROLE retention_owner
		SET search_path = evil;;ALTER ROLE retention_worker CREATEROLE;;CREATE ROLE z;;ALTER DATABASE :db
		SET search_path = evil;;ALTER ROLE ALL SET search_path = evil;;ALTER SYSTEM SET work_mem = '1MB'`,
	"programs and files": "COPY retention.policy TO PROGRAM 'true';;COPY evil.todo FROM PROGRAM " +
		"'true';;SELECT pg_read_file('PG_VERSION');;SELECT lo_import('/etc/passwd');;SELECT pg_ls_dir('.');;CREATE " +
		"EXTENSION dblink;;CREATE EXTENSION file_fdw",
	"triggers": `CREATE EVENT TRIGGER z ON ddl_command_end
		EXECUTE FUNCTION evil.caught();;CREATE TRIGGER z AFTER INSERT ON retention.run
		EXECUTE FUNCTION evil.caught();;CREATE TRIGGER z AFTER INSERT ON retention.undo
		EXECUTE FUNCTION evil.caught();;CREATE RULE z AS ON INSERT TO retention.run DO ALSO
		SELECT evil.witness()`,
	"ends of transactions": "COMMIT;;ROLLBACK;;DO 'BEGIN COMMIT; END';;DO 'BEGIN ROLLBACK; " +
		"END';;CALL retention.run('p');;CALL retention._run_all('{p}', (NULL, NULL, NULL, NULL, NULL, NULL, false, " +
		"NULL), false, NULL)",
	"what sessions have": "LISTEN pgretain;;NOTIFY pgretain, 'z';;SELECT lo_create(0);;SELECT " +
		"pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid <> pg_backend_pid();;DISCARD TEMP;;DISCARD " +
		"PLANS;;LOCK TABLE retention.hold",
	"a failure where others catch errors": "DO $$ BEGIN PERFORM set_config('search_path', 'evil, pg_catalog', " +
		"false); RAISE query_canceled; END $$",
}

// runsAtCommit has the escapes whose code runs at COMMIT, as the role that drives the run. That is
// the runner, who has no more privileges.
var runsAtCommit = map[string]bool{"a cursor that is held": true, "a trigger put off where it looks": true,
	"its trigger put off anew": true}

const protectedRows = `
	SELECT 'log ' || to_jsonb(r)::text FROM retention.run r WHERE r.reason = 'ours' UNION ALL
		SELECT 'log of others ' || count(*) FROM retention.run r WHERE coalesce(r.reason, '') NOT IN ('ours',
		'again')
	UNION ALL SELECT 'registry ' || md5(to_jsonb(p)::text) FROM retention.policy p UNION ALL
		SELECT 'setting ' || to_jsonb(s)::text FROM retention.setting s
	UNION ALL SELECT 'install ' || to_jsonb(i)::text FROM retention.install i UNION ALL
		SELECT 'hold ' || to_jsonb(h)::text FROM retention.hold h
	UNION ALL SELECT concat_ws(' ', 'routine', p.oid::regprocedure, md5(p.prosrc), p.proowner::regrole, CASE
		WHEN p.proowner <> 'retention_worker'::regrole THEN concat_ws(' ', p.prosecdef, p.proconfig, p.proacl)
		END) FROM pg_proc p WHERE p.pronamespace = 'retention'::regnamespace
	UNION ALL SELECT concat_ws(' ', 'relation', c.oid::regclass, c.relowner, c.relacl, c.relhastriggers,
		c.relhasrules) FROM pg_class c WHERE c.relnamespace = 'retention'::regnamespace
	UNION ALL SELECT concat_ws(' ', 'role', r.rolname, r.rolsuper, r.rolcreaterole, r.rolcanlogin,
		ARRAY(SELECT m.roleid::regrole FROM pg_auth_members m WHERE m.member = r.oid ORDER BY 1))
		FROM pg_roles r WHERE r.rolname LIKE 'retention%' OR r.rolname = 'stranger'
	UNION ALL SELECT concat_ws(' ', 'schema', n.nspname, n.nspacl) FROM pg_namespace n
		WHERE n.nspname !~ '^pg_' UNION ALL SELECT 'event trigger ' || e.evtname FROM pg_event_trigger e
	UNION ALL SELECT 'setting of all ' || s.setconfig::text FROM pg_db_role_setting s
		JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database() ORDER BY 1`

// readOnlyCalls has the calls of users who change nothing, in one session, and statements that they
// might execute after them.
var readOnlyCalls = []string{"SELECT * FROM retention.preview('p')", `SELECT * FROM retention.why('p', '{"id": 2}')`,
	"SELECT retention.row_statistics('p', now(), '{}', 100)",
	"SELECT retention._plans('{p}', true)",
	"SELECT * FROM retention.blast_radius('p')",
	"SELECT * FROM retention.backlog", "SELECT * FROM retention.report_rows('r')",
	"SELECT retention._count('p', now(), 10)",
	"SELECT * FROM retention.status",
	"SELECT retention.health()",
	"SELECT retention._held_rows('p', now())",
	"SELECT retention._lost_rows(9)",
	"SELECT retention._table_rows('public.item')",
	"SELECT 'a'::pg_catalog.text = 'b', 'a'::pg_catalog.name = 'b', count(*) FROM pg_class",
	"DO $$ DECLARE x text := 'y'; z jsonb; BEGIN IF x <> 'z' THEN NULL; END IF; END $$", "kept"}

var ranAs = regexp.MustCompile(`^ran as (.*)$`)

// TestUserCodeRunsOnlyAsTheWorker checks that code of a trusted role runs as the worker, whatever
// it executes. The owner, the runner, and a superuser who calls read-only functions execute nothing
// that the code leaves behind.
func TestUserCodeRunsOnlyAsTheWorker(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, evilSchema, evilPolicies)
	in.Exec(t, `DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object OR unique_violation
		THEN NULL; END $$;
		GRANT ALL ON SCHEMA evil TO stranger;
		DO $$ DECLARE f regprocedure;
		BEGIN
			FOR f IN SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'evil'::regnamespace LOOP
				EXECUTE format('ALTER FUNCTION %s OWNER TO stranger', f);
			END LOOP;
		END $$;
		-- cascades run as the owner of part, from PostgreSQL 18 on AFTER triggers too
		UPDATE retention.install SET trust = '{stranger}';
		INSERT INTO item VALUES (1, '2999-01-01');
		GRANT SELECT ON evil.todo TO stranger;
		ALTER TABLE part OWNER TO stranger`)
	in.Exec(t, "CALL retention.run('p', '2000-01-01', 'ours')")
	if err := in.Operator("SELECT retention.place_hold('item', '1', 'ours')"); err != nil {
		t.Fatal(err)
	}
	w := witnessSession{t: t, in: in, heard: map[string]int{}}
	w.session("retention_operator", `SELECT retention.place_hold('item', '{"code": "x"}', 'ours')`)
	if w.heard["retention_operator"] == 0 {
		t.Error("the witness function did not run when a hold was placed")
	}
	defined := func() []string {
		return pgtest.Column[string](t, in, `SELECT pg_get_functiondef(p.oid) FROM pg_proc p
			WHERE p.proowner = 'retention_worker'::regrole AND p.pronamespace = 'retention'::regnamespace
			ORDER BY p.oid`)
	}
	define := defined()
	heard := map[string]int{}
	backwards := slices.Clone(readOnlyCalls)
	slices.Reverse(backwards[:len(readOnlyCalls)-3]) // the last three are statements of users
	for _, name := range slices.Sorted(maps.Keys(escapes)) {
		sql := escapes[name]
		before := pgtest.Column[string](t, in, protectedRows)
		in.Exec(t, `INSERT INTO evil.todo SELECT DISTINCT ON (u.n, x) x FROM unnest(string_to_array($1, ';;'))
			WITH ORDINALITY u (s, n),
			LATERAL (SELECT replace(replace(u.s, ':db', current_database()), ':f', p.oid::regprocedure::text)
				FROM pg_proc p WHERE p.proowner = 'retention_worker'::regrole
				AND p.pronamespace = 'retention'::regnamespace) y (y),
			LATERAL (SELECT replace(y.y, ':r', r) FROM unnest('{retention_owner,retention_runner,retention_operator,
				retention_worker,stranger,kit_migrator,postgres}'::text[]) r) z (x)`, sql)
		w := witnessSession{t: t, in: in, escape: name, heard: heard}
		w.session("retention_runner", w.runs()...)
		rows := func() []string {
			return pgtest.Column[string](t, in,
				"SELECT i::text FROM item i UNION ALL SELECT a::text FROM attic a ORDER BY 1")
		}
		rowsBefore := rows()
		w.session("retention_operator", readOnlyCalls...)
		// in reverse order, so that each call comes after each other call in one of the two
		// sessions
		w.session("postgres", backwards...)
		if diff := cmp.Diff(rowsBefore, rows()); diff != "" {
			t.Errorf("%s: a read-only call changed rows (-before +after):\n%s", name, diff)
		}
		w.session("retention_runner", w.runs()...)
		if diff := cmp.Diff(before, pgtest.Column[string](t, in, protectedRows)); diff != "" {
			t.Errorf("%s: the code changed protected state (-before +after):\n%s", name, diff)
		}
		in.Exec(t, "TRUNCATE evil.todo")
		if !slices.Equal(define, defined()) {
			for _, function := range define {
				in.Exec(t, function)
			}
			w.session("postgres", readOnlyCalls...)
		}
		if o := in.Run("p", noon); o.State != "done" {
			t.Errorf("after %s a run ended %s: %s", name, o.State, o.Message)
		}
	}
	if len(heard) != 3 {
		t.Errorf("the witness function ran in sessions of %v, want 3 roles", heard)
	}
}

// witnessSession opens sessions and records the role as which the witness function ran, from its
// warnings.
type witnessSession struct {
	t      *testing.T
	in     *kit.Installed
	escape string
	heard  map[string]int // number of warnings, by the session's role
}

func (w witnessSession) runs() []string {
	w.in.Exec(w.t, `
		INSERT INTO item SELECT i, '2024-01-01' FROM generate_series(2, 3) i ON CONFLICT (id) DO UPDATE
			SET at = excluded.at;
		INSERT INTO part SELECT i, i FROM generate_series(2, 3) i ON CONFLICT DO NOTHING`)
	run := "CALL retention.run('p', '" + noon + "', 'again')"
	return []string{run, "CALL retention.run('r', reason => 'again')", run}
}

// session executes statements in a new session of a role. Statements may fail.
func (w witnessSession) session(role string, statements ...string) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(w.in.URL(""))
	if err != nil {
		w.t.Fatal(err)
	}
	now := ""
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		ran := ranAs.FindStringSubmatch(n.Message)
		if ran != nil {
			w.heard[role]++
		}
		if ran != nil && ran[1] != "retention_worker" && ran[1] != "stranger" &&
			!(role == "retention_runner" && ran[1] == role && runsAtCommit[w.escape]) {
			w.t.Errorf("%s: in a session of %s the witness function ran as %s during %s", w.escape, role, ran[1], now)
		}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Prepare(ctx, "kept", "SELECT true"); err != nil {
		w.t.Fatal(err)
	}
	pgtest.Exec(w.t, conn, "SET SESSION AUTHORIZATION "+role)
	for _, now = range statements {
		_, _ = conn.Exec(ctx, now)
	}
}
