package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestClocksShown: the oldest and the newest that are due are instants for people. The keys are published ones, of RFC
// 9562, the ULID specification, and two services that document theirs, with the instants published there.
func TestClocksShown(t *testing.T) {
	t.Parallel()
	const ulid, ulidAt = "01ARZ3NDEKTSV4RRFFQ69G5FAV", "2016-07-30 23:54:10.259+00"
	cases := []struct{ typ, clock, values, oldest, newest string }{
		{"integer", "epoch_s", "0, 1234567890", "1970-01-01 00:00:00+00", "2009-02-13 23:31:30+00"},
		{"numeric", "epoch_s", "-0.5, 1234567890.123456", "1969-12-31 23:59:59.5+00", "2009-02-13 23:31:30.123456+00"},
		{"double precision", "epoch_s", "'-infinity', 1234567890.25", "-Infinity", "2009-02-13 23:31:30.25+00"},
		{"bigint", "epoch_s", "-9223372036854775808, 1234567890", "-9223372036854775808", "2009-02-13 23:31:30+00"},
		{"bigint", "epoch_ms", "-1, 1234567890123", "1969-12-31 23:59:59.999+00", "2009-02-13 23:31:30.123+00"},
		{"bigint", "{snowflake: {shift: 22, epoch: 1420070400000}}", "-1, 175928847299117063", "2014-12-31 23:59:59.999+00", "2016-04-30 11:18:25.796+00"},
		{"bigint", "{snowflake: {shift: 22, epoch: 1288834974657}}", "4194303, 1541815603606036480", "2010-11-04 01:42:54.657+00", "2022-06-28 16:07:40.105+00"},
		{"bigint", "{snowflake: {shift: 16, epoch: 0}}", "65536, 80908641239040000", "1970-01-01 00:00:00.001+00", "2009-02-13 23:31:30+00"},
		{"uuid", "uuidv7", "'017F22E2-79B0-7CC3-98C4-DC0C0C07398F'", "2022-02-22 19:22:22+00", "2022-02-22 19:22:22+00"},
		{"uuid", "uuidv7, nulls: due", "'00c1dff3-8d4b-4d3f-a6e2-1f2a3b4c5d6e', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F', NULL, 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
			"2022-02-22 19:22:22+00", "2022-02-22 19:22:22+00"},
		{"uuid", "ulid", "'01563e3a-b5d3-d676-4c61-efb99302bd5b'", ulidAt, ulidAt},
		{"text", "ulid", "'00000000000000000000000000', '" + ulid + "'", "1970-01-01 00:00:00+00", ulidAt},
		{"char(26)", "ulid, nulls: due", "'', '0', '" + ulid + "', 'old'", ulidAt, ulidAt},
		{"date", "", "'2024-01-01', '2024-02-01'", "2024-01-01", "2024-02-01"},
		{"bigint", "position", "1234567890, 1234567890123", "1234567890", "1234567890123"},
		{"uuid", "position", "'017f22e2-79b0-7cc3-98c4-dc0c0c07398f'", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
	}
	var schema, policies strings.Builder
	for i, c := range cases {
		fmt.Fprintf(&schema, "CREATE TABLE m%d (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, c %s); INSERT INTO m%[1]d (c) SELECT unnest(ARRAY[%[3]s]::%[2]s[]);", i, c.typ, c.values)
		due := "age: {column: c, older_than: 7 days, encoding: " + c.clock + "}"
		switch {
		case c.clock == "":
			due = "age: {column: c, older_than: 7 days}"
		case c.clock == "position":
			due = fmt.Sprintf(`position: {column: c, up_to: "SELECT max(c::text)::%s FROM m%d"}`, c.typ, i)
		}
		fmt.Fprintf(&policies, "  p%d: {table: m%[1]d, due: {%s}, then: [delete]}\n", i, due)
	}
	schema.WriteString(`CREATE TABLE parts (id bigint PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (175928847299117063);
		CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (175928847299117063) TO (MAXVALUE);`)
	policies.WriteString("  parts: {partitions_of: parts, due: {age: {encoding: {snowflake: {shift: 22, epoch: 1420070400000}}, older_than: 7 days}}, then: [drop]}\n")
	in := kit.Install(t, schema.String(), "policies:\n"+policies.String())
	shown := func(query, name string) string {
		return pgtest.Value[string](t, in, "SELECT concat_ws(' to ', x.oldest, x.newest) FROM "+strings.ReplaceAll(query, "@", name))
	}
	for i, c := range cases {
		name := fmt.Sprintf("p%d", i)
		for _, query := range []string{"retention.preview('@') x", "retention.backlog x WHERE x.policy = '@'"} {
			if got, want := shown(query, name), c.oldest+" to "+c.newest; got != want {
				t.Errorf("%s %s of %s: %s shows %s, want %s", c.typ, c.clock, c.values, query, got, want)
			}
		}
	}
	if got, want := shown("retention.preview('@') x", "parts"), "2016-04-30 11:18:25.796+00 to 2016-04-30 11:18:25.796+00"; got != want {
		t.Errorf("partitions by Snowflake IDs: %s, want %s", got, want)
	}
}
