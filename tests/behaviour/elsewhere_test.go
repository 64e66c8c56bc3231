package behaviour

import (
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/tests/kit"
)

// Rows that are not in a heap of this server, or that somebody else writes, are never taken by their place in it.
func TestRowsElsewhere(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (at timestamptz NOT NULL, n int, PRIMARY KEY (at, n)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); INSERT INTO m SELECT '2024-01-02', generate_series(1, 9)`
	for name, c := range map[string]struct{ change, says string }{
		"a foreign partition": {`ALTER TABLE m DROP CONSTRAINT m_pkey; CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere;
			CREATE FOREIGN TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01') TO ('2024-03-01') SERVER far; ALTER TABLE m_2 OWNER TO ` + kit.Migrator, `table public.m_2 is a foreign one`},
		"another access method": {"CREATE ACCESS METHOD columns TYPE TABLE HANDLER heap_tableam_handler; ALTER TABLE m_1 SET ACCESS METHOD columns", `table public.m_1 is stored by access method "columns"`},
		"a subscription":        {"SET allow_system_table_mods = on; INSERT INTO pg_subscription_rel VALUES (1, 'm_1'::regclass, 'r', NULL)", `table public.m_1 is filled by a subscription`},
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
	t.Run("a foreign guard", func(t *testing.T) { // reading is another matter
		t.Parallel()
		in := kit.Install(t, schema,
			"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {far: \"EXISTS (SELECT FROM far f WHERE f.n = t.n)\"}, then: [delete]}}",
			kit.Before("CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE far (n int) SERVER files OPTIONS (program 'echo 3'); ALTER TABLE far OWNER TO "+kit.Migrator+"; GRANT pg_execute_server_program TO "+kit.Migrator))
		in.Done("p", noon)
		if rows := in.Rows("SELECT n::text FROM m"); len(rows) != 1 || rows[0] != "(3)" {
			t.Errorf("left %v", rows)
		}
	})
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
		const yaml = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [archive: {into: far}, delete]}}"
		in := kit.Prepare(t, schema, yaml, kit.Before("CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere; CREATE FOREIGN TABLE far (at timestamptz, n int) SERVER far"))
		if _, list := in.Compile(t, yaml); len(list) != 0 {
			t.Error(list)
		}
		if list := generator.Notes(in.File, in.Catalog); len(list) != 1 || list[0].Code != "P053" || list[0].Severity != diag.Warning {
			t.Errorf("of the archive: %v", list)
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
