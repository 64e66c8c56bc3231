package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// What a call answers has how many rows were refused, and why the last one was.
func TestOutcomeOfARefusal(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-01-02'); CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-01-02') TO ('2024-01-03');
		INSERT INTO m VALUES (1, '2024-01-01'), (2, '2024-01-02');
		CREATE TABLE ref (id int, at timestamptz, FOREIGN KEY (id, at) REFERENCES m); INSERT INTO ref VALUES (1, '2024-01-01')`,
		"policies: {p: {partitions_of: m, due: {age: {older_than: 1 day}}, then: [drop]}}")
	outcome := pgtest.Value[string](t, in.Conn(t), "CALL retention.run('p', '"+noon+"')")
	for _, want := range []string{"0 of 1 rows taken, 1 refused (", `"m_1" violates foreign key constraint "ref_id_at_fkey`} {
		if !strings.Contains(outcome, want) {
			t.Errorf("the outcome lacks %q: %s", want, outcome)
		}
	}
}

// A hold may be placed on a table that no policy reads, and is in force for one that comes to it later. How many
// rows it has is not known.
func TestHoldWhereNoPolicyReads(t *testing.T) {
	t.Parallel()
	const yaml = "policies:\n  p: {table: m, where: true, then: [delete]}\n"
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY); INSERT INTO m VALUES (1);
		CREATE TABLE apart (id int PRIMARY KEY, kind text); INSERT INTO apart SELECT n, 'k' || n % 2 FROM generate_series(1, 4) n`, yaml)
	if err := in.Operator(`SELECT retention.place_hold('apart', '{"kind": "k1"}', 'case 7')`); err != nil {
		t.Fatal(err)
	}
	if o := in.Done("p", noon); o.Taken != 1 {
		t.Errorf("got %+v", o)
	}
	in.Migrate(t, yaml+"  q: {table: apart, where: true, then: [delete]}\n")
	if o := in.Done("q", noon); o.Taken != 2 || o.Kept["hold"] != 2 {
		t.Errorf("got %+v", o)
	}
	if left := fmt.Sprint(pgtest.Column[int32](t, in, "SELECT id FROM apart ORDER BY id")); left != "[1 3]" {
		t.Errorf("left are %s", left)
	}
}
