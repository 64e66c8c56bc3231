package behaviour

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// aroundCutoff returns a table and instants around the cutoff of a window: the cutoff itself, its
// neighbours, and instants up to 30 hours away.
func aroundCutoff(window, typ, value string) (schema, data string) {
	return "CREATE TABLE m (id int PRIMARY KEY, c " + typ + ")", `
		INSERT INTO m SELECT row_number() OVER (ORDER BY x), ` + value + ` FROM (
		SELECT :as_of - interval '` + window + `' + d AS x
		FROM unnest(ARRAY['-1 us', '0', '1 us', '-1 hour', '1 hour', '-1 h -1 us', '1 h 1 us', '-1 day',
		'1 day']::interval[]) d
		UNION SELECT :as_of - interval '` + window + `' + i * interval '30 minutes'
		FROM generate_series(-60, 60, 5) i) y`
}

// windowScenario returns a scenario whose oracle is PostgreSQL's own subtraction, in a session with
// the time zone of the policy.
func windowScenario(window, asOf, typ, value, bound string) scenario {
	schema, data := aroundCutoff(window, typ, value)
	return scenario{
		name: fmt.Sprintf("%s before %s, %s", window, asOf, typ), asOf: asOf, schema: schema, data: data,
		rule: fmt.Sprintf("{table: \"@.m\", due: {age: {column: c, older_than: %s}}, then: [delete]}", window),
		goes: fmt.Sprintf("SELECT * FROM m WHERE c < "+bound, ":as_of - interval '"+window+"'"),
	}
}

func windowSuite(zone string, cases [][2]string) suite {
	s := suite{zone: zone, batch: 3}
	for _, c := range cases {
		s.scenarios = append(s.scenarios, windowScenario(c[1], c[0], "timestamptz", "x", "%s"))
	}
	for _, c := range cases[:2] {
		s.scenarios = append(s.scenarios,
			windowScenario(c[1], c[0], "timestamp", "x AT TIME ZONE '"+zone+"'", "(%s) AT TIME ZONE '"+zone+"'"),
			windowScenario(c[1], c[0], "date", "(x AT TIME ZONE '"+zone+"')::date", "((%s) AT TIME ZONE '"+
				zone+"')::date"))
	}
	return s
}

// TestWindowsInNewYork checks windows across clock changes. On 10 March 2024 at 07:00 UTC clocks
// went from 02:00 to 03:00. On 3 November at 06:00 UTC they went back from 02:00 to 01:00.
func TestWindowsInNewYork(t *testing.T) {
	windowSuite("America/New_York", [][2]string{
		{"2024-03-10 16:00+00", "1 day"}, {"2024-11-03 17:00+00", "24 hours"},
		{"2024-03-10 16:00+00", "24 hours"}, {"2024-11-03 17:00+00", "1 day"},
		{"2024-11-03 05:30+00", "24 hours"}, // local time 01:30, the first time
		{"2024-11-03 06:30+00", "24 hours"}, // local time 01:30, the second time
		{"2024-11-03 05:30+00", "30 min"}, {"2024-11-03 06:30+00", "1 hour"}, {"2024-11-03 05:30+00", "1 day"},
		{"2024-11-04 06:30+00", "1 day"},   // 01:30 on 3 November, a day before, exists twice
		{"2024-03-11 06:30+00", "1 day"},   // 02:30 on 10 March, a day before, does not exist
		{"2024-04-10 06:30+00", "1 month"}, // 02:30 on 10 March, a month before, does not exist
		{"2024-04-11 06:30+00", "1 month 1 day"}, {"2024-03-11 06:30+00", "1 day 12 hours"},
		{"2024-12-03 06:30+00", "1 month"}, {"2024-11-10 06:30+00", "1 week"}, {"2025-03-10 06:30+00", "1 year"},
	}).run(t)
}

// TestRepeatedLocalTimes checks local times that occur twice because clocks go back. The local time
// in a row means the second occurrence, as in PostgreSQL. The runs are at instants from an hour
// before the change to an hour after it.
func TestRepeatedLocalTimes(t *testing.T) {
	t.Parallel()
	for zone, back := range map[string]string{
		// Clocks go back by an hour, in Lord Howe by half an hour.
		"Europe/Berlin":       "2024-10-27 01:00Z",
		"America/New_York":    "2024-11-03 06:00Z",
		"Australia/Lord_Howe": "2024-04-06 15:00Z",
		// In Havana midnight occurs twice; in Sao Paulo the hour before midnight.
		"America/Havana": "2024-11-03 05:00Z", "America/Sao_Paulo": "2018-02-18 02:00Z",
		// Dublin's standard time is summer time. Moscow had no summer time in 2014.
		"Europe/Dublin": "2024-10-27 01:00Z", "Europe/Moscow": "2014-10-25 22:00Z",
	} {
		at, err := time.Parse("2006-01-02 15:04Z07:00", back)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(zone, func(t *testing.T) { comesTwice(t, zone, at) })
	}
}

func comesTwice(t *testing.T, zone string, back time.Time) {
	t.Parallel()
	type local struct{ name, compare, cutoff string }
	var tables []local
	schema, rules := "", ""
	for i, typ := range []string{"timestamp", "timestamp(0)", "date"} {
		for k, clock := range []string{
			"expires: {column: c}", "expires: {column: c, inclusive: true}",
			"age: {column: c, older_than: 5 min}",
			"age: {column: c, inclusive: true, older_than: {minutes: n, at_most: 9}}",
		} {
			c := local{fmt.Sprintf("m%d%d", i, k), []string{"<", "<="}[k%2],
				[]string{"a.as_of", "(a.as_of - interval '5 min')"}[k/2]}
			compare := fmt.Sprintf("m.c AT TIME ZONE '%s' %s %s", zone, c.compare, c.cutoff)
			if typ == "date" { // the cutoff is rounded down to the day
				compare = fmt.Sprintf("m.c::timestamp AT TIME ZONE '%s' %s %s AND m.c %[2]s (%[3]s AT TIME ZONE "+
					"'%[1]s')::date", zone, c.compare, c.cutoff)
			}
			schema += fmt.Sprintf(`CREATE TABLE %s (id int PRIMARY KEY, n int, c %s);
				INSERT INTO %[1]s SELECT row_number() OVER (), 5, b + i * interval '150 s' + d * interval '1 us'
				FROM (SELECT timestamptz '%[3]s' AT TIME ZONE '%[4]s') x (b), generate_series(-60, 60) i,
					generate_series(-1, 1) d;`, c.name, typ, back.Format(time.RFC3339), zone)
			rules += fmt.Sprintf("  %s: {table: %[1]s, due: {%s}, then: [delete]}\n", c.name, clock)
			c.compare = compare
			tables = append(tables, c)
		}
	}
	in := kit.Install(t, schema, "install: {scheduler: none, time_zone: "+zone+"}\npolicies:\n"+rules)
	for _, after := range []time.Duration{-61 * time.Minute, -time.Hour, -35 * time.Minute,
		-30*time.Minute - time.Microsecond, -time.Microsecond, 0, time.Microsecond, 17 * time.Minute, time.Hour} {
		at := back.Add(after).Format(time.RFC3339Nano)
		for _, c := range tables {
			want := pgtest.Column[int](t, in, "SELECT id FROM "+c.name+" m, (SELECT $1::timestamptz) a (as_of) WHERE "+
				c.compare+" ORDER BY 1", at)
			if diff := cmp.Diff(want,
				pgtest.Column[int](t, in, "SELECT id FROM ("+in.DueQuery(c.name)+") d ORDER BY 1", at)); diff != "" {
				t.Errorf("%s %s: due at %s (-want +got):\n%s", zone, c.name, at, diff)
			}
			if o := in.Done(c.name, at); o.Taken != int64(len(want)) ||
				pgtest.Value[int](t, in, "SELECT count(*) FROM "+c.name+" WHERE id = ANY ($1)", want) > 0 {
				t.Errorf("%s %s: a run at %s took %d, want %d", zone, c.name, at, o.Taken, len(want))
			}
		}
	}
}

func TestWindowsInKolkata(t *testing.T) {
	windowSuite("Asia/Kolkata", [][2]string{
		{"2024-03-31 20:00+00", "1 month"}, {"2024-03-31 18:29:59.999999+00", "1 day"},
		{"2024-03-31 18:30+00", "1 month"}, {"2024-03-31 18:29:59+00", "1 month"},
	}).run(t)
}

func TestWindowsInUTC(t *testing.T) {
	windowSuite("UTC", [][2]string{
		// From 31 March back to 29 and to 28 February.
		{"2024-03-31 12:00+00", "1 month"}, {"2023-03-31 12:00+00", "1 month"},
		{"2024-02-29 12:00+00", "1 year"}, {"2024-05-31 00:00+00", "3 months"}, {"2024-03-30 23:59:59.999999+00",
			"1 month"},
		{"2024-03-31 12:00+00", "1 month 1 day"}, {"2024-03-31 12:00+00", "1 year 2 months 3 days 04:05"},
		{"2024-03-31 12:00+00", "90 min"}, {"2024-03-31 12:00+00", "2 weeks 36 hours"}, {"2024-03-31 12:00+00",
			"30 sec"},
	}).run(t)
}

func TestTiers(t *testing.T) {
	const schema = "CREATE TABLE m (id int PRIMARY KEY, c timestamptz, score numeric, pinned boolean, kind text)"
	const data = `INSERT INTO m
		SELECT row_number() OVER (), :as_of - d, s, p, k
		FROM unnest(ARRAY['6 days 23:59:59.999999', '7 days', '7 days 00:00:00.000001', '30 days',
			'30 days 00:00:00.000001', '400 days', '0']::interval[]) d,
			unnest(ARRAY[0.4, 0.5, 0.9, NULL]) s, unnest(ARRAY[true, false, NULL]) p, unnest(ARRAY['a', NULL]) k;
		INSERT INTO m SELECT 1000 + row_number() OVER (), NULL, 1, false, 'a' FROM generate_series(1, 3)`
	rule := func(window string) string {
		return `{table: "@.m", due: {age: {column: c, older_than: ` + window + `}}, then: [delete]}`
	}
	suite{scenarios: []scenario{
		{
			name:   "when and else",
			schema: schema,
			data:   data,
			rule:   rule(`[{when: "score >= 0.5", then: 30 days}, {else: 7 days}]`),
			goes: `SELECT * FROM m WHERE score >= 0.5 AND c < :as_of - interval '30 days'
				OR (score < 0.5 OR score IS NULL) AND c < :as_of - interval '7 days'`,
		},
		{
			name:   "never first",
			schema: schema,
			data:   data,
			rule:   rule(`[{when: pinned, then: null}, {when: "score >= 0.5", then: 30 days}, {else: 7 days}]`),
			goes: `SELECT * FROM m WHERE pinned IS NOT TRUE
				AND c < :as_of - CASE WHEN score >= 0.5 THEN interval '30 days' ELSE '7 days' END`,
		},
		{
			name:   "without else",
			schema: schema,
			data:   data,
			rule:   rule(`[{when: "score >= 0.5", then: 30 days}, {when: "score < 0.5", then: 7 days}]`),
			goes: `SELECT * FROM m WHERE score IS NOT NULL
				AND c < :as_of - CASE WHEN score >= 0.5 THEN interval '30 days' ELSE '7 days' END`,
		},
		{
			name:   "else never",
			schema: schema,
			data:   data,
			rule:   rule(`[{when: "kind = 'a'", then: 7 days}, {else: null}]`),
			goes:   "SELECT * FROM m WHERE kind = 'a' AND c < :as_of - interval '7 days'",
		},
		{
			name:   "never for all",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: c, inclusive: true, nulls: due,
				older_than: [{when: pinned, then: null}]}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false",
		},
		{
			name:   "never for all, beside a rank",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: c, older_than: [{when: pinned, then: null}, {else: null}]},
				beyond: {first: 1, order: id}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE false",
		},
		{
			name:   "never for all, local time",
			schema: "CREATE TABLE m (id int PRIMARY KEY, c timestamp(3), pinned boolean)",
			data:   "INSERT INTO m VALUES (1, '2020-01-01', true), (2, '2020-01-01', NULL), (3, NULL, false)",
			rule:   rule(`[{when: pinned, then: null}]`),
			goes:   "SELECT * FROM m WHERE false",
		},
		{
			name:   "the first that is true wins",
			schema: schema,
			data:   data,
			rule:   rule(`[{when: "score >= 0.4", then: 400 days}, {when: "score >= 0.5", then: 7 days}]`),
			goes:   "SELECT * FROM m WHERE score >= 0.4 AND c < :as_of - interval '400 days'",
		},
		{
			name:   "with a table",
			schema: schema + "; CREATE TABLE o (kind text PRIMARY KEY, fast boolean)",
			data:   data + "; INSERT INTO o VALUES ('a', true), ('b', true)",
			rule: rule(`[{when: "EXISTS (SELECT FROM @.o WHERE o.kind = t.kind AND fast)", then: 7 days},
				{else: 30 days}]`),
			goes: `SELECT * FROM m WHERE c < :as_of - CASE WHEN kind = 'a' THEN interval '7 days'
				ELSE '30 days' END`,
		},
		{
			name:   "inclusive, NULL is due",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: c, inclusive: true, nulls: due,
				older_than: [{when: "score >= 0.5", then: 30 days}, {when: pinned, then: null}, {else: 7 days}]}},
				then: [delete]}`,
			goes: `SELECT * FROM m WHERE c IS NULL AND (score >= 0.5 OR pinned IS NOT TRUE)
				OR c <= CASE WHEN score >= 0.5 THEN :as_of - interval '30 days' WHEN pinned THEN NULL
				ELSE :as_of - interval '7 days' END`,
		},
		{
			name:   "grace by tiers",
			schema: schema,
			data:   data,
			rule: `{table: "@.m", due: {expires: {column: c, grace: [{when: "kind = 'a'", then: 0 days},
				{else: 7 days}]}}, then: [delete]}`,
			goes: `SELECT * FROM m WHERE kind = 'a' AND c < :as_of OR kind IS NULL
				AND c < :as_of - interval '7 days'`,
		},
		{
			name:   "no grace",
			schema: schema,
			data:   data,
			rule:   `{table: "@.m", due: {expires: {column: c}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE c < :as_of",
		},
		{
			name:   "no grace, inclusive",
			schema: schema,
			data:   data,
			rule:   `{table: "@.m", due: {expires: {column: c, inclusive: true}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE c <= :as_of",
		},
	}}.run(t)
}

func TestClockExpressionsAndEnds(t *testing.T) {
	const two = "CREATE TABLE m (id int PRIMARY KEY, a timestamptz, b timestamptz, lasts interval, days int)"
	const twoData = `INSERT INTO m
		SELECT row_number() OVER (), :as_of - x, :as_of - y, z, extract(day FROM z)
		FROM unnest(ARRAY['6 days', '7 days', '7 days 00:00:00.000001', '20 days', NULL]::interval[]) x,
			unnest(ARRAY['1 day', '7 days', '7 days 00:00:00.000001', '20 days', NULL]::interval[]) y,
			unnest(ARRAY['0', '13 days', NULL]::interval[]) z`
	const one = "CREATE TABLE m (id int PRIMARY KEY, c timestamptz NOT NULL)"
	suite{scenarios: []scenario{
		{
			name:   "coalesce",
			schema: two,
			data:   twoData,
			rule:   `{table: "@.m", due: {age: {expression: "coalesce(a, b)", older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE CASE WHEN a IS NOT NULL THEN a ELSE b END < :as_of - interval '7 days'",
		},
		{
			name:   "greatest, NULL is due",
			schema: two,
			data:   twoData,
			rule: `{table: "@.m", due: {age: {expression: "greatest(a, b)", older_than: 7 days, nulls: due}},
				then: [delete]}`,
			goes: `SELECT * FROM m WHERE (a < :as_of - interval '7 days' OR a IS NULL)
				AND (b < :as_of - interval '7 days' OR b IS NULL)`,
		},
		{
			name:   "start and duration",
			schema: two,
			data:   twoData,
			rule:   `{table: "@.m", due: {expires: {expression: "(a + lasts)::timestamptz"}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE a + lasts < :as_of",
		},
		{
			name:   "start and days, inclusive",
			schema: two,
			data:   twoData,
			rule: `{table: "@.m", due: {expires: {expression: "(a + make_interval(days => days))::timestamptz",
				inclusive: true, nulls: due}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE a + days * interval '1 day' <= :as_of OR a IS NULL OR days IS NULL",
		},
		{
			name:   "expression over a table",
			schema: two + "; CREATE TABLE s (m_id int, at timestamptz)",
			data: twoData +
				"; INSERT INTO s SELECT id, b FROM m WHERE b IS NOT NULL; INSERT INTO s SELECT id, a FROM m",
			rule: `{table: "@.m",
				due: {age: {expression: "(SELECT max(at) FROM @.s WHERE s.m_id = t.id)::timestamptz",
				older_than: 7 days}}, then: [delete]}`,
			goes: `SELECT * FROM m WHERE coalesce(a, b) IS NOT NULL
				AND greatest(a, b) < :as_of - interval '7 days'`,
		},
		{
			name:   "ends of time",
			schema: one,
			data: `INSERT INTO m VALUES (1, 'infinity'), (2, '-infinity'), (3, '-infinity'), (4, '-infinity'),
				(5, :as_of - interval '8 days'),
				(6, '4713-01-01 BC'), (7, '0044-03-15 12:00:00.5 BC'), (8, '0044-03-15 12:00:00.5 BC'),
				(9, '294276-12-31'), (10, '0001-01-01')`,
			rule: `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE id NOT IN (1, 9)",
		},
		{
			name:   "ends of days",
			schema: "CREATE TABLE m (id int PRIMARY KEY, c date NOT NULL)",
			data: `INSERT INTO m VALUES (1, 'infinity'), (2, '-infinity'), (3, '-infinity'), (4, '-infinity'),
				(5, '2024-03-20'), (6, '0044-03-15 BC'), (7, '0044-03-15 BC'), (8, '2024-03-24'),
				(9, '2024-03-25')`,
			rule: `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE id IN (2, 3, 4, 5, 6, 7)",
		},
		{
			name:   "numbers that are none",
			schema: "CREATE TABLE m (id int PRIMARY KEY, c double precision)",
			data: `INSERT INTO m VALUES (1, 'NaN'), (2, 'Infinity'), (3, '-Infinity'), (4, '-Infinity'), (5, 0),
				(6, '-0'), (7, 1e9), (8, 1e10), (9, NULL)`,
			rule: `{table: "@.m", due: {age: {column: c, encoding: epoch_s, older_than: 7 days, since: 1970-01-01}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE id IN (5, 6, 7)",
		},
		{
			name:   "smallint",
			schema: "CREATE TABLE m (id int PRIMARY KEY, c smallint)",
			data:   `INSERT INTO m VALUES (1, 32767), (2, -32768), (3, NULL)`,
			rule: `{table: "@.m", due: {age: {column: c, encoding: epoch_s, older_than: 7 days, since: 1969-01-01}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE id IN (1, 2)",
		},
		{
			name:   "one instant for many",
			schema: one,
			data: `INSERT INTO m SELECT i, :as_of - interval '8 days' FROM generate_series(1, 50) i;
				INSERT INTO m SELECT 100 + i, :as_of - interval '7 days' FROM generate_series(1, 5) i`,
			rule: `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE id <= 50",
		},
		{
			name:   "empty",
			schema: one,
			data:   "",
			rule:   `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m",
		},
		{
			name:   "nothing due",
			schema: one,
			data:   "INSERT INTO m SELECT i, :as_of - i * interval '1 hour' FROM generate_series(0, 30) i",
			rule:   `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE false",
		},
		{
			name:   "clock in the key",
			schema: "CREATE TABLE m (dev int, c timestamptz, n int, PRIMARY KEY (dev, c, n))",
			data: `INSERT INTO m SELECT i % 3, :as_of - (i / 2) * interval '1 day', i % 2
				FROM generate_series(1, 40) i`,
			rule: `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE c < :as_of - interval '7 days'",
		},
		{
			name: "keys of many types",
			schema: `CREATE TABLE m (a text, b uuid, d numeric, e date, f char(4), g float8, h bytea, i boolean,
				c timestamp, PRIMARY KEY (a, b, d, e, f, g, h, i))`,
			data: `INSERT INTO m SELECT 'a"''\' || i % 3, md5((i % 2)::text)::uuid, i % 5 / 3.0,
				'2024-01-01'::date - i % 4, 'x' || i % 2, i / 7.0, decode(lpad(to_hex(i), 2, '0'), 'hex'),
				i % 2 = 0, '2024-03-20' FROM generate_series(1, 40) i`,
			rule: `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m",
		},
		{
			name:   "a key that is an array",
			schema: "CREATE TABLE m (a int[] PRIMARY KEY, c timestamp)",
			data:   `INSERT INTO m SELECT ARRAY[i % 3, i], '2024-03-20' FROM generate_series(1, 20) i`,
			rule:   `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m",
		},
		{
			name:   "a key that is a range",
			schema: "CREATE TABLE m (a int4range PRIMARY KEY, c timestamp)",
			data:   `INSERT INTO m SELECT int4range(i, i + 3), '2024-03-20' FROM generate_series(1, 20) i`,
			rule:   `{table: "@.m", due: {age: {column: c, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m",
		},
	}}.run(t)
}
