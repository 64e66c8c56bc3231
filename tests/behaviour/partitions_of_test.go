package behaviour

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	diffs "github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// away is one policy on the partitions of table m, with the names of those that must go, oldest
// first: written by hand, from the bounds in its schema. Each runs twice, with "detach" and with
// "drop", in a schema of its own, "@." in the texts.
type away struct {
	name, schema, rule string
	zone, asOf         string // default UTC, noon
	goes               []string
	kept               map[string]int64
}

func runAway(t *testing.T, cases []away) {
	t.Helper()
	zones := map[string][]away{}
	for _, c := range cases {
		zones[cmp.Or(c.zone, "UTC")] = append(zones[cmp.Or(c.zone, "UTC")], c)
	}
	for zone, list := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			schemas, yaml := "", fmt.Sprintf("install: {scheduler: none, time_zone: %s}\npolicies:\n", zone)
			for i, c := range list {
				for _, step := range []string{"detach", "drop"} {
					own := fmt.Sprintf("%s_%d", step, i)
					schemas += fmt.Sprintf("CREATE SCHEMA %s; SET search_path = %s; SET TimeZone = '%s'; %s; RESET search_path; RESET TimeZone;\n", own, own, zone, at(own, c.schema))
					yaml += fmt.Sprintf("  p%s: {partitions_of: %s.m, %s, then: [%s]}\n", own, own, at(own, c.rule), step)
				}
			}
			in := kit.Install(t, schemas, yaml)
			for i, c := range list {
				t.Run(c.name, func(t *testing.T) {
					for _, step := range []string{"detach", "drop"} {
						c.once(t, in.With(t), fmt.Sprintf("%s_%d", step, i), step)
					}
				})
			}
		})
	}
}

// attached are the partitions of a table, to any depth: pg_inherits, not our reading of it.
func attached(t *testing.T, in *kit.Installed, table string) []string {
	t.Helper()
	return pgtest.Column[string](t, in, `
		WITH RECURSIVE x (oid) AS (
			SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::text::regclass
			UNION ALL SELECT i.inhrelid FROM x JOIN pg_inherits i ON i.inhparent = x.oid)
		SELECT relname::text FROM pg_class JOIN x USING (oid) ORDER BY 1`, table)
}

func (c away) once(t *testing.T, in *kit.Installed, schema, step string) {
	t.Helper()
	policy, table, asOf := "p"+schema, schema+".m", cmp.Or(c.asOf, noon)
	before := attached(t, in, table)
	due, kept := in.Count(policy, asOf)
	if due != int64(len(c.goes)) || c.kept != nil && !maps.Equal(c.kept, kept) {
		t.Errorf("preview of %s says %d, %v, want %d, %v", policy, due, kept, len(c.goes), c.kept)
	}
	if names := pgtest.Column[string](t, in, "SELECT name FROM retention.partitions($1, $2) WHERE kept_by IS NULL", policy, asOf); !slices.Equal(c.goes, names) {
		t.Errorf("partitions(%s) says %v, want %v", policy, names, c.goes)
	}
	o := in.Done(policy, asOf)
	if o.Taken != int64(len(c.goes)) || o.Refused != 0 || o.Contended != 0 || c.kept != nil && !maps.Equal(c.kept, o.Kept) {
		t.Errorf("%s: %+v", step, o)
	}
	want := slices.DeleteFunc(before, func(name string) bool {
		return slices.ContainsFunc(c.goes, func(gone string) bool { return name == gone || strings.HasPrefix(name, gone+"_") })
	})
	c.left(t, in, step, schema, want)
	if again := in.Done(policy, asOf); again.Taken != 0 {
		t.Errorf("%s: the next run took %d", step, again.Taken)
	}
	c.left(t, in, step+", the next run", schema, want)
}

// left compares what is attached, and that detached partitions are there and dropped ones are not.
func (c away) left(t *testing.T, in *kit.Installed, step, schema string, want []string) {
	t.Helper()
	if diff := diffs.Diff(want, attached(t, in, schema+".m")); diff != "" {
		t.Errorf("%s: partitions differ (-want +got):\n%s", step, diff)
	}
	there := pgtest.Value[int](t, in, "SELECT count(*) FROM unnest($2::text[]) x WHERE to_regclass($1 || '.' || x) IS NOT NULL", schema, c.goes)
	if strings.HasPrefix(step, "detach") && there != len(c.goes) || strings.HasPrefix(step, "drop") && there != 0 {
		t.Errorf("%s: %d of %v are there", step, there, c.goes)
	}
}

// ranges makes table m (id, at) with a partition for each pair of neighbours in bounds: m_1, m_2 ..
func ranges(typ string, bounds ...string) string {
	sql := "CREATE TABLE m (id int, at " + typ + " NOT NULL, state text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)"
	for i := range bounds[1:] {
		sql += fmt.Sprintf("; CREATE TABLE m_%d PARTITION OF m FOR VALUES FROM (%s) TO (%s)", i+1, bounds[i], bounds[i+1])
	}
	return sql
}

// lists is table m by list over range: a is 1, b is 2. Partitions of both have the same bounds, and
// a_1 holds what is pending; a DEFAULT of either level, and a list that is a table, stay.
const lists = `CREATE TABLE m (node int NOT NULL, at date NOT NULL, state text, PRIMARY KEY (node, at)) PARTITION BY LIST (node);
	CREATE TABLE a PARTITION OF m FOR VALUES IN (1) PARTITION BY RANGE (at);
	CREATE TABLE b PARTITION OF m FOR VALUES IN (2) PARTITION BY RANGE (at);
	CREATE TABLE c PARTITION OF m FOR VALUES IN (3, NULL);
	CREATE TABLE m_rest PARTITION OF m DEFAULT;
	CREATE TABLE a_1 PARTITION OF a FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE a_2 PARTITION OF a FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE a_3 PARTITION OF a FOR VALUES FROM ('2024-03-01') TO ('2024-03-10');
	CREATE TABLE b_1 PARTITION OF b FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE b_2 PARTITION OF b FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
	CREATE TABLE b_rest PARTITION OF b DEFAULT;
	INSERT INTO m VALUES (1, '2024-01-05', 'pending'), (2, '2024-01-05', 'done'), (3, '2024-01-05', 'pending'), (2, '2024-03-05', 'pending')`

func TestPartitionsOf(t *testing.T) {
	t.Parallel()
	days := []string{"MINVALUE", "'2024-03-23'", "'2024-03-24'", "'2024-03-25'", "'2024-03-26'", "'2024-03-27'"}
	week := "due: {age: {older_than: 7 days}}"
	midnight := "2024-03-31 00:00:00+00"
	runAway(t, []away{
		// 2024-03-31 00:00 less seven days is 2024-03-24 00:00: exactly the bound.
		{name: "dates, on the bound", schema: ranges("date", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "instants, on the bound", schema: ranges("timestamptz", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "instants, a microsecond before", schema: ranges("timestamptz", days...), rule: week, asOf: "2024-03-30 23:59:59.999999+00", goes: []string{"m_1"}},
		{name: "timestamps, on the bound", schema: ranges("timestamp", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "dates, at noon", schema: ranges("date", days...), rule: week, goes: []string{"m_1", "m_2"}},
		{name: "years, each newest and those without an upper bound stay", asOf: "2026-01-01 00:00:00+00", rule: "due: {age: {older_than: 1 second}}",
			schema: ranges("timestamptz", days...) + "; CREATE TABLE m_rest PARTITION OF m DEFAULT; INSERT INTO m VALUES (1, '2024-05-01'), (2, '2024-03-24')",
			goes:   []string{"m_1", "m_2", "m_3", "m_4"}},
		{name: "the newest is the one without an upper bound", asOf: "2026-01-01 00:00:00+00", rule: "due: {age: {older_than: 1 second}}",
			schema: ranges("timestamptz", append(days, "MAXVALUE")...), goes: []string{"m_1", "m_2", "m_3", "m_4", "m_5"}},
		{name: "infinity is never reached", asOf: "2026-01-01 00:00:00+00", rule: "due: {age: {older_than: 1 second}}",
			schema: ranges("date", "'2024-01-01'", "'2024-02-01'", "'infinity'", "MAXVALUE"), goes: []string{"m_1"}},
		{name: "gaps, and attached out of order", rule: week, schema: ranges("date", "'2024-03-30'", "'2024-04-10'") + "; CREATE TABLE a PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2023-01-02'); CREATE TABLE b PARTITION OF m FOR VALUES FROM ('2022-01-01') TO ('2022-06-01')",
			goes: []string{"b", "a"}},
		// 2024-07-01 00:00 in Berlin less three months is 2024-04-01 00:00+02: the clock on the wall, across the change of 31 March.
		{name: "months across daylight saving", zone: "Europe/Berlin", asOf: "2024-06-30 22:00:00+00", rule: "due: {age: {older_than: 3 months}}",
			schema: ranges("timestamptz", "'2024-02-01 00:00+01'", "'2024-03-01 00:00+01'", "'2024-04-01 00:00+02'", "'2024-05-01 00:00+02'", "'2025-01-01'"), goes: []string{"m_1", "m_2"}},
		{name: "months across daylight saving, a second before", zone: "Europe/Berlin", asOf: "2024-06-30 21:59:59+00", rule: "due: {age: {older_than: 3 months}}",
			schema: ranges("timestamptz", "'2024-02-01 00:00+01'", "'2024-03-01 00:00+01'", "'2024-04-01 00:00+02'", "'2024-05-01 00:00+02'", "'2025-01-01'"), goes: []string{"m_1"}},
		{name: "local days and a date", zone: "America/New_York", asOf: "2024-03-31 03:59:59+00", rule: week, schema: ranges("date", days...), goes: []string{"m_1"}},
		// 1711238400 is 2024-03-24 00:00 UTC.
		{name: "epoch_ms", asOf: midnight, rule: "due: {age: {older_than: 7 days, encoding: epoch_ms}}", schema: ranges("bigint", "0", "1711238400000", "1711238400001", "1800000000000"), goes: []string{"m_1"}},
		{name: "epoch_s", asOf: midnight, rule: "due: {age: {older_than: 7 days, encoding: epoch_s}}", schema: ranges("integer", "-5", "1711238400", "1711238401", "1800000000"), goes: []string{"m_1"}},
		{name: "epoch_s, numeric", asOf: midnight, rule: "due: {age: {older_than: 7 days, encoding: epoch_s}}", schema: ranges("numeric(20, 3)", "-5.5", "1711238400.000", "1711238400.001", "1800000000"), goes: []string{"m_1"}},
		{name: "snowflake", asOf: midnight, rule: "due: {age: {older_than: 7 days, encoding: {snowflake: {shift: 22, epoch: 1288834974657}}}}",
			schema: ranges("bigint", "MINVALUE", "((1711238400000 - 1288834974657) << 22)", "((1711238400000 - 1288834974657) << 22) + 1", "9e18::bigint"), goes: []string{"m_1"}},
		{name: "uuidv7", asOf: midnight, rule: "due: {age: {older_than: 7 days, encoding: uuidv7}}", // 0x018e6dc1c800 ms
			schema: ranges("uuid", "MINVALUE", "'018e6dc1-c800-0000-0000-000000000000'", "'018e6dc1-c800-0000-0000-000000000001'", "MAXVALUE"), goes: []string{"m_1"}},
		{name: "ceiling", rule: `due: {age: {older_than: 7 days, up_to: "SELECT '2024-03-23'::date"}}`, schema: ranges("date", days...), goes: []string{"m_1"}},
		{name: "no ceiling, nothing", rule: `due: {age: {older_than: 7 days, up_to: "SELECT NULL::date"}}`, schema: ranges("date", days...)},
		{name: "position", rule: `due: {position: {up_to: "SELECT 30::bigint"}}`, schema: ranges("bigint", "0", "10", "20", "30", "31", "1000"), goes: []string{"m_1", "m_2", "m_3"}},
		{name: "all but the newest two", rule: `due: {beyond: {first: 2, order: "t.upper DESC"}}`, schema: ranges("date", days...) + "; CREATE TABLE m_rest PARTITION OF m DEFAULT", goes: []string{"m_1", "m_2", "m_3"}},
		{name: "one without an upper bound has no place", rule: `due: {beyond: {first: 2, order: "t.upper DESC"}}`, schema: ranges("date", append(days, "MAXVALUE")...), goes: []string{"m_1", "m_2", "m_3"}},
		{name: "nor one up to infinity", rule: `due: {beyond: {first: 2, order: "t.upper DESC"}}`, schema: ranges("timestamptz", append(days, "'infinity'", "MAXVALUE")...), goes: []string{"m_1", "m_2", "m_3"}},
		{name: "nor by name, of numbers", rule: `due: {age: {older_than: 7 days, encoding: epoch_s}}, keep: {last: {first: 2, order: name DESC}}`, schema: ranges("bigint", "0", "10", "20", "30", "MAXVALUE"),
			goes: []string{"m_1"}, kept: map[string]int64{"last": 2}},
		{name: "one without a lower bound takes no other's place", rule: week + `, keep: {oldest: {first: 1, order: upper}}`, schema: ranges("date", days...), goes: []string{"m_1"}, kept: map[string]int64{"oldest": 1}},
		{name: "nor one from -infinity", rule: week + `, keep: {oldest: {first: 1, order: upper}}`, schema: ranges("date", append([]string{"'-infinity'"}, days[1:]...)...), goes: []string{"m_1"}, kept: map[string]int64{"oldest": 1}},
		{name: "each of a list by itself", rule: `due: {beyond: {first: 1, per: [value], order: upper DESC}}`, schema: lists + "; CREATE TABLE a_4 PARTITION OF a FOR VALUES FROM ('2024-03-10') TO (MAXVALUE)", goes: []string{"a_1", "b_1", "a_2"}},
		{name: "older than a week and not of the newest four", rule: `due: {age: {older_than: 7 days}, beyond: {first: 4, order: upper DESC}}`, schema: ranges("date", days...), goes: []string{"m_1"}},
		{name: "older than a week or not of the newest two", rule: `due: {any: [{age: {older_than: 7 days}}, {beyond: {first: 2, order: upper DESC}}]}`, schema: ranges("date", days...), goes: []string{"m_1", "m_2", "m_3"}},
		{name: "by name", rule: week + `, where: "name <> 'm_1' AND t.schema || '.m' = '@.m' AND parent = '@.m'"`, schema: ranges("date", days...), goes: []string{"m_2"}},
		{name: "kept by name and by rank", rule: week + `, keep: {first: "name = 'm_1'", newest: {first: 4, order: "upper DESC"}}`, schema: ranges("date", days...),
			kept: map[string]int64{"first": 1, "newest": 1}},
		{name: "pending rows", rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: ranges("date", days...) + "; INSERT INTO m VALUES (1, '2024-03-22', 'pending'), (2, '2024-03-23', 'done'), (3, '2024-03-24', 'pending')",
			goes:   []string{"m_2"}, kept: map[string]int64{"pending": 1}},
		{name: "rows that say nothing keep", rule: week + `, keep: {pending: "(SELECT bool_or(p.state = 'pending') FROM partition p)"}`,
			schema: ranges("date", days...) + "; INSERT INTO m VALUES (1, '2024-03-22', NULL), (2, '2024-03-23', 'done')",
			goes:   []string{"m_2"}, kept: map[string]int64{"pending": 1}},
		{name: "only empty ones", rule: `where: "NOT EXISTS (SELECT FROM partition)"`, schema: ranges("date", days...) + "; INSERT INTO m VALUES (1, '2024-03-22'), (2, '2024-03-25')", goes: []string{"m_2", "m_3"}},
		{name: "joins", rule: `join: {o: {table: "@.o", where: "o.name = t.name"}, n: "SELECT count(*) AS n FROM partition"}, where: "o.done", due: {age: {older_than: 7 days}}, keep: {many: "n.n > 1"}`,
			schema: ranges("date", days...) + "; CREATE TABLE o (name text, done boolean); INSERT INTO o VALUES ('m_1', true), ('m_2', true), ('m_3', true); INSERT INTO m VALUES (1, '2024-03-22'), (2, '2024-03-22'), (2, '2024-03-23')",
			goes:   []string{"m_2"}, kept: map[string]int64{"many": 1}},
		{name: "lists over ranges, each newest stays", rule: "due: {age: {older_than: 7 days}}, keep: {pending: \"EXISTS (SELECT FROM partition WHERE state = 'pending')\"}", schema: lists, goes: []string{"b_1", "a_2"}, kept: map[string]int64{"pending": 1}},
		{name: "lists over ranges, the newest of each but one", rule: `due: {beyond: {first: 1, per: [value], order: "upper DESC"}}`, schema: lists, goes: []string{"a_1", "b_1", "a_2"}},
		{name: "lists over ranges, one value", rule: `where: "t.value = 2 AND parent = '@.b'", due: {age: {older_than: 7 days}}`, schema: lists, goes: []string{"b_1"}},
		{name: "lists over ranges, empty ones", rule: `where: "NOT EXISTS (SELECT FROM partition p)"`, schema: lists, goes: []string{"a_2"}},
		{name: "partitions of partitions", rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: ranges("date", "'2024-03-01'", "'2024-03-02'", "'2025-01-01'") + `;
				CREATE TABLE s PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY RANGE (at);
				CREATE TABLE s_1 PARTITION OF s FOR VALUES FROM ('2024-01-01') TO ('2024-01-15'); CREATE TABLE s_2 PARTITION OF s DEFAULT;
				CREATE TABLE u PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2024-01-01') PARTITION BY HASH (id);
				CREATE TABLE u_1 PARTITION OF u FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE u_2 PARTITION OF u FOR VALUES WITH (MODULUS 2, REMAINDER 1);
				INSERT INTO m SELECT i, '2023-06-01', 'done' FROM generate_series(1, 9) i; INSERT INTO m VALUES (10, '2024-01-20', 'pending')`,
			goes: []string{"u", "m_1"}, kept: map[string]int64{"pending": 1}},
	})
}
