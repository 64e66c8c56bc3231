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

// TestPartitions checks policies on rows of a partitioned table. Each partition has rows with ctid
// (0,1), (0,2) and so on, so a run that finds rows by ctid alone would take the wrong ones.
func TestPartitions(t *testing.T) {
	const parts = `CREATE TABLE m (id int, at timestamptz NOT NULL, g int, keep_it boolean,
			PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01 00:00+00') TO ('2024-02-01 00:00+00');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-01 00:00+00') TO ('2024-03-01 00:00+00');
		CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01 00:00+00') TO ('2024-03-20 00:00+00');
		CREATE TABLE m_4 (g int, keep_it boolean, junk text, id int NOT NULL, at timestamptz NOT NULL);
		ALTER TABLE m_4 DROP COLUMN junk;
		ALTER TABLE m ATTACH PARTITION m_4 FOR VALUES FROM ('2024-03-20 00:00+00') TO ('2024-04-01 00:00+00');
		CREATE TABLE m_rest PARTITION OF m DEFAULT`
	const sub = `CREATE TABLE m (id int, at timestamptz NOT NULL, g int NOT NULL, keep_it boolean,
			PRIMARY KEY (id, at, g)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES
			FROM ('2024-01-01 00:00+00') TO ('2024-03-01 00:00+00') PARTITION BY LIST (g);
		CREATE TABLE m_1_a PARTITION OF m_1 FOR VALUES IN (0, 1);
		CREATE TABLE m_1_b PARTITION OF m_1 DEFAULT;
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-03-01 00:00+00') TO ('2025-01-01 00:00+00');
		CREATE TABLE m_rest PARTITION OF m DEFAULT`
	const data = `INSERT INTO m SELECT i, '2023-12-01 00:00+00'::timestamptz + i * interval '3 days', i % 4,
			i % 3 = 0 FROM generate_series(1, 45) i;
		INSERT INTO m SELECT i, '2024-03-24 12:00+00'::timestamptz + (i - 102) * interval '1 us', i % 4, false
			FROM generate_series(101, 103) i`
	const old = "at < '2024-03-24 12:00+00'"
	suite{scenarios: []scenario{
		{
			name:   "in one statement",
			schema: parts,
			data:   data,
			rule:   `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE " + old,
		},
		{
			name:   "locked first",
			schema: parts,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {kept: keep_it},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND " + old,
		},
		{
			name:   "by rank",
			schema: parts,
			data:   data,
			rule:   `{table: "@.m", due: {beyond: {first: 2, per: [g], order: "at DESC"}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE (SELECT count(*) FROM m x WHERE x.g = m.g AND x.at > m.at) >= 2",
		},
		{
			name:   "kept by rank",
			schema: parts,
			data:   data,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}},
				keep: {oldest: {first: 2, per: [g], order: at}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE (SELECT count(*) FROM m x WHERE x.g = m.g AND x.at < m.at) >= 2 AND " +
				old,
		},
		{
			name:   "where only",
			schema: parts,
			data:   data,
			rule:   `{table: "@.m", where: "keep_it", then: [delete]}`,
			goes:   "SELECT * FROM m WHERE keep_it",
		},
		{
			name:   "related",
			schema: parts + "; CREATE TABLE o (id int PRIMARY KEY)",
			data:   data + "; INSERT INTO o SELECT generate_series(1, 110)",
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, keep: {kept: keep_it},
				then: [delete, delete: {table: "@.o", as: o, where: "o.id = t.id"}]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND " + old,
			leaves: map[string]string{
				"o": "SELECT * FROM o WHERE id NOT IN (SELECT id FROM m WHERE NOT keep_it AND " + old + ")",
			},
			related: map[string]int64{"@.o": 27},
		},
		{
			name:   "partitions of partitions",
			schema: sub,
			data:   data,
			rule:   `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, then: [delete]}`,
			goes:   "SELECT * FROM m WHERE " + old,
		},
		{
			name:       "partitions of partitions, locked first",
			unforeseen: "later batches may take other rows",
			schema:     sub,
			data:       data,
			rule: `{table: "@.m", due: {age: {column: at, older_than: 7 days}},
				keep: {kept: keep_it, second: "EXISTS (SELECT FROM @.m x WHERE x.id = t.id AND x.g = 2)"},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND g <> 2 AND " + old,
		},
		{
			name:   "partitions of partitions, by rank",
			schema: sub,
			data:   data,
			rule: `{table: "@.m", due: {beyond: {first: 5, order: "at DESC"}}, keep: {kept: keep_it},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE NOT keep_it AND (SELECT count(*) FROM m x WHERE x.at > m.at) >= 5",
		},
	}}.run(t)
}

// partitionCase is one policy on the partitions of table m. The field "goes" names the partitions
// that the run must take, oldest first. They were determined by hand from the bounds in "schema".
// Each case runs twice, with "detach" and with "drop", in two schemas. In all texts "@." stands for
// the schema.
type partitionCase struct {
	name, schema, rule string
	zone, asOf         string // UTC and noon if empty
	goes               []string
	kept               map[string]int64
}

func runPartitionCases(t *testing.T, cases []partitionCase) {
	t.Helper()
	zones := map[string][]partitionCase{}
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
					schemas += fmt.Sprintf(`CREATE SCHEMA %s;
						SET search_path = %s;
						SET TimeZone = '%s';
						%s;
						RESET search_path;
						RESET TimeZone;
						`, own, own, zone, withSchema(own, c.schema))
					yaml += fmt.Sprintf("  p%s: {partitions_of: %s.m, %s, then: [%s]}\n", own, own,
						withSchema(own, c.rule), step)
				}
			}
			in := kit.Install(t, schemas, yaml)
			for i, c := range list {
				t.Run(c.name, func(t *testing.T) {
					for _, step := range []string{"detach", "drop"} {
						c.runOnce(t, in.ForSubtest(t), fmt.Sprintf("%s_%d", step, i), step)
					}
				})
			}
		})
	}
}

// attached returns the names of all partitions below a table. It reads pg_inherits instead of
// functions of pgretain.
func attached(t *testing.T, in *kit.Installed, table string) []string {
	t.Helper()
	return pgtest.Column[string](t, in, `
		WITH RECURSIVE x (oid) AS (
			SELECT inhrelid FROM pg_inherits WHERE inhparent = $1::text::regclass
			UNION ALL SELECT i.inhrelid FROM x JOIN pg_inherits i ON i.inhparent = x.oid)
		SELECT relname::text FROM pg_class JOIN x USING (oid) ORDER BY 1`, table)
}

func (c partitionCase) runOnce(t *testing.T, in *kit.Installed, schema, step string) {
	t.Helper()
	policy, table, asOf := "p"+schema, schema+".m", cmp.Or(c.asOf, noon)
	before := attached(t, in, table)
	due, kept := in.Count(policy, asOf)
	if due != int64(len(c.goes)) || c.kept != nil && !maps.Equal(c.kept, kept) {
		t.Errorf("preview of %s says %d, %v, want %d, %v", policy, due, kept, len(c.goes), c.kept)
	}
	if names := pgtest.Column[string](t, in, "SELECT name FROM retention.partitions($1, $2) WHERE kept_by IS NULL",
		policy, asOf); !slices.Equal(c.goes, names) {
		t.Errorf("partitions(%s) says %v, want %v", policy, names, c.goes)
	}
	o := in.Done(policy, asOf)
	if o.Taken != int64(len(c.goes)) || o.Refused != 0 || o.Contended != 0 || c.kept != nil &&
		!maps.Equal(c.kept, o.Kept) {
		t.Errorf("%s: want a run with taken %d, kept %v; got %+v", step, len(c.goes), c.kept, o)
	}
	want := slices.DeleteFunc(before, func(name string) bool {
		return slices.ContainsFunc(c.goes, func(taken string) bool {
			return name == taken || strings.HasPrefix(name, taken+"_")
		})
	})
	c.left(t, in, step, schema, want)
	if again := in.Done(policy, asOf); again.Taken != 0 {
		t.Errorf("%s: the next run took %d, want 0", step, again.Taken)
	}
	c.left(t, in, step+", the next run", schema, want)
}

// left compares the names of the attached partitions. The tables in "goes" must still exist after
// "detach". After "drop" they must not exist.
func (c partitionCase) left(t *testing.T, in *kit.Installed, step, schema string, want []string) {
	t.Helper()
	if diff := diffs.Diff(want, attached(t, in, schema+".m")); diff != "" {
		t.Errorf("%s: partitions differ (-want +got):\n%s", step, diff)
	}
	existing := pgtest.Value[int](t, in, `SELECT count(*) FROM unnest($2::text[]) x
		WHERE to_regclass($1 || '.' || x) IS NOT NULL`, schema, c.goes)
	if strings.HasPrefix(step, "detach") && existing != len(c.goes) ||
		strings.HasPrefix(step, "drop") && existing != 0 {
		t.Errorf("%s: %d of the tables %v exist", step, existing, c.goes)
	}
}

// ranges returns statements that create table m (id, at). The partitions are m_1, m_2 and so on.
// The bounds of partition m_1 are the first and the second element of "bounds".
func ranges(typ string, bounds ...string) string {
	sql := "CREATE TABLE m (id int, at " + typ + " NOT NULL, state text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)"
	for i := range bounds[1:] {
		sql += fmt.Sprintf("; CREATE TABLE m_%d PARTITION OF m FOR VALUES FROM (%s) TO (%s)", i+1, bounds[i],
			bounds[i+1])
	}
	return sql
}

// lists creates table m, partitioned by list and below that by range. Value 1 is partition a, value
// 2 is b. Partitions of both have the same bounds; only a_1 has a pending row. Two kinds of
// partitions always stay: the DEFAULT partition of each level, and partition c, which has no
// partitions below it.
const lists = `CREATE TABLE m (node int NOT NULL, at date NOT NULL, state text,
		PRIMARY KEY (node, at)) PARTITION BY LIST (node);
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
	INSERT INTO m VALUES (1, '2024-01-05', 'pending'), (2, '2024-01-05', 'done'), (3, '2024-01-05', 'pending'),
		(2, '2024-03-05', 'pending')`

func TestPartitionsOf(t *testing.T) {
	t.Parallel()
	days := []string{"MINVALUE", "'2024-03-23'", "'2024-03-24'", "'2024-03-25'", "'2024-03-26'", "'2024-03-27'"}
	week := "due: {age: {older_than: 7 days}}"
	midnight := "2024-03-31 00:00:00+00"
	runPartitionCases(t, []partitionCase{
		// 2024-03-31 00:00 minus seven days is 2024-03-24 00:00: exactly the bound.
		{
			name:   "dates, on the bound",
			schema: ranges("date", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "instants, on the bound",
			schema: ranges("timestamptz", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "instants, a microsecond before",
			schema: ranges("timestamptz", days...),
			rule:   week,
			asOf:   "2024-03-30 23:59:59.999999+00",
			goes:   []string{"m_1"},
		},
		{
			name:   "timestamps, on the bound",
			schema: ranges("timestamp", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{name: "dates, at noon", schema: ranges("date", days...), rule: week, goes: []string{"m_1", "m_2"}},
		{
			name: "years, each newest and those without an upper bound stay",
			asOf: "2026-01-01 00:00:00+00",
			rule: "due: {age: {older_than: 1 second}}",
			schema: ranges("timestamptz", days...) + `;
				CREATE TABLE m_rest PARTITION OF m DEFAULT;
				INSERT INTO m VALUES (1, '2024-05-01'), (2, '2024-03-24')`,
			goes: []string{"m_1", "m_2", "m_3", "m_4"},
		},
		{
			name:   "the newest is the one without an upper bound",
			asOf:   "2026-01-01 00:00:00+00",
			rule:   "due: {age: {older_than: 1 second}}",
			schema: ranges("timestamptz", append(days, "MAXVALUE")...),
			goes:   []string{"m_1", "m_2", "m_3", "m_4", "m_5"},
		},
		{
			name:   "infinity is never reached",
			asOf:   "2026-01-01 00:00:00+00",
			rule:   "due: {age: {older_than: 1 second}}",
			schema: ranges("date", "'2024-01-01'", "'2024-02-01'", "'infinity'", "MAXVALUE"),
			goes:   []string{"m_1"},
		},
		{
			name: "gaps, and attached out of order",
			rule: week,
			schema: ranges("date", "'2024-03-30'", "'2024-04-10'") + `;
				CREATE TABLE a PARTITION OF m FOR VALUES FROM ('2023-01-01') TO ('2023-01-02');
				CREATE TABLE b PARTITION OF m FOR VALUES FROM ('2022-01-01') TO ('2022-06-01')`,
			goes: []string{"b", "a"},
		},
		// 2024-07-01 00:00 in Berlin minus three months is 2024-04-01 00:00+02. It is computed in
		// local time, across the clock change of 31 March.
		{
			name: "months across daylight saving",
			zone: "Europe/Berlin",
			asOf: "2024-06-30 22:00:00+00",
			rule: "due: {age: {older_than: 3 months}}",
			schema: ranges("timestamptz", "'2024-02-01 00:00+01'", "'2024-03-01 00:00+01'", "'2024-04-01 00:00+02'",
				"'2024-05-01 00:00+02'", "'2025-01-01'"),
			goes: []string{"m_1", "m_2"},
		},
		{
			name: "months across daylight saving, a second before",
			zone: "Europe/Berlin",
			asOf: "2024-06-30 21:59:59+00",
			rule: "due: {age: {older_than: 3 months}}",
			schema: ranges("timestamptz", "'2024-02-01 00:00+01'", "'2024-03-01 00:00+01'", "'2024-04-01 00:00+02'",
				"'2024-05-01 00:00+02'", "'2025-01-01'"),
			goes: []string{"m_1"},
		},
		{
			name:   "local days and a date",
			zone:   "America/New_York",
			asOf:   "2024-03-31 03:59:59+00",
			rule:   week,
			schema: ranges("date", days...),
			goes:   []string{"m_1"},
		},
		// 1711238400 is 2024-03-24 00:00 UTC.
		{
			name:   "epoch_ms",
			asOf:   midnight,
			rule:   "due: {age: {older_than: 7 days, encoding: epoch_ms}}",
			schema: ranges("bigint", "0", "1711238400000", "1711238400001", "1800000000000"),
			goes:   []string{"m_1"},
		},
		{
			name:   "epoch_s",
			asOf:   midnight,
			rule:   "due: {age: {older_than: 7 days, encoding: epoch_s}}",
			schema: ranges("integer", "-5", "1711238400", "1711238401", "1800000000"),
			goes:   []string{"m_1"},
		},
		{
			name:   "epoch_s, numeric",
			asOf:   midnight,
			rule:   "due: {age: {older_than: 7 days, encoding: epoch_s}}",
			schema: ranges("numeric(20, 3)", "-5.5", "1711238400.000", "1711238400.001", "1800000000"),
			goes:   []string{"m_1"},
		},
		{
			name: "snowflake",
			asOf: midnight,
			rule: "due: {age: {older_than: 7 days, encoding: {snowflake: {shift: 22, epoch: 1288834974657}}}}",
			schema: ranges("bigint", "MINVALUE", "((1711238400000 - 1288834974657) << 22)",
				"((1711238400000 - 1288834974657) << 22) + 1", "9e18::bigint"),
			goes: []string{"m_1"},
		},
		// 0x018e6dc1c800 is 2024-03-24 00:00 UTC in milliseconds.
		{
			name: "uuidv7",
			asOf: midnight,
			rule: "due: {age: {older_than: 7 days, encoding: uuidv7}}",
			schema: ranges("uuid", "MINVALUE", "'018e6dc1-c800-0000-0000-000000000000'",
				"'018e6dc1-c800-0000-0000-000000000001'", "MAXVALUE"),
			goes: []string{"m_1"},
		},
		{
			name:   "ceiling",
			rule:   `due: {age: {older_than: 7 days, up_to: "SELECT '2024-03-23'::date"}}`,
			schema: ranges("date", days...),
			goes:   []string{"m_1"},
		},
		{
			name:   "no ceiling, nothing",
			rule:   `due: {age: {older_than: 7 days, up_to: "SELECT NULL::date"}}`,
			schema: ranges("date", days...),
		},
		{
			name:   "position",
			rule:   `due: {position: {up_to: "SELECT 30::bigint"}}`,
			schema: ranges("bigint", "0", "10", "20", "30", "31", "1000"),
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "all but the newest two",
			rule:   `due: {beyond: {first: 2, order: "t.upper DESC"}}`,
			schema: ranges("date", days...) + "; CREATE TABLE m_rest PARTITION OF m DEFAULT",
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "one without an upper bound has no place",
			rule:   `due: {beyond: {first: 2, order: "t.upper DESC"}}`,
			schema: ranges("date", append(days, "MAXVALUE")...),
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "nor one up to infinity",
			rule:   `due: {beyond: {first: 2, order: "t.upper DESC"}}`,
			schema: ranges("timestamptz", append(days, "'infinity'", "MAXVALUE")...),
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "nor by name, of numbers",
			rule:   `due: {age: {older_than: 7 days, encoding: epoch_s}}, keep: {last: {first: 2, order: name DESC}}`,
			schema: ranges("bigint", "1700000000", "1700000010", "1700000020", "1700000030", "MAXVALUE"),
			goes:   []string{"m_1"},
			kept:   map[string]int64{"last": 2},
		},
		{
			name:   "one without a lower bound takes no other's place",
			rule:   week + `, keep: {oldest: {first: 1, order: upper}}`,
			schema: ranges("date", days...),
			goes:   []string{"m_1"},
			kept:   map[string]int64{"oldest": 1},
		},
		{
			name:   "nor one from -infinity",
			rule:   week + `, keep: {oldest: {first: 1, order: upper}}`,
			schema: ranges("date", append([]string{"'-infinity'"}, days[1:]...)...),
			goes:   []string{"m_1"},
			kept:   map[string]int64{"oldest": 1},
		},
		{
			name:   "each of a list by itself",
			rule:   `due: {beyond: {first: 1, per: [value], order: upper DESC}}`,
			schema: lists + "; CREATE TABLE a_4 PARTITION OF a FOR VALUES FROM ('2024-03-10') TO (MAXVALUE)",
			goes:   []string{"a_1", "b_1", "a_2"},
		},
		{
			name:   "older than a week and not of the newest four",
			rule:   `due: {age: {older_than: 7 days}, beyond: {first: 4, order: upper DESC}}`,
			schema: ranges("date", days...),
			goes:   []string{"m_1"},
		},
		{
			name:   "older than a week or not of the newest two",
			rule:   `due: {any: [{age: {older_than: 7 days}}, {beyond: {first: 2, order: upper DESC}}]}`,
			schema: ranges("date", days...),
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "by name",
			rule:   week + `, where: "name <> 'm_1' AND t.schema || '.m' = '@.m' AND parent = '@.m'"`,
			schema: ranges("date", days...),
			goes:   []string{"m_2"},
		},
		{
			name:   "kept by name and by rank",
			rule:   week + `, keep: {first: "name = 'm_1'", newest: {first: 4, order: "upper DESC"}}`,
			schema: ranges("date", days...),
			kept:   map[string]int64{"first": 1, "newest": 1},
		},
		{
			name: "pending rows",
			rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: ranges("date", days...) + `;
				INSERT INTO m VALUES (1, '2024-03-22', 'pending'), (2, '2024-03-23', 'done'),
					(3, '2024-03-24', 'pending')`,
			goes: []string{"m_2"},
			kept: map[string]int64{"pending": 1},
		},
		{
			name: "rows that say nothing keep",
			rule: week + `, keep: {pending: "(SELECT bool_or(p.state = 'pending') FROM partition p)"}`,
			schema: ranges("date", days...) +
				"; INSERT INTO m VALUES (1, '2024-03-22', NULL), (2, '2024-03-23', 'done')",
			goes: []string{"m_2"},
			kept: map[string]int64{"pending": 1},
		},
		{
			name:   "only empty ones",
			rule:   `where: "NOT EXISTS (SELECT FROM partition)"`,
			schema: ranges("date", days...) + "; INSERT INTO m VALUES (1, '2024-03-22'), (2, '2024-03-25')",
			goes:   []string{"m_2", "m_3"},
		},
		{
			name: "joins",
			rule: `join: {o: {table: "@.o", where: "o.name = t.name"}, n: "SELECT count(*) AS n FROM partition"},
				where: "o.done", due: {age: {older_than: 7 days}}, keep: {many: "n.n > 1"}`,
			schema: ranges("date", days...) + `;
				CREATE TABLE o (name text, done boolean);
				INSERT INTO o VALUES ('m_1', true), ('m_2', true), ('m_3', true);
				INSERT INTO m VALUES (1, '2024-03-22'), (2, '2024-03-22'), (2, '2024-03-23')`,
			goes: []string{"m_2"},
			kept: map[string]int64{"many": 1},
		},
		{
			name: "lists over ranges, each newest stays",
			rule: `due: {age: {older_than: 7 days}},
				keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: lists,
			goes:   []string{"b_1", "a_2"},
			kept:   map[string]int64{"pending": 1},
		},
		{
			name:   "lists over ranges, the newest of each but one",
			rule:   `due: {beyond: {first: 1, per: [value], order: "upper DESC"}}`,
			schema: lists,
			goes:   []string{"a_1", "b_1", "a_2"},
		},
		{
			name:   "lists over ranges, one value",
			rule:   `where: "t.value = 2 AND parent = '@.b'", due: {age: {older_than: 7 days}}`,
			schema: lists,
			goes:   []string{"b_1"},
		},
		{
			name:   "lists over ranges, empty ones",
			rule:   `where: "NOT EXISTS (SELECT FROM partition p)"`,
			schema: lists,
			goes:   []string{"a_2"},
		},
		{
			name: "partitions of partitions",
			rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: ranges("date", "'2024-03-01'", "'2024-03-02'", "'2025-01-01'") + `;
				CREATE TABLE s PARTITION OF m FOR VALUES
					FROM ('2024-01-01') TO ('2024-02-01') PARTITION BY RANGE (at);
				CREATE TABLE s_1 PARTITION OF s FOR VALUES FROM ('2024-01-01') TO ('2024-01-15');
				CREATE TABLE s_2 PARTITION OF s DEFAULT;
				CREATE TABLE u PARTITION OF m FOR VALUES
					FROM ('2023-01-01') TO ('2024-01-01') PARTITION BY HASH (id);
				CREATE TABLE u_1 PARTITION OF u FOR VALUES WITH (MODULUS 2, REMAINDER 0);
				CREATE TABLE u_2 PARTITION OF u FOR VALUES WITH (MODULUS 2, REMAINDER 1);
				INSERT INTO m SELECT i, '2023-06-01', 'done' FROM generate_series(1, 9) i;
				INSERT INTO m VALUES (10, '2024-01-20', 'pending')`,
			goes: []string{"u", "m_1"},
			kept: map[string]int64{"pending": 1},
		},
	})
}

// listed returns statements that create table m (id, at) with a list partition for each value: m_1,
// m_2 and so on.
func listed(typ string, values ...string) string {
	sql := "CREATE TABLE m (id int, at " + typ + " NOT NULL, state text, PRIMARY KEY (id, at)) PARTITION BY LIST (at)"
	for i, value := range values {
		sql += fmt.Sprintf("; CREATE TABLE m_%d PARTITION OF m FOR VALUES IN (%s)", i+1, value)
	}
	return sql
}

// noHoles keeps a partition while it or an earlier one has a pending row.
const noHoles = `keep: {pending: "EXISTS (SELECT FROM @.m x WHERE x.at <= t.upper AND x.state = 'pending')"}`

func TestListPartitions(t *testing.T) {
	t.Parallel()
	days := []string{"'2024-03-22'", "'2024-03-23'", "'2024-03-24'", "'2024-03-25'", "'2024-03-26'"}
	week, encoded := "due: {age: {older_than: 7 days}}", `due: {age: {older_than: 7 days, since: 1960-01-01,
		encoding: %s}}`
	newest := `due: {beyond: {first: 2, order: "upper DESC"}}`
	midnight := "2024-03-31 00:00:00+00"
	runPartitionCases(t, []partitionCase{
		// 2024-03-31 00:00 minus seven days is 2024-03-24 00:00. A row with that value is not older
		// than seven days, so its partition stays.
		{
			name:   "dates, on the cutoff",
			schema: listed("date", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "dates, a day of which all is older",
			schema: listed("date", days...),
			rule:   week,
			asOf:   "2024-04-01 00:00:00+00",
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "instants, on the cutoff",
			schema: listed("timestamptz", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "instants, a microsecond after",
			schema: listed("timestamptz", days...),
			rule:   week,
			asOf:   "2024-03-31 00:00:00.000001+00",
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "timestamps, on the cutoff",
			schema: listed("timestamp", days...),
			rule:   week,
			asOf:   midnight,
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "days of a zone",
			zone:   "America/New_York",
			asOf:   "2024-03-31 03:59:59+00",
			rule:   week,
			schema: listed("date", days...),
			goes:   []string{"m_1"},
		},
		{
			name:   "the days begin there",
			zone:   "America/New_York",
			asOf:   "2024-03-31 04:00:00+00",
			rule:   week,
			schema: listed("date", days...),
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "expires",
			rule:   "due: {expires: {grace: 7 days}}",
			asOf:   midnight,
			schema: listed("date", days...),
			goes:   []string{"m_1", "m_2"},
		},
		// 1711238400 is 2024-03-24 00:00 UTC; in milliseconds it is 0x018e6dc1c800.
		{
			name:   "epoch_ms",
			asOf:   midnight,
			rule:   fmt.Sprintf(encoded, "epoch_ms"),
			schema: listed("bigint", "-7", "1711238399999", "1711238400000", "1800000000000"),
			goes:   []string{"m_1", "m_2"},
		},
		{
			name:   "epoch_s, numeric",
			asOf:   midnight,
			rule:   fmt.Sprintf(encoded, "epoch_s"),
			schema: listed("numeric(20, 3)", "-5.5", "1711238399.999", "1711238400", "1800000000"),
			goes:   []string{"m_1", "m_2"},
		},
		{
			name: "uuidv7",
			asOf: midnight,
			rule: fmt.Sprintf(encoded, "uuidv7"),
			schema: listed("uuid", "'018e6dc1-c7ff-7000-8000-000000000000'",
				"'018e6dc1-c800-7000-8000-000000000000'", "'028e6dc1-c800-7000-8000-000000000000'"),
			goes: []string{"m_1"},
		},
		{
			name:   "position",
			rule:   `due: {position: {up_to: "SELECT 30::bigint"}}`,
			schema: listed("bigint", "-10", "9", "10", "30", "31", "1000"),
			goes:   []string{"m_1", "m_2", "m_3", "m_4"},
		},
		{
			name:   "ceiling",
			rule:   `due: {age: {older_than: 7 days, up_to: "SELECT '2024-03-22'::date"}}`,
			schema: listed("date", days...),
			goes:   []string{"m_1"},
		},
		{
			name:   "no ceiling, nothing",
			rule:   `due: {age: {older_than: 7 days, up_to: "SELECT NULL::date"}}`,
			schema: listed("date", days...),
		},

		{
			name:   "all but the newest two, in the order of numbers",
			rule:   newest,
			schema: listed("int", "9", "100", "10", "-100"),
			goes:   []string{"m_4", "m_1"},
		},
		{name: "of smallint", rule: newest, schema: listed("smallint", "1", "2", "3"), goes: []string{"m_1"}},
		{
			name:   "of double precision",
			rule:   newest,
			schema: listed("double precision", "-1e300", "0.1", "1e300"),
			goes:   []string{"m_1"},
		},
		{
			name:   "the newest stays without a rule for it",
			rule:   `where: "NOT EXISTS (SELECT FROM partition)"`,
			schema: listed("bigint", "9000000000", "9000000001", "9000000002"),
			goes:   []string{"m_1", "m_2"},
		},
		{
			name: "DEFAULT is nobody's, and not the newest",
			rule: `where: "true"`,
			schema: listed("int", "1", "2", "3") +
				"; CREATE TABLE m_rest PARTITION OF m DEFAULT; INSERT INTO m VALUES (1, 4), (2, 2)",
			goes: []string{"m_1", "m_2"},
		},
		{
			name:   "infinity is never reached, and has no place",
			rule:   newest,
			schema: listed("date", append(days, "'infinity'")...),
			goes:   []string{"m_1", "m_2", "m_3"},
		},
		{
			name:   "-infinity takes no other's place",
			rule:   week + `, keep: {oldest: {first: 1, order: upper}}`,
			schema: listed("date", append(days, "'-infinity'")...),
			goes:   []string{"m_6", "m_2"},
			kept:   map[string]int64{"oldest": 1},
		},
		{
			name:   "by name and by bounds",
			rule:   `where: "name <> 'm_1' AND t.lower = t.upper AND upper < 4 AND parent = '@.m'"`,
			schema: listed("int", "1", "2", "3", "4", "5"),
			goes:   []string{"m_2", "m_3"},
		},

		{
			name: "pending rows of this value only",
			rule: `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}, where: "true"`,
			schema: listed("int", "1", "2", "3", "4", "5") +
				"; INSERT INTO m VALUES (1, 1, 'done'), (2, 2, 'pending'), (3, 3, 'done'), (4, 5, 'pending')",
			goes: []string{"m_1", "m_3", "m_4"},
			kept: map[string]int64{"pending": 1},
		},
		{
			name: "the content is counted",
			rule: `join: {n: "SELECT count(*) AS n, min(p.at) AS low, max(p.at) AS high FROM partition p"},
				where: "n.n = 2 AND n.low = t.lower AND n.high = t.upper"`,
			schema: listed("int", "1", "2", "3", "4") +
				"; INSERT INTO m VALUES (1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 3)",
			goes: []string{"m_2"},
		},
		{
			name: "no holes",
			rule: `where: "true", ` + noHoles,
			schema: listed("int", "1", "2", "3", "4", "5") +
				"; INSERT INTO m VALUES (1, 1, 'done'), (2, 3, 'pending'), (3, 4, 'done'), (4, 5, 'pending')",
			goes: []string{"m_1", "m_2"},
			kept: map[string]int64{"pending": 2},
		},
		{
			name: "no holes, and the newest three stay",
			rule: `where: "true", ` +
				strings.Replace(noHoles, "keep: {", `keep: {newest: {first: 3, order: "upper DESC"}, `, 1),
			schema: listed("int", "1", "2", "3", "4", "5"),
			goes:   []string{"m_1", "m_2"},
			kept:   map[string]int64{"newest": 2},
		},
		{
			name: "partitioned further",
			rule: `where: "NOT EXISTS (SELECT FROM partition WHERE state = 'pending')"`,
			schema: `CREATE TABLE m (id int, at int, state text, PRIMARY KEY (id, at)) PARTITION BY LIST (at);
				CREATE TABLE a PARTITION OF m FOR VALUES IN (1) PARTITION BY HASH (id);
				CREATE TABLE b PARTITION OF m FOR VALUES IN (2) PARTITION BY HASH (id);
				CREATE TABLE a_1 PARTITION OF a FOR VALUES WITH (MODULUS 1, REMAINDER 0);
				CREATE TABLE b_1 PARTITION OF b FOR VALUES WITH (MODULUS 1, REMAINDER 0);
				CREATE TABLE c PARTITION OF m FOR VALUES IN (3);
				INSERT INTO m VALUES (1, 1, 'pending'), (2, 2, 'done')`,
			goes: []string{"b"},
		},
		{
			name: "of letters, over ranges",
			rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: `CREATE TABLE m (id int, region char(2), at date, state text,
					PRIMARY KEY (id, region, at)) PARTITION BY LIST (region);
				CREATE TABLE a PARTITION OF m FOR VALUES IN ('aa') PARTITION BY RANGE (at);
				CREATE TABLE a_1 PARTITION OF a FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
				CREATE TABLE a_2 PARTITION OF a FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
				CREATE TABLE a_3 PARTITION OF a FOR VALUES FROM ('2024-03-01') TO ('2024-04-01');
				INSERT INTO m VALUES (1, 'aa', '2024-01-15', 'pending'), (2, 'aa', '2024-02-15', 'done')`,
			goes: []string{"a_2"},
			kept: map[string]int64{"pending": 1},
		},
	})
}

// TestSlidingList compares list partitions before and after runs in plain SQL. Table queue has
// numbered generations with a status; table daily has days with an age.
func TestSlidingList(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE queue (generation bigint, id int, status smallint NOT NULL,
			PRIMARY KEY (generation, id)) PARTITION BY LIST (generation);
		CREATE TABLE daily (day date, id int, PRIMARY KEY (day, id)) PARTITION BY LIST (day);
		CREATE TABLE away (name text, value text, rows bigint);
		DO $$ BEGIN
			FOR i IN 1..7 LOOP
				EXECUTE format('CREATE TABLE queue_%s PARTITION OF queue FOR VALUES IN (%s)', i, i);
			END LOOP;
			FOR i IN 1..9 LOOP
				EXECUTE format('CREATE TABLE daily_%s PARTITION OF daily FOR VALUES IN (%L)', i,
					date '2024-03-19' + i);
			END LOOP;
		END $$;
		INSERT INTO queue SELECT g, i, CASE WHEN g IN (4, 7) AND i % 5 = 0 THEN 1 ELSE 2 END
			FROM generate_series(1, 7) g, generate_series(1, 10 * g::int) i WHERE g <> 2;
		INSERT INTO daily SELECT date '2024-03-19' + g, i FROM generate_series(1, 9) g, generate_series(1, g) i`, `
policies:
  queue:
    partitions_of: queue
    keep:
      pending: "EXISTS (SELECT FROM queue q WHERE q.generation <= t.upper AND q.status = 1)"
    where: "true"
    then: [insert: {into: away, set: {name: t.name, value: t.upper, rows: "(SELECT count(*) FROM partition)"}},
          detach]
  daily: {partitions_of: daily, due: {age: {older_than: 7 days}}, then: [drop]}`)
	// The expected rows are computed before the first run. The generation with the first pending
	// row stays, with all later ones. If no row is pending, only the last generation stays.
	in.Exec(t, `CREATE TABLE want_queue AS SELECT * FROM queue
			WHERE generation >= (SELECT min(generation) FROM queue WHERE status = 1)
				OR generation = (SELECT max(generation) FROM queue);
		CREATE TABLE went_queue AS SELECT generation, id FROM queue EXCEPT SELECT generation, id FROM want_queue;
		CREATE TABLE want_daily AS SELECT * FROM daily
			WHERE day >= ('`+noon+`'::timestamptz AT TIME ZONE 'UTC' - interval '7 days')::date`)
	same := func(what, a, b string) {
		t.Helper()
		if rows := in.Rows(fmt.Sprintf("(%s EXCEPT ALL %s) UNION ALL (%s EXCEPT ALL %s)", a, b, b, a)); len(rows) != 0 {
			t.Errorf("%s differ from the expected ones in the rows %v", what, rows)
		}
	}
	for range 2 { // the second run takes nothing
		in.Done("queue", noon)
		in.Done("daily", noon)
		same("generations", "SELECT * FROM queue", "SELECT * FROM want_queue")
		same("days", "SELECT * FROM daily", "SELECT * FROM want_daily")
		same("detached", `SELECT generation, id FROM (TABLE queue_1 UNION ALL TABLE queue_2
			UNION ALL TABLE queue_3) x`, "SELECT * FROM went_queue")
		same("written before", "SELECT * FROM away",
			"VALUES ('queue_1', '1', 10::bigint), ('queue_2', '2', 0), ('queue_3', '3', 30)")
	}
	// After all rows are done and a newer partition exists, the run also takes the partition that
	// was the newest.
	in.Exec(t, "UPDATE queue SET status = 2; CREATE TABLE queue_8 PARTITION OF queue FOR VALUES IN (8)")
	in.Done("queue", noon)
	if got := attached(t, in, "queue"); !slices.Equal(got, []string{"queue_8"}) {
		t.Errorf("attached partitions are %v, want queue_8", got)
	}
}

// TestUnreadableLists checks that a run fails if a partition has several values, NULL, or is
// partitioned by range. The error names the partition, and the run takes no partition. A policy
// that is generated again would take the partitions by range instead.
func TestUnreadableLists(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"4, 5", "NULL", "0, NULL", "0) PARTITION BY RANGE (at"} {
		in := kit.Install(t,
			strings.Replace(listed("int", "1", "2", "3"), "NOT NULL, state text, PRIMARY KEY (id, at)",
				", state text", 1),
			`policies: {p: {partitions_of: m, due: {beyond: {first: 1, order: "upper DESC"}}, then: [drop]}}`)
		in.Exec(t, "CREATE TABLE m_odd PARTITION OF m FOR VALUES IN ("+values+")")
		if o := in.Run("p", noon); o.State != "failed" ||
			!strings.Contains(o.Message,
				`partition "public.m_odd" has bounds that a policy on partitions cannot read`) {
			t.Errorf("%s: want a run with state failed; got %+v", values, o)
		}
		wantAttached(t, in, "m_1", "m_2", "m_3", "m_odd")
		in.Exec(t, "DROP TABLE m_odd")
		in.Done("p", noon)
		wantAttached(t, in, "m_3")
	}
}

// TestHeldListPartition checks that a held row keeps the partition of its value, and no other one.
func TestHeldListPartition(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, listed("int", "1", "2", "3", "4")+"; INSERT INTO m VALUES (7, 1), (7, 2), (7, 3)",
		`policies: {p: {partitions_of: m, where: "true", then: [drop]}}`)
	hold(t, in, `'m', '{"id": 7, "at": 2}', 'case 1'`)
	if o := in.Done("p", noon); o.Taken != 2 || o.Kept["hold"] != 1 {
		t.Errorf("want a run with taken 2, kept by hold 1; got %+v", o)
	}
	wantAttached(t, in, "m_2", "m_4")
	if got := pgtest.Column[int](t, in, "SELECT at FROM m"); !slices.Equal(got, []int{2}) {
		t.Errorf("rows with the values %v are left, want 2", got)
	}
}
