package behaviour

import (
	"slices"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Rows that are not in a heap of this server, or that somebody else writes, are never taken by their place in it.
func TestRowsElsewhere(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (at timestamptz NOT NULL, n int, PRIMARY KEY (at, n)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); INSERT INTO m SELECT '2024-01-02', generate_series(1, 9)`
	for name, c := range map[string]struct{ change, says string }{
		"another access method": {"CREATE ACCESS METHOD columns TYPE TABLE HANDLER heap_tableam_handler; ALTER TABLE m_1 SET ACCESS METHOD columns", `table public.m_1 is stored by access method "columns"`},
		"Citus": {"SET allow_system_table_mods = on; CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass); GRANT SELECT ON pg_catalog.pg_dist_partition TO public; INSERT INTO pg_catalog.pg_dist_partition VALUES ('m')",
			`table public.m is distributed by Citus`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
			in.Exec(t, c.change)
			if o := in.Run("p", noon); o.State != "tripped" || !strings.Contains(o.Message, c.says) {
				t.Errorf("the run ended %s: %s", o.State, o.Message)
			}
			if rows := in.Rows("SELECT n::text FROM m_1"); len(rows) != 9 {
				t.Errorf("%d rows are left", len(rows))
			}
		})
	}
	t.Run("more rows than were locked", func(t *testing.T) { // as where a ctid stands for rows of several tables
		t.Parallel()
		in := kit.Install(t, schema, "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
		in.Exec(t, "SELECT retention.place_hold('m', '{\"n\": 4}', 'case'); CREATE OR REPLACE FUNCTION retention.p_take(retention.slice) RETURNS retention.taken LANGUAGE plpgsql AS 'BEGIN DELETE FROM m; RETURN ROW(9, ''{}''::jsonb, ''{}''::jsonb)::retention.taken; END'")
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "55000" || !strings.Contains(o.Message, "9 rows went where 8 were given") {
			t.Errorf("the run ended %s: %s %s", o.State, o.SQLState, o.Message)
		}
		if rows := in.Rows("SELECT n FROM m"); len(rows) != 9 {
			t.Errorf("%d rows are left", len(rows))
		}
	})
	t.Run("in a snapshot", func(t *testing.T) {
		t.Parallel()
		const yaml = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [archive: {into: far}, insert: {into: far, set: {n: t.n}}, delete]}}"
		in := kit.Prepare(t, schema, yaml, kit.Before("CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere; CREATE FOREIGN TABLE far (at timestamptz, n int) SERVER far"))
		if _, list := in.Compile(t, yaml); len(list) != 0 {
			t.Error(list)
		}
		if list := generator.Notes(in.File, in.Catalog); len(list) != 2 || list[0].Code != "P053" || list[1].Severity != diag.Warning {
			t.Errorf("of what is written there: %v", list)
		}
		for _, yaml := range []string{"table: far, due: {age: {column: at, older_than: 7 days}}, then: [delete]", "partitions_of: far, due: {age: {older_than: 7 days}}, then: [drop]"} {
			_, list := in.Compile(t, "policies: {p: {"+yaml+"}}")
			if len(list) != 1 || list[0].Code != "P053" || list[0].Message != `"public.far" is a foreign table: its rows are on another server` {
				t.Errorf("%s: %v", yaml, list)
			}
		}
		in.Exec(t, "ALTER TABLE m DROP CONSTRAINT m_pkey; CREATE FOREIGN TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01') SERVER far")
		if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code != "P053" || !strings.Contains(list[0].Message, `"public.m_2"`) {
			t.Errorf("of the partition: %v", list)
		}
	})
}

// Tables of another server are read, and written, by postgres_fdw with the worker's user mapping; no policy takes rows
// that are there.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	far := db.Sibling(t, "far")
	far.Exec(t, `CREATE TABLE pin (n int); INSERT INTO pin VALUES (3); CREATE TABLE old (at timestamptz, n int CHECK (n <> 5));
		CREATE TABLE m_2 (at timestamptz NOT NULL, n int NOT NULL); INSERT INTO m_2 SELECT '2024-02-02', generate_series(11, 19)`)
	const yaml = `
policies:
  rows: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {pin: "EXISTS (SELECT FROM far.pin f WHERE f.n = t.n)"}, then: [archive: {into: far.old}, delete]}
  months: {partitions_of: m, due: {age: {older_than: 7 days}}, then: [drop]}`
	in := kit.Install(t, `CREATE TABLE m (at timestamptz NOT NULL, n int NOT NULL, PRIMARY KEY (at, n)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
		INSERT INTO m SELECT '2024-01-02', generate_series(1, 9)`, yaml,
		kit.On(db), kit.Before(`CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '`+db.Server.Dir()+`', port '5432', dbname 'far');
			CREATE USER MAPPING FOR retention_worker SERVER far OPTIONS (user 'postgres', password_required 'false'); CREATE USER MAPPING FOR postgres SERVER far;
			CREATE SCHEMA far; IMPORT FOREIGN SCHEMA public FROM SERVER far INTO far; GRANT USAGE ON SCHEMA far TO `+kit.Migrator+` WITH GRANT OPTION;
			GRANT ALL ON ALL TABLES IN SCHEMA far TO `+kit.Migrator+` WITH GRANT OPTION; ALTER TABLE far.m_2 OWNER TO `+kit.Migrator))
	if o := in.Done("rows", noon); o.Taken != 7 || o.Refused != 1 || o.Kept["pin"] != 1 { // the batch is undone here and there
		t.Errorf("took %d, refused %d (%s), kept %v", o.Taken, o.Refused, o.Message, o.Kept)
	}
	here, there := pgtest.Column[int](t, in, "SELECT n FROM m ORDER BY 1"), pgtest.Column[int](t, far, "SELECT n FROM old ORDER BY 1")
	if !slices.Equal(here, []int{3, 5}) || !slices.Equal(there, []int{1, 2, 4, 6, 7, 8, 9}) {
		t.Errorf("here are %v, there %v", here, there)
	}

	in.Exec(t, "ALTER TABLE m DROP CONSTRAINT m_pkey; ALTER TABLE m ATTACH PARTITION far.m_2 FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')")
	if o := in.Run("rows", noon); o.State != "tripped" || !strings.HasPrefix(o.Message, "table far.m_2 is a foreign one") {
		t.Errorf("the run ended %s: %s", o.State, o.Message)
	}
	in.Exec(t, "CREATE ACCESS METHOD columns TYPE TABLE HANDLER heap_tableam_handler; ALTER TABLE m_1 SET ACCESS METHOD columns")
	if o := in.Done("months", noon); o.Taken != 1 { // how it is stored does not matter; a partition on another server is not one of its rows
		t.Errorf("%d partitions went", o.Taken)
	}
	if left := in.Rows("SELECT relid FROM pg_partition_tree('m') WHERE level = 1"); !slices.Equal(left, []string{"(far.m_2)", "(m_3)"}) {
		t.Errorf("left %v", left)
	}
	if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code != "P053" || list[0].Position.Line != 5 {
		t.Errorf("lint: %v", list)
	}
	in.Exec(t, `CREATE TABLE m_0 PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') PARTITION BY RANGE (at);
		ALTER TABLE m DETACH PARTITION far.m_2; ALTER TABLE m_0 ATTACH PARTITION far.m_2 FOR VALUES FROM ('2023-02-01') TO ('2023-03-01')`)
	if o := in.Run("months", noon); o.State != "tripped" { // its partition is one, and would leave its rows there
		t.Errorf("a foreign table below a partition: the run ended %s: %s", o.State, o.Message)
	}
	if n := pgtest.Value[int](t, far, "SELECT count(*) FROM m_2"); n != 9 {
		t.Errorf("%d rows are there", n)
	}
}
