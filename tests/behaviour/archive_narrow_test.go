package behaviour

import (
	"fmt"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// An archive into another type is refused exactly where PostgreSQL assigns a value changed and says nothing: value is
// one of the first type that tells.
func TestArchiveHoldsAllValues(t *testing.T) {
	t.Parallel()
	const yaml = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [archive: {into: old}, delete]}}"
	db, in := pgtest.Database(t), kit.Prepare(t, "SELECT", yaml)
	for _, c := range []struct{ from, to, value string }{
		{"numeric(12,4)", "numeric(12,2)", "1.2345"}, {"numeric(12,2)", "numeric(14,4)", "1.25"}, {"numeric(12,2)", "numeric", "1.25"},
		{"numeric", "numeric(30,9)", "1.0000000001"}, {"numeric", "bigint", "1.5"}, {"numeric", "double precision", "0.12345678901234567890"},
		{"double precision", "real", "0.1"}, {"double precision", "numeric", "0.30000000000000004"}, {"real", "double precision", "0.5"},
		{"bigint", "double precision", "9007199254740993"}, {"integer", "real", "16777217"}, {"integer", "bigint", "7"}, {"integer", "numeric", "7"},
		{"bigint", "integer", "9007199254740993"}, {"real", "integer", "1.5"},
		{"timestamptz", "date", "2024-01-01 12:00+00"}, {"timestamptz", "timestamptz(0)", "2024-01-01 12:00:00.5+00"}, {"timestamptz(0)", "timestamptz", "2024-01-01 12:00+00"},
		{"timestamp", "timestamp(3)", "2024-01-01 12:00:00.00005"}, {"timestamp", "date", "2024-01-01 12:00"}, {"date", "timestamp", "2024-01-01"},
		{"time", "time(1)", "12:00:00.25"}, {"interval", "interval hour", "90 minutes"}, {"interval", "interval(0)", "0.25 s"}, {"interval(0)", "interval", "1 s"},
		{"text", "varchar(3)", "abcd"}, {"varchar(9)", "text", "abc "}, {"text", "name", "x23456789012345678901234567890123456789012345678901234567890123456789"},
		{"text", "character(4)", "ab "}, {"text", `"char"`, "ab"}, {"numeric(6,3)[]", "numeric(6,1)[]", "{1.234}"}, {"uuid", "text", "00000000-0000-0000-0000-000000000001"},
	} {
		var changed bool
		conn := db.Conn(t)
		pgtest.Exec(t, conn, fmt.Sprintf("CREATE TEMP TABLE a (v %s); CREATE TEMP TABLE b (v %s); INSERT INTO a VALUES ('%s')", c.from, c.to, c.value))
		if _, err := conn.Exec(t.Context(), "INSERT INTO b SELECT v FROM a"); err == nil {
			changed = pgtest.Value[bool](t, conn, fmt.Sprintf("SELECT a.v::text <> b.v::%s::text FROM a, b", c.from))
		}
		in.Exec(t, fmt.Sprintf("DROP TABLE IF EXISTS m, old; CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL, v %s); CREATE TABLE old (id bigint, at timestamptz, v %s)", c.from, c.to))
		_, list := in.Compile(t, yaml)
		if refused := len(list) > 0 && list[0].Code == "P066"; refused != changed || !refused && len(list) > 0 {
			t.Errorf("%s into %s: refused %v, %s changes: %v; %v", c.from, c.to, refused, c.value, changed, list)
		}
	}
}
