package life_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// kindsSchema has a table for each kind of policy. The application has a domain, an enum and a
// composite type.
const kindsSchema = shop + `
CREATE DOMAIN app.code AS text;
CREATE TYPE app.state AS ENUM ('new', 'old');
CREATE TYPE app.place AS (street text);
CREATE TABLE app.visit (id app.code PRIMARY KEY, at timestamptz NOT NULL, state app.state NOT NULL, place app.place);
CREATE TABLE app.window_of (state app.state PRIMARY KEY, days integer NOT NULL);
CREATE TABLE app.key (code app.code PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), until timestamptz);
CREATE TABLE app.day (day date, id bigint, PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
CREATE TABLE app.day_1 PARTITION OF app.day FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE FUNCTION app.wanted(app.code) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false';
CREATE SCHEMA tenant_a;
CREATE TABLE tenant_a.log (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE INDEX ON tenant_a.log (at, id);
INSERT INTO tenant_a.log VALUES (1, '2024-01-01');
`

const kindsPolicies = `each: {each_tenant: {schemas: tenant_*}}
` + shopPolicies + `  visits:
    table: app.visit
    join: {w: {query: "SELECT x.state, x.days FROM app.window_of x", where: w.state = t.state}}
    scope: [state]
    due: {any: [{age: {column: at, older_than: {days: w.days, else: 7}}},
                {beyond: {first: 3, per: [state], order: "at DESC"}}]}
    keep: {wanted: app.wanted(t.id), named: "t.id = 'x'::app.code", new: "t.state = 'new'::app.state"}
    then: [{emit: {event: gone, payload: {id: id}}}, {update: {set: {state: "'old'::app.state"}}}]
  keys:
    table: app.key
    claim: {key: code, ttl: 1 hour}
    due: {expires: {column: until}}
    then: [delete]
  days: {partitions_of: app.day, due: {age: {older_than: 30 days}}, then: [drop]}
  logs:
    table: each_tenant.log
    due: {age: {column: at, older_than: 30 days}}
    then: [delete]
`

// dependencies lists what objects of the runtime's schema need that the application owns.
const dependencies = `
	SELECT DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid) || ' needs '
		|| pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
	FROM pg_depend d
	CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) o
	CROSS JOIN LATERAL pg_identify_object_as_address(d.classid, d.objid, 0) oa
	CROSS JOIN LATERAL pg_identify_object(d.refclassid, d.refobjid, 0) r
	CROSS JOIN LATERAL pg_identify_object_as_address(d.refclassid, d.refobjid, 0) ra
	WHERE coalesce(o.schema, oa.object_names[1]) = 'retention'
	  AND coalesce(r.schema, ra.object_names[1]) NOT IN ('retention', 'pg_catalog', 'information_schema', 'pg_toast')
	  AND r.type NOT IN ('extension', 'language', 'access method', 'schema', 'role')
	  AND NOT EXISTS (
		SELECT FROM pg_depend e WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype = 'e')
	ORDER BY 1`

// TestNothingDependsOnTheApplication holds that the server lets the application drop its tables,
// columns and functions: no object of the runtime's schema depends on them. Therefore
// <policy>_rows returns records. The server inlines the function nevertheless.
func TestNothingDependsOnTheApplication(t *testing.T) {
	t.Parallel()
	t.Run("all kinds of policies", func(t *testing.T) {
		t.Parallel()
		in := kit.Install(t, kindsSchema, kindsPolicies)
		in.Done("logs@tenant_a", "now")
		// A join that a run stores has values of the application's type. The application calls the
		// functions of a claim with such values. It can drop tables and columns, but a type only
		// after the join and the claim.
		needed := []string{
			"column state of table retention.visits_w needs type app.state",
			"function retention.keys_claim(app.code,interval) needs type app.code",
			"function retention.keys_claim(app.code[],interval) needs type app.code",
			"function retention.keys_claim(app.code[],interval) needs type app.code[]",
			"function retention.keys_seen(app.code) needs type app.code",
			"function retention.keys_seen(app.code[]) needs type app.code",
			"function retention.keys_seen(app.code[]) needs type app.code[]",
		}
		if diff := cmp.Diff(needed, pgtest.Column[string](t, in.DB, dependencies)); diff != "" {
			t.Errorf("dependencies (-want +got):\n%s", diff)
		}
		for _, policy := range []string{"items", "notes", "bills", "events", "visits", "keys", "logs@tenant_a"} {
			plan := strings.Join(pgtest.Column[string](t, in.DB, "EXPLAIN SELECT d.tid FROM "+
				in.RowsCall(policy, "retention._batch_range(now())")+" WHERE d.verdict IS NULL"), "\n")
			if strings.Contains(plan, "Function Scan on "+policy) || !strings.Contains(plan, "Scan ") {
				t.Errorf("the server does not inline the rows of %s:\n%s", policy, plan)
			}
		}
		in.Exec(t, `CREATE VIEW retention.of_test AS SELECT id FROM app.item;
			CREATE FUNCTION retention.of_test(app.code) RETURNS SETOF app.item LANGUAGE sql AS 'TABLE app.item'`)
		if got := pgtest.Column[string](t, in.DB, dependencies); len(got) != len(needed)+3 {
			t.Errorf("the query does not find a view and a function that depend on the application: %q", got)
		}
	})
	directories, err := filepath.Glob("../../examples/*/retention.yaml")
	if err != nil || len(directories) != 5 {
		t.Fatalf("examples: %v, %v", directories, err)
	}
	for _, file := range directories {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			for _, line := range pgtest.Column[string](t, kit.Shipped(t, filepath.Dir(file)).DB, dependencies) {
				t.Error(line)
			}
		})
	}
}

const dropSchema = `
CREATE SCHEMA app;
CREATE TABLE app.item (id bigint PRIMARY KEY, made_at timestamptz NOT NULL, state text NOT NULL);
CREATE TABLE app.bill (id bigint PRIMARY KEY, paid_at timestamptz NOT NULL);
INSERT INTO app.item SELECT n, now() - n * interval '1 day', 'open' FROM generate_series(1, 60) n;
INSERT INTO app.bill SELECT n, now() - n * interval '1 day' FROM generate_series(1, 60) n;
`

const dropPolicies = `version: 1
install: {scheduler: none}
policies:
  items:
    table: app.item
    due: {age: {column: made_at, older_than: 30 days}}
    keep: {open: "t.state = 'kept'"}
    then: [delete]
  bills:
    table: app.bill
    due: {age: {column: paid_at, older_than: 30 days}}
    then: [delete]
jobs:
  nightly: {schedule: "0 3 * * *", run: [items, bills]}
`

// TestApplicationDropsItsTable holds that the application drops, swaps and restores its own tables
// and columns under a policy. The next run says at the policy what is missing, and the job goes on
// with the other policies. verify says it, too. Once the table is there again, the hints of verify
// repair the rest, and the run takes the rows that a plain query selects.
func TestApplicationDropsItsTable(t *testing.T) {
	t.Parallel()
	const again = `
		CREATE TABLE app.item (id bigint PRIMARY KEY, made_at timestamptz NOT NULL, state text NOT NULL);
		INSERT INTO app.item SELECT n, now() - n * interval '1 day', CASE n % 3 WHEN 0 THEN 'kept' ELSE 'open' END
		FROM generate_series(1, 60) n`
	for name, c := range map[string]struct {
		change, says string // runs as the migrating role
		code, mends  string
		usual        bool // the usual way follows: snapshot, generate, migrate
	}{
		"table": {
			change: "DROP TABLE app.item", says: `table "app.item" is not there`, code: "V030", mends: again,
		},
		"column": {
			change: "ALTER TABLE app.item DROP COLUMN state", says: `column "state" of "app.item" is not there`,
			code: "V050", mends: "ALTER TABLE app.item ADD COLUMN state text NOT NULL DEFAULT 'open'",
		},
		"swapped table": {
			change: "ALTER TABLE app.item RENAME TO item_before;" + again + "; DROP TABLE app.item_before",
			says:   "permission denied for table item", code: "V074",
		},
		"partitioned table": {
			change: "ALTER TABLE app.item RENAME TO item_1;" +
				"CREATE TABLE app.item (id bigint PRIMARY KEY, made_at timestamptz NOT NULL, state text NOT NULL)" +
				"PARTITION BY RANGE (id);" +
				"ALTER TABLE app.item ATTACH PARTITION app.item_1 FOR VALUES FROM (0) TO (1000)",
			says: `table "app.item" is a partitioned table now`, code: "V050",
			mends: "GRANT SELECT, UPDATE, DELETE ON app.item TO retention_worker", usual: true,
		},
		"renamed index": {
			change: `DO $$ BEGIN EXECUTE (
				SELECT format('ALTER INDEX %s RENAME TO by_age', c.oid::regclass) FROM pg_index i
				JOIN pg_class c ON c.oid = i.indexrelid
				WHERE i.indrelid = 'app.item'::regclass AND NOT i.indisprimary); END $$`,
			code: "V020", mends: "INSERT INTO app.item VALUES (100, '2024-01-01', 'open')",
		},
		"schema": {
			change: "DROP SCHEMA app CASCADE", says: `table "app.item" is not there`, code: "V030",
			mends: "CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO retention_worker;" +
				"CREATE TABLE app.bill (id bigint PRIMARY KEY, paid_at timestamptz NOT NULL);" + again,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, dropSchema, dropPolicies)
			asMigrator := func(sql string) { in.Exec(t, "SET ROLE "+kit.Migrator+"; "+sql+"; RESET ROLE") }
			asMigrator(c.change)
			_, failed := in.Call("CALL retention.run_job('nightly')")
			items, bills := in.Last("items"), in.Last("bills")
			if !strings.Contains(items.Message, c.says) || (items.State == "done") != (c.says == "") {
				t.Errorf("the run ended %s: %s, want %s", items.State, items.Message, c.says)
			}
			if name != "schema" && (bills.State != "done" || bills.Taken != 31) {
				t.Errorf("the other policy of the job ended %s with %d rows: %s, %v", bills.State, bills.Taken,
					bills.Message, failed)
			}
			if said := in.Finding(t, dropPolicies, c.code); !strings.Contains(said, "item") && name != "schema" ||
				!strings.Contains(said, "app") {
				t.Errorf("verify says at %s: %s", c.code, said)
			}
			if c.mends != "" {
				asMigrator(c.mends)
			}
			if c.usual {
				in.Migrate(t, dropPolicies)
			}
			pasteHints(t, in, dropPolicies)
			if name != "schema" && pgtest.Value[bool](t, in.DB, `
				SELECT count(*) <> 2 FROM pg_index WHERE indrelid = 'app.item'::regclass`) {
				t.Error("the table has other indexes than those of its key and of the policy")
			}
			want := pgtest.Column[int64](t, in.DB,
				"SELECT id FROM app.item WHERE made_at >= now() - interval '30 days' OR state = 'kept' ORDER BY 1")
			in.Done("items", "now")
			got := pgtest.Column[int64](t, in.DB, "SELECT id FROM app.item ORDER BY 1")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows after the run (-want +got):\n%s", diff)
			}
			if len(pasteHints(t, in, dropPolicies)) > 0 {
				t.Error("verify reports drift after its hints and a run")
			}
		})
	}
}

// TestOneTableIsRestored restores one table of a policy from a dump with "pg_restore --clean -t".
// pg_restore then creates no key and no index.
func TestOneTableIsRestored(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, dropSchema, dropPolicies)
	file := filepath.Join(t.TempDir(), "item.dump")
	url := in.URL(kit.Migrator)
	for _, args := range [][]string{
		{"pg_dump", "--format=custom", "--table=app.item", "--file=" + file, url},
		{"pg_restore", "--clean", "--exit-on-error", "--schema=app", "--table=item", "--dbname=" + url, file},
	} {
		if args[0] == "pg_restore" {
			in.Done("items", "now")
		}
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+"; ALTER TABLE app.item ADD PRIMARY KEY (id); RESET ROLE")
	pasteHints(t, in, dropPolicies)
	if n := pgtest.Value[int](t, in.DB, "SELECT count(*) FROM app.item"); n != 60 {
		t.Fatalf("%d rows were restored, want 60", n)
	}
	in.Done("items", "now")
	if n := pgtest.Value[int](t, in.DB, "SELECT count(*) FROM app.item"); n != 29 {
		t.Errorf("%d rows of the restored table are left, want 29", n)
	}
}

// TestStrangerCreatesTheTableAgain gives the name of a policy's table to a table of a role that is
// not trusted. Runs refuse it, also for an instance.
func TestStrangerCreatesTheTableAgain(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, kindsSchema, kindsPolicies)
	in.Done("logs@tenant_a", "now")
	in.Exec(t, `
		DROP TABLE app.item CASCADE;
		CREATE TABLE app.item (id bigint PRIMARY KEY, made_at timestamptz NOT NULL, state text NOT NULL);
		INSERT INTO app.item VALUES (1, '2024-01-01', 'closed');
		DROP TABLE tenant_a.log;
		CREATE TABLE tenant_a.log (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO tenant_a.log VALUES (1, '2024-01-01');
		ALTER TABLE app.item OWNER TO pg_monitor;
		ALTER TABLE tenant_a.log OWNER TO pg_monitor;
		GRANT SELECT, UPDATE, DELETE ON app.item, tenant_a.log TO retention_worker`)
	for _, policy := range []string{"items", "logs@tenant_a"} {
		const want = "belongs to role \"pg_monitor\", which is not trusted"
		if o := in.Run(policy, "now"); o.State != "tripped" || !strings.Contains(o.Message, want) {
			t.Errorf("run of %s ended %s: %s, %v", policy, o.State, o.Message, o.Err)
		}
	}
	if n := pgtest.Value[int](t, in.DB, `SELECT count(*) FROM (
		SELECT id FROM app.item UNION ALL SELECT id FROM tenant_a.log) x`); n != 2 {
		t.Errorf("%d of 2 rows are left", n)
	}
}

// TestTableOfAnInstanceIsCreatedAgain drops and re-creates the table of an instance. The next run
// gives the worker the privileges again, and takes the rows.
func TestTableOfAnInstanceIsCreatedAgain(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, kindsSchema, kindsPolicies)
	in.Done("logs@tenant_a", "now")
	before := pgtest.Value[string](t, in.DB, instanceTransaction)
	in.Done("logs@tenant_a", "now")
	if after := pgtest.Value[string](t, in.DB, instanceTransaction); after != before {
		t.Error("the second run has re-created the instance")
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+`;
		DROP TABLE tenant_a.log;
		CREATE TABLE tenant_a.log (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO tenant_a.log VALUES (1, '2024-01-01'), (2, '2999-01-01');
		RESET ROLE`)
	if o := in.Done("logs@tenant_a", "now"); o.Taken != 1 {
		t.Errorf("the run took %d rows, want 1", o.Taken)
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+"; DROP TABLE tenant_a.log; RESET ROLE")
	if o := in.Run("logs@tenant_a", "now"); o.State != "tripped" ||
		!strings.HasPrefix(o.Message, `table "tenant_a.log" is not there`) {
		t.Errorf("without the table the run ended %s: %s", o.State, o.Message)
	}
}

// TestIndexesOfAMovedTable moves tables to another schema, and follows with the policy file. verify
// finds the old indexes under their new names, and its hints drop them.
func TestIndexesOfAMovedTable(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"schema renamed": "ALTER SCHEMA app RENAME TO store",
		"tables moved": "CREATE SCHEMA store; ALTER TABLE app.item SET SCHEMA store;" +
			"ALTER TABLE app.bill SET SCHEMA store",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, dropSchema, dropPolicies)
			wanted, _ := in.Compile(t, dropPolicies)
			in.Exec(t, "SET ROLE "+kit.Migrator+"; "+change+"; RESET ROLE")
			for _, f := range in.Verify(t, "", wanted).Findings {
				if strings.HasPrefix(f.Code.String(), "V02") {
					t.Errorf("before the policy follows, verify says at %s: %s", f.Code, f.Message)
				}
			}
			yaml := strings.ReplaceAll(dropPolicies, "app.", "store.")
			in.Migrate(t, yaml)
			if said := in.Finding(t, yaml, "V023"); strings.Count(said, "is wanted by no policy") != 2 {
				t.Errorf("verify says at V023: %s", said)
			}
			pasteHints(t, in, yaml)
			if left := pasteHints(t, in, yaml); len(left) > 0 {
				t.Errorf("drift after the hints: %q", left)
			}
			if n := pgtest.Value[int](t, in.DB, `SELECT count(*) FROM pg_class
				WHERE relkind = 'i' AND relname LIKE 'pgretain%'`); n != 2 {
				t.Errorf("the tables have %d indexes of pgretain, want 2", n)
			}
			if o := in.Done("items", "now"); o.Taken != 31 {
				t.Errorf("the run took %d rows, want 31", o.Taken)
			}
		})
	}
}

const instanceTransaction = "SELECT xmin::text FROM retention.policy WHERE name = 'logs@tenant_a'"

// pasteHints executes the hints of verify about drift that are SQL, and returns the messages of
// these findings.
func pasteHints(t *testing.T, in *kit.Installed, yaml string) (messages []string) {
	t.Helper()
	wanted, list := in.Compile(t, yaml)
	if list.HasErrors() {
		t.Fatalf("the policy does not compile: %v", list)
	}
	for _, f := range in.Verify(t, "", wanted).Findings {
		if f.Severity != diag.Drift {
			continue
		}
		messages = append(messages, f.Code.String()+": "+f.Message)
		if strings.HasSuffix(f.Hint, ";") && !strings.HasPrefix(f.Hint, "SELECT * ") {
			statements, err := pgparse.Statements(f.Hint)
			if err != nil {
				t.Fatalf("%s: %v", f.Hint, err)
			}
			for _, statement := range statements {
				in.Exec(t, statement)
			}
		}
		t.Logf("%s: %s\nhint: %s", f.Code, f.Message, f.Hint)
	}
	slices.Sort(messages)
	return messages
}
