package hostile

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// privileges has for each test the statement that gives role :r one privilege, and the name of the
// role if it is a role of pgretain.
var privileges = map[string]struct{ grant, role string }{
	"nothing":            {"", ""},
	"runner":             {"", "retention_runner"},
	"operator":           {"", "retention_operator"},
	"viewer":             {"", "retention_viewer"},
	"a guard's table":    {"ALTER TABLE cases OWNER TO :r; GRANT SELECT ON cases TO public", ""},
	"a view's table":     {"ALTER TABLE users OWNER TO :r; GRANT SELECT ON users TO public", ""},
	"a guard's view":     {"ALTER VIEW vips OWNER TO :r; GRANT SELECT ON users TO :r", ""},
	"the archive":        {"ALTER TABLE attic OWNER TO :r", ""},
	"what cascades take": {"ALTER TABLE part OWNER TO :r", ""},
	"a type":             {"ALTER TYPE mood OWNER TO :r", ""},
	"a function":         {"ALTER FUNCTION tools.plain(numeric) OWNER TO :r", ""},
	"a schema":           {"ALTER SCHEMA tools OWNER TO :r", ""},
	"TRIGGER":            {"GRANT TRIGGER ON ALL TABLES IN SCHEMA public TO :r", ""},
	"REFERENCES":         {"GRANT REFERENCES ON ALL TABLES IN SCHEMA public TO :r", ""},
	"CREATE":             {"GRANT CREATE ON SCHEMA public TO :r", ""},
	"CREATE elsewhere":   {"GRANT CREATE ON SCHEMA tools TO :r", ""},
	"CREATE on database": {"GRANT CREATE ON DATABASE :db TO :r", ""},
	"a column":           {"GRANT UPDATE (mood), INSERT (id, at, state) ON item TO :r", ""},
}

// roleObjects creates what each tested role has: its own schema with functions. A function advances
// sequence seen.mark if another role executes it, and no rollback undoes that.
const roleObjects = `
	CREATE SCHEMA own AUTHORIZATION :r; GRANT USAGE ON SCHEMA own TO public; GRANT USAGE ON SCHEMA public, tools TO :r;
	CREATE SCHEMA seen;
	GRANT USAGE ON SCHEMA seen TO public;
	CREATE SEQUENCE seen.mark;
	GRANT ALL ON seen.mark TO public;
	SET ROLE :r;
	CREATE FUNCTION own.yes() RETURNS boolean LANGUAGE plpgsql AS '
		BEGIN IF current_user <> '':r'' THEN PERFORM nextval(''seen.mark''); END IF; RETURN true; END';
	CREATE FUNCTION own.yes(bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN own.yes(); END';
	CREATE FUNCTION own.same(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN own.yes(); END';
	CREATE FUNCTION own.words(mood) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM own.yes(); RETURN ''x''; END';
	CREATE FUNCTION own.fire() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN PERFORM own.yes(); RETURN coalesce(NEW, OLD); END';
	RESET ROLE`

// plantStatements returns statements that attach the role's functions to objects that a policy
// uses, or to objects of these schemas. They cover all kinds of objects that contain code.
func plantStatements(schemas ...string) []string {
	var list []string
	for _, table := range []string{"item", "part", "cases", "users", "vips", "attic", "spare"} {
		for _, when := range []string{"BEFORE", "AFTER", "INSTEAD OF"} {
			for _, event := range []string{"INSERT", "UPDATE", "DELETE", "TRUNCATE"} {
				for _, each := range []string{"ROW", "STATEMENT"} {
					list = append(list, fmt.Sprintf(`CREATE TRIGGER z%d %s %s ON public.%s FOR EACH %s
						EXECUTE FUNCTION own.fire()`, len(list), when, event, table, each))
				}
			}
		}
		for _, event := range []string{"INSERT", "UPDATE", "DELETE"} {
			list = append(list, fmt.Sprintf("CREATE RULE z_%s AS ON %[1]s TO public.%s DO ALSO SELECT own.yes()",
				event, table))
		}
		for _, statement := range []string{
			`CREATE CONSTRAINT TRIGGER z_late AFTER INSERT OR DELETE ON public.%s DEFERRABLE INITIALLY DEFERRED
				FOR EACH ROW EXECUTE FUNCTION own.fire()`,
			`CREATE TRIGGER z_when AFTER DELETE ON public.%s FOR EACH STATEMENT WHEN (own.yes())
				EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
			"ALTER TABLE public.%s ADD CHECK (own.yes()) NOT VALID",
			`ALTER TABLE public.%s
				ADD z1 boolean DEFAULT own.yes()`,
			"ALTER TABLE public.%s ALTER id SET DEFAULT own.yes()::int",
			"ALTER TABLE public.%s ADD z2 boolean GENERATED ALWAYS AS (own.yes(1)) STORED",
			"CREATE INDEX ON public.%s (own.yes(id))",
			"CREATE INDEX ON public.%s (id) WHERE own.yes(id)",
			"CREATE STATISTICS own.st (mcv) ON (own.yes(id)), id FROM public.%s", "ALTER TABLE public.%s ENABLE ROW " +
				"LEVEL SECURITY, FORCE ROW LEVEL SECURITY", "CREATE POLICY z ON public.%s USING (own.yes())",
			"CREATE TABLE own.of_%s (z boolean DEFAULT own.yes()) INHERITS (public.%[1]s)",
			`
				CREATE TABLE own.to_%s (r bigint REFERENCES public.%[1]s ON DELETE CASCADE);
				CREATE TRIGGER z AFTER DELETE ON own.to_%[1]s EXECUTE FUNCTION own.fire()`,
			"ALTER TABLE public.%s RENAME TO z; CREATE VIEW public.%[1]s AS SELECT * FROM public.z WHERE own.yes()",
			"CREATE OR REPLACE VIEW public.%s AS SELECT id, item_id FROM public.users WHERE own.yes()",
			"ALTER TABLE public.%s REPLICA IDENTITY FULL",
			"ALTER TABLE public.%s OWNER TO CURRENT_USER",
			"ALTER TABLE public.%s SET SCHEMA own",
			"DROP TABLE public.%s CASCADE",
			"TRUNCATE public.%s CASCADE",
			"GRANT ALL ON public.%s TO CURRENT_USER", "SECURITY LABEL ON TABLE public.%s IS 'z'",
		} {
			list = append(list, fmt.Sprintf(statement, table))
		}
	}
	for _, schema := range schemas {
		for _, statement := range []string{
			`CREATE FUNCTION %s.upper(varchar) RETURNS text
				LANGUAGE plpgsql AS 'BEGIN PERFORM own.yes(); RETURN ''DONE''; END'`,
			`CREATE FUNCTION %s.plain(bigint) RETURNS boolean
					LANGUAGE plpgsql AS 'BEGIN RETURN own.yes(); END'`,
			`CREATE OR REPLACE FUNCTION %s.plain(numeric) RETURNS boolean
				LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN own.yes(); END'`,
			"CREATE OPERATOR %s.= (FUNCTION = own.same, LEFTARG = varchar, RIGHTARG = varchar)",
			`CREATE FUNCTION %s._cutoff(text, timestamptz) RETURNS timestamptz
				LANGUAGE plpgsql AS 'BEGIN PERFORM own.yes(); RETURN now(); END'`,
			"CREATE DOMAIN %s.varchar AS text CHECK (own.yes())",
			"CREATE TYPE %s.text AS (a int)",
			"CREATE TABLE %s.cases (item_id bigint, open boolean)",
			`CREATE VIEW %s.item AS SELECT 1 AS id
				WHERE own.yes()`,
			"CREATE AGGREGATE %s.sum(bigint) (SFUNC = int8pl, STYPE = bigint)",
			"ALTER SCHEMA %s RENAME TO z",
			"ALTER SCHEMA %s OWNER TO CURRENT_USER",
			"DROP SCHEMA %s CASCADE",
			"GRANT ALL ON SCHEMA %s TO CURRENT_USER",
			"CREATE COLLATION %s.\"C\" (provider = libc, locale = 'POSIX')",
		} {
			if schema != "own" || !removesObject.MatchString(statement) {
				list = append(list, fmt.Sprintf(statement, schema))
			}
		}
	}
	return append(list,
		"CREATE CAST (public.mood AS text) WITH FUNCTION own.words(public.mood) AS IMPLICIT",
		"CREATE CAST (public.mood AS varchar) WITH INOUT AS IMPLICIT",
		"ALTER TYPE public.mood ADD VALUE 'z'",
		"ALTER TYPE public.mood RENAME VALUE 'calm' TO 'tame'",
		"ALTER TYPE public.mood RENAME TO z",
		"ALTER FUNCTION tools.plain(numeric) SECURITY DEFINER",
		"CREATE EVENT TRIGGER z ON ddl_command_end EXECUTE FUNCTION own.fire()",
		"CREATE PUBLICATION z FOR ALL TABLES",
		"ALTER DATABASE :db SET search_path = own, public",
		"ALTER SYSTEM SET search_path = 'own'",
		"CREATE EXTENSION hstore SCHEMA public",
		"CREATE OPERATOR CLASS own.ops DEFAULT FOR TYPE bigint USING hash AS OPERATOR 1 =",
		"ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO public",
		"SET ROLE retention_owner",
		"SET ROLE retention_runner",
		"SET ROLE shop_deploy",
		"CREATE SCHEMA z",
		"CREATE SCHEMA tool",
	)
}

// forbiddenStatements returns statements on all objects of the runtime's schema. They call every
// function with dangerous values and try every kind of change.
func forbiddenStatements(t *testing.T, in *kit.Installed) []string {
	list := pgtest.Column[string](t, in, `
		SELECT format('SELECT retention.%I(%s)', p.proname, coalesce((SELECT string_agg(CASE
		    WHEN y.v IS NULL THEN 'NULL' ELSE format('%L', y.v) END || '::' || format_type(a.type, NULL), ', '
		    	ORDER BY a.n)
		    FROM unnest(p.proargtypes) WITH ORDINALITY a (type, n) LEFT JOIN (VALUES
		        ('text', '{p,item,%,public.item}'::text[]), ('bigint', '{1,-1,0,9223372036854775807}'),
		        	('integer', '{1,-1,0,2147483647}'),
		        ('timestamp with time zone', '{now,infinity,2999-01-01,2000-01-01}'),
		        	('interval', '{1 s,-1 day,0,100 years}'),
		        ('jsonb', '{"{}","[]","{\"id\": 1}","null"}'), ('boolean', '{true,false,true,false}'),
		        	('oid', '{0,1259,1255,1262}'),
		        ('text[]', '{"{}","{p}","{item}","{NULL}"}'), ('bigint[]', '{"{}","{1}","{-1}","{NULL}"}'),
		        	('oid[]', '{"{}","{1259}","{0}","{NULL}"}'),
		        ('tid[]', '{"{}","{\"(0,1)\"}","{\"(0,2)\"}","{NULL}"}'),
		        	('retention.request',
		        	'{"(p,,,,,,f,)","(p,2000-01-01,,,,,t,)","(,,,,,,,)","(p,,\"1 s\",,,,,)"}')) x (type, v)
		        ON x.type = format_type(a.type, NULL) LEFT JOIN LATERAL (SELECT x.v[k.k] AS v) y ON true), ''))
		FROM pg_proc p CROSS JOIN generate_series(1, 3) k (k)
		WHERE p.pronamespace = 'retention'::regnamespace AND p.prokind = 'f' AND p.proname NOT IN ('pause')
		UNION
		SELECT format(x, 'retention', c.relname) FROM pg_class c CROSS JOIN unnest(ARRAY[
		    'INSERT INTO %I.%I DEFAULT VALUES',
		    'DELETE FROM %I.%I',
		    'TRUNCATE %I.%I CASCADE',
		    'LOCK TABLE %I.%I IN ROW SHARE MODE',
		    'ALTER TABLE %I.%I RENAME TO z',
		    'ALTER TABLE %I.%I DISABLE TRIGGER ALL',
		    'DROP TABLE %I.%I CASCADE',
		    'CREATE TRIGGER z AFTER INSERT ON %I.%I EXECUTE FUNCTION own.fire()',
		    'GRANT ALL ON %I.%I TO public',
		    'CREATE RULE z AS ON UPDATE TO %I.%I DO ALSO SELECT own.yes()',
		    'COPY %I.%I FROM PROGRAM ''true''']) x
		WHERE c.relnamespace = 'retention'::regnamespace AND c.relkind IN ('r', 'v')
		UNION
		SELECT format('UPDATE retention.%I SET %I = NULL', c.relname, a.attname) FROM pg_class c
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relnamespace = 'retention'::regnamespace AND c.relkind = 'r'
		UNION
		SELECT format(x, p.oid::regprocedure) FROM pg_proc p CROSS JOIN unnest(ARRAY[
		    'ALTER ROUTINE %s RENAME TO z',
		    'ALTER ROUTINE %s SECURITY INVOKER',
		    'ALTER ROUTINE %s SET search_path = own, pg_catalog',
		    'DROP ROUTINE %s',
		    'GRANT ALL ON ROUTINE %s TO public']) x
		WHERE p.pronamespace = 'retention'::regnamespace AND p.proname NOT IN ('_cron_jobs', '_cron_attempts')
		ORDER BY 1`)
	return append(list, "CALL retention.run('p', '2999-01-01')", "CALL retention.run('p', '2000-01-01')",
		"CALL retention.run('p', older_than => '1 s')", "CALL retention.run_job('p')",
		"CALL retention._drive(('p',NULL,NULL,NULL,NULL,NULL,false,NULL), NULL)",
		"CALL retention._run_all('{p}', ('p',NULL,NULL,NULL,NULL,NULL,false,NULL), false, NULL)")
}

// protectedState lists what no role may change: rows that are not due or are kept, holds, the log
// of other runs, the runtime and the privileges. Only an operator may release holds.
const protectedState = `
	SELECT 'row ' || i.id FROM public.item i WHERE i.id IN (2, 3) OR i.id = 4 AND NOT $1 OR i.id > 30
	UNION ALL SELECT 'hold ' || h.table_name || h.match FROM retention.hold h WHERE h.reason = 'ours'
		AND NOT $1 AND h.released_at IS NULL
	UNION ALL SELECT 'run ' || to_jsonb(r)::text FROM retention.run r WHERE r.reason = 'ours'
	UNION ALL SELECT 'policy ' || md5((to_jsonb(p))::text) FROM retention.policy p
	UNION ALL SELECT 'routine ' || md5(string_agg(concat_ws(' ', p.oid::regprocedure, md5(p.prosrc),
		p.proowner, p.prosecdef, p.proconfig, p.proacl), ';' ORDER BY p.oid)) FROM pg_proc p
	    WHERE p.pronamespace = 'retention'::regnamespace
	UNION ALL SELECT 'relation ' || md5(string_agg(concat_ws(' ', c.oid::regclass, c.relowner, c.relacl,
		c.relhastriggers, c.relhasrules), ';' ORDER BY c.oid)) FROM pg_class c
	    WHERE c.relnamespace = 'retention'::regnamespace
	ORDER BY 1`

// TestRolesWithOnePrivilege checks a role that tries all statements while a run is between two
// batches. No other role executes the role's functions. Rows that no policy takes, holds, log and
// runtime stay unchanged.
func TestRolesWithOnePrivilege(t *testing.T) {
	t.Parallel()
	for name, p := range privileges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, baseSchema+"; INSERT INTO item SELECT i, '2999-01-01' FROM generate_series(31, 40) "+
				"i; INSERT INTO cases VALUES (2, true); INSERT INTO users VALUES (1, 3, true)", basePolicies)
			role := p.role
			if role == "" {
				role = "hostile_" + strings.NewReplacer(" ", "_", "'", "").Replace(strings.ToLower(name))
				in.Exec(t, fmt.Sprintf("DO $$ BEGIN CREATE ROLE %s; EXCEPTION WHEN duplicate_object OR "+
					"unique_violation THEN NULL; END $$", role))
			}
			filled := strings.NewReplacer(":r", role, ":db", in.Name)
			in.Exec(t, filled.Replace(roleObjects))
			if err := in.Operator("SELECT retention.place_hold('item', '4', 'ours')"); err != nil {
				t.Fatal(err)
			}
			in.Exec(t, "CALL retention.run('p', '2000-01-01', 'ours')")
			runner := in.Runner()
			for _, sql := range []string{"SELECT retention._begin(('p', '" +
				noon + "', NULL, NULL, NULL, NULL, false, NULL))",
				"SELECT retention._step(max(id)) FROM retention.run",
				"SELECT retention._step(max(id)) FROM retention.run"} {
				pgtest.Exec(t, runner, sql)
			}
			in.Exec(t, filled.Replace(p.grant))
			see := func() []string { return pgtest.Column[string](t, in, protectedState, role == "retention_operator") }
			before := see()
			in.Exec(t, "SELECT setval('seen.mark', 1, false)")

			alone, accepted := in.Conn(t), 0
			conn := in.Conn(t)
			pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+
				role+"; SET statement_timeout = '3s'; SET lock_timeout = '100ms'")
			ran := func() bool { return pgtest.Column[bool](t, in, "SELECT is_called FROM seen.mark")[0] }
			var gone []string // statements that remove objects come last, because later statements need these objects
			schemas := []string{"public", "tools", "retention", "pg_catalog"}
			if name == "nothing" { // every role may do the same in its own schema
				schemas = append(schemas, "own")
			}
			for _, sql := range plantStatements(schemas...) {
				if removesObject.MatchString(sql) {
					gone = append(gone, sql)
					continue
				}
				if observeAlone(alone, role, filled.Replace(sql)) {
					accepted++
				}
				if ran() {
					t.Errorf("another role executed the role's code after %s", sql)
					in.Exec(t, "SELECT setval('seen.mark', 1, false)")
				}
			}
			if strings.Contains(p.grant, "OWNER TO") && accepted <= acceptedWithoutPrivilege {
				t.Errorf("the server accepted only %d statements of an owner", accepted)
			}
			for _, sql := range append(gone, forbiddenStatements(t, in)...) {
				try(conn, filled.Replace(sql), role)
			}
			observe(t, in, p.grant == "")
			if ran() {
				t.Error("another role executed the role's code")
			}
			if diff := cmp.Diff(before, see()); diff != "" {
				t.Errorf("the role changed protected state (-before +after):\n%s", diff)
			}
		})
	}
}

// acceptedWithoutPrivilege is the number of plantStatements outside its own schema that the server
// accepts from a role without privileges.
const acceptedWithoutPrivilege = 4

var removesObject = regexp.MustCompile(`^(DROP|TRUNCATE)|RENAME|SET SCHEMA|OWNER TO`)

// try executes a statement in a session of the role, and resets the session's role after it. The
// server refuses most statements.
func try(conn *pgx.Conn, sql, role string) {
	_, _ = conn.Exec(context.Background(), sql)
	_, _ = conn.Exec(context.Background(), "RESET ROLE; SET SESSION AUTHORIZATION "+role)
}

// observerCalls has the calls that users and batches would make after a statement of the role, each
// as a role of pgretain.
var observerCalls = []struct{ role, sql string }{
	{"retention_operator", "SELECT retention.preview('p')"}, {"retention_operator",
		"SELECT retention.blast_radius('p')"}, {"retention_operator", `SELECT retention.why('p', '{"id": 9}')`},
	{"retention_viewer", "SELECT retention.row_statistics('p', now(), '{}', 100)"}, {"retention_viewer",
		"SELECT * FROM retention.backlog"}, {"retention_viewer", "SELECT retention._plans('{p}', true)"},
	{"retention_viewer", "SELECT * FROM retention.metrics"}, {"retention_operator",
		"SELECT retention.place_hold('item', '{\"state\": \"x\"}', 'more')"},
	{"retention_operator",
		"SELECT retention._held_rows('p', now())"},
	{"retention_owner", "SELECT retention._batch(p, jsonb_populate_record(retention._batch_range('" +
		noon + "'::timestamptz), '{\"pass\": 1}'), 5, false, false) FROM retention.policy p; SET CONSTRAINTS ALL " +
		"IMMEDIATE"},
	{"retention_owner", "SELECT retention._batch(p, jsonb_populate_record(retention._batch_range('" +
		noon + "'::timestamptz), '{\"pass\": 1}'), 5, false, true) FROM retention.policy p; SET CONSTRAINTS ALL " +
		"IMMEDIATE"},
}

// observeAlone executes one statement of the role and then the observerCalls, and rolls back. It
// reports whether the server accepted the statement.
func observeAlone(conn *pgx.Conn, role, sql string) bool {
	ctx := context.Background()
	defer func() { _, _ = conn.Exec(ctx, "ROLLBACK") }()
	if _, err := conn.Exec(ctx, "BEGIN; SET LOCAL SESSION AUTHORIZATION "+role+"; "+
		sql+"; RESET SESSION AUTHORIZATION"); err != nil {
		return false
	}
	for _, p := range observerCalls {
		_, _ = conn.Exec(ctx, "SAVEPOINT s; SET LOCAL ROLE "+p.role+"; "+p.sql)
		_, _ = conn.Exec(ctx, "ROLLBACK TO s")
	}
	return true
}

// observe does what other users do meanwhile. It continues a run, starts another run, calls
// read-only functions, and verifies. The new run must end done if runs is true.
func observe(t *testing.T, in *kit.Installed, runs bool) {
	ctx := context.Background()
	_, _ = in.Runner().Exec(ctx, "SELECT retention._step(max(id)) FROM retention.run WHERE state = 'running'")
	_, _ = in.Runner().Exec(ctx, "SELECT retention.mark_abandoned()")
	_ = in.Operator("SELECT retention.resume('p', '')")
	if o := in.Run("p", noon); runs && o.State != "done" {
		t.Errorf("a run ended %s: %s", o.State, o.Message)
	}
	for _, sql := range []string{"SELECT retention.preview('p')", "SELECT retention.blast_radius('p')",
		`SELECT retention.why('p', '{"id": 9}')`, "SELECT retention.health()",
		"SELECT retention.row_statistics('p', now(), '{}', 100)",
		"SELECT * FROM retention.backlog",
		"SELECT retention._plans('{p}', true)",
		"SELECT retention._count('p', now(), 10)",
		"SELECT * FROM retention.status", "SELECT * FROM retention.metrics",
		`SELECT retention.place_hold('item', '{"state": "x"}', 'more')`} {
		_ = in.Operator(sql)
	}
	in.Finding(t, basePolicies, "V050")
}
