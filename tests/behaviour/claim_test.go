package behaviour

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const claimSchema = `
	CREATE TABLE m (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		k text NOT NULL UNIQUE,
		note text NOT NULL DEFAULT 'new',
		source text,
		tries int NOT NULL DEFAULT 0,
		made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
		expires_at timestamptz NOT NULL,
		twice int GENERATED ALWAYS AS (tries * 2) STORED)`

const claimRule = `policies: {p: {table: m, due: {expires: {column: expires_at}}, then: [delete],
	claim: {key: k, ttl: 1 hour, set: {source: "'claimed in ' || extract(year FROM as_of AT TIME ZONE 'UTC')"}}}}`

// entry is the state of a key in the model. A live entry has not expired. A held entry has a hold
// on its row.
type entry struct{ live, held bool }

// TestClaimModel compares random calls of the claim functions with a map in memory. Between the
// calls entries expire, are used or held, and runs delete them.
func TestClaimModel(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimSchema, claimRule)
	conn, random := in.Conn(t), rand.New(rand.NewPCG(1, 2))
	model := map[string]*entry{}
	free := func(k string) bool { e := model[k]; return e == nil || !e.live && !e.held }
	claim := func(k string) bool {
		if !free(k) {
			return false
		}
		if model[k] == nil {
			model[k] = &entry{}
		}
		model[k].live = true
		return true
	}
	for i := range 250 {
		key := fmt.Sprintf("k%02d", random.IntN(40))
		switch random.IntN(8) {
		case 0, 1, 2:
			if got, want := pgtest.Value[bool](t, conn, "SELECT retention.p_claim($1)", key), claim(key); got != want {
				t.Fatalf("step %d: claim(%s) = %t, want %t", i, key, got, want)
			}
		case 3:
			keys, want := []string{}, []string{}
			for range random.IntN(12) {
				keys = append(keys, fmt.Sprintf("k%02d", random.IntN(40)))
			}
			for _, k := range keys {
				if claim(k) {
					want = append(want, k)
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, pgtest.Column[string](t, conn,
				"SELECT * FROM retention.p_claim($1::text[]) ORDER BY 1", keys)); diff != "" {
				t.Fatalf("step %d: claim(%v):\n%s", i, keys, diff)
			}
		case 4:
			pgtest.Exec(t, conn, `UPDATE m SET expires_at = clock_timestamp() - interval '1 hour', note = 'used',
				tries = 7, source = NULL WHERE k = $1`, key)
			if model[key] != nil {
				model[key].live = false
			}
		case 5:
			pgtest.Exec(t, conn, "UPDATE m SET note = 'used', tries = 7 WHERE k = $1", key)
		case 6:
			if model[key] != nil && !model[key].held && random.IntN(3) == 0 {
				pgtest.Exec(t, conn, "SELECT retention.place_hold('m', (SELECT id FROM m WHERE k = $1)::text, 'case')",
					key)
				model[key].held = true
			}
		case 7:
			pgtest.Exec(t, conn, "CALL retention.run('p')")
			for k, e := range model {
				if !e.live && !e.held {
					delete(model, k)
				}
			}
		}
		compareClaims(t, conn, model, i%5 == 0)
		if t.Failed() {
			t.Fatalf("after step %d", i)
		}
	}
}

// compareClaims compares two things with the model: the rows of the table, and the keys that p_seen
// returns. If the parameter "each" is true, it also calls p_seen once per key. Those calls take
// forty times as long.
func compareClaims(t *testing.T, conn *pgx.Conn, model map[string]*entry, each bool) {
	t.Helper()
	var all, seen, want []string
	for i := range 40 {
		all = append(all, fmt.Sprintf("k%02d", i))
	}
	for k, e := range model {
		want = append(want, fmt.Sprintf("%s %t", k, e.live))
		if e.live || e.held {
			seen = append(seen, k)
		}
	}
	slices.Sort(want)
	slices.Sort(seen)
	if diff := cmp.Diff(want, pgtest.Column[string](t, conn,
		"SELECT k || ' ' || (expires_at > now())::text FROM m ORDER BY 1"), equateEmpty); diff != "" {
		t.Errorf("entries, and whether they are live:\n%s", diff)
	}
	if diff := cmp.Diff(seen, pgtest.Column[string](t, conn, "SELECT * FROM retention.p_seen($1::text[]) ORDER BY 1",
		append(all, all...)), equateEmpty); diff != "" {
		t.Errorf("seen:\n%s", diff)
	}
	if !each {
		return
	}
	if diff := cmp.Diff(seen, pgtest.Column[string](t, conn,
		"SELECT x FROM unnest($1::text[]) x WHERE retention.p_seen(x) ORDER BY 1", all), equateEmpty); diff != "" {
		t.Errorf("seen, one by one:\n%s", diff)
	}
}

var equateEmpty = cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })

// TestClaimWrites checks the row that a claim writes: it inserts a new entry, or resets an expired
// entry.
func TestClaimWrites(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimSchema, claimRule)
	const row = `
		SELECT concat_ws(' ', k, note, source = 'claimed in ' || extract(year FROM now() AT TIME ZONE 'UTC'), tries,
			twice,
			made_at BETWEEN now() - interval '3 minutes' AND clock_timestamp(),
			expires_at BETWEEN now() - interval '3 minutes' + interval '1 hour'
				AND clock_timestamp() + interval '1 hour')
		FROM m`
	for _, call := range []string{"SELECT retention.p_claim('a')", "SELECT retention.p_claim(ARRAY['a'])"} {
		in.Exec(t, "TRUNCATE m; "+call)
		if got, want := pgtest.Value[string](t, in, row), "a new t 0 0 t t"; got != want {
			t.Errorf("%s: a new entry is %q, want %q", call, got, want)
		}
		in.Exec(t, `UPDATE m SET note = 'used', source = 'elsewhere', tries = 3, made_at = '2020-01-01',
			expires_at = '2020-01-02'`)
		id := pgtest.Value[int64](t, in, "SELECT id FROM m")
		in.Exec(t, call)
		if got, want := pgtest.Value[string](t, in, row), "a new t 0 0 t t"; got != want {
			t.Errorf("%s: an entry taken over is %q, want %q", call, got, want)
		}
		if after := pgtest.Value[int64](t, in, "SELECT id FROM m"); after != id {
			t.Errorf("%s: the primary key changed from %d to %d", call, id, after)
		}
		in.Exec(t, "UPDATE m SET note = 'used'; "+call)
		if got := pgtest.Value[string](t, in, "SELECT note FROM m"); got != "used" {
			t.Errorf("%s: a live entry was changed: %q", call, got)
		}
	}
}

// TestClaimTimeToLive checks how long a claimed entry lives. The policy's ttl or the argument of
// the call decides, within the bounds at_least and at_most.
func TestClaimTimeToLive(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (k text PRIMARY KEY, expires_at timestamptz NOT NULL);
		CREATE TABLE o (k int PRIMARY KEY, expires_at timestamptz NOT NULL)`, `policies:
  p:
    table: m
    due: {expires: {column: expires_at}}
    then: [delete]
    claim: {key: k, ttl: {minutes: 15, at_least: 2, at_most: 1 day}}
  q: {table: o, due: {expires: {column: expires_at}}, then: [delete], claim: {key: k, ttl: 1 month}}`)
	for _, c := range []struct{ call, lives, refused string }{
		{call: "retention.p_claim('a')", lives: "15 minutes"},
		{call: "retention.p_claim('a', NULL)", lives: "15 minutes"},
		{call: "retention.p_claim('a', '1 day')", lives: "1 day"},
		{call: "retention.p_claim('a', '2 minutes')", lives: "2 minutes"},
		{call: "retention.p_claim('a', '119 seconds')", refused: "22023"},
		{call: "retention.p_claim('a', '25 hours')", refused: "22023"},
		{call: "retention.p_claim('a', '0')", refused: "22023"},
		{call: "retention.p_claim('a', '-1 hour')", refused: "22023"},
		{call: "retention.p_claim(NULL::text)", refused: "22004"},
		{call: "retention.p_claim(ARRAY['a', NULL])", refused: "22004"},
		{call: "retention.p_claim('a', '25 hours')", refused: "22023"},
		{call: "retention.p_claim('a', '5 minutes')", lives: "5 minutes"},
		{call: "retention.q_claim(1)", lives: "1 month"},
		{call: "retention.q_claim(1, '1 us')", refused: "55P03"}, // it expires before the call returns
		{call: "retention.q_claim(1, '1 minute')", lives: "1 minute"},
		{call: "retention.q_claim(1, '100 years')", lives: "100 years"},
		{call: "retention.q_claim(1, '1 month -31 days')", refused: "22023"},
	} {
		in.Exec(t, "TRUNCATE m, o")
		_, err := in.Conn(t).Exec(t.Context(), "SELECT "+c.call)
		if code := sqlState(err); code != c.refused {
			t.Errorf("%s: got SQLSTATE %q, want %q", c.call, code, c.refused)
		}
		if c.refused == "" && !pgtest.Value[bool](t, in,
			`SELECT count(*) = 1 AND bool_and(x.expires_at BETWEEN now() - interval '3 minutes' + $1::interval
				AND clock_timestamp() + $1::interval)
			FROM (SELECT expires_at FROM m UNION ALL SELECT expires_at FROM o) x`, c.lives) {
			t.Errorf("%s: the entry does not live %s", c.call, c.lives)
		}
	}
}

// TestClaimClocks checks each type of clock. A claimed entry never expires before its ttl is over.
// It can expire later, by at most the precision of the type.
func TestClaimClocks(t *testing.T) {
	t.Parallel()
	types := []struct {
		column, encoding, due string // due is true if value e is expired at timestamp s
		late                  string // the longest delay of the expiry
	}{
		{"timestamptz", "", "e < s", "2 us"},
		{"timestamptz(0)", "", "e < s", "1 second 2 us"},
		{"timestamptz(3)", "", "e < s", "1 ms 2 us"},
		{"timestamp", "", "e < s AT TIME ZONE 'Europe/Berlin'", "2 us"},
		{"timestamp(1)", "", "e < s AT TIME ZONE 'Europe/Berlin'", "100 ms 2 us"},
		{"date", "", "e < (s AT TIME ZONE 'Europe/Berlin')::date", "25 hours"},
		{"int", "epoch_s", "e < floor(extract(epoch FROM s))", "1 second 2 us"},
		{"bigint", "epoch_ms", "e < floor(extract(epoch FROM s) * 1000)", "1 ms 2 us"},
		{"numeric", "epoch_s", "e < extract(epoch FROM s)", "2 us"},
		{"numeric(12,2)", "epoch_s", "e < extract(epoch FROM s)", "10 ms 2 us"},
		{"numeric(20)", "epoch_ms", "e < extract(epoch FROM s) * 1000", "1 ms 2 us"},
		{"float8", "epoch_s", "e < extract(epoch FROM s)::float8", "3 us"},
		{"float8", "epoch_ms", "e < (extract(epoch FROM s) * 1000)::float8", "3 us"},
	}
	schema, yaml := "", "version: 1\ninstall: {scheduler: none, time_zone: Europe/Berlin}\npolicies:\n"
	for i, c := range types {
		for _, inclusive := range []bool{false, true} {
			name := fmt.Sprintf("c%d_%t", i, inclusive)
			encoding := ""
			if c.encoding != "" {
				encoding = ", encoding: " + c.encoding
			}
			schema += fmt.Sprintf("CREATE TABLE %s (k bigint PRIMARY KEY, e %s);\n", name, c.column)
			yaml += fmt.Sprintf("  %s: {table: %s, due: {expires: {column: e, inclusive: %t%s}}, then: [delete], "+
				"claim: {key: k, ttl: 1 hour}}\n", name, name, inclusive, encoding)
		}
	}
	in := kit.Install(t, schema, yaml)
	conn, random := in.Conn(t), rand.New(rand.NewPCG(3, 4))
	for i, c := range types {
		for _, inclusive := range []bool{false, true} {
			name, due := fmt.Sprintf("c%d_%t", i, inclusive), c.due
			if inclusive {
				due = "e <=" + c.due[len("e <"):]
			}
			for k := range 20 {
				ttl := fmt.Sprintf("%d us", 10_000_000+random.Int64N(int64(100*time.Second/time.Microsecond)))
				// One statement reads the clock, calls the function and reads the clock again, so
				// that nothing else happens between.
				sql := fmt.Sprintf(`
					WITH c AS MATERIALIZED (
						SELECT clock_timestamp() AS earliest,
							retention.%s_claim(p_key => $1, p_ttl => $2::interval),
							clock_timestamp() AS latest)
					SELECT earliest, latest FROM c`, name)
				var earliest, latest time.Time
				if err := conn.QueryRow(t.Context(), sql, k, ttl).Scan(&earliest, &latest); err != nil {
					t.Fatal(err)
				}
				query := fmt.Sprintf(`SELECT %s
					FROM (SELECT e, $2::timestamptz + $3::interval + $4::interval - interval '1 us' AS s
						FROM %s WHERE k = $1) x`, due, name)
				if pgtest.Value[bool](t, conn, query, k, earliest, ttl, "0") {
					t.Errorf("%s inclusive %t: an entry for %s expires too early", c.column, inclusive, ttl)
				}
				if !pgtest.Value[bool](t, conn, query, k, latest, ttl, c.late) {
					t.Errorf("%s inclusive %t: an entry for %s expires too late", c.column, inclusive, ttl)
				}
			}
		}
	}
}

// The policy's key "inclusive" decides whether an entry that expires exactly now is live.
func TestClaimAtTheBound(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE a (k int PRIMARY KEY, day date); CREATE TABLE b (k int PRIMARY KEY, day date)",
		`policies:
  a: {table: a, due: {expires: {column: day}}, then: [delete], claim: {key: k, ttl: 1 day}}
  b:
    table: b
    due: {expires: {column: day, inclusive: true, nulls: due}}
    then: [delete]
    claim: {key: k, ttl: 1 day}`)
	const fill = `INSERT INTO %s SELECT i, (now() AT TIME ZONE 'UTC')::date + i FROM generate_series(-2, 2) i
		UNION ALL SELECT 9, NULL`
	for _, c := range []struct {
		name string
		live []int // keys of live entries: days from today, 9 for NULL
	}{{"a", []int{0, 1, 2, 9}}, {"b", []int{1, 2}}} {
		in.Exec(t, fmt.Sprintf(fill, c.name))
		if diff := cmp.Diff(c.live, pgtest.Column[int](t, in,
			fmt.Sprintf("SELECT k FROM %s WHERE retention.%[1]s_seen(k) ORDER BY 1", c.name))); diff != "" {
			t.Errorf("%s_seen is true for (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.live, pgtest.Column[int](t, in,
			fmt.Sprintf("SELECT k FROM %s WHERE NOT retention.%[1]s_claim(k) ORDER BY 1", c.name))); diff != "" {
			t.Errorf("%s_claim refuses (-want +got):\n%s", c.name, diff)
		}
		in.Exec(t, "TRUNCATE "+c.name)
		in.Exec(t, fmt.Sprintf(fill, c.name))
		in.Exec(t, "CALL retention.run($1)", c.name)
		if diff := cmp.Diff(c.live, pgtest.Column[int](t, in, "SELECT k FROM "+c.name+" ORDER BY 1")); diff != "" {
			t.Errorf("a run of %s leaves (-want +got):\n%s", c.name, diff)
		}
	}
}

// sqlState returns the SQLSTATE of a server's error, the text of any other error, and "" for nil.
func sqlState(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
