package behaviour

import (
	"fmt"
	"strings"
	"testing"
)

// around is a table of instants: value is the clock in SQL, for an instant x that is a timestamptz.
func around(typ, value string) (schema, data string) {
	schema = "CREATE TABLE m (id int PRIMARY KEY, c " + typ + ", note text)"
	if base, ok := strings.CutPrefix(typ, "DOMAIN "); ok { // over a domain, as they nest
		schema = "CREATE DOMAIN own AS " + base + "; CREATE DOMAIN instant AS own CHECK (value IS NULL OR true); CREATE TABLE m (id int PRIMARY KEY, c instant, note text)"
	}
	data = `INSERT INTO m SELECT row_number() OVER (), ` + value + `, x::text FROM (
		SELECT :as_of - interval '7 days' + d FROM unnest(ARRAY['0', '1 us', '-1 us', '1 ms', '-1 ms', '1 s', '-1 s',
			'1 hour', '-1 hour', '1 day', '-1 day', '2 days', '-2 days', '100 days', '-300 days', '-5000 days', '6 days', '7 days', '9 days']::interval[]) d) y(x);
		INSERT INTO m SELECT 100 + i, c, 'twin ' || i FROM m, generate_series(1, 4) i WHERE id = 1;
		INSERT INTO m VALUES (200, NULL, 'none'), (201, NULL, 'none')`
	// Twins share an id otherwise.
	return schema, strings.ReplaceAll(data, "100 + i, c", "100 + i, c")
}

// The clocks, and how the bound reads in each: rounded down to what the type can say.
var clockTypes = []struct{ name, typ, encoding, value, bound string }{
	{"timestamptz", "timestamptz", "", "x", ":cutoff"},
	{"timestamptz to the second", "timestamptz(0)", "", "x", ":cutoff"},
	{"timestamp", "timestamp", "", "x AT TIME ZONE 'UTC'", ":cutoff AT TIME ZONE 'UTC'"},
	{"date", "date", "", "(x AT TIME ZONE 'UTC')::date", "(:cutoff AT TIME ZONE 'UTC')::date"},
	{"epoch_s integer", "integer", "epoch_s", "floor(extract(epoch FROM x))", "floor(extract(epoch FROM :cutoff))"},
	{"epoch_s bigint", "bigint", "epoch_s", "floor(extract(epoch FROM x))", "floor(extract(epoch FROM :cutoff))"},
	{"epoch_s numeric", "numeric", "epoch_s", "extract(epoch FROM x)", "extract(epoch FROM :cutoff)"},
	{"epoch_s numeric(13,3)", "numeric(13,3)", "epoch_s", "extract(epoch FROM x)", "extract(epoch FROM :cutoff)"},
	{"epoch_s double", "double precision", "epoch_s", "extract(epoch FROM x)", "extract(epoch FROM :cutoff)::float8"},
	{"epoch_ms bigint", "bigint", "epoch_ms", "floor(extract(epoch FROM x) * 1000)", "floor(extract(epoch FROM :cutoff) * 1000)"},
	{"epoch_ms numeric", "numeric", "epoch_ms", "extract(epoch FROM x) * 1000", "extract(epoch FROM :cutoff) * 1000"},
	{"epoch_ms double", "double precision", "epoch_ms", "extract(epoch FROM x) * 1000", "(extract(epoch FROM :cutoff) * 1000)::float8"},
	{"uuidv7 uuid", "uuid", "uuidv7", "pg_temp.uuid7(x, '7abc8def012345678901')", "pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"uuidv7 lowest", "uuid", "uuidv7", "pg_temp.uuid7(x, '70008000000000000000')", "pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"ulid uuid", "uuid", "ulid", "pg_temp.uuid7(x, 'ffffffffffffffffffff')", "pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"ulid text", "text", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')", "pg_temp.ulid(:cutoff, '0000000000000000')"},
	{"ulid char(26)", "char(26)", "ulid", "pg_temp.ulid(x, 'ZZZZZZZZZZZZZZZZ')", "pg_temp.ulid(:cutoff, '0000000000000000')"},
	{"domain over timestamptz", "DOMAIN timestamptz", "", "x", ":cutoff"},
	{"domain over timestamp", "DOMAIN timestamp", "", "x AT TIME ZONE 'UTC'", ":cutoff AT TIME ZONE 'UTC'"},
	{"domain over date", "DOMAIN date", "", "(x AT TIME ZONE 'UTC')::date", "(:cutoff AT TIME ZONE 'UTC')::date"},
	{"domain over numeric", "DOMAIN numeric", "epoch_s", "extract(epoch FROM x)", "extract(epoch FROM :cutoff)"},
	{"domain over uuid", "DOMAIN uuid", "uuidv7", "pg_temp.uuid7(x, '70008000000000000000')", "pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"domain over text", "DOMAIN text", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')", "pg_temp.ulid(:cutoff, '0000000000000000')"},
	{"snowflake", "bigint", "{snowflake: {shift: 22, epoch: 1288834974657}}",
		"(floor(extract(epoch FROM x) * 1000)::bigint - 1288834974657) * 4194304 + 77", "(floor(extract(epoch FROM :cutoff) * 1000)::bigint - 1288834974657) * 4194304"},
	{"snowflake other", "bigint", "{snowflake: {shift: 16, epoch: 0}}",
		"floor(extract(epoch FROM x) * 1000)::bigint * 65536", "floor(extract(epoch FROM :cutoff) * 1000)::bigint * 65536"},
}

// encoders write keys by arithmetic on bits: another way than the runtime's.
const encoders = `
	CREATE OR REPLACE FUNCTION pg_temp.uuid7(x timestamptz, tail text) RETURNS uuid LANGUAGE sql AS $$
		SELECT (encode(substr(int8send((extract(epoch FROM date_trunc('milliseconds', x)) * 1000)::bigint), 3), 'hex') || tail)::uuid $$;
	CREATE OR REPLACE FUNCTION pg_temp.ulid(x timestamptz, tail text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE ms bigint := extract(epoch FROM date_trunc('milliseconds', x)) * 1000; out text := '';
		BEGIN
			FOR i IN 1..10 LOOP
				out := substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (ms % 32)::int + 1, 1) || out;
				ms := ms / 32;
			END LOOP;
			RETURN out || tail;
		END $$;
`

func TestClockTypes(t *testing.T) {
	// The instant has more digits than most of the types.
	const instant = "2024-03-31 12:00:00.123456+00"
	for i, way := range [][2]string{{"age", ""}, {"expires", "inclusive: true"}, {"age", "nulls: due"}} {
		s := suite{batch: 3}
		for _, typ := range clockTypes {
			s.scenarios = append(s.scenarios, clockScenario(typ.name, typ.typ, typ.encoding, typ.value, typ.bound, way[0], way[1], instant))
		}
		if i == 0 {
			for _, typ := range clockTypes[:6] {
				s.scenarios = append(s.scenarios, clockScenario(typ.name+" at noon", typ.typ, typ.encoding, typ.value, typ.bound, way[0], way[1], noon))
			}
		}
		t.Run(strings.TrimSpace(way[0]+" "+way[1]), s.run)
	}
}

func clockScenario(name, typ, encoding, value, bound, kind, more, instant string) scenario {
	schema, data := around(typ, value)
	window := map[string]string{"age": "older_than", "expires": "grace"}[kind]
	clock := fmt.Sprintf("column: c, %s: 7 days", window)
	if encoding != "" {
		clock += ", encoding: " + encoding
	}
	compare := "<"
	goes := "SELECT * FROM m WHERE c %s " + bound
	if more != "" {
		clock += ", " + more
	}
	if more == "inclusive: true" {
		compare = "<="
	}
	goes = fmt.Sprintf(goes, compare)
	if more == "nulls: due" {
		goes += " OR c IS NULL"
	}
	return scenario{
		name: strings.TrimSpace(kind + " " + name + " " + more), schema: schema, data: encoders + data, asOf: instant,
		rule: fmt.Sprintf("{table: \"@.m\", due: {%s: {%s}}, then: [delete]}", kind, clock),
		goes: strings.ReplaceAll(goes, ":cutoff", "(:as_of - interval '7 days')"),
	}
}

// TestKeysWithoutAnInstant: what is no key of the encoding has no instant, so that "nulls" says what becomes of it,
// wherever in the order of keys it stands.
func TestKeysWithoutAnInstant(t *testing.T) {
	var s suite
	for _, c := range []struct{ name, typ, encoding, key, bound, others string }{
		{"uuid", "uuid", "uuidv7", "pg_temp.uuid7(x, '7abcbdef012345678901')", "pg_temp.uuid7(:cutoff, '00000000000000000000')",
			`SELECT pg_temp.uuid7(:as_of - interval '20 days', version || 'abc' || variant || 'def012345678901')
				FROM unnest(ARRAY['0', '1', '4', '6', '8', 'f']) version, unnest(ARRAY['0', '7', '8', 'b', 'c', 'f']) variant
			UNION SELECT pg_temp.uuid7(:as_of - interval '20 days', '7abc' || variant || 'def012345678901') FROM unnest(ARRAY['0', '7', 'c', 'f']) variant
			UNION SELECT unnest(ARRAY['00000000-0000-0000-0000-000000000000', '00c1dff3-8d4b-4d3f-a6e2-1f2a3b4c5d6e', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[])`},
		{"text", "text", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')", "pg_temp.ulid(:cutoff, '0000000000000000')",
			`SELECT unnest(ARRAY['', '0', '01', 'old', '00000000-0000-4000-8000-000000000000', repeat('8', 26), repeat('0', 25), repeat('0', 27), '0' || repeat('U', 25), '0' || repeat('I', 25),
				repeat('0', 25) || 'a', repeat('0', 25) || E'\n', E'\n' || repeat('0', 25), repeat('0', 26) || E'\n', ' ' || repeat('0', 25)])`},
		{"varchar", "varchar(30)", "ulid", "pg_temp.ulid(x, 'ZYXWVTSRQPNMKJHG')", "pg_temp.ulid(:cutoff, '0000000000000000')",
			`SELECT unnest(ARRAY['', '0', '00000L0000OI000000000000000', '0' || repeat('L', 25), '0' || repeat('O', 25)])`},
		{"char", "char(26)", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')", "pg_temp.ulid(:cutoff, '0000000000000000')", "SELECT unnest(ARRAY['', '0', '01ARZ', repeat('9', 26)])"},
	} {
		c.bound = strings.ReplaceAll(c.bound, ":cutoff", "(:as_of - interval '7 days')")
		for key, schema := range map[string]string{"the key": "CREATE TABLE m (c %s PRIMARY KEY, n int)", "a column": "CREATE TABLE m (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, c %s, n int)", "an indexed column": "CREATE TABLE m (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, c %s UNIQUE, n int)"} {
			data := encoders + `INSERT INTO m (c, n) SELECT ` + c.key + `, 1 FROM (SELECT :as_of - i * interval '1 day' FROM generate_series(1, 12) i) y(x); INSERT INTO m (c, n) ` + strings.ReplaceAll("SELECT x, 2 FROM (@) y (x)", "@", c.others)
			if key != "the key" {
				data += "; INSERT INTO m (c, n) VALUES (NULL, 3)"
			}
			for _, more := range []string{"7 days", "7 days, nulls: due", `7 days, up_to: "SELECT NULL::` + strings.TrimSuffix(c.typ, "(26)") + `", nulls: due`,
				`{days: "-n"}, nulls: due, inclusive: true`} {
				goes := "SELECT * FROM m WHERE n = 1 AND c < " + c.bound
				switch {
				case strings.Contains(more, "up_to"), strings.Contains(more, "-n"):
					goes = "SELECT * FROM m WHERE false"
				case strings.Contains(more, "nulls"):
					goes += " OR n > 1"
				}
				s.scenarios = append(s.scenarios, scenario{name: c.name + " " + key + " " + more, schema: fmt.Sprintf(schema, c.typ), data: data, goes: goes,
					rule: fmt.Sprintf(`{table: "@.m", due: {age: {column: c, encoding: %s, older_than: %s}}, then: [delete]}`, c.encoding, more)})
			}
		}
	}
	s.run(t)
}
