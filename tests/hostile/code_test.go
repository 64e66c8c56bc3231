package hostile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const baseSchema = `
	CREATE TYPE mood AS ENUM ('calm', 'angry');
	CREATE SCHEMA tools; GRANT USAGE ON SCHEMA tools TO public;
	CREATE FUNCTION tools.plain(numeric) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
	CREATE TABLE item (id bigint PRIMARY KEY, at timestamptz NOT NULL,
		state varchar(9) NOT NULL DEFAULT 'done', mood mood DEFAULT 'calm');
	CREATE TABLE part (id bigint PRIMARY KEY, item_id bigint REFERENCES item ON DELETE CASCADE, note text);
	CREATE TABLE cases (item_id bigint, open boolean);
	CREATE TABLE users (id bigint PRIMARY KEY, item_id bigint, vip boolean);
	CREATE VIEW vips AS SELECT id, item_id FROM users WHERE vip;
	CREATE TABLE attic (id bigint, at timestamptz, state varchar(9), mood mood, run_id bigint);
	CREATE TABLE spare (id bigint);
	INSERT INTO item SELECT i, '2024-01-01'::timestamptz + i * interval '1 hour' FROM generate_series(1, 30) i;
	INSERT INTO part SELECT i, i FROM generate_series(1, 30) i`

const basePolicies = `
policies:
  p:
    table: item
    where: "t.state = 'done' AND upper(t.state) = 'DONE' AND tools.plain(t.id)"
    due: {age: {column: at, older_than: 7 days}}
    keep:
      case: "EXISTS (SELECT FROM cases c WHERE c.item_id = t.id AND c.open)"
      vip: "EXISTS (SELECT FROM vips v WHERE v.item_id = t.id)"
    batch: {rows: 5}
    budget: {rows: 100000}
    breaker: {fraction: 50%}
    then:
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [part]}
`

// stranger creates a role that is not trusted. Each call of its functions advances a sequence, and
// no rollback undoes that. Where nothing may be written, the functions fail.
const stranger = `
	DO $$ BEGIN CREATE ROLE stranger; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
	CREATE SCHEMA stranger AUTHORIZATION stranger; GRANT USAGE ON SCHEMA stranger TO public;
	GRANT USAGE ON SCHEMA public, tools TO stranger;
	SET ROLE stranger;
	CREATE SEQUENCE stranger.mark; GRANT ALL ON stranger.mark TO public;
	CREATE FUNCTION stranger.yes() RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN true; END';
	CREATE FUNCTION stranger.yes(bigint) RETURNS boolean
		LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN true; END';
	CREATE FUNCTION stranger.same(varchar, varchar) RETURNS boolean
		LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN true; END';
	CREATE FUNCTION stranger.words(mood) RETURNS text
		LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN ''x''; END';
	CREATE FUNCTION stranger.fire() RETURNS trigger
		LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN coalesce(NEW, OLD); END';
	RESET ROLE`

// attacks has the statements that attach code of the stranger to objects that the policy uses.
// message is part of the run's message. runsIfTrusted says that a run would execute the code if the
// stranger were trusted.
var attacks = map[string]struct {
	plant, message string
	runsIfTrusted  bool
}{
	"a guard's table is his": {"ALTER TABLE cases OWNER TO stranger", `table public.cases belongs to role "stranger"`,
		false},
	"his view in place of a guard's table": {`ALTER TABLE cases RENAME TO cases_;
		GRANT CREATE ON SCHEMA public TO stranger;
		SET ROLE stranger;
		CREATE VIEW public.cases AS SELECT 0::bigint AS item_id, stranger.yes() AS open;
		GRANT SELECT ON public.cases TO public;
		RESET ROLE;
		REVOKE CREATE ON SCHEMA public FROM stranger`,
		"function stranger.yes()",
		false},
	"the table of a guard's view": {"ALTER TABLE users OWNER TO stranger",
		`table public.users belongs to role "stranger"`, false},
	"a function in a guard's view": {`
		GRANT stranger TO CURRENT_USER;
		CREATE OR REPLACE VIEW vips AS SELECT id, item_id FROM (SELECT * FROM users WHERE vip UNION ALL
			SELECT 0, 0, true) u WHERE stranger.yes(1::bigint)`,
		"function stranger.yes(bigint)", true},
	"below the table of a guard's view": {`
		CREATE TABLE tools.kid () INHERITS (users);
		ALTER TABLE tools.kid OWNER TO stranger;
		GRANT ALL ON SCHEMA tools TO stranger;
		SET ROLE stranger;
		CREATE INDEX ON tools.kid (id) WHERE stranger.yes(5);
		GRANT SELECT ON tools.kid TO public;
		RESET ROLE;
		REVOKE CREATE ON SCHEMA tools FROM stranger`,
		"function stranger.yes(bigint)", true},
	"a trigger of the table": {`
		GRANT TRIGGER ON item TO stranger;
		SET ROLE stranger;
		CREATE TRIGGER z AFTER DELETE ON item EXECUTE FUNCTION stranger.fire()`,
		"function stranger.fire()", true},
	"a trigger of a cascade": {`
		GRANT TRIGGER ON part TO stranger;
		SET ROLE stranger;
		CREATE TRIGGER z BEFORE DELETE ON part FOR EACH ROW EXECUTE FUNCTION stranger.fire()`,
		"function stranger.fire()",
		true},
	"a trigger of the archive": {`
		GRANT TRIGGER ON attic TO stranger;
		SET ROLE stranger;
		CREATE TRIGGER z AFTER INSERT ON attic FOR EACH ROW EXECUTE FUNCTION stranger.fire()`,
		"function stranger.fire()",
		true},
	"a deferred trigger": {`
		GRANT TRIGGER ON item TO stranger;
		SET ROLE stranger;
		CREATE CONSTRAINT TRIGGER z AFTER DELETE ON item DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			EXECUTE FUNCTION stranger.fire()`,
		"function stranger.fire()",
		true},
	"a predefined role's code": {`
		CREATE TRIGGER z AFTER DELETE ON item EXECUTE FUNCTION stranger.fire();
		ALTER FUNCTION stranger.fire() OWNER TO pg_monitor`,
		`function stranger.fire() belongs to role "pg_monitor"`,
		true},
	"a check of the archive": {"ALTER TABLE attic ADD CHECK (stranger.yes())", "function stranger.yes()", true},
	"a default of the archive": {"ALTER TABLE attic ADD more boolean DEFAULT stranger.yes()",
		"function stranger.yes()", true},
	"an index of the archive": {"CREATE INDEX ON attic (stranger.yes(id))", "function stranger.yes(bigint)", true},
	"a type within a type": {`
		CREATE DOMAIN inner_ AS text;
		CREATE TYPE outer_ AS (a inner_);
		ALTER TABLE attic ADD more outer_;
		ALTER DOMAIN inner_ OWNER TO stranger`,
		"public.inner_", false},
	"an index of the table": {"CREATE INDEX ON item (id) WHERE stranger.yes(5)", "function stranger.yes(bigint)",
		true},
	"an exclusion of the archive": {"ALTER TABLE attic ADD EXCLUDE ((CASE WHEN stranger.yes(id) THEN id END) WITH =)",
		"function stranger.yes(bigint)", true},
	"his publication": {`
		CREATE PUBLICATION his FOR TABLE item;
		GRANT CREATE ON DATABASE :db TO stranger;
		ALTER PUBLICATION his OWNER TO stranger`,
		"", false},
	"a trigger of nobody's code": {`GRANT TRIGGER ON item TO stranger;
		SET ROLE stranger;
		CREATE TRIGGER z AFTER DELETE ON item FOR EACH STATEMENT
		WHEN (query_to_xml('SELECT stranger.yes()', false, false, '') IS NULL)
			EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
		`role "stranger" has TRIGGER on table public.item`,
		true},
	"who may refer to a column": {"GRANT REFERENCES (id) ON item TO stranger",
		`role "stranger" has REFERENCES (id) on table public.item`, false},
	"who may put triggers": {"GRANT ALL ON attic TO public",
		`everybody (PUBLIC) has REFERENCES, TRIGGER on table public.attic`, false},
	"a key of his": {`
		GRANT REFERENCES ON item TO stranger;
		SET ROLE stranger;
		CREATE TABLE stranger.ref (item bigint REFERENCES public.item)`,
		`table stranger.ref belongs to role "stranger"`,
		false},
	"a cascade of his": {`
		GRANT REFERENCES ON item TO stranger;
		SET ROLE stranger;
		CREATE TABLE stranger.ref (item bigint REFERENCES public.item ON DELETE CASCADE);
		CREATE TRIGGER z AFTER DELETE ON stranger.ref EXECUTE FUNCTION stranger.fire()`,
		"function stranger.fire()",
		false},
	"a type of another schema": {`
		CREATE DOMAIN stranger.dom AS text;
		ALTER DOMAIN stranger.dom OWNER TO stranger;
		CREATE TYPE tools.outer_ AS (a stranger.dom);
		ALTER TABLE attic ADD more tools.outer_`,
		"stranger.dom", false},
	"an operator class": {`
		CREATE FUNCTION stranger.cmp(bigint, bigint) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 0';
		ALTER FUNCTION stranger.cmp OWNER TO stranger;
		CREATE OPERATOR CLASS tools.ops FOR TYPE bigint USING btree AS OPERATOR 1 <, OPERATOR 2 <=,
			OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 stranger.cmp(bigint, bigint);
		CREATE INDEX ON attic (id tools.ops)`,
		"function stranger.cmp(bigint,bigint)",
		false},
	"his statistics": {"CREATE STATISTICS st ON id, at FROM item; ALTER STATISTICS st OWNER TO stranger",
		"", false},
	"a cast to his type": {`
		SET ROLE stranger;
		CREATE TYPE stranger.mood AS ENUM ('calm');
		RESET ROLE;
		CREATE CAST (mood AS stranger.mood) WITH INOUT`,
		"", false},
	"his cast to his type": {`
		SET ROLE stranger;
		CREATE TYPE stranger.mood AS ENUM ('calm');
		CREATE FUNCTION stranger.turn(public.mood) RETURNS stranger.mood
			LANGUAGE sql AS 'SELECT NULL::stranger.mood';
		CREATE CAST (public.mood AS stranger.mood) WITH FUNCTION stranger.turn(public.mood) AS IMPLICIT`,
		"", false},
	"his cast of whole rows": {`
		SET ROLE stranger;
		CREATE TYPE pg_temp.nix AS ();
		CREATE FUNCTION pg_temp.turn(item) RETURNS pg_temp.nix LANGUAGE sql AS 'SELECT ROW()::pg_temp.nix';
		CREATE CAST (item AS pg_temp.nix) WITH FUNCTION pg_temp.turn(item)`,
		"", false},
	"his cast to whole rows": {`
		SET ROLE stranger;
		CREATE TYPE stranger.nix AS ();
		CREATE FUNCTION stranger.turn(stranger.nix) RETURNS item LANGUAGE sql AS 'SELECT NULL::item';
		CREATE CAST (stranger.nix AS item) WITH FUNCTION stranger.turn(stranger.nix) AS IMPLICIT`,
		"", false},
	"the type of a column": {`
		ALTER TYPE mood OWNER TO stranger;
		SET ROLE stranger;
		CREATE CAST (mood AS text) WITH FUNCTION stranger.words(mood) AS IMPLICIT`,
		"public.mood", false},
	"a cast of a column's type": {"CREATE CAST (mood AS text) WITH FUNCTION stranger.words(mood) AS IMPLICIT",
		"function stranger.words(public.mood)", false},
	"a cascade from his table": {"ALTER TABLE part OWNER TO stranger", `table public.part belongs to role "stranger"`,
		false},
	"an operator that fits": {`
		GRANT CREATE ON SCHEMA public TO stranger;
		SET ROLE stranger;
		CREATE OPERATOR public.= (FUNCTION = stranger.same, LEFTARG = varchar, RIGHTARG = varchar);
		RESET ROLE;
		REVOKE CREATE ON SCHEMA public FROM stranger`,
		"operator public.=(character varying,character varying)", true},
	"a function that fits": {`
		GRANT CREATE ON SCHEMA public TO stranger;
		SET ROLE stranger;
		CREATE FUNCTION public.upper(varchar) RETURNS text
			LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN ''DONE''; END';
		RESET ROLE;
		REVOKE CREATE ON SCHEMA public FROM stranger`,
		"function public.upper(character varying)",
		true},
	"one of a predefined role": {`
		CREATE FUNCTION public.upper(varchar) RETURNS text
			LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN ''DONE''; END';
		ALTER FUNCTION public.upper(varchar) OWNER TO pg_monitor`,
		`function public.upper(character varying) belongs to role "pg_monitor", which is not trusted, and stands`,
		true},
	"a type beside": {"CREATE DOMAIN public.varchar AS text; ALTER DOMAIN public.varchar OWNER TO stranger",
		"type public.\"varchar\" belongs to role \"stranger\", which is not trusted, and stands", false},
	"a named schema": {`
		GRANT CREATE ON SCHEMA tools TO stranger;
		SET ROLE stranger;
		CREATE FUNCTION tools.plain(bigint) RETURNS boolean
			LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN true; END';
		RESET ROLE;
		REVOKE CREATE ON SCHEMA tools FROM stranger`,
		"function tools.plain(bigint)", true},
	"who may create there": {"GRANT CREATE ON SCHEMA public TO stranger",
		`role "stranger" may create in schema "public"`, false},
	"who may create there: all": {"GRANT CREATE ON SCHEMA tools TO public",
		`everybody (PUBLIC) may create in schema "tools"`, false},
	"the owner of a schema": {"ALTER SCHEMA tools OWNER TO stranger", `schema "tools" belongs to role "stranger"`,
		false},
	"the owner of the database": {"ALTER DATABASE :db OWNER TO stranger",
		`schema "public" belongs to role "pg_database_owner"`, false},
	"a function that is called": {"ALTER FUNCTION tools.plain(numeric) OWNER TO stranger",
		"function tools.plain(numeric)", false},
	"a trigger of another table": {`
		GRANT TRIGGER ON spare TO stranger;
		SET ROLE stranger;
		CREATE TRIGGER z AFTER DELETE ON spare EXECUTE FUNCTION stranger.fire()`,
		"", false},
	"his tables beside": {`
		GRANT CREATE ON SCHEMA public TO stranger;
		SET ROLE stranger;
		CREATE TABLE public.his (id int);
		RESET ROLE;
		REVOKE CREATE ON SCHEMA public FROM stranger;
		ALTER TABLE spare OWNER TO stranger`,
		"",
		false},
}

// TestUntrustedCodeIsNotExecuted checks that no batch, new run or read-only call executes code of a
// role that is not trusted, whichever role calls it. If the role is trusted, the run executes its
// code.
func TestUntrustedCodeIsNotExecuted(t *testing.T) {
	t.Parallel()
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, baseSchema, basePolicies)
			ctx := context.Background()
			in.Exec(t, stranger)
			runner := in.Runner()
			var id int64
			if err := runner.QueryRow(ctx, `SELECT s.run_id
				FROM retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL)) s`,
				noon).Scan(&id); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the start, and the first batch
				if _, err := runner.Exec(ctx, "SELECT retention._step($1)", id); err != nil {
					t.Fatal(err)
				}
			}
			ids := func() []string { return pgtest.Column[string](t, in, "SELECT id::text FROM item ORDER BY id") }
			before := ids()
			in.Exec(t, strings.ReplaceAll(a.plant, ":db", in.Name)+"; RESET ROLE")
			in.Exec(t, "SELECT setval('stranger.mark', 1, false)")
			ran := func() bool { return pgtest.Column[bool](t, in, "SELECT is_called FROM stranger.mark")[0] }
			if _, err := runner.Exec(ctx, "SELECT retention._step($1)", id); err != nil {
				t.Fatal(err)
			}
			if o := in.Last("p"); a.message == "" && o.State != "running" || a.message != "" &&
				(o.State != "tripped" || !strings.Contains(o.Message, a.message)) {
				t.Errorf("after the next batch the run is %s: %s", o.State, o.Message)
			}
			if _, err := runner.Exec(ctx, "SELECT retention.mark_abandoned()"); err != nil {
				t.Fatal(err)
			}
			if a.message == "" {
				in.Done("p", noon)
				return
			}
			if o := in.Run("p", noon); o.State != "tripped" || !strings.Contains(o.Message, a.message) {
				t.Errorf("a new run ended %s: %s, want tripped", o.State, o.Message)
			}
			for _, sql := range []string{"SELECT retention.preview('p')", "SELECT retention.blast_radius('p')",
				`SELECT retention.why('p', '{"id": 9}')`,
				"SELECT retention.row_statistics('p', now(), '{}', 100)",
				"SELECT * FROM retention.backlog",
				"SELECT retention._plans('{p}', true)",
				"SELECT retention._count('p', now(), 10)"} {
				if err := in.Operator(sql); err != nil && strings.Contains(err.Error(), "nextval()") {
					t.Errorf("%s executed code of the stranger", sql)
				}
			}
			if f := in.Finding(t, basePolicies, "V050"); !strings.Contains(f, a.message) && !ownsSeveral(f) {
				t.Errorf("the finding of verify is %q", f)
			}
			if ran() {
				t.Error("code of the stranger was executed")
			}
			if diff := cmp.Diff(before, ids()); diff != "" {
				t.Errorf("the run took rows (-before +after):\n%s", diff)
			}
			in.Exec(t, `
				UPDATE retention.install SET trust = '{stranger,pg_monitor}';
				GRANT SELECT ON ALL TABLES IN SCHEMA public TO retention_worker`)
			// fails if no name of the policy can mean an object of the stranger
			_ = in.Operator("SELECT retention.accept_names('p', 'he is trusted')")
			if o := in.Run("p", noon); strings.Contains(o.Message, "trusted") ||
				(ran() || strings.Contains(o.Message, "nextval()")) != a.runsIfTrusted {
				t.Errorf("with trust the run ended %s (%s); code executed: %v", o.State, o.Message, ran())
			}
		})
	}
}

// betterMatches creates functions of the stranger in schema :s. They match calls better than the
// functions of the same name in pg_catalog, which take any type, any number of arguments, or other
// integers.
const betterMatches = `
	CREATE SCHEMA IF NOT EXISTS ":s";
	GRANT ALL ON SCHEMA ":s" TO stranger;
	GRANT USAGE ON SCHEMA ":s" TO public;
	SET ROLE stranger;
	DO $$ BEGIN
	    EXECUTE (SELECT string_agg(format('CREATE FUNCTION ":s".%I(%s) RETURNS %s LANGUAGE plpgsql IMMUTABLE AS
	        $f$ BEGIN PERFORM nextval(''stranger.mark''); RETURN NULL; END $f$', f, a, r), '; ')
	        FROM (VALUES ('format', 'text'), ('concat', 'text'), ('concat_ws', 'text'),
	        	('jsonb_build_object', 'jsonb'), ('json_build_object', 'json')) f (f, r),
	            unnest(ARRAY['text, text', 'text, name', 'text, text, text', 'text, name, text',
	                'text, name, name', 'text, bigint', 'text, text, text, text']) a);
	END $$;
	CREATE FUNCTION ":s".hashtextextended(text, integer) RETURNS bigint
		LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN 1; END';
	CREATE OPERATOR ":s".= (FUNCTION = stranger.same, LEFTARG = varchar, RIGHTARG = varchar);
	RESET ROLE; REVOKE CREATE ON SCHEMA ":s" FROM stranger`

// TestFunctionsThatMatchBetter checks a role that may create functions in public, or in a schema
// named like a user. No bootstrap, migration, index, view of the runtime or command executes these
// functions.
func TestFunctionsThatMatchBetter(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(basePolicies, " AND upper(t.state) = 'DONE' AND tools.plain(t.id)", "", 1)
	in := kit.Prepare(t, baseSchema, yaml)
	in.Exec(t, strings.Replace(stranger, "LANGUAGE plpgsql AS", "LANGUAGE plpgsql IMMUTABLE AS", -1)+"; "+
		strings.ReplaceAll(betterMatches, ":s", "public"))
	mustNotHaveRun := func(what string) {
		t.Helper()
		if pgtest.Column[bool](t, in, "SELECT is_called FROM stranger.mark")[0] {
			t.Errorf("code of the stranger was executed %s", what)
			in.Exec(t, "SELECT setval('stranger.mark', 1, false)")
		}
	}
	script, err := install.Bootstrap(in.File.Install, in.Name, kit.Migrator)
	if err != nil {
		t.Fatal(err)
	}
	in.Exec(t, script)
	mustNotHaveRun("by the bootstrap")
	for range 2 {
		if _, err := in.TryMigrate(t, yaml); err == nil ||
			!strings.Contains(err.Error(), `belongs to role "stranger"`) {
			t.Errorf("the migration ended with %v, want an error about the stranger", err)
		}
	}
	mustNotHaveRun("by the migration")
	const his = "FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = 'stranger'::regrole"
	// no view of the runtime depends on them
	in.Exec(t, "DROP OPERATOR public.= (varchar, varchar); DO $$ BEGIN EXECUTE (SELECT string_agg('DROP FUNCTION ' "+
		"|| p.oid::regprocedure, '; ') "+his+"); END $$")
	in.Up(t)
	in.Exec(t, "GRANT retention_operator TO "+kit.Migrator)
	for _, role := range []string{kit.Migrator, "postgres"} {
		in.Exec(t, strings.ReplaceAll(betterMatches, ":s", role))
		for _, verb := range []string{"preview p", "run p", "hold item id=4 --reason x", "holds", "pause p --reason x",
			"status", "resume p", "why p id=4", "mark-abandoned"} {
			cmd := exec.Command(kit.Program(t), append(strings.Fields(verb), "--schema", "retention")...)
			cmd.Env = append(os.Environ(), kit.ConnectionEnv(t, in.URL(role))...)
			if code, stdout, stderr := kit.RunCommand(t, cmd); code == 2 {
				t.Errorf("pgretain %s as %s: %s%s", verb, role, stdout, stderr)
			}
			mustNotHaveRun(fmt.Sprintf("by pgretain %s as %s", verb, role))
		}
		if _, err := install.Up(t.Context(), in.URL(role), in.Migrations, in.Options()); err != nil {
			t.Error(err)
		}
		mustNotHaveRun("by a migration of " + role)
	}
}

// TestInstallingExecutesNoUntrustedCode checks that no command before the installation executes
// code of the owner of a table that a policy names. Planning a query evaluates functions of an
// index that have constant arguments.
func TestInstallingExecutesNoUntrustedCode(t *testing.T) {
	t.Parallel()
	in := kit.Prepare(t, baseSchema, basePolicies)
	in.Exec(t, stranger+`;
		GRANT CREATE ON SCHEMA public TO stranger;
		SET ROLE stranger;
		CREATE TABLE public.his (id bigint PRIMARY KEY, open boolean);
		CREATE INDEX ON public.his (id) WHERE stranger.yes(5);
		GRANT SELECT ON public.his TO public;
		RESET ROLE;
		REVOKE CREATE ON SCHEMA public FROM stranger;
		-- counts calls also in read-only transactions and in transactions that roll back
		ALTER DATABASE `+in.Name+` SET track_functions = 'all'`)
	dir := t.TempDir()
	yaml := "version: 1\ninstall: {scheduler: none}\n" + strings.Replace(basePolicies, "cases c WHERE c.item_id",
		"his c WHERE c.id", 1) +
		"  q: {table: his, where: t.open, then: [delete]}\n"
	if err := os.WriteFile(dir+"/retention.yaml", []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	// true also if the transaction failed
	const called = "SELECT EXISTS (SELECT FROM pg_stat_user_functions f WHERE f.schemaname = 'stranger')"
	for _, role := range []string{kit.Migrator, "postgres"} {
		for _, verb := range []string{"snapshot", "lint", "plan", "generate", "migrate up", "verify"} {
			cmd := exec.Command(kit.Program(t), strings.Fields(verb)...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), kit.ConnectionEnv(t, in.URL(role))...)
			if code, stdout, stderr := kit.RunCommand(t, cmd); code == 2 && !strings.Contains(stderr, "not trusted") &&
				!strings.Contains(stderr, "is not allowed to grant") && !strings.Contains(stderr, "is a superuser") {
				t.Errorf("pgretain %s as %s: %s%s", verb, role, stdout, stderr)
			}
			pgtest.Until(t, in, `SELECT count(*) = 0 FROM pg_stat_activity a
				WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()`)
			if pgtest.Value[bool](t, in, called) {
				t.Fatalf("pgretain %s as %s executed code of the stranger", verb, role)
			}
		}
	}
}

// TestSchemaOfAnUntrustedRole checks that a migration refuses a runtime schema, or a function in
// it, that an untrusted role owns. The migration would call such a function.
func TestSchemaOfAnUntrustedRole(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, baseSchema, basePolicies)
	in.Exec(t, stranger)
	for _, plant := range []string{"ALTER SCHEMA retention OWNER TO stranger",
		`
			CREATE FUNCTION retention._register(text) RETURNS void LANGUAGE sql AS '';
			ALTER FUNCTION retention._register(text) OWNER TO stranger`} {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, "BEGIN; "+plant)
		if _, err := conn.Exec(t.Context(), "SELECT retention._apply_privileges()"); err == nil ||
			!strings.Contains(err.Error(), `belongs to role "stranger"`) {
			t.Errorf("%s: _apply_privileges ended with %v, want an error about the stranger", plant, err)
		}
		pgtest.Exec(t, conn, "ROLLBACK")
	}
}

// TestFunctionsOfTheRunner checks the functions that the runner owns and others call, because
// pg_cron shows jobs only to their owner. The runner may change their settings. Then they still
// execute no code of others as the owner of the runtime or as a superuser who verifies.
func TestFunctionsOfTheRunner(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, baseSchema, basePolicies)
	in.Exec(t, stranger+`; SET ROLE stranger;
		CREATE FUNCTION stranger.same(name, name) RETURNS boolean
			LANGUAGE plpgsql AS 'BEGIN PERFORM nextval(''stranger.mark''); RETURN true; END';
		CREATE OPERATOR stranger.= (FUNCTION = stranger.same, LEFTARG = name, RIGHTARG = name);
		RESET ROLE; SET ROLE retention_runner;
		ALTER FUNCTION retention._cron_jobs() SECURITY INVOKER;
		ALTER FUNCTION retention._cron_jobs() SET search_path = stranger, pg_catalog;
		ALTER FUNCTION retention._cron_attempts() SECURITY INVOKER;
		ALTER FUNCTION retention._cron_attempts() SET search_path = stranger, pg_catalog;
		RESET ROLE`)
	if err := in.Operator("SELECT retention.health()"); err != nil {
		t.Fatal(err)
	}
	in.Exec(t, "SELECT * FROM retention._cron_jobs(), retention._cron_attempts()")
	if found := in.Finding(t, basePolicies, "V004"); !strings.Contains(found, "_cron_jobs") {
		t.Errorf("the finding of verify is %q", found)
	}
	if pgtest.Column[bool](t, in, "SELECT is_called FROM stranger.mark")[0] {
		t.Error("code of the stranger was executed")
	}
}

// TestDeferredTriggersOfTheCaller checks that the owner of the runtime does not execute triggers
// that the caller's transaction has deferred.
func TestDeferredTriggersOfTheCaller(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, baseSchema, strings.Replace(basePolicies, "    batch: {rows: 5}\n", "", 1))
	in.Exec(t, stranger+"; GRANT ALL ON SCHEMA stranger TO public")
	in.Done("p", noon)
	const put = `BEGIN;
		CREATE TEMP TABLE q (x int);
		CREATE CONSTRAINT TRIGGER d AFTER INSERT ON q DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
		EXECUTE FUNCTION stranger.fire();
		INSERT INTO q VALUES (1); `
	if err := in.Operator(put + fmt.Sprintf("SELECT retention.restore('p', %d)", in.Last("p").ID)); err == nil ||
		!strings.Contains(err.Error(), "25001") {
		t.Errorf("restore ended with %v, want 25001", err)
	}
	_ = in.Operator("ROLLBACK")
	_ = in.Operator(put + "SELECT retention._step((retention._begin(('p', NULL, NULL, NULL, NULL, NULL, false, " +
		"NULL))).run_id); ROLLBACK")
	if pgtest.Column[bool](t, in, "SELECT is_called FROM stranger.mark")[0] {
		t.Error("a deferred trigger of the caller was executed")
	}
}

// ownsSeveral reports whether verify has one finding on several objects of the stranger, in place
// of one for each object.
func ownsSeveral(findings string) bool {
	return strings.Contains(findings, `role "stranger", which is not trusted, owns `)
}
