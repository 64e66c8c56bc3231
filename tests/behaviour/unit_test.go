package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// moreEncoders creates functions that encode an instant x in other kinds of keys. r is a text of 32
// hexadecimal digits that differs for each row.
const moreEncoders = encoders + `
	CREATE OR REPLACE FUNCTION pg_temp.ms(x timestamptz) RETURNS numeric
		LANGUAGE sql AS $$ SELECT floor(extract(epoch FROM x) * 1000) $$;
	CREATE OR REPLACE FUNCTION pg_temp.snow(x timestamptz, shift int, epoch bigint) RETURNS bigint
		LANGUAGE sql AS $$
		SELECT ((pg_temp.ms(x)::bigint - epoch) << shift) + 5 $$;
	CREATE OR REPLACE FUNCTION pg_temp.version(r text, v text) RETURNS uuid LANGUAGE sql AS $$
		SELECT (left(r, 12) || v || substr(r, 14, 3) || 'a' || substr(r, 18, 15))::uuid $$;
	CREATE OR REPLACE FUNCTION pg_temp.ticks(x timestamptz) RETURNS text LANGUAGE sql AS $$
		SELECT lpad(to_hex((extract(epoch FROM x) * 10000000)::bigint + 122192928000000000), 15, '0') $$;
	`

// columnValues has SQL for the values that a column may hold, by type and encoding. x is an instant
// and r a text of 32 hexadecimal digits.
var columnValues = map[string]map[string]string{
	"bigint": {
		"epoch_s":       "floor(extract(epoch FROM x))::bigint",
		"epoch_ms":      "pg_temp.ms(x)::bigint",
		"microseconds":  "(extract(epoch FROM x) * 1e6)::bigint",
		"nanoseconds":   "(extract(epoch FROM x) * 1e9)::bigint",
		"minutes":       "floor(extract(epoch FROM x) / 60)::bigint",
		"days":          "floor(extract(epoch FROM x) / 86400)::bigint",
		"since 2001":    "floor(extract(epoch FROM x))::bigint - 978307200",
		"100 ns":        "(extract(epoch FROM x) * 1e7)::bigint + 116444736000000000",
		"snowflake":     "pg_temp.snow(x, 22, 1288834974657)",
		"other epoch":   "pg_temp.snow(x, 22, 1420070400000)",
		"other shift":   "pg_temp.snow(x, 16, 0)",
		"third service": "pg_temp.snow(x, 23, 1314220021721)",
	},
	"uuid": {
		"uuidv7": "pg_temp.uuid7(x, '7' || substr(r, 1, 3) || 'b' || substr(r, 5, 15))",
		"ulid":   "pg_temp.uuid7(x, substr(r, 1, 20))",
		"v1": "(substr(pg_temp.ticks(x), 8, 8) || substr(pg_temp.ticks(x), 4, 4) || '1' || " +
			"substr(pg_temp.ticks(x), 1, 3) || 'a' || substr(r, 1, 15))::uuid",
		"v4": "pg_temp.version(r, '4')",
		"v5": "pg_temp.version(r, '5')",
		"v6": "(substr(pg_temp.ticks(x), 1, 12) || '6' || substr(pg_temp.ticks(x), 13, 3) || 'a' || substr(r, 1, " +
			"15))::uuid",
	},
	"text": {
		"ulid":       "pg_temp.ulid(x, upper(substr(r, 1, 16)))",
		"lower case": "lower(pg_temp.ulid(x, substr(r, 1, 16)))",
		"uuid":       "pg_temp.version(r, '4')::text",
		"uuidv7":     "pg_temp.uuid7(x, '7abcb' || substr(r, 1, 15))::text",
		"27 letters": "'2' || upper(substr(r, 1, 26))",
		"20 letters": "substr(r, 1, 20)",
		"hex":        "upper(r)",
	},
}

// declaredEncodings has the encodings that a policy can declare. The field "means" has the keys of
// columnValues whose values have this encoding.
var declaredEncodings = []struct{ name, typ, encoding, means string }{
	{"s", "bigint", "epoch_s", "epoch_s"},
	{"ms", "bigint", "epoch_ms", "epoch_ms"},
	{"snow", "bigint", "{snowflake: {shift: 22, epoch: 1288834974657}}", "snowflake"},
	{"snow_other", "bigint", "{snowflake: {shift: 22, epoch: 1420070400000}}", "other epoch"},
	{"snow_zero", "bigint", "{snowflake: {shift: 16, epoch: 0}}", "other shift"},
	{"s_numeric", "numeric", "epoch_s", "epoch_s"},
	{"ms_float", "double precision", "epoch_ms", "epoch_ms"},
	{"v7", "uuid", "uuidv7", "uuidv7"},
	{"ulid_uuid", "uuid", "ulid", "ulid uuidv7"},
	{"ulid_text", "text", "ulid", "ulid"},
	{"ulid_expression", "text", "ulid", "ulid"},
}

// unitTables returns a table and a policy for each declared encoding. The window is 300 days.
func unitTables() (schema, yaml string) {
	yaml = "install: {scheduler: none}\npolicies:\n"
	for _, d := range declaredEncodings {
		schema += fmt.Sprintf("CREATE TABLE %s (id int PRIMARY KEY, c %s, at timestamptz);\n", d.name, d.typ)
		clock := "column: c"
		if strings.HasSuffix(d.name, "expression") {
			clock = `expression: "coalesce(c, 'none')::text"`
		}
		yaml += fmt.Sprintf("  p_%s: {table: %s, due: {age: {%s, encoding: %s, older_than: 300 days}}, then: "+
			"[delete]}\n", d.name, d.name, clock, d.encoding)
	}
	return schema, yaml
}

// TestWrongUnits fills each column with values of each encoding. No run may take a row younger than
// the window. If the values do not have the declared encoding, the run trips, and the preview
// reports it.
func TestWrongUnits(t *testing.T) {
	t.Parallel()
	schema, yaml := unitTables()
	in := kit.Install(t, schema, yaml)
	conn := in.Conn(t)
	pgtest.Exec(t, conn, moreEncoders+`CREATE TABLE made AS SELECT i AS id, md5(i::text) AS r
			FROM generate_series(1, 12000) i;
		SET synchronous_commit = off`)
	asOf := pgtest.Value[string](t, in, "SELECT date_trunc('hour', now())::text")
	fill := func(t *testing.T, table, typ, value string, rows int, from, to string) {
		t.Helper()
		if typ != "uuid" && typ != "text" {
			value = "(" + value + ")::" + typ
		}
		pgtest.Exec(t, conn,
			fmt.Sprintf(`TRUNCATE %[1]s;
				DELETE FROM retention.run;
				INSERT INTO %[1]s SELECT m.id, %[2]s, x FROM (SELECT *, '%[4]s'::timestamptz - '%[5]s'::interval
					- m.id * ('%[6]s'::interval - '%[5]s') / %[3]d AS x FROM made m WHERE m.id <= %[3]d) m;
					ANALYZE %[1]s`, table, value, rows, asOf, from, to))
	}
	for _, d := range declaredEncodings {
		values := columnValues[map[string]string{"uuid": "uuid", "text": "text"}[d.typ]]
		if values == nil {
			values = columnValues["bigint"]
		}
		for what, value := range values {
			right := strings.Contains(" "+d.means+" ", " "+what+" ") || d.means == what
			for _, rows := range []int{10, 1000, 12000} {
				// The number of rows matters only for the breaker, which needs 10,000 rows, and for
				// random values. Other combinations are skipped.
				if rows == 1000 && !right || rows == 12000 &&
					(right || !slices.Contains([]string{"epoch_s", "v4", "other epoch"}, what)) {
					continue
				}
				t.Run(fmt.Sprintf("%s holds %s, %d rows", d.name, what, rows), func(t *testing.T) {
					fill(t, d.name, d.typ, value, rows, "0", "360 days")
					stopped := pgtest.Value[*string](t, in, "SELECT stopped_by FROM retention.preview($1, $2)", "p_"+
						d.name, asOf)
					o := in.ForSubtest(t).Run("p_"+d.name, asOf)
					young := pgtest.Value[int](t, in,
						fmt.Sprintf("SELECT count(*) FROM %s WHERE at >= '%s'::timestamptz - interval '300 days'",
							d.name, asOf))
					old := pgtest.Value[int](t, in,
						fmt.Sprintf(`SELECT count(*) FROM %s
							WHERE at < '%s'::timestamptz - interval '300 days' - interval '1 minute'`, d.name,
							asOf))
					if want := rows * 5 / 6; young < want-1 {
						t.Errorf("%d of %d young rows are left, %+v", young, want, o)
					}
					switch {
					case right && (o.State != "done" || old != 0 || stopped != nil):
						t.Errorf("%d old rows are left, want none: %+v; the preview has stopped_by %v", old, o, stopped)
					case !right && (o.State != "tripped" || stopped == nil || *stopped != o.Message ||
						!strings.Contains(o.Message, "does not hold")):
						t.Errorf("want a tripped run and the same reason in the preview, got %+v and %v", o, stopped)
					}
				})
			}
		}
		// Rows that are eight to ten years old are plausible. A run with few rows or none must not
		// trip.
		for _, rows := range []int{0, 1, 2, 500} {
			t.Run(fmt.Sprintf("%s, %d old rows", d.name, rows), func(t *testing.T) {
				fill(t, d.name, d.typ, values[strings.Split(d.means, " uuid")[0]], rows, "3000 days", "3600 days")
				o := in.ForSubtest(t).Run("p_"+d.name, asOf)
				if left := pgtest.Value[int](t, in, "SELECT count(*) FROM "+d.name); o.State != "done" || left != 0 {
					t.Errorf("%d rows are left, want a run with state done and no rows; got %+v", left, o)
				}
			})
		}
	}
}

// TestEncodingAsOfTheRun checks that a run samples the rows that the condition selects at its
// as_of, and not the rows of the present. Its as_of is two years ago.
func TestEncodingAsOfTheRun(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, c uuid, since timestamptz, until timestamptz)",
		`install: {scheduler: none}
policies:
  m: {table: m, where: "since < as_of AND as_of < until",
      due: {age: {column: c, encoding: uuidv7, older_than: 7 days, nulls: due}}, then: [delete]}
`)
	asOf := pgtest.Value[string](t, in, "SELECT (date_trunc('hour', now()) - interval '2 years')::text")
	for _, c := range []struct{ others, state string }{
		{"'1 day', '9 years'", "done"},     // selected in the present, not by the run
		{"'-1 day', '1 day'", "tripped"},   // selected by the run, not in the present
		{"'-9 days', '-1 day'", "done"},    // selected by neither
		{"'-1 day', '9 years'", "tripped"}, // selected by both
	} {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, moreEncoders+fmt.Sprintf(`TRUNCATE m;
			CREATE FUNCTION pg_temp.add(kind text, first text, last text) RETURNS void LANGUAGE sql AS $$
				INSERT INTO m SELECT i + length(kind), CASE kind WHEN 'new' THEN
						pg_temp.uuid7(a - interval '30 days', '7' || left(md5(i::text), 3) || 'b'
							|| left(md5(i::text), 15))
					ELSE pg_temp.version(md5(i::text), '4') END, a + first::interval, a + last::interval
				FROM generate_series(10, 30, 10) i, CAST('%s' AS timestamptz) a $$;
			SELECT pg_temp.add('new', '-1 day', '1 day'), pg_temp.add('random', %s), pg_temp.add('randoms', %[2]s)`,
			asOf, c.others))
		stopped := pgtest.Value[*string](t, in, "SELECT stopped_by FROM retention.preview('m', $1)", asOf)
		o := in.Run("m", asOf)
		if o.State != c.state || (stopped != nil) != (c.state == "tripped") {
			t.Errorf("others at %s: want state %s, got %+v; the preview has stopped_by %v", c.others, c.state, o,
				stopped)
		}
		want := map[string]int{"done": 6, "tripped": 9}[c.state]
		if left := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); left != want {
			t.Errorf("others at %s: %d rows are left, want %d", c.others, left, want)
		}
	}
}

// TestSmallNumberIsNoSnowflake checks a run with an as_of before the epochs of some snowflakes. As
// such a snowflake, the number 1 would be an instant after as_of. It is no evidence for a
// snowflake.
func TestSmallNumberIsNoSnowflake(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at numeric); INSERT INTO m VALUES (1, 1)",
		`install: {scheduler: none}
policies:
  m: {table: m, due: {expires: {column: at, encoding: epoch_s}}, then: [delete]}
`)
	if o := in.Run("m", "2011-12-31 09:00+00"); o.State != "done" || o.Taken != 0 {
		t.Errorf("want a run with state done and taken 0; got %+v", o)
	}
}

// TestValuesWithoutAnInstant checks that a value before "since" is not due, also with "nulls: due".
// Other rows of the table are due as usual.
func TestValuesWithoutAnInstant(t *testing.T) {
	const data = `INSERT INTO m SELECT i, extract(epoch FROM :as_of - i * interval '1 day')::bigint * 1000, 1
			FROM generate_series(1, 40) i;
		INSERT INTO m SELECT 100 + i, extract(epoch FROM :as_of - i * interval '1 day')::bigint, 2
			FROM generate_series(1, 20) i;
		INSERT INTO m SELECT 200 + i, v, 3 FROM unnest(ARRAY[0, -1, 1, 631151999999, NULL]) WITH ORDINALITY u (v,
			i);
		INSERT INTO m SELECT 300 + i, v, 4
			FROM unnest(ARRAY[631152000000, 631152000001, 1000000000000]) WITH ORDINALITY u (v, i)`
	s := suite{batch: 3}
	for _, c := range []struct{ clock, goes string }{
		{"age: {column: c, encoding: epoch_ms, older_than: 30 days}", "n = 1 AND id > 30 OR n = 4"},
		{"age: {column: c, encoding: epoch_ms, older_than: 30 days, nulls: due}",
			"n = 1 AND id > 30 OR n = 4 OR c IS NULL"},
		{"age: {column: c, encoding: epoch_ms, older_than: 30 days, since: 1989-12-31}",
			"n = 1 AND id > 30 OR n = 4 OR c = 631151999999"},
		{"age: {column: c, encoding: epoch_ms, older_than: 30 days, since: 2024-01-01}", "n = 1 AND id > 30"},
		{"age: {expression: \"c + 1\", encoding: epoch_ms, older_than: 30 days}",
			"n = 1 AND id > 30 OR n = 4 OR c = 631151999999"},
		{"expires: {column: c, encoding: epoch_ms, grace: 30 days, inclusive: true}", "n = 1 AND id >= 30 OR n = 4"},
		{
			"any: [{expires: {column: c, encoding: epoch_ms, grace: 30 days}}, {age: {column: c, encoding: epoch_ms, " +
				"older_than: {days: \"n + 20\"}}}]",
			"n = 1 AND id > 21 OR n = 4",
		},
	} {
		s.scenarios = append(s.scenarios,
			scenario{
				name:   c.clock,
				schema: "CREATE TABLE m (id int PRIMARY KEY, c bigint, n int NOT NULL)",
				data:   data,
				rule:   `{table: "@.m", due: {` + c.clock + `}, then: [delete]}`,
				goes:   "SELECT * FROM m WHERE " + c.goes,
			})
	}
	s.run(t)
}
