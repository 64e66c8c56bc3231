package behaviour

import (
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
