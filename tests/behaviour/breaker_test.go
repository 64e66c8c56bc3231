package behaviour

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// minutely is n rows, one a minute before noon; those older than an hour are n - 60.
func minutely(n int) string {
	return fmt.Sprintf("INSERT INTO m SELECT i, '2024-03-31 12:00+00'::timestamptz - i * interval '1 min' FROM generate_series(1, %d) i", n)
}

const (
	tableM = "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); "
	// partedM has its rows in two partitions; statistics of the table above them exist only after ANALYZE.
	partedM = `CREATE TABLE m (id int, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('2024-03-25');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-03-25') TO (MAXVALUE); `
)

// What statistics say of a table, or do not say, is nothing to the breaker: it counts.
func TestBreakerCounts(t *testing.T) {
	t.Parallel()
	var policies []string
	for _, breaker := range []string{"{rows: 20000, fraction: 1}", "{fraction: 0.5}", "{fraction: 99%}"} {
		for _, keep := range []string{"", "keep: {none: 'id = 1'}, "} {
			policies = append(policies, fmt.Sprintf("p%d: {table: m, due: {age: {column: at, older_than: 1 hour}}, %sbreaker: %s, then: [delete]}",
				len(policies), keep, breaker))
		}
	}
	for name, schema := range map[string]string{
		"analysed while empty":      tableM + "ANALYZE m; " + minutely(20061),
		"analysed while small":      tableM + minutely(100) + "; ANALYZE m; DELETE FROM m; " + minutely(20061),
		"never analysed":            tableM + minutely(20061),
		"analysed":                  tableM + minutely(20061) + "; ANALYZE m",
		"bloated":                   tableM + minutely(90000) + "; ANALYZE m; DELETE FROM m WHERE id > 20061",
		"bloated and analysed":      tableM + minutely(90000) + "; DELETE FROM m WHERE id > 20061; ANALYZE m",
		"partitions analysed empty": partedM + "ANALYZE m; " + minutely(20061),
		"partitions never analysed": partedM + minutely(20061),
		"one partition analysed":    partedM + minutely(20061) + "; ANALYZE m_2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, schema, "policies: {"+strings.Join(policies, ", ")+"}")
			for i := range policies {
				name := fmt.Sprintf("p%d", i)
				o := in.Run(name, noon)
				if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); o.State != "tripped" || left != 20061 {
					t.Errorf("%d of 20061 rows left, %s: %+v", left, policies[i], o)
				}
				if !pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview($1, $2)", name, noon) {
					t.Error("preview does not say so")
				}
			}
		})
	}
}

// One row decides, on either side of each bound, and a budget below the bound is all that counts.
func TestBreakerToTheRow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tableM+"SELECT", "policies: {p: {table: m, due: {age: {column: at, older_than: 1 hour}}, then: [delete]}}")
	const rows = math.MaxInt64
	for _, c := range []struct {
		n        int // 60 of them are young
		limit    int
		fraction float64
		budget   any
		want     string
	}{
		{12060, rows, 1, nil, "done"},
		{12060, 12000, 1, nil, "done"},
		{12061, 12000, 1, nil, "tripped"},
		{12061, 12000, 1, 12000, "more"},
		{12061, 12000, 1, 12001, "tripped"},
		{9999, rows, 0.1, nil, "done"},
		{10000, rows, 0.1, nil, "tripped"},
		{10000, rows, 0.1, 1000, "more"},
		{10000, rows, 0.1, 1001, "tripped"},
		{10000, rows, 0.994, nil, "done"},
		{10000, rows, 0.9939, nil, "tripped"},
		{12000, rows, 0.995, nil, "done"},
		{11999, rows, 0.995, nil, "done"},
		{12001, rows, 0.995, nil, "tripped"},
		{12000, 11939, 0.995, nil, "tripped"},
	} {
		in.Exec(t, "TRUNCATE m; "+minutely(c.n))
		in.Exec(t, "UPDATE retention.policy SET breaker_rows = $1, breaker_fraction = $2, budget_rows = $3 WHERE name = 'p'", c.limit, c.fraction, c.budget)
		trips := pgtest.Value[bool](t, in, "SELECT would_trip FROM retention.preview('p', $1)", noon)
		o := in.Run("p", noon)
		left := pgtest.Value[int](t, in, "SELECT count(*) FROM m")
		if o.State != c.want || trips != (c.want == "tripped") || trips != (left == c.n) {
			t.Errorf("%+v: %d left, preview says %v, %+v", c, left, trips, o)
		}
	}
}
