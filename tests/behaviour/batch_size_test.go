package behaviour

import (
	"strconv"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Rows alone are exact; with a time a batch grows toward it from 500 rows and never beyond "rows".
func TestSizeOfBatches(t *testing.T) {
	for _, c := range []struct{ name, batch, rule, want string }{
		{"rows alone", "{rows: 700}", "", "700 700 700 700 700 700 700 100"},
		{"rows alone, LOCKED", "{rows: 1900}", "keep: {g: 'EXISTS (SELECT FROM g WHERE g.id = t.id)'}, ", "1900 1900 1200"},
		{"rows below 500", "{rows: 450, time: 10s}", "", "450 450 450 450 450 450 450 450 450 450 450 50"},
		{"a long time", "{rows: 1800, time: 10s}", "", "500 1800 1800 900"},
		{"a long time, LOCKED", "{time: 10s}", "keep: {g: 'EXISTS (SELECT FROM g WHERE g.id = t.id)'}, ", "500 2000 2500"},
		{"no time at all", "{time: 1ms, rows: 600}", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := 5000
			if c.want == "" { // they shrink until it is not the rows that take the time
				rows = 1200
			}
			in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE g (id int); INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s' FROM generate_series(1, "+strconv.Itoa(rows)+") i",
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, "+c.rule+"then: [delete], batch: "+c.batch+"}}")
			if _, err := in.Call("CALL retention.run('p', '2024-06-01')"); err != nil {
				t.Fatal(err)
			}
			sizes := pgtest.Value[string](t, in.Conn(t), "SELECT string_agg(scanned::text, ' ' ORDER BY n) FROM retention.batch WHERE scanned > 0")
			if c.want != "" && c.want != sizes {
				t.Errorf("batches of %s, want %s", sizes, c.want)
			}
			if n := pgtest.Value[int](t, in.Conn(t), "SELECT max(scanned) FROM retention.batch"); c.want == "" && n > 600 {
				t.Errorf("a batch has %d rows", n)
			}
			if n := pgtest.Value[int](t, in.Conn(t), "SELECT count(*) FROM m"); n != 0 {
				t.Errorf("%d rows are left", n)
			}
		})
	}
}
