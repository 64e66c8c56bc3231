package behaviour

import (
	"fmt"
	"testing"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// What a batch asks the catalog for does not grow with the database, nor with the server: none of the catalogs that have a
// row for each table, column, constraint, type, function or role is read from end to end.
func TestABatchAmongManyTables(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE n (id bigint PRIMARY KEY, m_id bigint REFERENCES m ON DELETE CASCADE);
		CREATE TABLE u (id bigint PRIMARY KEY, m_id bigint REFERENCES m ON UPDATE CASCADE, seen boolean);
		CREATE TABLE attic (id bigint, at timestamptz, run_id bigint);
		CREATE INDEX ON n (m_id); CREATE INDEX ON u (m_id);
		INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s' FROM generate_series(1, 40) i;
		INSERT INTO n SELECT i, i FROM generate_series(1, 40) i;
		DO $$ BEGIN FOR i IN 1..700 LOOP
			EXECUTE format('CREATE TABLE many_%s (id bigint PRIMARY KEY, m bigint, CHECK (m > 0))', i);
			EXECUTE format('CREATE FUNCTION many_%s() RETURNS int LANGUAGE sql AS ''SELECT 1''', i);
		END LOOP; END $$`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {seen: "EXISTS (SELECT FROM u WHERE u.m_id = t.id AND u.seen)"}
    batch: {rows: 10}
    breaker: {fraction: 1}
    then:
      - archive: {into: attic, set: {run_id: run.id}}
      - delete: {cascades: [n]}
`, kit.On(pgtest.Server(t, sandbox.Options{})))
	in.Exec(t, "DO $$ BEGIN FOR i IN 1..700 LOOP EXECUTE format('CREATE ROLE many_%s', i); END LOOP; END $$; ANALYZE")
	if err := in.Operator(`SELECT retention.place_hold('n', '3', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	c := in.Conn(t)
	var id int64
	if err := c.QueryRow(t.Context(), "SELECT s.run_id FROM retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL)) s",
		noon).Scan(&id); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the start, and two batches
		pgtest.Exec(t, c, "BEGIN")
		if _, err := c.Exec(t.Context(), "SELECT retention._step($1)", id); err != nil {
			t.Fatal(err)
		}
		var read []string
		if err := c.QueryRow(t.Context(), `SELECT array_agg(format('%s: %s rows', c, pg_stat_get_xact_tuples_returned(c)))
			FROM unnest('{pg_class,pg_attribute,pg_attrdef,pg_index,pg_constraint,pg_depend,pg_shdepend,pg_type,pg_proc,pg_trigger,pg_authid}'::regclass[]) c
			WHERE pg_stat_get_xact_tuples_returned(c) >= 700`).Scan(&read); err != nil {
			t.Fatal(err)
		}
		if read != nil {
			t.Errorf("read from end to end: %s", read)
		}
		pgtest.Exec(t, c, "COMMIT")
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM attic"); n == 0 {
		t.Error("no batch took rows")
	}
}

// Nor does the start of a run read all earlier runs of its policy, which may be one a minute for ninety days.
func TestAStartAfterManyRuns(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	in.Done("p", "now")
	in.Exec(t, `INSERT INTO retention.run (policy, table_name, policy_hash, as_of, state, started_at, ended_at)
		SELECT r.policy, r.table_name, r.policy_hash, r.as_of, 'done', r.started_at, r.ended_at FROM retention.run r, generate_series(1, 5000)`)
	in.Exec(t, "ANALYZE retention.run")
	c := in.Conn(t)
	var id, read int64
	if err := c.QueryRow(t.Context(), "SELECT s.run_id FROM retention._begin(('p', now(), NULL, NULL, NULL, NULL, false, NULL)) s").Scan(&id); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, c, "BEGIN")
	if _, err := c.Exec(t.Context(), "SELECT retention._step($1)", id); err != nil {
		t.Fatal(err)
	}
	if err := c.QueryRow(t.Context(), `SELECT sum(pg_stat_get_xact_tuples_returned(x)) FROM (SELECT 'retention.run'::regclass::oid
		UNION SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = 'retention.run'::regclass) r (x)`).Scan(&read); err != nil {
		t.Fatal(err)
	}
	if read > 100 {
		t.Errorf("%d rows and entries of the log were read", read)
	}
}

// What a batch reads of a table that a guard looks into, and of the groups of a rank, grows with its rows, not with the
// table: no batch hashes all of it, or reads all of it for each group. Where no index leads to the groups, it is read once
// or twice.
func TestABatchBesideLargeTables(t *testing.T) {
	t.Parallel()
	const rows, many = 20000, 100000
	const age = "due: {age: {column: at, older_than: 7 days}}, "
	for _, c := range []struct {
		name, rule string
		most       int64 // rows that a batch of 1000 reads, of the table and of the guard's
	}{
		{"a guard", age + `keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`, rows},
		{"a joined table", age + `join: {g: {table: g, where: "g.id = t.id"}}, where: "g.id IS NULL"`, rows},
		{"the newest are kept", age + `keep: {newest: {first: 2, per: [owner], order: "at DESC"}}`, rows},
		{"of groups with a key that may be NULL", age + `keep: {newest: {first: 2, per: [kind], order: "at DESC"}}`, rows},
		{"of groups with two", age + `keep: {newest: {first: 2, per: [kind, part], order: "at DESC"}}`, rows},
		{"all but the newest", `due: {beyond: {first: 2, per: [owner], order: "at DESC"}}`, rows},
		{"all but the newest, with a key that may be NULL", `due: {beyond: {first: 2, per: [kind], order: "at DESC"}}`, rows},
		{"all but the newest, beside an age", `due: {any: [{age: {column: at, older_than: 7 days}}, {beyond: {first: 2, per: [owner], order: "at DESC"}}]}`, rows},
		{"a rank that reads a rank", `due: {beyond: {first: 2, per: [owner], order: "keep.tagged DESC, at DESC"}}, keep: {tagged: {first: 1, per: [owner], among: "part = 1", order: "at DESC"}}`, rows},
		{"the same with a key that may be NULL", `due: {beyond: {first: 2, per: [kind], order: "keep.tagged DESC, at DESC"}}, keep: {tagged: {first: 1, per: [kind], among: "part = 1", order: "at DESC"}}`, rows},
		{"a rank that reads a guard", `due: {beyond: {first: 2, per: [owner], order: "keep.open DESC, at DESC"}}, keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`, 2 * many},
		{"a rank and a guard", `due: {beyond: {first: 2, per: [owner], order: "at DESC"}}, keep: {open: "EXISTS (SELECT FROM g WHERE g.id = t.id)"}`, rows},
		{"by an expression", `due: {beyond: {first: 2, per: ["upper(kind)"], order: "at DESC"}}`, 4 * rows},
		{"kept by an expression", age + `keep: {newest: {first: 2, per: ["upper(kind)"], order: "at DESC"}}`, 4 * rows},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := kit.Install(t, fmt.Sprintf(`
				CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL, owner text NOT NULL, kind text, part int);
				CREATE TABLE g (id bigint PRIMARY KEY);
				INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s', 'o' || i %% 2000,
					nullif('k' || i %% 2000, 'k7'), nullif(i %% 3, 0) FROM generate_series(1, %d) i;
				INSERT INTO g SELECT -i FROM generate_series(1, %d) i`, rows, many),
				"policies:\n  p: {table: m, "+c.rule+", batch: {rows: 1000}, breaker: {fraction: 1}, then: [delete]}\n")
			in.Exec(t, "ANALYZE")
			conn := in.Conn(t)
			var id, taken, read int64
			step := func() {
				t.Helper()
				pgtest.Exec(t, conn, "SELECT pg_stat_force_next_flush()")
				pgtest.Exec(t, conn, "BEGIN")
				if _, err := conn.Exec(t.Context(), "SELECT retention._step($1)", id); err != nil {
					t.Fatal(err)
				}
				if err := conn.QueryRow(t.Context(), `SELECT (SELECT sum(b.scanned) FROM retention.batch b WHERE b.run_id = $1),
						sum(pg_stat_get_xact_tuples_returned(c.oid)) FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
					WHERE '{m,g}'::regclass[] @> ARRAY[coalesce(i.indrelid, c.oid)::regclass]`, id).Scan(&taken, &read); err != nil {
					t.Fatal(err)
				}
				pgtest.Exec(t, conn, "COMMIT")
			}
			if err := conn.QueryRow(t.Context(), "SELECT s.run_id FROM retention._begin(('p', $1::timestamptz, NULL, NULL, NULL, NULL, false, NULL)) s",
				noon).Scan(&id); err != nil {
				t.Fatal(err)
			}
			step() // the start, which may count
			for n := range 2 {
				if step(); taken < 1000*int64(n+1)-10 || read > c.most {
					t.Errorf("after batch %d: %d rows looked at, %d read, at most %d are well", n+1, taken, read, c.most)
				}
			}
		})
	}
}
