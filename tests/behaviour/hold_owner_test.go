package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// owned is held with an owner in each table, and a related one without a key.
const owned = held + `;
	ALTER TABLE m ADD COLUMN owner_id int; UPDATE m SET owner_id = nullif(id % 4, 3);
	ALTER TABLE child ADD COLUMN owner_id text; UPDATE child SET owner_id = 'u' || id;
	ALTER TABLE leaf ADD COLUMN owner_id uuid; UPDATE leaf SET owner_id = md5(a::text)::uuid;
	CREATE TABLE bare (m_id int, owner_id numeric, note text); INSERT INTO bare SELECT i, i + 0.50, 'n' || i FROM generate_series(1, 12) i`

const ownedPolicy = heldPolicy + "      - delete: {table: bare, as: x, where: \"x.m_id = t.id\"}\n"

// A hold by an owner keeps every row of his, wherever a delete would reach it: the row itself, rows
// along foreign keys, rows of related steps; rows that come later as well, and no row of others.
func TestHoldsByOwner(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, owned, ownedPolicy)
	for _, sql := range []string{
		"'m', '{\"owner_id\": 2}', 'case 1'",                                     // 2, 6, 10
		"'child', '{\"owner_id\": \"u4\"}', 'case 1'",                            // 4, through its parent
		"'bare', '{\"owner_id\": 8.5}', 'case 1'",                                // 8, by a step; stored as 8.50
		"'m', '{\"owner_id\": 1}', 'over'; until 2024-03-31 12:00:00+00",         // until as_of
		"'m', '{\"owner_id\": 0}', 'before'; until 2024-02-01 12:00:00+00",       // over
		"'bare', '{\"note\": \"n9\"}', 'in force'; until 2024-03-31 12:00:01+00", // 9
	} {
		hold(t, in, sql)
	}
	hold(t, in, "'leaf', format('{\"owner_id\": \"%s\"}', md5('7')), 'case 1'") // 7, changed through its parent
	hold(t, in, "'m', '12', 'a row'")
	in.Exec(t, "INSERT INTO m VALUES (13, '2024-01-01', 2), (14, '2024-01-01', NULL); INSERT INTO child VALUES (14, 14, 'u4'); UPDATE bare SET owner_id = 8.5 WHERE m_id = 1")
	// 2, 6, 10, 13 are the owner's; 4 and 14 have u4's children; 1 and 8 have related rows of 8.5.
	want := []int{1, 2, 4, 6, 7, 8, 9, 10, 12, 13, 14}
	due, kept := in.Count("p", noon)
	rows := in.DueRows("p", noon)
	var o kit.Outcome
	if unknown := in.Foreseen(t, "p", noon, nil, func() { o = in.Done("p", noon) }); len(unknown) > 0 {
		t.Errorf("the preview does not know: %q", unknown)
	}
	if diff := cmp.Diff(want, ids(t, in)); diff != "" {
		t.Errorf("rows differ (-want +got):\n%s", diff)
	}
	if o.Taken != 3 || o.Kept["hold"] != 11 || o.Scanned != 14 {
		t.Errorf("got %+v", o)
	}
	if due != 3 || rows != 3 || kept["hold"] != 11 {
		t.Errorf("preview says %d, %v; %d rows have no verdict", due, kept, rows)
	}
	if err := in.Operator("SELECT retention.release_hold(id, 'closed') FROM retention.hold WHERE NOT match ? 'id'"); err != nil {
		t.Fatal(err)
	}
	in.Done("p", noon)
	if diff := cmp.Diff([]int{12}, ids(t, in)); diff != "" {
		t.Errorf("after the release (-want +got):\n%s", diff)
	}
}

// The value is what it means: not how a session spells it, nor how the table stores it.
func TestHoldsByValuesOfManySpellings(t *testing.T) {
	t.Parallel()
	cases := []struct{ typ, stored, other, given, session string }{
		{"timestamptz", "'2024-01-01 05:00+00'", "'2024-01-01 05:01+00'", "'2024-01-01 00:00-05'", "SET TimeZone = 'America/New_York'"},
		{"date", "'2024-02-01'", "'2024-01-02'", "'01/02/2024'", "SET DateStyle = 'SQL, DMY'"},
		{"bytea", `'\x01ff'`, `'\x01fe'`, `'\x01FF'`, "SET bytea_output = 'escape'"},
		{"double precision", "0.1", "0.2", "'1e-1'", "SET extra_float_digits = -10"},
		{"numeric", "1.50", "1.51", "'1.5'", "SELECT 1"},
		{"numeric(10, 3)", "1.5", "1.501", "'1.5'", "SELECT 1"},
		{"char(5)", "'ab'", "'abc'", "'ab'", "SELECT 1"},
		{"varchar(3)", "'abc'", "'ab'", "'abc'", "SELECT 1"},
		{"boolean", "true", "false", "'t'", "SELECT 1"},
		{"uuid", "'aaaaaaaa-0000-0000-0000-000000000001'", "'aaaaaaaa-0000-0000-0000-000000000002'", "'AAAAAAAA000000000000000000000001'", "SELECT 1"},
		{"mood", "'sad'", "'glad'", "'sad'", "SELECT 1"},
		{"code", "'ab'", "'cd'", "'ab'", "SELECT 1"},
		{"text", "'1'", "'01'", "'1'", "SELECT 1"},
		{`"char"`, "'x'", "'y'", "'x'", "SELECT 1"},
	}
	schema, yaml := "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN code AS char(3)", "policies:\n"
	for i, c := range cases {
		schema += fmt.Sprintf("; CREATE TABLE m_%d (id int PRIMARY KEY, \"Owner\" %s); INSERT INTO m_%[1]d VALUES (1, %[3]s), (2, %[4]s), (3, NULL)", i, c.typ, c.stored, c.other)
		yaml += fmt.Sprintf("  p_%d: {table: m_%[1]d, where: true, then: [delete]}\n", i)
	}
	in := kit.Install(t, schema, yaml)
	for i, c := range cases {
		conn := in.Conn(t)
		pgtest.Exec(t, conn, c.session+"\n; SET SESSION AUTHORIZATION retention_operator")
		n := pgtest.Value[int](t, conn, fmt.Sprintf("SELECT rows_held FROM retention.place_hold('m_%d', jsonb_build_object('Owner', %s)::text, 'x')", i, c.given))
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
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, owner_id int, span point, tags json[], doc json, name varchar(3), gone int); ALTER TABLE m DROP COLUMN gone",
		"policies: {p: {table: m, where: true, then: [delete]}}")
	for _, c := range []struct{ arguments, code string }{
		{"'m', '{\"owner\": 1}', 'x'", "42703"}, {"'m', '{\"ctid\": 1}', 'x'", "42703"}, {"'m', '{\"gone\": 1}', 'x'", "42703"},
		{"'m', '{\"Owner_id\": 1}', 'x'", "42703"}, {"'m', '{\"\": 1}', 'x'", "42703"},
		{"'m', '{\"owner_id\": \"1,2\"}', 'x'", "22P02"}, {"'m', '{\"owner_id\": \"\"}', 'x'", "22P02"}, {"'m', '{}', 'x'", "22023"}, {"'m', '{1', 'x'", "22023"},
		{"'m', '{\"owner_id\": null}', 'x'", "22023"}, {"'m', '{\"owner_id\": 1}', ''", "22023"}, {"'m', '{\"owner_id\": \"one\"}', 'x'", "22P02"},
		{"'m', '{\"span\": \"(1,2)\"}', 'x'", "0A000"}, {"'m', '{\"tags\": \"{a}\"}', 'x'", "0A000"}, {"'m', '{\"doc\": \"{}\"}', 'x'", "0A000"},
		{"'m', '{\"name\": \"abcd\"}', 'x'", "22023"},
	} {
		if err := in.Operator("SELECT retention.place_hold(" + c.arguments + ")"); err == nil || !strings.Contains(err.Error(), c.code) {
			t.Errorf("place_hold(%s): %v", c.arguments, err)
		}
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.hold"); n != 0 {
		t.Errorf("%d holds", n)
	}
}

// A hold by a column that is gone: nobody can tell what it holds, so nothing goes.
func TestHoldByAColumnThatIsGone(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, owned, ownedPolicy)
	hold(t, in, "'leaf', format('{\"owner_id\": \"%s\"}', md5('7')), 'case 1'")
	in.Exec(t, "ALTER TABLE leaf RENAME COLUMN owner_id TO account_id")
	const why = `hold 1 on table "public.leaf" goes by (owner_id) of type uuid, and the table lacks such a column: place it again as things are now, then release this one`
	if o := in.Run("p", noon); o.State != "tripped" || o.Taken != 0 || o.Message != why {
		t.Errorf("%+v", o)
	}
	if got := pgtest.Value[string](t, in, "SELECT stopped_by FROM retention.preview('p')"); got != why {
		t.Errorf("preview: %q", got)
	}
	in.Exec(t, "ALTER TABLE leaf RENAME COLUMN account_id TO owner_id")
	if o := in.Done("p", noon); o.Kept["hold"] != 1 || !cmp.Equal(ids(t, in), []int{7}) {
		t.Errorf("%+v, left %v", o, ids(t, in))
	}
}

// A claim takes no held entry over, and a partition with a held row stays.
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
		return pgtest.Value[string](t, in, "SELECT string_agg(id || retention.m_claim(id)::text, ' ' ORDER BY id) FROM m")
	}
	if got := claims(); got != "afalse btrue ctrue" {
		t.Errorf("claims: %s", got)
	}
	in.Exec(t, "UPDATE m SET at = '2024-01-01'; ALTER TABLE m RENAME COLUMN owner_id TO account_id")
	if got := claims(); got != "afalse bfalse cfalse" {
		t.Errorf("claims without the column: %s", got)
	}
	if o := in.Done("e", noon); o.Taken != 1 || o.Kept["hold"] != 1 {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff([]int{2, 3, 4}, pgtest.Column[int](t, in, "SELECT id FROM e ORDER BY id")); diff != "" {
		t.Error(diff)
	}
}
