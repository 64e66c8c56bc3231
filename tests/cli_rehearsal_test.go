package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// testRehearsal rehearses the two largest examples. The schema file has commands of psql, as
// pg_dump writes them, and names roles that do not exist in the sandbox.
func testRehearsal(t *testing.T, binary string) {
	for _, example := range []string{"mutual-aid", "trade-dedup"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			c := newCLI(t, binary, "", copyExample(t, example))
			schema := fixture.ReadFile(t, c.dir, "schema.sql")
			c.write("schema.sql", "\\restrict abc\n"+schema+"\nCREATE TABLE public.of_somebody (id int);\n"+
				"ALTER TABLE public.of_somebody OWNER TO somebody;\nGRANT SELECT ON public.of_somebody TO "+
				"somebody_else;\n\\unrestrict abc\n")
			r := c.must("lint", "--sandbox", "--schema", "schema.sql")
			if !strings.Contains(r.stdout, "\nverify    conforms, ") || r.stderr != "" {
				t.Errorf("%s%s", r.stdout, r.stderr)
			}
		})
	}
}

// testRehearsalElsewhere rehearses with pg_cron in another database, and without a migrations
// directory. The rehearsal must not create one.
func testRehearsalElsewhere(t *testing.T, binary string) {
	c := newCLI(t, binary, "", copyExample(t, "bot-queue"))
	if err := os.RemoveAll(filepath.Join(c.dir, "migrations")); err != nil {
		t.Fatal(err)
	}
	c.write("retention.yaml", strings.Replace(fixture.ReadFile(t, c.dir, "retention.yaml"), "version: 1\n",
		"version: 1\ninstall: {database: shop, cron_database: jobs}\n", 1))
	r := c.must("lint", "--sandbox", "--schema", "schema.sql")
	if !strings.Contains(r.stdout, "\nup        5 migrations, ") ||
		!strings.Contains(r.stdout, "\nverify    conforms, ") {
		t.Error(r.stdout)
	}
	if made, err := filepath.Glob(filepath.Join(c.dir, "migrations*")); err != nil || len(made) > 0 {
		t.Errorf("the rehearsal created %v (%v), want nothing", made, err)
	}
}

// testRehearsalOfDump rehearses dumps of a database with extensions, three owners and several
// grants, before and after pgretain is installed. The owner of most tables is the migrating role. A
// table of an owner who is not trusted is an error.
func testRehearsalOfDump(t *testing.T, binary string) {
	const yaml = `version: 1
install: {trust: ["\"The Team\"", postgres], search_path: [shop]}
policies:
  lines:
    table: shop.lines
    due: {age: {column: at, older_than: 30 days}}
    ensure: {seen: {type: boolean}}
    then: [archive: {into: shop.lines_old, create: true}, delete]
  carts: {table: shop.carts, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  teams: {table: team.notes, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  loose: {table: loose.t, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
jobs: {all: {schedule: "0 0 29 2 *", run: [lines, carts, teams, loose]}}
`
	db := pgtest.CronServer(t)
	db.Exec(t, pgtest.MakeRole("shop_owner LOGIN")+pgtest.MakeRole(`"The Team"`)+pgtest.MakeRole("reader")+`
		CREATE EXTENSION citext;
		CREATE EXTENSION hstore;
		GRANT "The Team" TO shop_owner;
		DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO shop_owner', current_database()); END $$;
		CREATE SCHEMA shop AUTHORIZATION shop_owner;
		CREATE SCHEMA team AUTHORIZATION "The Team";
		CREATE SCHEMA loose;
		GRANT ALL ON SCHEMA loose TO shop_owner;
		CREATE TABLE shop.lines (id int PRIMARY KEY, at timestamptz NOT NULL, mail citext);
		CREATE TABLE shop.carts (id int PRIMARY KEY, at timestamptz, tags hstore);
		CREATE VIEW shop.v AS SELECT FROM shop.lines;
		ALTER TABLE shop.lines OWNER TO shop_owner;
		ALTER TABLE shop.carts OWNER TO shop_owner;
		CREATE TABLE team.notes (id int PRIMARY KEY, at timestamptz);
		ALTER TABLE team.notes OWNER TO "The Team";
		CREATE TABLE loose.t (id int PRIMARY KEY, at timestamptz);
		CREATE INDEX ON loose.t (at, id);
		GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader;
		ALTER DEFAULT PRIVILEGES FOR ROLE shop_owner IN SCHEMA shop GRANT SELECT ON TABLES TO reader`)
	c := newCLI(t, binary, "", t.TempDir())
	dump := func(name string) {
		t.Helper()
		cmd := exec.Command("pg_dump", "--schema-only", "--exclude-schema=retention", "--file",
			filepath.Join(c.dir, name), db.URL(""))
		if code, _, stderr := kit.RunCommand(t, cmd); code != 0 {
			t.Fatal(stderr)
		}
	}
	dump("schema.sql")
	c.write("retention.yaml", yaml)
	c.must("snapshot", "--schema", "schema.sql")
	conforms := func(schema string) {
		t.Helper()
		if r := c.must("lint", "--sandbox", "--schema", schema); !strings.Contains(r.stdout,
			"\nverify    conforms, ") || r.stderr != "" {
			t.Errorf("%s%s", r.stdout, r.stderr)
		}
	}
	conforms("schema.sql")
	c.must("generate")
	c.write("untrusted.yaml", strings.Replace(yaml, `"\"The Team\"", `, "", 1))
	c.want(1, `table team.notes belongs to role "The Team", which is not trusted`, "lint", "--sandbox", "--schema",
		"schema.sql", "--policy", "untrusted.yaml")
	c.write("secured.sql", fixture.ReadFile(t, c.dir, "schema.sql")+"ALTER TABLE shop.carts ENABLE ROW LEVEL SECURITY;")
	c.want(1, `policy "carts" cannot run: query would be affected by row-level security`, "lint", "--sandbox",
		"--schema", "secured.sql")

	c.must("bootstrap", "--apply", "--migrator", "shop_owner", "--database-url", db.URL(""))
	db.Exec(t, "ALTER SCHEMA loose OWNER TO shop_owner; ALTER TABLE loose.t OWNER TO shop_owner")
	c.must("migrate", "up", "--database-url", db.URL("shop_owner"))
	dump("installed.sql")
	c.must("snapshot", "--schema", "installed.sql")
	conforms("installed.sql")
}

const rehearsedPolicy = `version: 1
install: {scheduler: none}
policies:
  lines_old:
    table: app.lines
    due: {age: {column: at, older_than: 30 days}}
    touch: {key: id, set: {n: "'x' || id"}}
    then: [delete]
  lines_odd:
    table: app.odd
    due: {age: {column: at, older_than: 30 days}}
    then: [delete]
`

const rehearsedSchema = `CREATE SCHEMA app;
CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz, n integer);
CREATE TABLE app.odd (id bigint PRIMARY KEY, at timestamptz, n integer);
INSERT INTO app.odd VALUES (1, '2001-01-01', 0);
CREATE FUNCTION app.share() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN old.n := app.share(old.n); RETURN old; END $$;
CREATE TRIGGER share BEFORE DELETE ON app.odd FOR EACH ROW EXECUTE FUNCTION app.share();
CREATE FUNCTION app.meddle() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_attribute
                   WHERE attrelid = 'app.odd'::pg_catalog.regclass AND attname = 'more') THEN
        ALTER TABLE app.odd ADD COLUMN more integer;
    END IF;
END
$$;
CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('CREATE VIEW') EXECUTE FUNCTION app.meddle();
`

// testRehearsalFinds checks four faults that only a rehearsal finds. A value has a wrong type, a
// trigger fails for a row, an event trigger changes a table during a migration, and the snapshot is
// outdated.
func testRehearsalFinds(t *testing.T, binary string) {
	c := newCLI(t, binary, "", t.TempDir())
	c.write("retention.yaml", rehearsedPolicy)
	c.write("old.sql", strings.Replace(rehearsedSchema, "id bigint PRIMARY KEY",
		"id bigint UNIQUE, key text PRIMARY KEY", 1))
	c.write("schema.sql", rehearsedSchema)
	c.must("snapshot", "--schema", "old.sql")
	r := c.finish(c.command("lint", "--sandbox", "--schema", "schema.sql"))
	if r.code != 1 {
		t.Errorf("exit code %d, want 1", r.code)
	}
	for _, want := range []string{
		"retention.catalog.json:1:1: error: the tables of the schema file differ from this snapshot",
		`would fail: column "n" is of type integer but expression is of type text [42804] [L050]`,
		`error: table "app.odd" differs from before the first migration, after all migrations were undone [L051]`,
		`error: "lines_odd" ended failed: no row was taken; 1 row was refused: ` +
			`function app.share(integer) does not exist [42883] [L052]`,
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("the rehearsal does not report: %s\n%s%s", want, r.stdout, r.stderr)
		}
	}
	if n := strings.Count(r.stderr, ": error: "); n != 4 {
		t.Errorf("the rehearsal reports %d errors, want 4:\n%s", n, r.stderr)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "migrations")); err == nil {
		t.Error("the rehearsal created a migrations directory")
	}

	c.want(2, "--sandbox and --schema must be used together", "lint", "--sandbox")
	c.want(2, "could not read schema file", "lint", "--sandbox", "--schema", "nowhere.sql")
	c.write("broken.sql", "CREATE TABLE a (id int);\nCREATE TABEL b (id int);\n")
	c.want(2, "broken.sql:2:8: error: syntax error", "lint", "--sandbox", "--schema", "broken.sql")
}
