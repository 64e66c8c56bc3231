package behaviour

import (
	"slices"
	"strings"
	"testing"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A cutoff long before the epoch of the IDs has no ID: nothing is older, and nothing wraps around.
func TestSnowflakeLongAgo(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE o (id int PRIMARY KEY, keep_days int);
		INSERT INTO o VALUES (1, 30), (2, 36500), (3, 1);
		CREATE TABLE m (id bigint PRIMARY KEY, o_id int REFERENCES o);
		CREATE TABLE n (id bigint PRIMARY KEY);`, `
policies:
  p:
    table: m
    join: {o: {table: o, where: "o.id = t.o_id"}}
    due: {age: {column: id, encoding: {snowflake: {shift: 22, epoch: 1288834974657}}, older_than: {days: "o.keep_days"}}}
    then: [delete]
  q:
    table: n
    due: {age: {column: id, encoding: {snowflake: {shift: 22, epoch: 1288834974657}}, older_than: 100 years}}
    then: [delete]
`)
	in.Exec(t, `INSERT INTO m SELECT ((extract(epoch FROM timestamptz '2024-03-29 00:00+00') * 1000)::bigint - 1288834974657) << 22 | i, i FROM generate_series(1, 3) i;
		INSERT INTO n SELECT id FROM m; INSERT INTO n VALUES (0), (-1), (-9223372036854775808)`)
	if o := in.Done("p", noon); o.Taken != 1 || pgtest.Value[int](t, in, "SELECT count(*) FROM m WHERE o_id IN (1, 2)") != 2 {
		t.Errorf("of a day, a month and a century: %+v", o)
	}
	if o := in.Done("q", noon); o.Taken != 0 {
		t.Errorf("older than a century: %+v", o)
	}
}

// What a policy means does not hang on settings of the session that calls it.
func TestSessionChangesNoMeaning(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE EXTENSION pg_trgm; CREATE DOMAIN key AS int; CREATE TABLE m (id key PRIMARY KEY, at timestamptz NOT NULL, note text, tags text[]);
		CREATE TABLE tag (id int, words text[], pad text DEFAULT repeat('x', 200)); CREATE INDEX ON tag USING gin (words) WITH (fastupdate = off)`, `
policies:
  p:
    table: m
    where: "note LIKE 'a\\_b' OR note = NULL OR tags = '{NULL}' OR at < '2023-01-01 02:00 IST' OR note % 'some words' OR note ~ '^[xs]'"
    due: {age: {column: at, older_than: 7 days}}
    keep:
      xml: "note LIKE 'x%' AND xmlelement(name x, note::bytea)::text = '<x>eDE=</x>' AND xmlparse(CONTENT 'a')::text::xml IS NOT NULL"
      name: "note LIKE 'x%' AND quote_ident(note) = 'x2'"
      tag: "EXISTS (SELECT FROM tag x WHERE x.words @> ARRAY[t.note] AND x.id = 2999)"
    then: [delete]
`)
	in.Exec(t, `INSERT INTO m VALUES (1, '2024-01-01', 'a_b', NULL), (2, '2024-01-01', 'axb', NULL), (3, '2024-01-01', NULL, NULL),
		(4, '2024-01-01', 'c', ARRAY['NULL']), (5, '2024-01-01', 'd', ARRAY[NULL]),
		(6, '2022-12-31 23:00+00', 'e', NULL), (7, '2022-12-31 20:00+00', 'f', NULL), (8, '2024-01-01', 'some word', NULL),
		(9, '2024-01-01', 'x1', NULL), (10, '2024-01-01', 'x2', NULL), (11, '2024-01-01', 's', NULL), (12, '2024-01-01', 'x3', NULL);
		INSERT INTO tag SELECT i, '{s}' FROM generate_series(1, 3000) i; ANALYZE tag`)
	want := pgtest.Column[int](t, in, `SELECT id FROM m WHERE id > 8 AND id < 12 OR (note LIKE 'a\_b' OR note = NULL OR tags = '{NULL}' OR at < '2023-01-01 02:00 IST' OR note % 'some words' OR note ~ '^[xs]') IS NOT TRUE ORDER BY 1`)
	other := "SET standard_conforming_strings = off; SET escape_string_warning = off; SET transform_null_equals = on; SET array_nulls = off; SET timezone_abbreviations = 'India'; SET pg_trgm.similarity_threshold = 0.99; SET gin_fuzzy_search_limit = 1; SET xmlbinary = hex; SET xmloption = document; SET quote_all_identifiers = on"
	pgtest.Exec(t, in.Runner(), other)
	viewer := in.Viewer()
	pgtest.Exec(t, viewer, other)
	if due := pgtest.Value[int](t, viewer, "SELECT due FROM retention.preview('p', '"+noon+"')"); due != 12-len(want) {
		t.Errorf("preview says %d of 12 rows, want all but %v", due, want)
	}
	in.Done("p", noon)
	if left := pgtest.Column[int](t, in, "SELECT id FROM m ORDER BY 1"); !slices.Equal(want, left) {
		t.Errorf("%v are left, want %v", left, want)
	}
}

// Rows of a join fall apart into columns when they are unnested: they are refused before the first run.
func TestJoinOfRowsIsRefused(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"ROW(t.id + 10, t.id + 20)::pair", "ROW(t.id + 10, t.id + 20)::few"} {
		yaml := `
policies:
  p:
    table: m
    join: {l: "SELECT ` + value + ` AS pr, t.id + 30 AS v"}
    due: {age: {column: at, older_than: 7 days}}
    then: [delete, {delete: {table: blob, as: b, where: "l.pr IS NOT NULL AND b.id = l.v"}}]
`
		in := kit.Prepare(t, `CREATE TYPE pair AS (a int, b int); CREATE DOMAIN few AS pair;
			CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE blob (id int PRIMARY KEY)`, yaml)
		_, err := in.TryMigrate(t, yaml)
		if list := install.Diagnostics(err); err == nil || !strings.Contains(list[0].Message, "is an array or a row") {
			t.Errorf("%s: %v", value, err)
		}
	}
}
