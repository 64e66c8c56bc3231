package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A hold applies to every row whose value is equal, however the row spells it. This is true for
// keys and for other columns. The field "stored" is the row's value when the hold is placed, and
// "given" is the argument of place_hold. The field "again" is an equal value that the row has at
// the time of the run, and "other" is an unequal value.
func TestHoldsCompareValues(t *testing.T) {
	t.Parallel()
	cases := []struct{ typ, stored, given, again, other string }{
		{"numeric", "1.5", "1.50", "1.500", "1.51"},
		{"double precision", "0", "0", "-0", "1"},
		{"real", "0.1", "0.1", "0.10", "0.2"},
		{"interval", "1 day", "24:00", "86400 s", "25:00"},
		{"jsonb", `{"a": 1}`, `{"a": 1.0}`, `{"a": 1.00}`, `{"a": 2}`},
		{"char(5)", "ab", "ab", "ab   ", "abc"},
		{"citext", "Ab", "aB", "AB", "abc"},
		{"text COLLATE nodet", "Ab", "aB", "AB", "abc"},
		{"timestamptz", "2024-01-01 00:00+00", "2024-01-01 01:00+01", "2023-12-31 23:00-01", "2024-01-02 00:00+00"},
		{"numeric[]", "{1.5}", "{1.50}", "{1.500}", "{1.51}"},
		{"numrange", "[1.5,2)", "[1.50,2.0)", "[1.500,2)", "[1,2)"},
		{"bit(4)", "0101", "0101", "0101", "0100"},
		{"inet", "10.0.0.1", "10.0.0.1/32", "10.0.0.1", "10.0.0.2"},
	}
	schema, yaml := `CREATE EXTENSION citext;
		CREATE COLLATION nodet (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`, "policies:\n"
	for i, c := range cases {
		schema += fmt.Sprintf(`;
			CREATE TABLE m_%d (k %s PRIMARY KEY, id int, v %[2]s);
			INSERT INTO m_%[1]d VALUES ('%[3]s', 1, '%[3]s'), ('%[4]s', 2, '%[4]s')`, i, c.typ, c.stored, c.other)
		yaml += fmt.Sprintf("  p_%d: {table: m_%[1]d, where: true, then: [delete], breaker: {fraction: 1.0}}\n", i)
	}
	in := kit.Install(t, schema, yaml)
	for i, c := range cases {
		for _, column := range []string{"k", "v"} {
			value := "to_jsonb($2::text)"
			if c.typ == "jsonb" {
				value = "$2::jsonb"
			}
			hold := pgtest.Value[int64](t, in, fmt.Sprintf(`SELECT hold_id FROM retention.place_hold('m_%d',
				jsonb_build_object($1::text, %s)::text, 'x')`, i, value), column, c.given)
			in.Exec(t, fmt.Sprintf(`TRUNCATE m_%d;
				INSERT INTO m_%[1]d VALUES ('%[2]s', 1, '%[2]s'), ('%[3]s', 2, '%[3]s')`, i, c.again, c.other))
			in.Done(fmt.Sprintf("p_%d", i), noon)
			if diff := cmp.Diff([]int{1}, pgtest.Column[int](t, in,
				fmt.Sprintf("SELECT id FROM m_%d", i))); diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", c.typ, column, diff)
			}
			in.Exec(t, fmt.Sprintf("SELECT retention.release_hold(%d, 'x')", hold))
		}
	}
}

// If a column that a hold compares has changed, the run trips and takes no row. This applies to
// rows of the policy's table, and to rows that a foreign key or a step reaches. After the same hold
// is placed again, it keeps the row.
func TestHoldsOnChangedColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ column, value, change, again string }{
		"bigint to text":         {"bigint", "42", "ALTER v TYPE text", "42"},
		"varchar to char":        {"varchar(5)", "ab", "ALTER v TYPE char(5)", "ab"},
		"real to double":         {"real", "0.1", "ALTER v TYPE double precision", "0.10000000149011612"},
		"numeric to less digits": {"numeric(12, 4)", "1.2345", "ALTER v TYPE numeric(12, 2)", "1.23"},
		"timestamptz to timestamp": {"timestamptz", "2024-01-01 05:00+00",
			"ALTER v TYPE timestamp USING v AT TIME ZONE 'UTC'", "2024-01-01 05:00"},
		"timestamptz to date": {"timestamptz", "2024-01-01 05:00+00",
			"ALTER v TYPE date USING (v AT TIME ZONE 'UTC')::date", "2024-01-01"},
		"boolean to int":    {"boolean", "true", "ALTER v TYPE int USING v::int", "1"},
		"another collation": {"text", "ab", `ALTER v TYPE text COLLATE "C"`, "ab"},
		"renamed":           {"int", "42", "RENAME v TO w", ""},
		"swapped": {
			column: "int",
			value:  "42",
			change: "RENAME v TO x; ALTER TABLE %[1]s RENAME u TO v; ALTER TABLE %[1]s RENAME x TO u",
		},
		"dropped and re-created": {"int", "42", "DROP v; ALTER TABLE %s ADD v int", ""},
		"enum value renamed": {"mood", "sad", "ALTER u SET DEFAULT 0; ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
			"blue"},
		"enum values swapped": {
			column: "mood",
			value:  "sad",
			change: `ALTER u SET DEFAULT 0;
				ALTER TYPE mood RENAME VALUE 'sad' TO 'x';
				ALTER TYPE mood RENAME VALUE 'glad' TO 'sad';
				ALTER TYPE mood RENAME VALUE 'x' TO 'glad'`,
			again: "glad",
		},
		"enum in an array": {"mood[]", "{sad}", "ALTER u SET DEFAULT 0; ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
			"{blue}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, rowsOfM+fmt.Sprintf(`CREATE TYPE mood AS ENUM ('sad', 'glad');
				ALTER TABLE m ADD v %[1]s, ADD u int; UPDATE m SET v = '%[2]s' WHERE id = 2;
				CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE, v %[1]s, u int);
				INSERT INTO child VALUES (1, 2, '%[2]s');
				CREATE TABLE blob (id int, v %[1]s, u int);
				INSERT INTO blob VALUES (2, '%[2]s')`, c.column, c.value),
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
					then: [delete: {table: blob, as: b, where: b.id = t.id}, delete: {cascades: [child]}]}}`)
			for i, table := range []string{"m", "child", "blob"} {
				place := func(value string) {
					hold(t, in, fmt.Sprintf("'%s', jsonb_build_object('v', '%s'::text)::text, 'case'", table, value))
				}
				if strings.Contains(c.change, "TYPE mood") && i > 0 {
					continue // the change for m has already changed the type
				}
				place(c.value)
				change := "ALTER TABLE " + table + " " + strings.ReplaceAll(strings.ReplaceAll(c.change, "%[1]s",
					table), "%s", table)
				in.Exec(t, "SET ROLE "+kit.Migrator+"; "+change+"; RESET ROLE")
				if o := in.Run("p", noon); o.State != "tripped" ||
					!strings.Contains(o.Message, fmt.Sprintf("on table \"public.%s\"", table)) || len(ids(t, in)) != 3 {
					t.Fatalf("%s: the run ended %s: %q, %d rows are left", table, o.State, o.Message, len(ids(t, in)))
				}
				if n := pgtest.Value[int](t, in, "SELECT count(*) FROM ("+in.DueQuery("p")+") d WHERE id = 2",
					noon); n != 0 {
					t.Errorf("%s: the held row is due", table)
				}
				in.Exec(t, "SELECT retention.release_hold(max(id), 'placed again') FROM retention.hold")
				if c.again != "" {
					place(c.again)
					if due := pgtest.Column[int](t, in, "SELECT id FROM ("+in.DueQuery("p")+") d ORDER BY id",
						noon); !cmp.Equal(due, []int{1, 3}) {
						t.Errorf("%s: rows %v are due, want all but row 2", table, due)
					}
					in.Exec(t, "SELECT retention.release_hold(max(id), 'tried') FROM retention.hold")
				}
			}
		})
	}
}

// A policy with a watermark skips a row whose related row is held, and takes the rows after it.
func TestWatermarkSkipsHeldRelatedRows(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{
		"tied": "b.id = t.blob", "orphan": "b.id = t.blob AND NOT EXISTS (SELECT FROM m x WHERE x.blob = b.id)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE mark (id int PRIMARY KEY, seen bigint NOT NULL);
				INSERT INTO mark VALUES (1, 0);
				CREATE TABLE m (id int PRIMARY KEY, seq bigint NOT NULL, blob int);
				INSERT INTO m SELECT i, i, i FROM generate_series(1, 9) i;
				CREATE TABLE blob (id int PRIMARY KEY); INSERT INTO blob SELECT generate_series(1, 9)`, `
policies:
  p:
    table: m
    due: {position: {column: seq, watermark: {table: mark, column: seen, where: "id = 1"}}}
    then: [delete, delete: {table: blob, as: b, where: "`+where+`"}]
    batch: {rows: 4}
    breaker: {fraction: 1.0}`)
			hold(t, in, "'blob', '5', 'case'")
			due, kept := in.Count("p", noon)
			o := in.Done("p", noon)
			if o.Taken != 8 || o.Kept["hold"] != 1 || due != 8 || kept["hold"] != 1 || in.CountDue("p", noon) != 0 {
				t.Errorf("want 8 rows taken and 1 kept: %+v; preview counts %d due, %v kept", o, due, kept)
			}
			if diff := cmp.Diff([]int{5}, ids(t, in)); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// preview, the query of due rows and the run agree on which rows are held. They agree even if a
// guard keeps a held row, too. They agree in every time zone of the session.
func TestHoldsAreCountedAlike(t *testing.T) {
	for _, due := range []string{"age: {column: at, older_than: 7 days}",
		"any: [{expires: {column: seen}}, {age: {column: at, older_than: 7 days}}]"} {
		t.Run(due, func(t *testing.T) { testHoldsAreCountedAlike(t, due) })
	}
}

func testHoldsAreCountedAlike(t *testing.T, due string) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, pinned boolean NOT NULL,
			blob int, seen timestamptz);
		INSERT INTO m SELECT i, '2024-01-01', i = 2, i, '2024-01-01 00:00+00'::timestamptz + i * interval '1 day'
			FROM generate_series(1, 6) i;
		CREATE TABLE blob (id int PRIMARY KEY); INSERT INTO blob SELECT generate_series(1, 6)`, `
policies:
  p:
    table: m
    due: {`+due+`}
    keep: {pinned: pinned}
    then:
      - delete
      - delete: {table: blob, as: b, where: "b.id = t.blob AND NOT EXISTS (SELECT FROM m x WHERE x.blob = b.id)"}
    breaker: {fraction: 1.0}`)
	hold(t, in, "'blob', '2', 'of a pinned one'")
	hold(t, in, "'blob', '3', 'of an orphan'")
	hold(t, in, "'m', '{\"seen\": \"2024-01-05 00:00+00\"}', 'an instant'")
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET TimeZone = 'America/New_York'; SET DateStyle = 'SQL, DMY'")
	rows := pgtest.Column[int](t, conn, "SELECT id FROM ("+in.DueQuery("p")+") d ORDER BY id", noon)
	n, kept := in.Count("p", noon)
	o := in.Done("p", noon)
	if diff := cmp.Diff(map[string]int64{"hold": 2, "pinned": 1}, o.Kept); diff != "" || o.Taken != 3 {
		t.Errorf("the run took %d and kept (-want +got):\n%s", o.Taken, diff)
	}
	if n != 3 || kept["hold"] != 2 || kept["pinned"] != 1 || !cmp.Equal(rows, []int{1, 5, 6}) {
		t.Errorf("preview counts %d due, %v kept; rows %v are due", n, kept, rows)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, ids(t, in)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// owned is the schema held with an owner column in m, child and leaf. It has a related table
// without a key, too.
const owned = held + `;
	ALTER TABLE m ADD COLUMN owner_id int; UPDATE m SET owner_id = nullif(id % 4, 3);
	ALTER TABLE child ADD COLUMN owner_id text; UPDATE child SET owner_id = 'u' || id;
	ALTER TABLE leaf ADD COLUMN owner_id uuid; UPDATE leaf SET owner_id = md5(a::text)::uuid;
	CREATE TABLE bare (m_id int, owner_id numeric, note text);
	INSERT INTO bare SELECT i, i + 0.50, 'n' || i FROM generate_series(1, 12) i`

const ownedPolicy = heldPolicy + "      - delete: {table: bare, as: x, where: \"x.m_id = t.id\"}\n"

// A hold by an owner keeps every row of that owner, even rows that are inserted later, and no other
// row. It applies to rows of the policy's table, to rows along foreign keys, and to rows of related
// steps.
func TestHoldsByOwner(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, owned, ownedPolicy)
	for _, sql := range []string{
		"'m', '{\"owner_id\": 2}', 'case 1'",                                     // 2, 6, 10
		"'child', '{\"owner_id\": \"u4\"}', 'case 1'",                            // 4, the parent of u4's row
		"'bare', '{\"owner_id\": 8.5}', 'case 1'",                                // 8, by a step; stored as 8.50
		"'m', '{\"owner_id\": 1}', 'over'; until 2024-03-31 12:00:00+00",         // ended at as_of
		"'m', '{\"owner_id\": 0}', 'before'; until 2024-02-01 12:00:00+00",       // ended earlier
		"'bare', '{\"note\": \"n9\"}', 'in force'; until 2024-03-31 12:00:01+00", // 9
	} {
		hold(t, in, sql)
	}
	hold(t, in, "'leaf', format('{\"owner_id\": \"%s\"}', md5('7')), 'case 1'") // 7, through child and leaf
	hold(t, in, "'m', '12', 'a row'")
	in.Exec(t, `INSERT INTO m VALUES (13, '2024-01-01', 2), (14, '2024-01-01', NULL);
		INSERT INTO child VALUES (14, 14, 'u4');
		UPDATE bare SET owner_id = 8.5 WHERE m_id = 1`)
	// Rows 2, 6, 10 and 13 belong to owner 2. Rows 4 and 14 have children of u4. Rows 1 and 8 have
	// related rows of 8.5.
	want := []int{1, 2, 4, 6, 7, 8, 9, 10, 12, 13, 14}
	due, kept := in.Count("p", noon)
	rows := in.CountDue("p", noon)
	var o kit.Outcome
	if unknown := in.CheckPreview(t, "p", noon, nil, func() { o = in.Done("p", noon) }); len(unknown) > 0 {
		t.Errorf("the preview does not know: %q", unknown)
	}
	if diff := cmp.Diff(want, ids(t, in)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	if o.Taken != 3 || o.Kept["hold"] != 11 || o.Scanned != 14 {
		t.Errorf("got %+v", o)
	}
	if due != 3 || rows != 3 || kept["hold"] != 11 {
		t.Errorf("preview counts %d due, %v kept; %d rows have no verdict", due, kept, rows)
	}
	if err := in.Operator(`SELECT retention.release_hold(id, 'closed') FROM retention.hold
		WHERE NOT match ? 'id'`); err != nil {
		t.Fatal(err)
	}
	in.Done("p", noon)
	if diff := cmp.Diff([]int{12}, ids(t, in)); diff != "" {
		t.Errorf("after the release (-want +got):\n%s", diff)
	}
}

// A hold compares values. Neither the settings of a session nor the stored spelling matters.
func TestHoldsByValuesOfManySpellings(t *testing.T) {
	t.Parallel()
	cases := []struct{ typ, stored, other, given, session string }{
		{"timestamptz", "'2024-01-01 05:00+00'", "'2024-01-01 05:01+00'", "'2024-01-01 00:00-05'",
			"SET TimeZone = 'America/New_York'"},
		{"date", "'2024-02-01'", "'2024-01-02'", "'01/02/2024'", "SET DateStyle = 'SQL, DMY'"},
		{"bytea", `'\x01ff'`, `'\x01fe'`, `'\x01FF'`, "SET bytea_output = 'escape'"},
		{"double precision", "0.1", "0.2", "'1e-1'", "SET extra_float_digits = -10"},
		{"numeric", "1.50", "1.51", "'1.5'", "SELECT 1"},
		{"numeric(10, 3)", "1.5", "1.501", "'1.5'", "SELECT 1"},
		{"char(5)", "'ab'", "'abc'", "'ab'", "SELECT 1"},
		{"varchar(3)", "'abc'", "'ab'", "'abc'", "SELECT 1"},
		{"boolean", "true", "false", "'t'", "SELECT 1"},
		{"uuid", "'aaaaaaaa-0000-0000-0000-000000000001'", "'aaaaaaaa-0000-0000-0000-000000000002'",
			"'AAAAAAAA000000000000000000000001'", "SELECT 1"},
		{"mood", "'sad'", "'glad'", "'sad'", "SELECT 1"},
		{"code", "'ab'", "'cd'", "'ab'", "SELECT 1"},
		{"text", "'1'", "'01'", "'1'", "SELECT 1"},
		{`"char"`, "'x'", "'y'", "'x'", "SELECT 1"},
	}
	schema, yaml := "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN code AS char(3)", "policies:\n"
	for i, c := range cases {
		schema += fmt.Sprintf(`;
			CREATE TABLE m_%d (id int PRIMARY KEY, "Owner" %s);
			INSERT INTO m_%[1]d VALUES (1, %[3]s), (2, %[4]s), (3, NULL)`, i, c.typ, c.stored, c.other)
		yaml += fmt.Sprintf("  p_%d: {table: m_%[1]d, where: true, then: [delete]}\n", i)
	}
	in := kit.Install(t, schema, yaml)
	for i, c := range cases {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, c.session+"\n; SET SESSION AUTHORIZATION retention_operator")
		n := pgtest.Value[int](t, conn, fmt.Sprintf(`SELECT rows_held FROM retention.place_hold('m_%d',
			jsonb_build_object('Owner', %s)::text, 'x')`, i, c.given))
		want := []int{1}
		pgtest.Exec(t, in.Runner(), c.session+"\n; SELECT 1")
		o := in.Done(fmt.Sprintf("p_%d", i), noon)
		pgtest.Exec(t, in.Runner(), "RESET ALL")
		left := pgtest.Column[int](t, in, fmt.Sprintf("SELECT id FROM m_%d ORDER BY id", i))
		if diff := cmp.Diff(want, left); diff != "" || n != len(want) || o.Kept["hold"] != int64(n) {
			t.Errorf("%s %s in the session of %q: %d rows held, %+v\n%s", c.typ, c.given, c.session, n, o, diff)
		}
	}
}

func TestHoldsByOwnerRefused(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, owner_id int, span point, tags json[], doc json,
			name varchar(3), gone int);
		ALTER TABLE m DROP COLUMN gone`,
		"policies: {p: {table: m, where: true, then: [delete]}}")
	for _, c := range []struct{ arguments, code string }{
		{"'m', '{\"owner\": 1}', 'x'", "42703"}, {"'m', '{\"ctid\": 1}', 'x'", "42703"}, {"'m', '{\"gone\": 1}', 'x'",
			"42703"},
		{"'m', '{\"Owner_id\": 1}', 'x'", "42703"}, {"'m', '{\"\": 1}', 'x'", "42703"},
		{"'m', '{\"owner_id\": \"1,2\"}', 'x'", "22P02"}, {"'m', '{\"owner_id\": \"\"}', 'x'",
			"22P02"}, {"'m', '{}', 'x'", "22023"}, {"'m', '{1', 'x'", "22023"},
		{"'m', '{\"owner_id\": null}', 'x'", "22023"}, {"'m', '{\"owner_id\": 1}', ''",
			"22023"}, {"'m', '{\"owner_id\": \"one\"}', 'x'", "22P02"},
		{"'m', '{\"span\": \"(1,2)\"}', 'x'", "0A000"}, {"'m', '{\"tags\": \"{a}\"}', 'x'",
			"0A000"}, {"'m', '{\"doc\": \"{}\"}', 'x'", "0A000"},
		{"'m', '{\"name\": \"abcd\"}', 'x'", "22023"},
	} {
		if err := in.Operator("SELECT retention.place_hold(" + c.arguments + ")"); err == nil ||
			!strings.Contains(err.Error(), c.code) {
			t.Errorf("place_hold(%s): %v", c.arguments, err)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.hold"); n != 0 {
		t.Errorf("%d holds were placed, want none", n)
	}
}

// If the column of a hold is missing, nobody can tell which rows the hold means. The run trips and
// takes no row.
func TestHoldByAMissingColumn(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, owned, ownedPolicy)
	hold(t, in, "'leaf', format('{\"owner_id\": \"%s\"}', md5('7')), 'case 1'")
	in.Exec(t, "ALTER TABLE leaf RENAME COLUMN owner_id TO account_id")
	const why = `hold 1 on table "public.leaf" compares (owner_id) of type uuid, and the table lacks such a column; ` +
		"place it again as things are now, then release this one"
	if o := in.Run("p", noon); o.State != "tripped" || o.Taken != 0 || o.Message != why {
		t.Errorf("the run ended %s: %q, want tripped with %q: %+v", o.State, o.Message, why, o)
	}
	if got := pgtest.Value[string](t, in, "SELECT stopped_by FROM retention.preview('p')"); got != why {
		t.Errorf("preview has stopped_by = %q, want %q", got, why)
	}
	in.Exec(t, "ALTER TABLE leaf RENAME COLUMN account_id TO owner_id")
	if o := in.Done("p", noon); o.Kept["hold"] != 1 || !cmp.Equal(ids(t, in), []int{7}) {
		t.Errorf("with the column, want row 7 kept: %+v, left %v", o, ids(t, in))
	}
}

// A claim does not take over a held entry. A run does not drop a partition with a held row.
func TestHoldsByOwnerElsewhere(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id text PRIMARY KEY, at timestamptz NOT NULL, owner_id int);
		INSERT INTO m VALUES ('a', '2024-01-01', 1), ('b', '2024-01-01', 2), ('c', '2024-01-01', NULL);
		CREATE TABLE e (id int, at timestamptz NOT NULL, owner_id int) PARTITION BY RANGE (at);
		CREATE TABLE e_1 PARTITION OF e FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE e_2 PARTITION OF e FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
		CREATE TABLE e_3 PARTITION OF e FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
		INSERT INTO e VALUES (1, '2024-01-15', 1), (2, '2024-02-15', 2), (3, '2024-02-16', 1), (4, '2024-02-17', 3)`, `
policies:
  m: {table: m, due: {expires: {column: at}}, claim: {key: id, ttl: 1 hour}, then: [delete]}
  e: {partitions_of: e, due: {age: {older_than: 1 day}}, then: [drop]}`)
	hold(t, in, "'m', '{\"owner_id\": 1}', 'x'")
	hold(t, in, "'e_1', '{\"owner_id\": 2}', 'x'")
	claims := func() string {
		return pgtest.Value[string](t, in, `SELECT string_agg(id || retention.m_claim(id)::text, ' ' ORDER BY id)
			FROM m`)
	}
	if got := claims(); got != "afalse btrue ctrue" {
		t.Errorf("claims: %s", got)
	}
	in.Exec(t, "UPDATE m SET at = '2024-01-01'; ALTER TABLE m RENAME COLUMN owner_id TO account_id")
	if got := claims(); got != "afalse bfalse cfalse" {
		t.Errorf("claims without the column: %s", got)
	}
	if o := in.Done("e", noon); o.Taken != 1 || o.Kept["hold"] != 1 {
		t.Errorf("dropped %d partitions and kept %d, want 1 and 1: %+v", o.Taken, o.Kept["hold"], o)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, pgtest.Column[int](t, in, "SELECT id FROM e ORDER BY id")); diff != "" {
		t.Errorf("rows left (-want +got):\n%s", diff)
	}
}
