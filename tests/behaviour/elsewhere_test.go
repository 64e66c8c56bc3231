package behaviour

import (
	"strings"
	"testing"

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
}
