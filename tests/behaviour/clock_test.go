package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/diag"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// clockTable returns SQL for a table m, and SQL for rows around the cutoff as_of - 7 days. The
// parameter "value" is an SQL expression that converts timestamptz x into the type of the clock.
func clockTable(typ, value string) (schema, data string) {
	schema = "CREATE TABLE m (id int PRIMARY KEY, c " + typ + ", note text)"
	if base, ok := strings.CutPrefix(typ, "DOMAIN "); ok { // a domain over a domain
		schema = "CREATE DOMAIN own AS " + base + `;
			CREATE DOMAIN instant AS own CHECK (value IS NULL OR true);
			CREATE TABLE m (id int PRIMARY KEY, c instant, note text)`
	}
	data = `INSERT INTO m SELECT row_number() OVER (), ` + value + `, x::text FROM (
		SELECT :as_of - interval '7 days' + d
			FROM unnest(ARRAY['0', '1 us', '-1 us', '1 ms', '-1 ms', '1 s', '-1 s', '1 hour', '-1 hour',
				'1 day', '-1 day', '2 days', '-2 days', '100 days', '-300 days', '-4500 days',
				'6 days', '7 days', '9 days']::interval[]) d) y(x);
		INSERT INTO m SELECT 100 + i, c, 'twin ' || i FROM m, generate_series(1, 4) i WHERE id = 1;
		INSERT INTO m VALUES (200, NULL, 'none'), (201, NULL, 'none')`
	return schema, data
}

// clockTypes lists the types of clocks. The field "value" converts timestamptz x into the type. The
// field "bound" is the cutoff, rounded down to the precision of the type.
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
	{"epoch_ms bigint", "bigint", "epoch_ms", "floor(extract(epoch FROM x) * 1000)",
		"floor(extract(epoch FROM :cutoff) * 1000)"},
	{"epoch_ms numeric", "numeric", "epoch_ms", "extract(epoch FROM x) * 1000", "extract(epoch FROM :cutoff) * 1000"},
	{"epoch_ms double", "double precision", "epoch_ms", "extract(epoch FROM x) * 1000",
		"(extract(epoch FROM :cutoff) * 1000)::float8"},
	{"uuidv7 uuid", "uuid", "uuidv7", "pg_temp.uuid7(x, '7abc8def012345678901')",
		"pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"uuidv7 lowest", "uuid", "uuidv7", "pg_temp.uuid7(x, '70008000000000000000')",
		"pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"ulid uuid", "uuid", "ulid", "pg_temp.uuid7(x, 'ffffffffffffffffffff')",
		"pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"ulid text", "text", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')", "pg_temp.ulid(:cutoff, '0000000000000000')"},
	{"ulid char(26)", "char(26)", "ulid", "pg_temp.ulid(x, 'ZZZZZZZZZZZZZZZZ')",
		"pg_temp.ulid(:cutoff, '0000000000000000')"},
	{"domain over timestamptz", "DOMAIN timestamptz", "", "x", ":cutoff"},
	{"domain over timestamp", "DOMAIN timestamp", "", "x AT TIME ZONE 'UTC'", ":cutoff AT TIME ZONE 'UTC'"},
	{"domain over date", "DOMAIN date", "", "(x AT TIME ZONE 'UTC')::date", "(:cutoff AT TIME ZONE 'UTC')::date"},
	{"domain over numeric", "DOMAIN numeric", "epoch_s", "extract(epoch FROM x)", "extract(epoch FROM :cutoff)"},
	{"domain over uuid", "DOMAIN uuid", "uuidv7", "pg_temp.uuid7(x, '70008000000000000000')",
		"pg_temp.uuid7(:cutoff, '00000000000000000000')"},
	{"domain over text", "DOMAIN text", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')",
		"pg_temp.ulid(:cutoff, '0000000000000000')"},
	{
		name:     "snowflake",
		typ:      "bigint",
		encoding: "{snowflake: {shift: 22, epoch: 1288834974657}}",
		value:    "(floor(extract(epoch FROM x) * 1000)::bigint - 1288834974657) * 4194304 + 77",
		bound:    "(floor(extract(epoch FROM :cutoff) * 1000)::bigint - 1288834974657) * 4194304",
	},
	{
		name:     "snowflake other",
		typ:      "bigint",
		encoding: "{snowflake: {shift: 16, epoch: 0}}",
		value:    "floor(extract(epoch FROM x) * 1000)::bigint * 65536",
		bound:    "floor(extract(epoch FROM :cutoff) * 1000)::bigint * 65536",
	},
}

// encoders creates functions that compute keys by arithmetic on bits. The runtime uses another
// method.
const encoders = `
	CREATE OR REPLACE FUNCTION pg_temp.uuid7(x timestamptz, tail text) RETURNS uuid LANGUAGE sql AS $$
		SELECT (encode(substr(int8send((extract(epoch FROM date_trunc('milliseconds', x)) * 1000)::bigint), 3),
			'hex') || tail)::uuid $$;
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
	// This as_of has more fractional digits than most of the types.
	const instant = "2024-03-31 12:00:00.123456+00"
	for i, variant := range [][2]string{{"age", ""}, {"expires", "inclusive: true"}, {"age", "nulls: due"}} {
		s := suite{batch: 3}
		for _, typ := range clockTypes {
			s.scenarios = append(s.scenarios, clockScenario(typ.name, typ.typ, typ.encoding, typ.value, typ.bound,
				variant[0], variant[1], instant))
		}
		if i == 0 {
			for _, typ := range clockTypes[:6] {
				s.scenarios = append(s.scenarios, clockScenario(typ.name+" at noon", typ.typ, typ.encoding, typ.value,
					typ.bound, variant[0], variant[1], noon))
			}
		}
		t.Run(strings.TrimSpace(variant[0]+" "+variant[1]), s.run)
	}
}

func clockScenario(name, typ, encoding, value, bound, kind, more, instant string) scenario {
	schema, data := clockTable(typ, value)
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

// TestKeysWithoutAnInstant checks values that are not valid keys of the encoding. They have no
// timestamp, so the key "nulls" decides whether they are due. Their place in the sort order does
// not matter.
func TestKeysWithoutAnInstant(t *testing.T) {
	var s suite
	for _, c := range []struct{ name, typ, encoding, key, bound, others string }{
		{"uuid", "uuid", "uuidv7", "pg_temp.uuid7(x, '7abcbdef012345678901')",
			"pg_temp.uuid7(:cutoff, '00000000000000000000')",
			`SELECT pg_temp.uuid7(:as_of - interval '20 days', version || 'abc' || variant || 'def012345678901')
				FROM unnest(ARRAY['0', '1', '4', '6', '8', 'f']) version,
					unnest(ARRAY['0', '7', '8', 'b', 'c', 'f']) variant
			UNION SELECT pg_temp.uuid7(:as_of - interval '20 days', '7abc' || variant || 'def012345678901')
				FROM unnest(ARRAY['0', '7', 'c', 'f']) variant
			UNION SELECT unnest(ARRAY['00000000-0000-0000-0000-000000000000',
				'00c1dff3-8d4b-4d3f-a6e2-1f2a3b4c5d6e', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[])`},
		{
			name:     "text",
			typ:      "text",
			encoding: "ulid",
			key:      "pg_temp.ulid(x, '0123456789ABCDEF')",
			bound:    "pg_temp.ulid(:cutoff, '0000000000000000')",
			others: `SELECT unnest(ARRAY['', '0', '01', 'old', '00000000-0000-4000-8000-000000000000',
				repeat('8', 26), repeat('0', 25), repeat('0', 27), '0' || repeat('U', 25), '0' || repeat('I', 25),
				repeat('0', 25) || 'a', repeat('0', 25) || E'\n', E'\n' || repeat('0', 25),
				repeat('0', 26) || E'\n', ' ' || repeat('0', 25)])`,
		},
		{
			name:     "varchar",
			typ:      "varchar(30)",
			encoding: "ulid",
			key:      "pg_temp.ulid(x, 'ZYXWVTSRQPNMKJHG')",
			bound:    "pg_temp.ulid(:cutoff, '0000000000000000')",
			others: `SELECT unnest(ARRAY['', '0', '00000L0000OI000000000000000', '0' || repeat('L', 25),
				'0' || repeat('O', 25)])`,
		},
		{"char", "char(26)", "ulid", "pg_temp.ulid(x, '0123456789ABCDEF')",
			"pg_temp.ulid(:cutoff, '0000000000000000')", "SELECT unnest(ARRAY['', '0', '01ARZ', repeat('9', 26)])"},
	} {
		c.bound = strings.ReplaceAll(c.bound, ":cutoff", "(:as_of - interval '7 days')")
		for key, schema := range map[string]string{
			"the key":           "CREATE TABLE m (c %s PRIMARY KEY, n int)",
			"a column":          "CREATE TABLE m (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, c %s, n int)",
			"an indexed column": "CREATE TABLE m (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, c %s UNIQUE, n int)",
		} {
			data := encoders + `
				INSERT INTO m (c, n) SELECT ` + c.key + `, 1
					FROM (SELECT :as_of - i * interval '2 hours' FROM generate_series(1, 144) i) y(x);
				INSERT INTO m (c, n) SELECT x, 2 FROM (` + c.others + ") y (x)"
			if key != "the key" {
				data += "; INSERT INTO m (c, n) VALUES (NULL, 3)"
			}
			for _, more := range []string{
				"7 days",
				"7 days, nulls: due",
				`7 days, up_to: "SELECT NULL::` + strings.TrimSuffix(c.typ, "(26)") + `", nulls: due`,
				`{days: "-n"}, nulls: due, inclusive: true`,
			} {
				goes := "SELECT * FROM m WHERE n = 1 AND c < " + c.bound
				switch {
				case strings.Contains(more, "up_to"), strings.Contains(more, "-n"):
					goes = "SELECT * FROM m WHERE false"
				case strings.Contains(more, "nulls"):
					goes += " OR n > 1"
				}
				s.scenarios = append(s.scenarios, scenario{
					name:   c.name + " " + key + " " + more,
					schema: fmt.Sprintf(schema, c.typ),
					data:   data,
					goes:   goes,
					rule: fmt.Sprintf(`{table: "@.m", due: {age: {column: c, encoding: %s, older_than: %s}},
						then: [delete]}`, c.encoding, more),
				})
			}
		}
	}
	s.run(t)
}

// TestKeysOfAnyType checks that batches of one row continue from key to key, whatever the type of
// the key. They take all due rows and no others.
func TestKeysOfAnyType(t *testing.T) {
	const types = `CREATE TYPE pair AS (a int, b text); CREATE TYPE outer_pair AS (p pair, q text[]);
		CREATE DOMAIN odd AS pair;
		CREATE DOMAIN short AS varchar(12);
		CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');`
	for _, c := range []struct{ name, typ, key string }{
		{"composite", "pair", `ROW(i, 'x, "' || i)::pair`},
		{"composite of NULLs", "pair", "ROW(nullif(i, 12), NULL)::pair"},
		{"composite in a composite", "outer_pair", "ROW(ROW(i, NULL)::pair, ARRAY['', i::text])::outer_pair"},
		{"domain over a composite", "odd", "ROW(i, '')::pair::odd"},
		{"array of composites", "pair[]", "ARRAY[ROW(i, ' ')::pair]"},
		{"domain", "short", "'k' || i"},
		{"enum", "mood", "(enum_range(NULL::mood))[i]"},
		{"range", "int4range", "int4range(i, i + 1)"},
		{"multirange", "int4multirange", "int4multirange(int4range(i, i + 1))"},
		{"bpchar", "char(5)", "i::text"},
		{"bits", "bit(8)", "i::bit(8)"},
		{"jsonb", "jsonb", "jsonb_build_object('k', i)"},
		{"bytea", "bytea", `decode(lpad(i::text, 2, '0'), 'hex')`},
		{"char", `"char"`, "chr(64 + i)"},
		{"name", "name", "'n' || i"},
		{"timestamp(3)", "timestamp(3)", "'2024-01-01 00:00:00.0004'::timestamp + i * interval '1 ms'"},
		{"interval", "interval", "i * interval '1 day 25 hours'"},
		{"inet", "inet", "('10.0.0.' || i)::inet"},
		{"float8", "float8", "i / 3.0"},
		{"numeric", "numeric", "i::numeric / 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, types+`CREATE TABLE m (k `+c.typ+` PRIMARY KEY, n int, at timestamptz NOT NULL);
				CREATE TABLE g (n int); CREATE TABLE w (k `+c.typ+` PRIMARY KEY, n int);
				INSERT INTO m SELECT `+c.key+`, i, '2024-01-01'::timestamptz + i % 3 * interval '1 s'
					FROM generate_series(1, 12) i;
				INSERT INTO w SELECT k, n FROM m; INSERT INTO g VALUES (5)`, `policies:
  clock:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    keep: {g: "EXISTS (SELECT FROM g WHERE g.n = t.n)"}
    then: [delete]
  key: {table: w, where: "n <> 7", then: [delete]}
`)
			in.SetBatch(1)
			for policy, left := range map[string]string{"clock": "SELECT array_agg(n)::text FROM m",
				"key": "SELECT array_agg(n)::text FROM w"} {
				if _, err := in.Call("CALL retention.run('" + policy + "', '2024-06-01')"); err != nil {
					t.Errorf("the run of policy %s raised %v", policy, err)
				}
				want := map[string]string{"clock": "{5}", "key": "{7}"}[policy]
				if got := pgtest.Value[string](t, in.Conn(t), left); got != want {
					t.Errorf("policy %s leaves %s, want %s", policy, got, want)
				}
			}
		})
	}
}

// A unique index serves as a key only if it compares values as the column does. Suppose that the
// column considers two values equal that the index distinguishes. Then a batch would skip the
// second of them, and a step would find both rows by one value.
func TestUniqueIndexWithAnotherEquality(t *testing.T) {
	for _, c := range []struct {
		name, typ, index string
		key              bool
	}{
		{"another collation", "text COLLATE nocase", `k COLLATE "C"`, false},
		{"the column's collation", "text COLLATE nocase", "k", true},
		{"another collation of the same equality", "text", `k COLLATE "C"`, true},
		{"a coarser collation", "text", "k COLLATE nocase", false},
		{"another type's operators", "citext", "k text_ops", false},
		{"a domain's, too", "short", "k text_ops", false},
		{"the type's", "citext", "k", true},
		{"other operators of the same equality", "text", "k text_pattern_ops", true},
		{"bytes of a row", "pair", "k record_image_ops", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := kit.Prepare(t, `CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2',
					deterministic = false);
				CREATE DOMAIN short AS citext; CREATE TYPE pair AS (a numeric, b text);
				CREATE TABLE m (k `+c.typ+` NOT NULL, at timestamptz NOT NULL);
				CREATE UNIQUE INDEX ON m (`+c.index+`)`,
				"policies: {p: {table: m, where: \"true\", then: [delete]}}", kit.Before("CREATE EXTENSION citext"))
			_, list := in.Compile(t, "policies: {p: {table: m, where: \"true\", then: [delete]}}")
			isP052 := func(d diag.Diagnostic) bool { return d.Code.String() == "P052" }
			if got := !slices.ContainsFunc(list, isP052); got != c.key {
				t.Errorf("the index serves as a key: %t, want %t: %v", got, c.key, list)
			}
		})
	}
}

// A unique index on NOT NULL columns serves as the key of a table without a primary key. Runs trip
// once the index is dropped or a column becomes nullable.
func TestUniqueKey(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE u (b text NOT NULL, a int NOT NULL, n int, at timestamptz NOT NULL,
			CONSTRAINT whole UNIQUE (a, b) INCLUDE (n));
		CREATE UNIQUE INDEX ON u (n);
		CREATE UNIQUE INDEX ON u (a) WHERE n > 99;
		CREATE UNIQUE INDEX ON u (lower(b));
		CREATE TABLE u_old (LIKE u, run_id bigint); CREATE TABLE pin (n int);
		INSERT INTO u SELECT 'k' || i, i % 4, i, '2024-01-01' FROM generate_series(1, 20) i; 
		INSERT INTO pin VALUES (8)`
	const yaml = `policies:
  p:
    table: u
    where: "n <> 3"
    due: {age: {column: at, older_than: 7 days}}
    keep: {pin: "EXISTS (SELECT FROM pin WHERE pin.n = t.n)"}
    then: [archive: {into: u_old, set: {run_id: run.id}}, delete]
  q: {table: u, due: {beyond: {first: 1, per: [a], order: "n DESC"}}, then: [delete]}
`
	install := func(t *testing.T) *kit.Installed {
		in := kit.Install(t, schema, yaml)
		in.SetBatch(3)
		return in
	}
	t.Run("rows", func(t *testing.T) {
		t.Parallel()
		in := install(t)
		in.Exec(t, `SELECT retention.place_hold('u', '{"a": 1, "b": "k5"}', 'case')`)
		before := in.Rows("SELECT * FROM u ORDER BY n")
		o := in.Done("p", "2024-06-01")
		if left := pgtest.Value[string](t, in, "SELECT array_agg(n ORDER BY n)::text FROM u"); left != "{3,5,8}" ||
			o.Taken != 17 {
			t.Errorf("%d rows taken, %s left", o.Taken, left)
		}
		if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM u_old WHERE run_id = "+fmt.Sprint(o.ID)); n != 17 {
			t.Errorf("%d rows in the archive, want 17", n)
		}
		if err := in.Operator("SELECT retention.restore('p', $1)", o.ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, in.Rows("SELECT * FROM u ORDER BY n")); diff != "" {
			t.Errorf("rows after restore (-want +got):\n%s", diff)
		}
	})
	for name, c := range map[string]struct{ change, message string }{
		"the index is dropped": {"ALTER TABLE u DROP CONSTRAINT whole", "is not unique any more"},
		"a column is nullable": {"ALTER TABLE u ALTER b DROP NOT NULL", "is not unique any more"},
		"a column has NULLs": {"ALTER TABLE u ALTER b DROP NOT NULL; UPDATE u SET b = NULL WHERE n < 5",
			"is not unique any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := install(t)
			in.Exec(t, c.change)
			if found := in.Finding(t, yaml, "V050"); !strings.Contains(found, c.message) {
				t.Errorf("verify reports %q, want %q", found, c.message)
			}
			for _, policy := range []string{"p", "q"} {
				if o := in.Run(policy, "2024-06-01"); o.State != "tripped" || !strings.Contains(o.Message, c.message) ||
					o.Taken != 0 {
					t.Errorf("%s ended %s: %s", policy, o.State, o.Message)
				}
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		for _, unique := range []string{
			"CREATE UNIQUE INDEX ON v (n)",
			"CREATE UNIQUE INDEX ON v (a) WHERE a > 0",
			"CREATE UNIQUE INDEX ON v (abs(a))",
			"CREATE UNIQUE INDEX ON v (a, n)",
			"CREATE INDEX ON v (a)",
			"ALTER TABLE v ADD UNIQUE (a) DEFERRABLE",
			// an invalid index
			`DROP TABLE v;
			CREATE TABLE v (a int NOT NULL) PARTITION BY LIST (a);
			CREATE TABLE v_1 PARTITION OF v DEFAULT;
			CREATE UNIQUE INDEX ON ONLY v (a)`,
		} {
			const yaml = "policies: {p: {table: v, where: 'a = 1', then: [delete]}}"
			in := kit.Prepare(t, "CREATE TABLE v (a int NOT NULL, n int); "+unique, yaml)
			if _, list := in.Compile(t, yaml); len(list) != 1 || list[0].Code.String() != "P052" {
				t.Errorf("%s: got %v, want P052", unique, list)
			}
		}
	})
}
