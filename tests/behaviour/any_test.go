package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestRowIsProcessedOnce checks that a run counts a row once, and that its steps act once, although
// several entries of "any" find the row.
func TestRowIsProcessedOnce(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, until timestamptz,
			g int NOT NULL DEFAULT 1, flag boolean NOT NULL DEFAULT true, kept boolean NOT NULL DEFAULT false);
		CREATE TABLE daily (g int PRIMARY KEY, n bigint NOT NULL); CREATE TABLE child (m_id int REFERENCES m);
		INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 minute',
			CASE WHEN i % 5 > 0 THEN '2024-01-01'::timestamptz END FROM generate_series(1, 40) i;
		INSERT INTO m SELECT i, '2024-03-31 11:00+00', '2025-01-01' FROM generate_series(101, 103) i`
	for name, due := range map[string]string{
		"two clocks":      "{age: {column: at, older_than: 7 days}}, {expires: {column: until}}",
		"without a clock": "{age: {column: at, older_than: 7 days}}, {expires: {column: until, nulls: due}}",
		"an equal entry": `{age: {column: at, older_than: 7 days}}, {age: {column: at, older_than: 8 days}},
			{age: {column: at, older_than: 9 days}}`,
		"a rank and a clock": "{age: {column: at, older_than: 7 days}}, {beyond: {first: 3, per: [g], order: at DESC}}",
		"a rank of a clock": `{expires: {column: until}},
			{age: {column: at, older_than: 1 day}, beyond: {first: 3, per: [g], order: at DESC}},
			{age: {column: at, older_than: 7 days}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, "policies: {p: {table: m, due: {any: ["+due+`]}, keep: {k: kept},
				batch: {rows: 7}, breaker: {fraction: 100%},
				then: [{insert: {into: daily, key: {g: g}, add: {n: "count(*)"}}},
				{emit: {event: gone, payload: {id: id}}}, {delete: {where: flag}}]}}`)
			in.Exec(t, `UPDATE m SET flag = false WHERE id BETWEEN 1 AND 10;
				UPDATE m SET kept = true WHERE id BETWEEN 11 AND 16;
				INSERT INTO child SELECT i FROM generate_series(21, 23) i`)
			other := in.Conn(t)
			pgtest.Exec(t, other, "BEGIN; SELECT FROM m WHERE id BETWEEN 31 AND 34 FOR UPDATE")
			in.SetBatch(7)
			o := in.Run("p", noon)
			got := fmt.Sprint(o.State, " taken ", o.Taken, " contended ", o.Contended, " kept ", o.Kept["k"],
				" refused ", o.Refused)
			if want := "done taken 17 contended 4 kept 6 refused 3"; got != want {
				t.Errorf("the run ended %s, want %s", got, want)
			}
			// 27 = 40 due rows - 6 kept - 4 locked - 3 refused.
			if n := pgtest.Value[int](t, in, "SELECT coalesce(sum(n), 0) FROM daily"); n != 27 {
				t.Errorf("table daily counts %d rows, want 27", n)
			}
			if n := pgtest.Column[string](t, in, `SELECT payload ->> 'id' FROM retention.event GROUP BY 1
				HAVING count(*) <> 1`); len(n) != 0 {
				t.Errorf("rows %s have more than one event", strings.Join(n, ", "))
			}
		})
	}
}

// TestEqualPositions gives many rows the same position. A batch processes them in the order of
// their keys, so the row with the greatest id of each position is written last.
func TestEqualPositions(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE e (id int PRIMARY KEY, seq bigint NOT NULL, v text NOT NULL);
		CREATE TABLE mark (seq bigint NOT NULL);
		CREATE TABLE first (seq bigint PRIMARY KEY, v text);
		INSERT INTO mark VALUES (0);
		INSERT INTO e SELECT i, 1 + i / 50, 'v' || i
			FROM (SELECT (i * 37) % 101 AS i FROM generate_series(0, 100) i) x;
		CREATE INDEX ON e (seq, v DESC)`, `
policies:
  p:
    table: e
    due: {position: {column: seq, watermark: {table: mark, column: seq}}}
    batch: {rows: 10}
    breaker: {fraction: 100%}
    then: [insert: {into: first, key: {seq: seq}, set: {v: v}}]`)
	in.SetBatch(10)
	if o := in.Done("p", noon); o.Taken != 101 || o.Batches < 2 {
		t.Errorf("the run ended %+v, want 101 rows taken in 2 batches or more", o)
	}
	for _, got := range in.Rows("SELECT seq, v FROM first") {
		if got != "(1,v49)" && got != "(2,v99)" && got != "(3,v100)" { // the greatest id of each position
			t.Errorf("table first has row %s, want (1,v49), (2,v99) or (3,v100)", got)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT seq FROM mark"); n != 3 {
		t.Errorf("the watermark is %d, want 3", n)
	}
}
