package behaviour

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const dependencySchema = `
	CREATE TYPE mood AS ENUM ('calm', 'angry');
	CREATE TABLE item (id bigint PRIMARY KEY, at timestamptz NOT NULL, state text NOT NULL DEFAULT 'done',
		mood mood DEFAULT 'calm', body text, spare int);
	CREATE TABLE part (id bigint PRIMARY KEY, item_id bigint REFERENCES item ON DELETE CASCADE, note text);
	CREATE TABLE cases (item_id bigint, open boolean, title text);
	CREATE TABLE users (id bigint PRIMARY KEY, item_id bigint, vip boolean);
	CREATE VIEW vips AS SELECT id, item_id FROM users WHERE vip;
	CREATE TABLE attic (id bigint, at timestamptz, state text, mood mood, payload text, spare int, run_id bigint);
	CREATE TABLE other (id int PRIMARY KEY, at date, item_id bigint);
	INSERT INTO item SELECT i, '2024-01-01'::timestamptz + i * interval '1 hour' FROM generate_series(1, 30) i;
	INSERT INTO part SELECT i, i FROM generate_series(1, 30) i;
	INSERT INTO cases VALUES (3, true, 'a'), (4, false, 'b');
	INSERT INTO users VALUES (1, 5, true), (2, 6, false)`

const dependencyPolicy = `
policies:
  p:
    table: item
    where: "t.state = 'done'"
    due: {age: {column: at, older_than: 7 days}}
    keep:
      case: "EXISTS (SELECT FROM cases c WHERE c.item_id = t.id AND c.open)"
      vip: "EXISTS (SELECT FROM vips v WHERE v.item_id = t.id)"
    batch: {rows: 5}
    then:
      - archive: {into: attic, columns: {payload: body}, set: {run_id: run.id}}
      - delete: {cascades: [part]}
`

// dependencyChanges lists changes of the catalog. The field "message" is a part of the run's
// message. It is empty if the policy does not depend on the changed object.
var dependencyChanges = map[string]struct{ change, message string }{
	"the clock's type": {"ALTER TABLE item ALTER at TYPE timestamp",
		`"at" of "public.item" is of type timestamp without time zone`},
	"the clock's precision": {"ALTER TABLE item ALTER at TYPE timestamptz(3)",
		`of type timestamp(3) with time zone`},
	"the clock is another column": {
		change:  "ALTER TABLE item RENAME at TO was; ALTER TABLE item ADD at date DEFAULT '2024-01-01'",
		message: `"at" of "public.item" is of type date`,
	},
	"the clock is gone": {"ALTER TABLE item RENAME at TO was", `"at" of "public.item" is not there`},
	"a condition's type": {"ALTER TABLE item ALTER state DROP DEFAULT, ALTER state TYPE char(8)",
		`"state" of "public.item" is of type character(8)`},
	"a condition's collation": {`ALTER TABLE item ALTER state TYPE text COLLATE "und-x-icu"`,
		`COLLATE "und-x-icu"`},
	"a condition that goes by bytes": {`ALTER TABLE item ALTER state TYPE text COLLATE "C"`, `COLLATE "C"`},
	"an enum of another name":        {"ALTER TYPE mood RENAME TO temper", `of type public.temper, not public.mood`},
	"the key's type": {
		change:  "ALTER TABLE part DROP CONSTRAINT part_item_id_fkey; ALTER TABLE item ALTER id TYPE numeric",
		message: `"id" of "public.item" is of type numeric`,
	},
	"a guard's column": {"ALTER TABLE cases ALTER open TYPE int USING open::int",
		`"open" of "public.cases" is of type integer`},
	"a guard's column is gone": {"ALTER TABLE cases DROP item_id", `"item_id" of "public.cases" is not there`},
	"a guard's table is gone":  {"DROP TABLE cases", `"public.cases" is not there`},
	"a guard's table is a view": {
		change:  "ALTER TABLE cases RENAME TO cases_; CREATE VIEW cases AS SELECT * FROM cases_ WHERE false",
		message: `"public.cases" is a view now`,
	},
	"a guard's view is a table": {"DROP VIEW vips; CREATE TABLE vips (id bigint, item_id bigint)",
		`"public.vips" is a table now`},
	"a guard's view's column": {
		change:  "DROP VIEW vips; CREATE VIEW vips AS SELECT id, item_id::int FROM users WHERE vip",
		message: `"item_id" of "public.vips" is of type integer`,
	},
	"an archive's column": {"ALTER TABLE attic ALTER payload TYPE varchar(9)",
		`"payload" of "public.attic" is of type character varying(9)`},
	"an archived column more": {"ALTER TABLE item ADD more text", `does not know: more`},
	"another cascade": {"ALTER TABLE other ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE CASCADE",
		"public.item -> public.other"},
	"another pointer": {"ALTER TABLE other ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE SET NULL",
		"public.item -> public.other"},
	"a cascade below": {"ALTER TABLE other ADD FOREIGN KEY (item_id) REFERENCES part ON DELETE CASCADE",
		"public.part -> public.other"},
	"a cascade that sets NULL": {
		change: `ALTER TABLE part DROP CONSTRAINT part_item_id_fkey,
			ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE SET NULL`,
		message: "public.item -> public.part",
	},
	"a second cascade": {"ALTER TABLE part ADD twin bigint REFERENCES item ON DELETE CASCADE",
		"public.item -> public.part"},
	"a cascade that is gone": {"ALTER TABLE part DROP CONSTRAINT part_item_id_fkey",
		"public.item -> public.part (item_id) cascade, which is not there"},
	"a cascade that refuses": {
		change:  "ALTER TABLE part DROP CONSTRAINT part_item_id_fkey, ADD FOREIGN KEY (item_id) REFERENCES item",
		message: "public.item -> public.part (item_id) cascade, which is not there",
	},
	"a cascade to a column more": {
		change: `ALTER TABLE item ADD UNIQUE (id, at);
			ALTER TABLE part DROP CONSTRAINT part_item_id_fkey, ADD at timestamptz,
				ADD FOREIGN KEY (item_id, at) REFERENCES item (id, at) ON DELETE CASCADE`,
		message: "public.item -> public.part",
	},
	"a cascade to a parent": {
		change: `ALTER TABLE part RENAME TO parts;
			CREATE TABLE part (LIKE parts) PARTITION BY RANGE (id);
			ALTER TABLE part ATTACH PARTITION parts DEFAULT`,
		message: `"public.part" is a partitioned table now`,
	},
	"a cascade that is off": {"RESET ROLE; ALTER TABLE item DISABLE TRIGGER ALL",
		"(part_item_id_fkey) is switched off"},
	"a cascade off for all but load": {
		change: `RESET ROLE;
			DO $$ DECLARE t name;
			BEGIN FOR t IN SELECT tgname FROM pg_trigger WHERE tgrelid = 'item'::regclass LOOP
				EXECUTE format('ALTER TABLE item ENABLE REPLICA TRIGGER %I', t);
			END LOOP;
			END $$`,
		message: "(part_item_id_fkey) is switched off",
	},
	"the key's other side off": {"RESET ROLE; ALTER TABLE part DISABLE TRIGGER ALL",
		"(part_item_id_fkey) is switched off"},
	"a key that refuses, off": {
		change: `ALTER TABLE other ADD FOREIGN KEY (item_id) REFERENCES item;
			RESET ROLE;
			ALTER TABLE other DISABLE TRIGGER ALL`,
		message: "(other_item_id_fkey) is switched off",
	},
	"a child": {"CREATE TABLE heir () INHERITS (item)", `"public.heir" inherits from "public.item"`},
	"a rule": {"CREATE RULE a AS ON DELETE TO item DO ALSO DELETE FROM other",
		`rule "a" on table "public.item"`},
	"a rule of a cascade": {"CREATE RULE a AS ON DELETE TO part DO ALSO DELETE FROM other",
		`rule "a" on table "public.part"`},
	"a rule of the archive": {"CREATE RULE a AS ON INSERT TO attic DO INSTEAD NOTHING",
		`rule "a" on table "public.attic"`},

	"an unused column's type": {"ALTER TABLE cases ALTER title TYPE varchar(9)", ""},
	"an unused column is gone": {
		change: `ALTER TABLE cases DROP title;
			ALTER TABLE part DROP note;
			ALTER TABLE users DROP vip CASCADE;
			CREATE VIEW vips AS SELECT id, item_id FROM users WHERE id = 1;
			GRANT SELECT ON vips TO retention_worker`,
	},
	"columns more": {
		change: "ALTER TABLE cases ADD more text; ALTER TABLE part ADD more text; ALTER TABLE attic ADD more text",
	},
	"defaults and NOT NULL": {
		change: "ALTER TABLE item ALTER state SET DEFAULT 'x', ALTER body SET DEFAULT '', ALTER id SET NOT NULL",
	},
	"indexes and statistics": {
		change: `CREATE INDEX ON item (state, at);
			CREATE STATISTICS st ON state, at FROM item;
			CREATE UNIQUE INDEX ON cases (item_id)`,
	},
	"a key that refuses": {"ALTER TABLE other ADD FOREIGN KEY (item_id) REFERENCES item", ""},
	"a key from the table": {
		change: "ALTER TABLE item ADD CONSTRAINT f FOREIGN KEY (spare) REFERENCES other ON DELETE CASCADE",
	},
	"a cascade not validated": {
		change: `ALTER TABLE part DROP CONSTRAINT part_item_id_fkey,
			ADD FOREIGN KEY (item_id) REFERENCES item ON DELETE CASCADE NOT VALID`,
	},
	"a cascade of another name": {"ALTER TABLE part RENAME CONSTRAINT part_item_id_fkey TO whole", ""},
	"other tables":              {"DROP TABLE other; CREATE TABLE another (id int)", ""},
	"a table's storage": {
		change: `ALTER TABLE item SET (fillfactor = 50);
			ALTER TABLE item ALTER body SET STORAGE EXTERNAL;
			CLUSTER item USING item_pkey`,
	},
	"a guard's table's children": {"CREATE TABLE more () INHERITS (cases)", ""},
}

// TestChangedDependencies changes the catalog between two batches, and before another run. If the
// policy depends on the changed object, the run trips before it takes another row. Other changes do
// not stop a run.
func TestChangedDependencies(t *testing.T) {
	t.Parallel()
	for name, c := range dependencyChanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, dependencySchema, dependencyPolicy)
			ctx := context.Background()
			runner := in.Runner()
			step := func(sql string, args ...any) (id int64, going bool, err error) {
				err = runner.QueryRow(ctx, "SELECT s.run_id, s.going FROM "+sql+" s", args...).Scan(&id, &going)
				return id, going, err
			}
			ids := func() []string { return pgtest.Column[string](t, in, "SELECT id::text FROM item ORDER BY id") }
			id, _, err := step("retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL))", noon)
			for range 2 { // starts the run, then processes the first batch
				if err == nil {
					_, _, err = step("retention._step($1)", id)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			before := ids()
			in.Exec(t, "SET ROLE "+kit.Migrator+"; "+c.change+"; RESET ROLE")
			if _, _, err = step("retention._step($1)", id); err != nil {
				t.Fatal(err)
			}
			after, o := ids(), in.Last("p")
			if c.message == "" {
				if o.State != "running" || len(after) != len(before)-5 {
					t.Errorf("the next batch left %d of %d rows, want 5 fewer: %+v", len(after), len(before), o)
				}
			} else if diff := cmp.Diff(before, after); diff != "" || o.State != "tripped" ||
				!strings.Contains(o.Message, c.message) {
				t.Errorf("the next batch ended %+v, want tripped with %q; rows (-before +after):\n%s",
					o, c.message, diff)
			}
			if _, err := runner.Exec(ctx, "SELECT retention.mark_abandoned()"); err != nil {
				t.Fatal(err)
			}
			if o := in.Run("p", noon); c.message == "" && o.State != "done" || c.message != "" &&
				(o.State != "tripped" || !strings.Contains(o.Message, c.message)) {
				t.Errorf("another run ended %s: %s", o.State, o.Message)
			}
			if c.message != "" {
				if diff := cmp.Diff(before, ids()); diff != "" {
					t.Errorf("another run took rows (-before +after):\n%s", diff)
				}
			} else if diff := cmp.Diff([]string{"3", "5"}, ids()); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A policy file can name tables without a schema, in guards, joins, steps and statements. If a
// table of that name is created later in an earlier schema of the search path, the policy keeps its
// table. A column name of the row keeps its meaning inside a sub-select, even if a table there gets
// a column of that name.
func TestLaterTableOfTheSameName(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO public;
		CREATE TABLE app.item (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO app.item SELECT i, '2024-01-01' FROM generate_series(1, 5) i;
		CREATE TABLE cases (item_id int); INSERT INTO cases VALUES (1);
		CREATE TABLE plans (item_id int, keeps boolean); INSERT INTO plans VALUES (2, true);
		CREATE TABLE marks (item_id int, "of" int); INSERT INTO marks VALUES (4, 4);
		CREATE TABLE bits (item_id int); INSERT INTO bits SELECT generate_series(1, 5);
		CREATE TABLE log (item_id int)`, `
install: {search_path: [app, public], scheduler: none}
policies:
  p:
    table: app.item
    join: {plan: "SELECT p.keeps FROM plans p WHERE p.item_id = id"}
    due: {age: {column: at, older_than: 7 days}}
    keep:
      case: >-
        EXISTS (WITH open AS (SELECT item_id FROM cases)
        SELECT FROM open, cases WHERE open.item_id = t.id AND cases.item_id = open.item_id)
      plan: "coalesce(plan.keeps, false)"
      twin: "id = 3 AND EXISTS (SELECT FROM ONLY item o WHERE o.id = 3)"
      mark: >-
        EXISTS (SELECT FROM marks WHERE item_id = id
        AND EXISTS (SELECT FROM app.item o JOIN marks m ON m.of = o.id))
    then:
      - sql: "INSERT INTO public.log SELECT c.item_id FROM bits c JOIN batch b ON b.id = c.item_id"
      - delete
reports:
  open: {query: "WITH old AS (SELECT item_id FROM cases) SELECT c.item_id FROM cases c JOIN old USING (item_id)"}`)
	in.Exec(t, "SET ROLE "+kit.Migrator+`;
		CREATE TABLE app.cases (item_id int);
		CREATE TABLE app.plans (item_id int, keeps boolean);
		CREATE TABLE app.bits (item_id int);
		ALTER TABLE plans ADD id int;
		ALTER TABLE marks ADD id int;
		GRANT SELECT ON app.cases, app.plans, app.bits TO public;
		RESET ROLE`)
	in.Done("p", noon)
	for query, want := range map[string][]int{"SELECT id FROM app.item ORDER BY 1": {1, 2, 3, 4},
		"SELECT item_id FROM log ORDER BY 1":                                   {5},
		"SELECT (answer -> 'item_id')::int FROM retention.report_rows('open')": {1}} {
		if diff := cmp.Diff(want, pgtest.Column[int](t, in, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// The SQL of a rank depends on columns being NOT NULL. If one of them becomes nullable, the run
// trips and takes no row.
func TestRanksDependOnNotNull(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"keep": `due: {age: {column: at, older_than: 7 days}},
			keep: {few: {first: 2, per: [device], order: n DESC}}`,
		"beyond": "due: {beyond: {first: 2, per: [device], order: n DESC}}",
		"beyond and age": `due: {age: {column: at, older_than: 7 days},
			beyond: {first: 2, per: [device], order: n DESC}}`,
		"beyond, never RANGE": `due: {beyond: {first: 2, per: [device], order: n DESC}},
			keep: {none: "(SELECT false)"}`,
		"order by more than n": "due: {beyond: {first: 2, per: [device], order: 'n DESC, at DESC'}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for column, change := range map[string]string{
				"device": "UPDATE m SET device = NULL",
				"n":      "INSERT INTO m SELECT i, 'a', NULL, '2024-01-01' FROM generate_series(7, 8) i",
			} {
				in := kit.Install(t, `
					CREATE TABLE m (id int PRIMARY KEY, device text NOT NULL, n int NOT NULL, at timestamptz NOT NULL);
					INSERT INTO m SELECT i, 'a', i, '2024-01-01' FROM generate_series(1, 6) i`,
					"policies: {p: {table: m, "+rule+", then: [delete]}}")
				in.Exec(t, "ALTER TABLE m ALTER "+column+" DROP NOT NULL; "+change)
				before := in.Rows("TABLE m")
				o := in.Run("p", noon)
				if diff := cmp.Diff(before, in.Rows("TABLE m")); diff != "" || o.State != "tripped" ||
					!strings.Contains(o.Message, `column "`+column+`"`) {
					t.Errorf("%s is nullable: the run ended %s: %s; rows (-before +after):\n%s",
						column, o.State, o.Message, diff)
				}
			}
		})
	}
}

// A table and its archive get a column after the policy was generated. No run may lose the values
// of this column. A run trips until the policy is generated again, unless its archive step stores
// the row as a document.
func TestColumnAddedAfterGenerate(t *testing.T) {
	t.Parallel()
	const delete = "delete: {cascades: [r]}"
	for name, c := range map[string]struct {
		then, added, keep string
		fails             bool
		kept              int // archived rows with the value of the new column
	}{
		"own": {"archive: {into: a, set: {run_id: run.id}}, " + delete, "m", "", true, 30},
		"own, renamed": {
			then:  `archive: {into: a, columns: {gone: v, v: id}, set: {run_id: run.id, id: "0"}}, ` + delete,
			added: "m",
			fails: true,
			kept:  30,
		},
		"own in shape LOCKED": {"archive: {into: a, set: {run_id: run.id}}, " + delete, "m",
			`keep: {none: "(SELECT false)"}, `, true, 30},
		"related": {
			then:  `archive: {table: r, as: r, where: "r.id = t.id", into: a, set: {run_id: run.id}}, ` + delete,
			added: "r",
			fails: true,
			kept:  30,
		},
		"of another table": {"archive: {into: a, set: {run_id: run.id}}, " + delete, "r", "", false, 0},
		"a document": {"archive: {into: a, document: doc, set: {run_id: run.id}}, " + delete, "m", "",
			false, 30},
		"a document of later": {
			then:  `update: {set: {v: "2"}}, archive: {into: a, document: doc, set: {run_id: run.id}}, ` + delete,
			added: "m",
			fails: true,
			kept:  30,
		},
		"a document of related": {
			then: `archive: {table: r, as: r, where: "r.id = t.id", into: a, document: doc, set: {run_id: run.id}}, ` +
				delete,
			added: "r",
			kept:  30,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policies := `policies: {p: {table: m, due: {age: {column: at, older_than: %d days}},
				batch: {rows: 5, lock_timeout: 5s}, ` + c.keep + "then: [" + c.then + "]}}"
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, v int, gone int);
				CREATE TABLE r (id int PRIMARY KEY REFERENCES m ON DELETE CASCADE, at timestamptz, v int, gone int);
				INSERT INTO m SELECT i, '2024-01-01', i FROM generate_series(1, 30) i;
				INSERT INTO r SELECT * FROM m;
				ALTER TABLE m DROP gone;
				ALTER TABLE r DROP gone;
				CREATE TABLE a (id int, at timestamptz, v int, gone int, doc jsonb, run_id bigint)`,
				fmt.Sprintf(policies, 7))
			in.Exec(t, "ALTER TABLE "+c.added+" ADD body text DEFAULT 'kept'; ALTER TABLE a ADD body text")
			if c.fails {
				o := in.Run("p", noon)
				if o.State != "tripped" || o.Taken != 0 || !strings.Contains(o.Message, "does not know: body") {
					t.Errorf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
				}
				if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 30 {
					t.Errorf("%d rows are left, want 30", n)
				}
				in.Migrate(t, fmt.Sprintf(policies, 8))
			}
			in.Done("p", noon)
			if n := pgtest.Value[int](t, in, `SELECT count(*) FROM a
				WHERE coalesce(body, doc ->> 'body') = 'kept'`); n != c.kept {
				t.Errorf("%d archived rows have the value of the new column, want %d", n, c.kept)
			}
		})
	}
}

// TestColumnAddedBetweenRuns adds the column between two runs of one policy. The second run
// continues where the first one ended, with one statement for each batch.
func TestColumnAddedBetweenRuns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 min' FROM generate_series(1, 300) i;
		CREATE TABLE a (id int, at timestamptz)`,
		`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, budget: {rows: 150},
			then: [archive: {into: a}, delete]}}`)
	if o := in.Run("p", noon); o.State != "more" || o.Taken < 100 {
		t.Fatalf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
	}
	in.Exec(t, "ALTER TABLE m ADD body text DEFAULT 'kept'; ALTER TABLE a ADD body text")
	before := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
	if o := in.Run("p", noon); o.State != "tripped" || o.Taken != 0 {
		t.Errorf("ended %s with %d taken: %s", o.State, o.Taken, o.Message)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != before {
		t.Errorf("%d rows are left, want %d", n, before)
	}
}
