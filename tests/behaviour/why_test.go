package behaviour

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestWhy: what people are told of one row is what a run does with it, and when.
func TestWhy(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, part varchar(1), at timestamptz, pinned boolean, PRIMARY KEY (id, part));
		INSERT INTO m VALUES (1, 'a', '2024-03-01 12:00:00+00', false), (2, 'a', '2024-03-30 12:00:00.25+00', false),
			(3, 'a', '2024-03-01', true), (4, 'a', '2024-03-01', NULL), (5, 'a', NULL, false), (6, 'a', 'infinity', false), (1, 'b', '2024-03-31', true);
		CREATE TABLE e (id int PRIMARY KEY, until date); INSERT INTO e VALUES (1, '2024-04-30'), (2, '2024-03-30');
		CREATE TABLE r (id int PRIMARY KEY); INSERT INTO r SELECT generate_series(1, 3)`,
		`policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {pinned: pinned}, then: [delete]}
  expiring: {table: e, due: {expires: {column: until}}, then: [delete]}
  rank: {table: r, due: {beyond: {first: 2, order: id desc}}, then: [delete]}`)
	for _, c := range []struct{ policy, key, want string }{
		{"p", `{"id": 1, "part": "a"}`, `(t,,)`},
		{"p", `{"id": 1, "part": "ab"}`, ``},
		{"p", `{"id": 2, "part": "a"}`, `(f,"not due","2024-04-06 12:00:00+00")`},
		{"p", `{"id": 3}`, `(f,pinned,)`},
		{"p", `{"id": 4}`, `(f,pinned,)`},
		{"p", `{"id": 5}`, `(f,"not due",)`},
		{"p", `{"id": 6}`, `(f,"not due",)`},
		{"p", `{"id": 7}`, ``},
		{"p", `{}`, ``},
		{"p", `{"id": 1}`, `(f,"not due","2024-04-07 00:00:00+00"),(t,,)`},
		{"expiring", `{"id": 1}`, `(f,"not due","2024-05-01 00:00:00+00")`},
		{"expiring", `{"id": 2}`, `(t,,)`},
		{"rank", `{"id": 1}`, `(t,,)`},
		{"rank", `{"id": 3}`, `(f,"not due",)`},
	} {
		got := pgtest.Value[string](t, in, "SELECT coalesce(string_agg(w::text, ',' ORDER BY w::text), '') FROM retention.why($1, $2, $3) w", c.policy, c.key, noon)
		if got != c.want {
			t.Errorf("why(%s, %s) is %s, want %s", c.policy, c.key, got, c.want)
		}
	}
	for sql, code := range map[string]string{
		`SELECT retention.why('q', '{"id": 1}')`: "P0002",
		`SELECT retention.why('p', '{"x": 1}')`:  "42703",
	} {
		var refused *pgconn.PgError
		if err := in.Operator(sql); !errors.As(err, &refused) || refused.Code != code {
			t.Errorf("%s: %v, want %s", sql, err, code)
		}
	}
}
