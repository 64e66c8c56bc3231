package behaviour

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// What only looks ends with an error of its own. Code of a policy that raises the same one is no end: half an answer would
// let held rows go.
func TestCodeRaisesTheErrorOfLooking(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE FUNCTION looks(bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE 'PR009'; END $$;
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE n (id bigint PRIMARY KEY, m_id bigint)`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete: {table: n, as: x, where: "x.m_id = t.id AND looks(x.id)"}, delete]
`)
	in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 4) i; INSERT INTO n SELECT i, i FROM generate_series(1, 4) i")
	if err := in.Operator(`SELECT retention.place_hold('n', '3', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	if err := in.Operator("SELECT * FROM retention.preview('p')"); err == nil || !strings.Contains(err.Error(), "PR009") {
		t.Errorf("preview says %v", err)
	}
	if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "PR009" {
		t.Errorf("the run ended %s %s: %s", o.State, o.SQLState, o.Message)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 4 {
		t.Errorf("%d of 4 rows are left", n)
	}
}
