package behaviour

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const ledger = `CREATE TABLE det (id int PRIMARY KEY, name text, drop_after timestamptz NOT NULL DEFAULT '2024-01-01');
	CREATE SCHEMA "Od d";`

// A row that names what is not to be dropped stays and counts as refused; the others go.
func TestDropTable(t *testing.T) {
	t.Parallel()
	type named struct {
		name, makes string // "" makes nothing
		dropped     bool   // the table goes with its row
		refused     bool   // both stay
	}
	rows := []named{
		{name: "public.plain", makes: "CREATE TABLE plain (id serial PRIMARY KEY); CREATE INDEX ON plain (id)", dropped: true},
		{name: `"Od d"."Cap.1"`, makes: `CREATE TABLE "Od d"."Cap.1" (id int)`, dropped: true},
		{name: "public.parted", makes: "CREATE TABLE parted (id int) PARTITION BY RANGE (id); CREATE TABLE parted_1 PARTITION OF parted DEFAULT", dropped: true},
		{name: "public.never_there"},
		{name: "no_schema.at_all"},
		{name: "bare", makes: "CREATE TABLE bare (id int)", refused: true},
		{name: "public.Capital", makes: "CREATE TABLE capital (id int)", refused: true},
		{name: "public.capital; DROP TABLE det", refused: true},
		{name: "postgres.public.capital", refused: true},
		{name: "", refused: true},
		{name: "public.attached_1", makes: "CREATE TABLE attached (id int) PARTITION BY RANGE (id); CREATE TABLE attached_1 PARTITION OF attached FOR VALUES FROM (1) TO (2)", refused: true},
		{name: "public.seen", makes: "CREATE TABLE seen (id int); CREATE VIEW sees AS SELECT * FROM seen", refused: true},
		{name: "public.referred", makes: "CREATE TABLE referred (id int PRIMARY KEY); CREATE TABLE refers (id int REFERENCES referred ON DELETE CASCADE)", refused: true},
		{name: "public.inherited", makes: "CREATE TABLE inherited (id int); CREATE TABLE heir () INHERITS (inherited)", refused: true},
		{name: "public.sees", refused: true},
		{name: "public.a_sequence", makes: "CREATE SEQUENCE a_sequence", refused: true},
		{name: "public.det_pkey", refused: true},
		{name: "public.det", refused: true},
		{name: "public.other", makes: "CREATE TABLE other (id int PRIMARY KEY)", refused: true},
		{name: "public.kept", makes: "CREATE TABLE kept (id int PRIMARY KEY)", refused: true},
		{name: "public.kept_below", makes: "CREATE TABLE kept_below (id int) PARTITION BY RANGE (id); CREATE TABLE kept_leaf PARTITION OF kept_below DEFAULT", refused: true},
		{name: "public.kept_child", makes: "CREATE TABLE kept_child () INHERITS (kept)", refused: true}, // its rows are rows of kept
		{name: "public.stranger", makes: "CREATE TABLE stranger (id int)", refused: true},
		{name: "pg_catalog.pg_class", refused: true},
		{name: "information_schema.sql_features", refused: true},
		{name: "retention.run", refused: true},
	}
	schema, insert := ledger, ""
	for i, r := range rows {
		schema += r.makes + ";"
		insert += fmt.Sprintf("INSERT INTO det VALUES (%d, nullif('%s', ''));", i, strings.ReplaceAll(r.name, "'", "''"))
	}
	in := kit.Install(t, schema, `
protect: [kept, kept_leaf]
policies:
  p: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: name}, delete]}
  o: {table: other, where: "id = 1", then: [delete]}
`)
	in.Exec(t, pgtest.MakeRole("kit_stranger")+"ALTER TABLE stranger OWNER TO kit_stranger;"+insert)
	for _, batch := range []int{1000, 1, 3} {
		in.SetBatch(batch)
		o := in.Done("p", noon)
		left := pgtest.Column[int](t, in, "SELECT id FROM det ORDER BY id")
		want := map[string]int64{}
		for i, r := range rows {
			if slices.Contains(left, i) != r.refused {
				t.Errorf("%q: row left: %v", r.name, slices.Contains(left, i))
			}
			if made := regexp.MustCompile(`^CREATE [A-Z]+ ("Od d"."Cap.1"|\S+)`).FindStringSubmatch(r.makes); made != nil {
				if there := pgtest.Value[bool](t, in, "SELECT to_regclass($1) IS NOT NULL", made[1]); there != r.refused {
					t.Errorf("%q: table there: %v", r.name, there)
				}
			}
			if batch == 1000 && r.dropped {
				want["tables dropped"]++
			} else if batch == 1000 && !r.refused {
				want["tables gone before"]++
			}
		}
		if !maps.Equal(want, o.Related) || o.Refused != 21 {
			t.Errorf("batches of %d: %+v, want %v and 21 refused", batch, o, want)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM pg_class WHERE relname IN ('parted_1', 'refers', 'sees', 'heir', 'kept_leaf')"); n != 4 {
		t.Errorf("%d of the tables that hang on others are there, want 4", n)
	}
}

// A table with a held row stays, and the row that names it counts as held.
func TestDropTableHeld(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, ledger+"CREATE TABLE one (id int PRIMARY KEY); CREATE TABLE two (id int PRIMARY KEY); GRANT SELECT ON one TO retention_worker; INSERT INTO one VALUES (7); INSERT INTO det VALUES (1, 'public.one'), (2, 'public.two')",
		"policies: {p: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: t.name}, delete]}}")
	hold(t, in, "'one', '7', 'case 1'")
	if o := in.Done("p", noon); o.Taken != 1 || o.Kept["hold"] != 1 || o.Related["tables dropped"] != 1 {
		t.Errorf("got %+v", o)
	}
	if there := pgtest.Value[string](t, in, "SELECT concat(to_regclass('one'), ' ', to_regclass('two'))"); there != "one " {
		t.Errorf("there are %q", there)
	}
}

// A table with a row that was held when it was a partition stays, whether or not anybody may look into it.
func TestDropTableOfADetachedPartition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hold, grant string
		dropped     int64
	}{
		"a row":                  {"'m', '{\"id\": 1, \"at\": \"2024-01-05\"}', 'case'", "GRANT SELECT ON m_1 TO retention_worker", 0},
		"an owner's":             {"'m', '{\"owner\": 1.50}', 'case'", "GRANT SELECT ON m_1 TO retention_worker", 0},
		"nobody may look":        {"'m', '{\"owner\": 1.50}', 'case'", "SELECT", 0},
		"a row elsewhere":        {"'m', '{\"owner\": 3}', 'case'", "GRANT SELECT ON m_1 TO retention_worker", 1},
		"of a table not like it": {"'det', '{\"name\": \"x\"}', 'case'", "SELECT", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (id int, at date NOT NULL, owner numeric, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
				CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
				CREATE TABLE det (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
				INSERT INTO m VALUES (1, '2024-01-05', 1.5), (2, '2024-01-06', 2); INSERT INTO det VALUES ('public.m_1', '2024-01-01')`,
				"policies: {p: {table: m, due: {age: {column: at, older_than: 100 years}}, then: [delete]}, gone: {table: det, due: {expires: {column: drop_after}}, then: [{drop_table: name}, delete]}}")
			hold(t, in, c.hold)
			in.Exec(t, "ALTER TABLE m DETACH PARTITION m_1; "+c.grant)
			if o := in.Done("gone", noon); o.Taken != c.dropped || o.Kept["hold"] != 1-c.dropped {
				t.Errorf("%+v", o)
			}
			if there := pgtest.Value[bool](t, in, "SELECT to_regclass('m_1') IS NULL"); there != (c.dropped == 1) {
				t.Errorf("the table is gone: %v", there)
			}
		})
	}
}

// Detached and written down by one policy, dropped a week later by another.
func TestDetachThenDropTable(t *testing.T) {
	t.Parallel()
	schema := `CREATE TABLE m (id int, at date NOT NULL) PARTITION BY RANGE (at);
		CREATE TABLE "M 1" PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-05-01');
		CREATE TABLE det (name text PRIMARY KEY, rows bigint, run bigint, drop_after timestamptz NOT NULL);
		INSERT INTO m VALUES (1, '2024-01-05'), (2, '2024-01-06'), (3, '2024-02-05')`
	in := kit.Install(t, schema, `
policies:
  out:
    partitions_of: m
    due: {age: {older_than: 1 month}}
    then:
      - insert: {into: det, set: {name: "format('%I.%I', t.schema, t.name)", rows: "(SELECT count(*) FROM partition)", run: run.id, drop_after: "as_of + interval '7 days'"}}
      - detach
      - emit: {event: detached, payload: {name: t.name, upper: upper}}
  gone: {table: det, due: {expires: {column: drop_after, inclusive: true}}, then: [{drop_table: name}, delete]}
`)
	const day = "2024-03-15 00:00:00+00"
	if o := in.Done("out", day); o.Taken != 1 || o.Related["public.det"] != 1 || o.Related["retention.event"] != 1 {
		t.Errorf("got %+v", o)
	}
	if got := in.Rows("SELECT name, rows, run, drop_after AT TIME ZONE 'UTC' FROM det"); !slices.Equal(got, []string{`("public.""M 1""",2,1,"2024-03-22 00:00:00")`}) {
		t.Errorf("the ledger has %v", got)
	}
	if got := in.Rows("SELECT event, payload FROM retention.event"); !slices.Equal(got, []string{`(detached,"{""name"": ""M 1"", ""upper"": ""2024-02-01""}")`}) {
		t.Errorf("the events are %v", got)
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*) FROM "M 1"`); n != 2 {
		t.Errorf("%d rows in the detached partition", n)
	}
	if o := in.Done("gone", "2024-03-21 23:59:59+00"); o.Taken != 0 {
		t.Errorf("too early: %+v", o)
	}
	if o := in.Done("gone", "2024-03-22 00:00:00+00"); o.Taken != 1 || o.Related["tables dropped"] != 1 {
		t.Errorf("got %+v", o)
	}
	if got := pgtest.Column[string](t, in, "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"); !slices.Equal(got, []string{"det", "m_2", "m_3"}) {
		t.Errorf("tables left: %v", got)
	}
}
