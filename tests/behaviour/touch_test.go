package behaviour

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const tracked = `
	CREATE TABLE catalogue (slug text PRIMARY KEY, name text NOT NULL);
	CREATE TABLE m (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, slug text NOT NULL UNIQUE,
		name text NOT NULL UNIQUE, reads int NOT NULL DEFAULT 0, read_at timestamptz,
		state text NOT NULL DEFAULT 'new')`

const trackedRule = `policies: {p: {table: m, due: {age: {column: read_at, older_than: 30 days}}, then: [delete],
	touch: {key: slug, set: {read_at: as_of, reads: "reads + 1", state: "'read'"}%s}}}`

const reviving = `, revive: {table: catalogue, as: c, set: {slug: c.slug, name: "upper(c.name)"}, emit: revived}`

// touched is the result of one call of p_touch().
type touched struct{ Touched, Revived int64 }

func touch(t *testing.T, conn *pgx.Conn, keys any) touched {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT * FROM retention.p_touch($1)", keys)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[touched])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTouch(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tracked, fmt.Sprintf(trackedRule, ""))
	conn := in.Conn(t)
	null := (*string)(nil)
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		keys  []*string
		reads []string // keys of the rows that must be touched
	}{
		{[]*string{text("a")}, []string{"a"}},
		{[]*string{text("a"), text("c"), text("a")}, []string{"a", "c"}},
		{[]*string{text(" a"), text("\tb\r\n"), text("a  ")}, []string{"a", "b"}},
		{[]*string{null, text(""), text("  "), null}, nil},
		{[]*string{text("none"), text("A"), text("a b")}, nil},
		{[]*string{text("none"), text("c")}, []string{"c"}},
		{[]*string{}, nil},
		{nil, nil},
	} {
		in.Exec(t, `TRUNCATE m;
			INSERT INTO m (slug, name, reads, read_at, state) SELECT s, s, 7, '2020-01-01', 'old'
				FROM unnest(ARRAY['a', 'b', 'c', 'd']) s`)
		before := pgtest.Value[string](t, in, "SELECT clock_timestamp()::text")
		if got, want := touch(t, conn, c.keys), (touched{int64(len(c.reads)), 0}); got != want {
			t.Errorf("%v: answered %v, want %v", c.keys, got, want)
		}
		got := pgtest.Column[string](t, in, `SELECT slug FROM m WHERE reads = 8 AND state = 'read'
			AND read_at BETWEEN $1::timestamptz AND clock_timestamp() ORDER BY 1`, before)
		if diff := cmp.Diff(c.reads, got, equateEmpty); diff != "" {
			t.Errorf("%v: rows touched (-want +got):\n%s", c.keys, diff)
		}
		if n := pgtest.Value[int](t, in, `SELECT count(*)::int FROM m WHERE reads = 7 AND state = 'old'
			AND read_at = '2020-01-01'`); n != 4-len(c.reads) {
			t.Errorf("%v: %d rows are as they were, want %d", c.keys, n, 4-len(c.reads))
		}
	}
}

// TestTouchKeys checks keys of other types, and a key that is not unique.
func TestTouchKeys(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE n (id bigint PRIMARY KEY, at timestamptz);
		CREATE TABLE v (id varchar(5) PRIMARY KEY, at timestamptz);
		CREATE TABLE x (id character(4) PRIMARY KEY, at timestamptz);
		CREATE TABLE u (id uuid PRIMARY KEY, at timestamptz);
		CREATE TABLE d (id int, owner int, at timestamptz, PRIMARY KEY (owner, id))`, `policies:
  n: {table: n, due: {age: {column: at, older_than: 1 day}}, then: [delete], touch: {key: id, set: {at: as_of}}}
  v: {table: v, due: {age: {column: at, older_than: 1 day}}, then: [delete], touch: {key: id, set: {at: as_of}}}
  x: {table: x, due: {age: {column: at, older_than: 1 day}}, then: [delete], touch: {key: id, set: {at: as_of}}}
  u: {table: u, due: {age: {column: at, older_than: 1 day}}, then: [delete], touch: {key: id, set: {at: as_of}}}
  d: {table: d, due: {age: {column: at, older_than: 1 day}}, then: [delete], touch: {key: owner, set: {at: as_of}}}`)
	in.Exec(t, `INSERT INTO n SELECT i FROM generate_series(1, 5) i;
		INSERT INTO v VALUES ('a'), ('b'), ('abcde');
		INSERT INTO x VALUES ('a'), ('b'), ('abcd');
		INSERT INTO u VALUES ('00000000-0000-0000-0000-000000000001'), ('00000000-0000-0000-0000-000000000002');
		INSERT INTO d SELECT i, i % 3 FROM generate_series(1, 9) i`)
	for _, c := range []struct {
		call, table string
		ids         []string
		n           int64
	}{
		{"n_touch(ARRAY[2, 4, 2, NULL, 99])", "n", []string{"2", "4"}, 2},
		{"v_touch(ARRAY[' a ', 'abcde', 'abcdef', NULL])", "v", []string{"a", "abcde"}, 2},
		{"x_touch(ARRAY['a', ' abcd ', 'abcde'])", "x", []string{"a", "abcd"}, 2},
		{"u_touch(ARRAY['00000000-0000-0000-0000-000000000002']::uuid[])", "u",
			[]string{"00000000-0000-0000-0000-000000000002"}, 1},
		{"d_touch(ARRAY[1, 1])", "d", []string{"1", "4", "7"}, 3},
	} {
		if got := pgtest.Value[int64](t, in, "SELECT touched FROM retention."+c.call); got != c.n {
			t.Errorf("%s touched %d, want %d", c.call, got, c.n)
		}
		if diff := cmp.Diff(c.ids, pgtest.Column[string](t, in, "SELECT id::text FROM "+
			c.table+" WHERE at IS NOT NULL ORDER BY 1")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.call, diff)
		}
	}
}

// TestTouchModel executes touches, updates and runs in random order. After each of them, it
// compares the table with a map in memory that must describe the same rows.
func TestTouchModel(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tracked, fmt.Sprintf(trackedRule, reviving))
	conn, random := in.Conn(t), rand.New(rand.NewPCG(8, 9))
	in.Exec(t, "INSERT INTO catalogue SELECT 's' || i, 'name ' || i FROM generate_series(0, 14) i")
	reads := map[string]int{} // by the key of each row that exists
	old := map[string]bool{}
	events := []string{}
	for step := range 300 {
		switch random.IntN(4) {
		case 0, 1:
			var keys []string
			for range random.IntN(6) {
				keys = append(keys, []string{"", " "}[random.IntN(2)]+fmt.Sprintf("s%d", random.IntN(20)))
			}
			var want touched
			done := map[string]bool{}
			var back []string
			for _, k := range keys {
				if k[0] == ' ' {
					k = k[1:]
				}
				_, exists := reads[k]
				switch {
				case done[k]:
				case exists:
					reads[k]++
					want.Touched++
					old[k] = false
				case len(k) == 2 || k < "s15":
					want.Revived++
					reads[k] = 0
					back = append(back, k)
				}
				done[k] = true
			}
			slices.Sort(back)
			events = append(events, back...)
			if got := touch(t, conn, keys); got != want {
				t.Fatalf("step %d: touch(%q) = %v, want %v", step, keys, got, want)
			}
		case 2:
			key := fmt.Sprintf("s%d", random.IntN(20))
			pgtest.Exec(t, conn, "UPDATE m SET read_at = '2020-01-01' WHERE slug = $1", key)
			if _, exists := reads[key]; exists {
				old[key] = true
			}
		case 3:
			pgtest.Exec(t, conn, "CALL retention.run('p')")
			for k, isOld := range old {
				if isOld {
					delete(reads, k)
				}
			}
			clear(old)
		}
		want := []string{}
		for k, n := range reads {
			want = append(want, fmt.Sprintf("%s NAME %s %d %t", k, k[1:], n, old[k]))
		}
		slices.Sort(want)
		if diff := cmp.Diff(want,
			pgtest.Column[string](t, conn, `SELECT x COLLATE "C" AS x
				FROM (SELECT concat_ws(' ', slug, name, reads, (read_at < '2021-01-01')::text) AS x FROM m) m
				ORDER BY x`)); diff != "" {
			t.Fatalf("after step %d (-want +got):\n%s", step, diff)
		}
	}
	if diff := cmp.Diff(events,
		pgtest.Column[string](t, conn, `SELECT payload ->> 'slug' FROM retention.event
			WHERE policy = 'p' AND event = 'revived' AND run_id IS NULL
			AND payload = jsonb_build_object('slug', payload -> 'slug') AND at BETWEEN now() - interval '10 minutes'
			AND clock_timestamp() ORDER BY id`)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(events) < 20 {
		t.Errorf("only %d rows were revived, too few to test anything", len(events))
	}
}

// TestRevive checks that a touch inserts a missing row again. The columns of this row get the
// values of "revive", and those values of "set" that need no existing row. The touch skips a row
// that violates another unique constraint. For the inserted row, it writes an event and notifies
// listeners.
func TestRevive(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tracked,
		fmt.Sprintf(trackedRule, `, revive: {table: catalogue, as: c,
		set: {slug: c.slug, name: c.name, state: "'back in ' || extract(year FROM as_of)"}, emit: revived}`))
	in.Exec(t, `INSERT INTO catalogue VALUES ('a', 'one'), ('b', 'two'), ('c', 'three'), (' d', 'four');
		INSERT INTO m (slug, name) VALUES ('x', 'two')`)
	listener := in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	conn := in.Conn(t)
	if got, want := touch(t, conn, []string{"a", "b", "x", "d", "nobody"}), (touched{1, 1}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	want := []string{"(a,one,0,t,t)", "(x,two,1,t,f)"}
	if diff := cmp.Diff(want,
		in.Rows(`SELECT slug, name, reads, read_at > now() - interval '3 minutes',
			state = 'back in ' || extract(year FROM now() AT TIME ZONE 'UTC') FROM m`)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	note, err := listener.WaitForNotification(t.Context())
	if err != nil || note.Payload != `{"events": 1, "policy": "p"}` {
		t.Errorf("the listener got %+v, %v; want a notification of 1 event", note, err)
	}
	// From then on, a touch treats the inserted row like any other row.
	if got, want := touch(t, conn, []string{"a"}), (touched{1, 0}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*)::int FROM retention.event"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

// TestReviveAlso checks the condition "also" of "revive". A touch emits the event for each row that
// it inserts. For a row that already exists, it emits the event only if the condition is true for
// the row after the touch. NULL counts as false.
func TestReviveAlso(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, tracked+"; CREATE TABLE data (slug text)",
		fmt.Sprintf(trackedRule, `, revive: {table: catalogue, as: c, set: {slug: c.slug, name: c.name}, emit: revived,
		also: "reads > 3 AND NOT EXISTS (SELECT FROM data d WHERE d.slug = t.slug)"}`))
	in.Exec(t, `INSERT INTO catalogue VALUES ('gone', 'gone');
		INSERT INTO data VALUES ('full');
		INSERT INTO m (slug, name, reads) VALUES ('full', 'full', 9), ('bare', 'bare', 3), ('new', 'new', 2),
			('other', 'other', 9)`)
	conn, listener := in.Conn(t), in.Conn(t)
	pgtest.Exec(t, listener, "LISTEN pgretain")
	if got, want := touch(t, conn, []string{"full", "bare", "new", "gone", "nobody"}), (touched{3, 1}); got != want {
		t.Errorf("answered %v, want %v", got, want)
	}
	if got := in.Rows("SELECT policy, event, payload, run_id FROM retention.event"); !slices.Equal(got,
		[]string{`(p,revived,"{""slug"": ""bare""}",)`, `(p,revived,"{""slug"": ""gone""}",)`}) {
		t.Errorf("the events are %v, want one for bare and one for gone", got)
	}
	if note, err := listener.WaitForNotification(t.Context()); err != nil ||
		note.Payload != `{"events": 2, "policy": "p"}` {
		t.Errorf("the listener got %+v, %v; want a notification of 2 events", note, err)
	}
}

// TestClaimSetWindow checks that set_window changes the time to live of a claim from the next call
// on.
func TestClaimSetWindow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (k text PRIMARY KEY, expires_at timestamptz NOT NULL);
		CREATE TABLE o (k text PRIMARY KEY, expires_at timestamptz NOT NULL)`,
		`policies:
  p: {table: m, due: {expires: {column: expires_at}}, then: [delete],
        claim: {key: k, ttl: {minutes: 15, at_least: 2, at_most: 1 day}}}
  q: {table: o, due: {expires: {column: expires_at}}, then: [delete], claim: {key: k, ttl: 15 minutes}}`)
	lives := func(want string) {
		t.Helper()
		in.Exec(t, "TRUNCATE m; SELECT retention.p_claim('one'), retention.p_claim(ARRAY['two'])")
		if got := pgtest.Value[string](t, in, `SELECT string_agg(round(extract(epoch FROM expires_at -
			clock_timestamp()) / 60)::text, ' ') FROM m`); got != want+" "+want {
			t.Errorf("claims live %s minutes, want %s", got, want)
		}
	}
	lives("15")
	in.Exec(t, "SELECT retention.set_window('p', '1 hour', 'the feed is slow')")
	lives("60")
	// The policy's bounds change, so the window that was set is not valid any more.
	in.Migrate(t, `policies:
  p: {table: m, due: {expires: {column: expires_at}}, then: [delete],
        claim: {key: k, ttl: {minutes: 20, at_least: 2, at_most: 30 minutes}}}`)
	lives("20")
	for _, call := range []string{"'q', '1 hour'", "'p', '1 minute'", "'p', '40 minutes'"} {
		if _, err := in.Conn(t).Exec(t.Context(), "SELECT retention.set_window("+call+", 'why')"); err == nil {
			t.Errorf("set_window(%s) succeeded, want an error", call)
		}
	}
	lives("20")
}

// TestClaimGrants checks that the roles named in grant may call the functions of claim and touch,
// and may read no tables. Other roles may not call them.
func TestClaimGrants(t *testing.T) {
	t.Parallel()
	roles := pgtest.MakeRole("claim_app") + pgtest.MakeRole("claim_other")
	const yaml = `policies: {p: {table: m, due: {expires: {column: expires_at}}, then: [delete],
		claim: {key: k, ttl: 15 minutes, grant: [%s], cursor: {table: c, key: id, position: [at]}},
		touch: {key: k, set: {expires_at: as_of}, grant: [%[1]s]}}}`
	const schema = `CREATE TABLE m (k text PRIMARY KEY, expires_at timestamptz NOT NULL);
		CREATE TABLE c (id text PRIMARY KEY, at bigint)`
	calls := []string{"retention.p_claim('a')", "retention.p_claim(ARRAY['b'])", "retention.p_seen('a')",
		"retention.p_seen(ARRAY['a'])",
		"retention.p_advance('x', 1)", "retention.p_cursor('x')", "retention.p_touch(ARRAY['a'])"}
	for _, install := range []string{"", "version: 1\ninstall: {scheduler: none, roles: none}\n"} {
		in := kit.Install(t, schema, install+fmt.Sprintf(yaml, "claim_app"), kit.Before(roles))
		may := func(role string, want bool, calls ...string) {
			t.Helper()
			for _, call := range calls {
				conn := in.Conn(t)
				pgtest.Exec(t, conn, "SET SESSION AUTHORIZATION "+role)
				_, err := conn.Exec(t.Context(), "SELECT "+call)
				if code := sqlState(err); (code == "") != want || code != "" && code != "42501" {
					t.Errorf("install %q: %s calls %s: got SQLSTATE %q, want success: %v", install, role, call,
						code, want)
				}
			}
		}
		may("claim_app", true, calls...)
		may("claim_other", false, calls...)
		may("claim_app", false, "* FROM m", "* FROM c", "* FROM retention.claim", "retention._count_claims('p', 1, 1)",
			"retention._ttl('p', now(), NULL, NULL, NULL, NULL)", "retention.p_take(NULL)")
		// A role that is removed from grant loses the privilege.
		in.Migrate(t, install+fmt.Sprintf(yaml, "claim_other"))
		may("claim_other", true, calls...)
		may("claim_app", false, calls...)
	}
}

// TestClaimSettings checks that settings of the session do not change the results of claims.
func TestClaimSettings(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimSchema, claimRule)
	for i, set := range []string{
		"search_path = pg_temp", "DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Tokyo'",
		"IntervalStyle = sql_standard", "plpgsql.variable_conflict = error", "plpgsql.extra_errors = 'all'",
		"array_nulls = off", "transform_null_equals = on", "standard_conforming_strings = off",
		"plan_cache_mode = force_generic_plan", "default_transaction_isolation = serializable",
	} {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, "SET "+set)
		for _, c := range []struct{ call, want string }{
			{"retention.p_claim(%q)", "true"}, {"retention.p_claim(%q)", "false"}, {"retention.p_seen(%q)", "true"},
			{"(SELECT count(*) FROM retention.p_claim(ARRAY[%q, 'b' || %[1]q, 'b' || %[1]q]))", "1"},
			{"(SELECT count(*) FROM retention.p_seen(ARRAY[%q, 'b' || %[1]q, 'none']))", "2"},
		} {
			call := strings.ReplaceAll(fmt.Sprintf(c.call, fmt.Sprintf("k%d", i)), `"`, "'")
			if got := pgtest.Value[string](t, conn, "SELECT "+call+"::text"); got != c.want {
				t.Errorf("with %s: %s is %s, want %s", set, call, got, c.want)
			}
		}
	}
	if n := pgtest.Value[int](t, in, `SELECT count(*)::int FROM m
		WHERE expires_at - clock_timestamp() BETWEEN interval '59 minutes' AND interval '1 hour'`); n != 22 {
		t.Errorf("%d entries live an hour, want 22", n)
	}
}

// TestClaimStatistics checks the counters of claims. They may lack at most an eighth of the keys
// that one session has asked for.
func TestClaimStatistics(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimSchema, claimRule)
	counted := func() (asked, won, rows int64) {
		in.Exec(t, "SELECT")
		asked = pgtest.Value[int64](t, in, `SELECT coalesce(sum(asked), 0)::bigint FROM retention.claim
			WHERE policy = 'p' AND at > now() - interval '1 hour' AND at <= clock_timestamp()`)
		won = pgtest.Value[int64](t, in, "SELECT coalesce(sum(won), 0)::bigint FROM retention.claim")
		return asked, won, pgtest.Value[int64](t, in, "SELECT count(*) FROM retention.claim")
	}
	conn := in.Conn(t)
	for i := range 1000 {
		pgtest.Exec(t, conn, "SELECT retention.p_claim($1)", fmt.Sprintf("k%d", i/4))
	}
	asked, won, rows := counted()
	if asked < 875 || asked > 1000 || won*4 < asked-8 || won*4 > asked+8 || rows > 100 {
		t.Errorf("after 1000 claims, 250 of them won, the log has %d asked and %d won in %d rows", asked, won, rows)
	}
	// A session that claims a single key, or a batch of keys, is counted at once.
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim('single')")
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim(ARRAY['single', 'x', 'y', 'y'])")
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim('{}'::text[])")
	if a, w, r := counted(); a != asked+5 || w != won+3 || r != rows+2 {
		t.Errorf("two sessions wrote %d asked, %d won, %d rows, want 5, 3, 2", a-asked, w-won, r-rows)
	}
	// Counts that a session has not written are written after a minute. A rollback undoes the
	// counts of its transaction.
	pgtest.Exec(t, conn, "SELECT set_config('retention.claims_p', '{1,0,0,1000000}', false)")
	asked, won, _ = counted()
	pgtest.Exec(t, conn, "SELECT retention.p_claim('single')")
	if a, _, _ := counted(); a != asked {
		t.Errorf("%d claims were written at once, want none", a-asked)
	}
	pgtest.Exec(t, conn, "BEGIN; SELECT retention.p_claim('single'); ROLLBACK")
	pgtest.Exec(t, conn, `SELECT set_config('retention.claims_p',
		'{' || (extract(epoch FROM now() - interval '61 seconds') * 1000000)::bigint || substr(s, strpos(s, ',')),
		false) FROM current_setting('retention.claims_p') s`)
	pgtest.Exec(t, conn, "SELECT retention.p_claim('another')")
	if a, w, _ := counted(); a != asked+2 || w != won+1 {
		t.Errorf("after a minute %d asked and %d won are written, want 2 and 1", a-asked, w-won)
	}
	// A run purges old counters.
	in.Exec(t, "UPDATE retention.claim SET at = at - interval '91 days' WHERE asked > 1")
	in.Exec(t, "CALL retention.run('p')")
	if left := pgtest.Value[int64](t, in, "SELECT max(asked) FROM retention.claim"); left != 1 {
		t.Errorf("statistics of 91 days ago are left: %d, want 1", left)
	}
}

// TestKeysOfACollation checks a column with a nondeterministic collation. Keys that the column
// considers equal are one key: they are claimed, seen and touched once.
func TestKeysOfACollation(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2',
			deterministic = false);
		CREATE TABLE m (k text COLLATE nocase PRIMARY KEY, until timestamptz NOT NULL);
		CREATE TABLE k (k text COLLATE nocase PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE every (k text);
		INSERT INTO every VALUES ('a'), ('b')`,
		`policies:
  p: {table: m, due: {expires: {column: until}}, then: [delete], claim: {key: k, ttl: 1 hour}}
  q: {table: k, due: {age: {column: at, older_than: 1 hour}}, then: [delete],
        touch: {key: k, set: {at: as_of}, revive: {table: every, as: c, set: {k: c.k}}}}
`)
	for _, c := range []struct{ query, want string }{
		{"SELECT array_agg(lower(k))::text FROM retention.p_claim(ARRAY['A', 'a', 'b', 'A']) k", "{a,b}"},
		{"SELECT count(*)::text FROM retention.p_claim(ARRAY['a', 'B'])", "0"},
		{"SELECT count(*)::text FROM retention.p_seen(ARRAY['a', 'A', 'c'])", "1"},
		{"SELECT t::text FROM retention.q_touch(ARRAY['a', 'A', 'b', 'c']) t", "(0,2)"},
		{"SELECT t::text FROM retention.q_touch(ARRAY['a', 'A', 'b', 'c']) t", "(2,0)"},
	} {
		if got := pgtest.Value[string](t, in, c.query); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
		}
	}
}

// TestClaimKeysWithALength checks key columns with a length or precision. A claim must not shorten
// the key: a bare "character" or "bit" has length 1.
func TestClaimKeysWithALength(t *testing.T) {
	t.Parallel()
	for typ, key := range map[string]string{
		"character(3)":       "abc",
		"bit(3)":             "101",
		"bit varying(8)":     "1011",
		"numeric(5,2)":       "12.25",
		"interval second(1)": "00:00:01.5",
	} {
		in := kit.Install(t, "CREATE TABLE m (k "+typ+" PRIMARY KEY, until timestamptz NOT NULL)",
			"policies: {p: {table: m, due: {expires: {column: until}}, then: [delete], claim: {key: k, ttl: 1 hour}}}")
		for _, want := range []string{"{" + key + "}", "{}"} {
			if got := pgtest.Value[string](t, in, "SELECT ARRAY(SELECT retention.p_claim(ARRAY['"+key+"']::"+
				typ+"[]))::text"); got != want {
				t.Errorf("%s: won %s, want %s", typ, got, want)
			}
		}
	}
}
