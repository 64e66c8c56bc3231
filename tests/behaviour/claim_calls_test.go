package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// The time to live of a policy is set at run time like a window, and counts from the next call.
func TestClaimSetWindow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (k text PRIMARY KEY, expires_at timestamptz NOT NULL); CREATE TABLE o (k text PRIMARY KEY, expires_at timestamptz NOT NULL)`, `policies:
  p: {table: m, due: {expires: {column: expires_at}}, then: [delete], claim: {key: k, ttl: {minutes: 15, at_least: 2, at_most: 1 day}}}
  q: {table: o, due: {expires: {column: expires_at}}, then: [delete], claim: {key: k, ttl: 15 minutes}}`)
	lives := func(want string) {
		t.Helper()
		in.Exec(t, "TRUNCATE m; SELECT retention.p_claim('one'), retention.p_claim(ARRAY['two'])")
		if got := pgtest.Value[string](t, in, "SELECT string_agg(round(extract(epoch FROM expires_at - clock_timestamp()) / 60)::text, ' ') FROM m"); got != want+" "+want {
			t.Errorf("claims live %s minutes, want %s", got, want)
		}
	}
	lives("15")
	in.Exec(t, "SELECT retention.set_window('p', '1 hour', 'the feed is slow')")
	lives("60")
	// A bound of the policy that was changed since holds.
	in.Migrate(t, `policies:
  p: {table: m, due: {expires: {column: expires_at}}, then: [delete], claim: {key: k, ttl: {minutes: 20, at_least: 2, at_most: 30 minutes}}}`)
	lives("20")
	for _, call := range []string{"'q', '1 hour'", "'p', '1 minute'", "'p', '40 minutes'"} {
		if _, err := in.Conn(t).Exec(t.Context(), "SELECT retention.set_window("+call+", 'why')"); err == nil {
			t.Errorf("set_window(%s) was not refused", call)
		}
	}
	lives("20")
}

// Whoever the policy names may call the functions, and touch nothing else; nobody else may.
func TestClaimGrants(t *testing.T) {
	t.Parallel()
	roles := pgtest.MakeRole("claim_app") + pgtest.MakeRole("claim_other")
	const yaml = `policies: {p: {table: m, due: {expires: {column: expires_at}}, then: [delete],
		claim: {key: k, ttl: 15 minutes, grant: [%s], cursor: {table: c, key: id, position: [at]}}, touch: {key: k, set: {expires_at: as_of}, grant: [%[1]s]}}}`
	const schema = "CREATE TABLE m (k text PRIMARY KEY, expires_at timestamptz NOT NULL); CREATE TABLE c (id text PRIMARY KEY, at bigint)"
	calls := []string{"retention.p_claim('a')", "retention.p_claim(ARRAY['b'])", "retention.p_seen('a')", "retention.p_seen(ARRAY['a'])",
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
					t.Errorf("%q: %s calls %s: %q", install, role, call, code)
				}
			}
		}
		may("claim_app", true, calls...)
		may("claim_other", false, calls...)
		may("claim_app", false, "* FROM m", "* FROM c", "* FROM retention.claim", "retention._count_claims('p', 1, 1)", "retention._ttl('p', now(), NULL, NULL, NULL, NULL)", "retention.p_take(NULL)")
		// A role that is not named any more loses it.
		in.Migrate(t, install+fmt.Sprintf(yaml, "claim_other"))
		may("claim_other", true, calls...)
		may("claim_app", false, calls...)
	}
}

// Session and caller settings change nothing.
func TestClaimSettings(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimed, claimRule)
	for i, set := range []string{"search_path = pg_temp", "DateStyle = 'SQL, DMY'", "TimeZone = 'Asia/Tokyo'", "IntervalStyle = sql_standard",
		"plpgsql.variable_conflict = error", "plpgsql.extra_errors = 'all'", "array_nulls = off", "transform_null_equals = on",
		"standard_conforming_strings = off", "plan_cache_mode = force_generic_plan", "default_transaction_isolation = serializable"} {
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
	if n := pgtest.Value[int](t, in, "SELECT count(*)::int FROM m WHERE expires_at - clock_timestamp() BETWEEN interval '59 minutes' AND interval '1 hour'"); n != 22 {
		t.Errorf("%d entries live an hour, want 22", n)
	}
}

// Rates of duplicates: what is written is what was asked, but for an eighth of a session's.
func TestClaimStatistics(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, claimed, claimRule)
	counted := func() (asked, won, rows int64) {
		in.Exec(t, "SELECT")
		asked = pgtest.Value[int64](t, in, "SELECT coalesce(sum(asked), 0)::bigint FROM retention.claim WHERE policy = 'p' AND at > now() - interval '1 hour' AND at <= clock_timestamp()")
		won = pgtest.Value[int64](t, in, "SELECT coalesce(sum(won), 0)::bigint FROM retention.claim")
		return asked, won, pgtest.Value[int64](t, in, "SELECT count(*) FROM retention.claim")
	}
	conn := in.Conn(t)
	for i := range 1000 {
		pgtest.Exec(t, conn, "SELECT retention.p_claim($1)", fmt.Sprintf("k%d", i/4))
	}
	asked, won, rows := counted()
	if asked < 875 || asked > 1000 || won*4 < asked-8 || won*4 > asked+8 || rows > 100 {
		t.Errorf("of 1000 claims, 250 won, %d and %d are written in %d rows", asked, won, rows)
	}
	// A session that claims once is not lost, nor is one that claims a whole batch.
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim('single')")
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim(ARRAY['single', 'x', 'y', 'y'])")
	pgtest.Exec(t, in.Conn(t), "SELECT retention.p_claim('{}'::text[])")
	if a, w, r := counted(); a != asked+5 || w != won+3 || r != rows+2 {
		t.Errorf("two sessions wrote %d asked, %d won, %d rows, want 5, 3, 2", a-asked, w-won, r-rows)
	}
	// What waits in a session is written after a minute; a rollback takes what it counted along.
	pgtest.Exec(t, conn, "SELECT set_config('retention.claims_p', '{1,0,0,1000000}', false)")
	asked, won, _ = counted()
	pgtest.Exec(t, conn, "SELECT retention.p_claim('single')")
	if a, _, _ := counted(); a != asked {
		t.Errorf("a claim was written at once: %d", a-asked)
	}
	pgtest.Exec(t, conn, "BEGIN; SELECT retention.p_claim('single'); ROLLBACK")
	pgtest.Exec(t, conn, "SELECT set_config('retention.claims_p', '{' || (extract(epoch FROM now() - interval '61 seconds') * 1000000)::bigint || substr(s, strpos(s, ',')), false) FROM current_setting('retention.claims_p') s")
	pgtest.Exec(t, conn, "SELECT retention.p_claim('another')")
	if a, w, _ := counted(); a != asked+2 || w != won+1 {
		t.Errorf("after a minute %d asked and %d won are written, want 2 and 1", a-asked, w-won)
	}
	// A run purges them.
	in.Exec(t, "UPDATE retention.claim SET at = at - interval '91 days' WHERE asked > 1")
	in.Exec(t, "CALL retention.run('p')")
	if left := pgtest.Value[int64](t, in, "SELECT max(asked) FROM retention.claim"); left != 1 {
		t.Errorf("statistics of 91 days ago are left: %d", left)
	}
}

// Keys that the column holds for equal are one, which is claimed, seen and touched once.
func TestKeysOfACollation(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TABLE m (k text COLLATE nocase PRIMARY KEY, until timestamptz NOT NULL); CREATE TABLE k (k text COLLATE nocase PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE every (k text); INSERT INTO every VALUES ('a'), ('b')`, `policies:
  p: {table: m, due: {expires: {column: until}}, then: [delete], claim: {key: k, ttl: 1 hour}}
  q: {table: k, due: {age: {column: at, older_than: 1 hour}}, then: [delete], touch: {key: k, set: {at: as_of}, revive: {table: every, as: c, set: {k: c.k}}}}
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

// Keys of types whose name alone means one character are claimed whole.
func TestClaimKeysWithALength(t *testing.T) {
	t.Parallel()
	for typ, key := range map[string]string{"character(3)": "abc", "bit(3)": "101", "bit varying(8)": "1011", "numeric(5,2)": "12.25", "interval second(1)": "00:00:01.5"} {
		in := kit.Install(t, "CREATE TABLE m (k "+typ+" PRIMARY KEY, until timestamptz NOT NULL)",
			"policies: {p: {table: m, due: {expires: {column: until}}, then: [delete], claim: {key: k, ttl: 1 hour}}}")
		for _, want := range []string{"{" + key + "}", "{}"} {
			if got := pgtest.Value[string](t, in, "SELECT ARRAY(SELECT retention.p_claim(ARRAY['"+key+"']::"+typ+"[]))::text"); got != want {
				t.Errorf("%s: won %s, want %s", typ, got, want)
			}
		}
	}
}
