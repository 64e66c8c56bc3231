package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// Equal values are one, however a row spells them later: as its key, and in any column.
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
	schema, yaml := "CREATE EXTENSION citext; CREATE COLLATION nodet (provider = icu, locale = 'und-u-ks-level2', deterministic = false)", "policies:\n"
	for i, c := range cases {
		schema += fmt.Sprintf("; CREATE TABLE m_%d (k %s PRIMARY KEY, id int, v %[2]s); INSERT INTO m_%[1]d VALUES ('%[3]s', 1, '%[3]s'), ('%[4]s', 2, '%[4]s')", i, c.typ, c.stored, c.other)
		yaml += fmt.Sprintf("  p_%d: {table: m_%[1]d, where: true, then: [delete], breaker: {fraction: 1.0}}\n", i)
	}
	in := kit.Install(t, schema, yaml)
	for i, c := range cases {
		for _, column := range []string{"k", "v"} {
			value := "to_jsonb($2::text)"
			if c.typ == "jsonb" {
				value = "$2::jsonb"
			}
			hold := pgtest.Value[int64](t, in, fmt.Sprintf("SELECT hold_id FROM retention.place_hold('m_%d', jsonb_build_object($1::text, %s)::text, 'x')", i, value), column, c.given)
			in.Exec(t, fmt.Sprintf("TRUNCATE m_%d; INSERT INTO m_%[1]d VALUES ('%[2]s', 1, '%[2]s'), ('%[3]s', 2, '%[3]s')", i, c.again, c.other))
			in.Done(fmt.Sprintf("p_%d", i), noon)
			if diff := cmp.Diff([]int{1}, pgtest.Column[int](t, in, fmt.Sprintf("SELECT id FROM m_%d", i))); diff != "" {
				t.Errorf("%s by %s (-want +got):\n%s", c.typ, column, diff)
			}
			in.Exec(t, fmt.Sprintf("SELECT retention.release_hold(%d, 'x')", hold))
		}
	}
}

// A column that is not what it was when a hold went by it trips the run, whether the row is reached by itself, along a
// foreign key or by a step; nothing is touched, and the same hold placed again holds.
func TestHoldsOnChangedColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ column, value, change, again string }{
		"bigint to text":           {"bigint", "42", "ALTER v TYPE text", "42"},
		"varchar to char":          {"varchar(5)", "ab", "ALTER v TYPE char(5)", "ab"},
		"real to double":           {"real", "0.1", "ALTER v TYPE double precision", "0.10000000149011612"},
		"numeric to less digits":   {"numeric(12, 4)", "1.2345", "ALTER v TYPE numeric(12, 2)", "1.23"},
		"timestamptz to timestamp": {"timestamptz", "2024-01-01 05:00+00", "ALTER v TYPE timestamp USING v AT TIME ZONE 'UTC'", "2024-01-01 05:00"},
		"timestamptz to date":      {"timestamptz", "2024-01-01 05:00+00", "ALTER v TYPE date USING (v AT TIME ZONE 'UTC')::date", "2024-01-01"},
		"boolean to int":           {"boolean", "true", "ALTER v TYPE int USING v::int", "1"},
		"another collation":        {"text", "ab", `ALTER v TYPE text COLLATE "C"`, "ab"},
		"renamed":                  {"int", "42", "RENAME v TO w", ""},
		"swapped":                  {"int", "42", "RENAME v TO x; ALTER TABLE %[1]s RENAME u TO v; ALTER TABLE %[1]s RENAME x TO u", ""},
		"made anew":                {"int", "42", "DROP v; ALTER TABLE %s ADD v int", ""},
		"enum value renamed":       {"mood", "sad", "ALTER u SET DEFAULT 0; ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'", "blue"},
		"enum values swapped":      {"mood", "sad", "ALTER u SET DEFAULT 0; ALTER TYPE mood RENAME VALUE 'sad' TO 'x'; ALTER TYPE mood RENAME VALUE 'glad' TO 'sad'; ALTER TYPE mood RENAME VALUE 'x' TO 'glad'", "glad"},
		"enum in an array":         {"mood[]", "{sad}", "ALTER u SET DEFAULT 0; ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'", "{blue}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, rowsOfM+fmt.Sprintf(`CREATE TYPE mood AS ENUM ('sad', 'glad');
				ALTER TABLE m ADD v %[1]s, ADD u int; UPDATE m SET v = '%[2]s' WHERE id = 2;
				CREATE TABLE child (id int PRIMARY KEY, m_id int REFERENCES m ON DELETE CASCADE, v %[1]s, u int); INSERT INTO child VALUES (1, 2, '%[2]s');
				CREATE TABLE blob (id int, v %[1]s, u int); INSERT INTO blob VALUES (2, '%[2]s')`, c.column, c.value),
				`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete: {table: blob, as: b, where: b.id = t.id}, delete: {cascades: [child]}]}}`)
			for i, table := range []string{"m", "child", "blob"} {
				place := func(value string) {
					hold(t, in, fmt.Sprintf("'%s', jsonb_build_object('v', '%s'::text)::text, 'case'", table, value))
				}
				if strings.Contains(c.change, "TYPE mood") && i > 0 {
					continue // its values are others already
				}
				place(c.value)
				change := "ALTER TABLE " + table + " " + strings.ReplaceAll(strings.ReplaceAll(c.change, "%[1]s", table), "%s", table)
				in.Exec(t, "SET ROLE "+kit.Migrator+"; "+change+"; RESET ROLE")
				if o := in.Run("p", noon); o.State != "tripped" || !strings.Contains(o.Message, fmt.Sprintf("on table \"public.%s\"", table)) || len(ids(t, in)) != 3 {
					t.Fatalf("%s: the run ended %s: %q, %d rows are left", table, o.State, o.Message, len(ids(t, in)))
				}
				if n := pgtest.Value[int](t, in, "SELECT count(*) FROM ("+in.Due("p")+") d WHERE id = 2", noon); n != 0 {
					t.Errorf("%s: the held row is due", table)
				}
				in.Exec(t, "SELECT retention.release_hold(max(id), 'placed again') FROM retention.hold")
				if c.again != "" {
					place(c.again)
					if due := pgtest.Column[int](t, in, "SELECT id FROM ("+in.Due("p")+") d ORDER BY id", noon); !cmp.Equal(due, []int{1, 3}) {
						t.Errorf("%s: %v are due, want all but 2", table, due)
					}
					in.Exec(t, "SELECT retention.release_hold(max(id), 'tried') FROM retention.hold")
				}
			}
		})
	}
}

// A policy by a watermark passes a row by whose related rows are held, and takes those behind it.
func TestWatermarkPassesHeldRelatedRowsBy(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]string{
		"tied": "b.id = t.blob", "orphan": "b.id = t.blob AND NOT EXISTS (SELECT FROM m x WHERE x.blob = b.id)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE mark (id int PRIMARY KEY, seen bigint NOT NULL); INSERT INTO mark VALUES (1, 0);
				CREATE TABLE m (id int PRIMARY KEY, seq bigint NOT NULL, blob int); INSERT INTO m SELECT i, i, i FROM generate_series(1, 9) i;
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
			if o.Taken != 8 || o.Kept["hold"] != 1 || due != 8 || kept["hold"] != 1 || in.DueRows("p", noon) != 0 {
				t.Errorf("%+v; count says %d, %v", o, due, kept)
			}
			if diff := cmp.Diff([]int{5}, ids(t, in)); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// Count, preview, due and the run tell the same rows apart, whatever keeps them besides a hold, in any zone.
func TestHoldsAreCountedAlike(t *testing.T) {
	for _, due := range []string{"age: {column: at, older_than: 7 days}", "any: [{expires: {column: seen}}, {age: {column: at, older_than: 7 days}}]"} {
		t.Run(due, func(t *testing.T) { testHoldsAreCountedAlike(t, due) })
	}
}

func testHoldsAreCountedAlike(t *testing.T, due string) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL, pinned boolean NOT NULL, blob int, seen timestamptz);
		INSERT INTO m SELECT i, '2024-01-01', i = 2, i, '2024-01-01 00:00+00'::timestamptz + i * interval '1 day' FROM generate_series(1, 6) i;
		CREATE TABLE blob (id int PRIMARY KEY); INSERT INTO blob SELECT generate_series(1, 6)`, `
policies:
  p:
    table: m
    due: {`+due+`}
    keep: {pinned: pinned}
    then: [delete, delete: {table: blob, as: b, where: "b.id = t.blob AND NOT EXISTS (SELECT FROM m x WHERE x.blob = b.id)"}]
    breaker: {fraction: 1.0}`)
	hold(t, in, "'blob', '2', 'of a pinned one'")
	hold(t, in, "'blob', '3', 'of an orphan'")
	hold(t, in, "'m', '{\"seen\": \"2024-01-05 00:00+00\"}', 'an instant'")
	conn := in.Conn(t)
	pgtest.Exec(t, conn, "SET TimeZone = 'America/New_York'; SET DateStyle = 'SQL, DMY'")
	rows := pgtest.Column[int](t, conn, "SELECT id FROM ("+in.Due("p")+") d ORDER BY id", noon)
	n, kept := in.Count("p", noon)
	o := in.Done("p", noon)
	if diff := cmp.Diff(map[string]int64{"hold": 2, "pinned": 1}, o.Kept); diff != "" || o.Taken != 3 {
		t.Errorf("the run took %d and kept (-want +got):\n%s", o.Taken, diff)
	}
	if n != 3 || kept["hold"] != 2 || kept["pinned"] != 1 || !cmp.Equal(rows, []int{1, 5, 6}) {
		t.Errorf("count says %d, %v; due are %v", n, kept, rows)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, ids(t, in)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}
