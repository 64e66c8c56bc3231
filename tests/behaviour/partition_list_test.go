package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// listed makes table m (id, at) with a partition for each value: m_1, m_2 ..
func listed(typ string, values ...string) string {
	sql := "CREATE TABLE m (id int, at " + typ + " NOT NULL, state text, PRIMARY KEY (id, at)) PARTITION BY LIST (at)"
	for i, value := range values {
		sql += fmt.Sprintf("; CREATE TABLE m_%d PARTITION OF m FOR VALUES IN (%s)", i+1, value)
	}
	return sql
}

// noHoles keeps a partition while it, or an earlier one, has a row to do.
const noHoles = `keep: {pending: "EXISTS (SELECT FROM @.m x WHERE x.at <= t.upper AND x.state = 'pending')"}`

func TestListPartitions(t *testing.T) {
	t.Parallel()
	days := []string{"'2024-03-22'", "'2024-03-23'", "'2024-03-24'", "'2024-03-25'", "'2024-03-26'"}
	week, encoded := "due: {age: {older_than: 7 days}}", "due: {age: {older_than: 7 days, encoding: %s}}"
	newest := `due: {beyond: {first: 2, order: "upper DESC"}}`
	midnight := "2024-03-31 00:00:00+00"
	runAway(t, []away{
		// 2024-03-31 00:00 less seven days is 2024-03-24 00:00. A row there is not older than that, and its partition stays.
		{name: "dates, on the cutoff", schema: listed("date", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "dates, a day of which all is older", schema: listed("date", days...), rule: week, asOf: "2024-04-01 00:00:00+00", goes: []string{"m_1", "m_2", "m_3"}},
		{name: "instants, on the cutoff", schema: listed("timestamptz", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "instants, a microsecond after", schema: listed("timestamptz", days...), rule: week, asOf: "2024-03-31 00:00:00.000001+00", goes: []string{"m_1", "m_2", "m_3"}},
		{name: "timestamps, on the cutoff", schema: listed("timestamp", days...), rule: week, asOf: midnight, goes: []string{"m_1", "m_2"}},
		{name: "days of a zone", zone: "America/New_York", asOf: "2024-03-31 03:59:59+00", rule: week, schema: listed("date", days...), goes: []string{"m_1"}},
		{name: "the days begin there", zone: "America/New_York", asOf: "2024-03-31 04:00:00+00", rule: week, schema: listed("date", days...), goes: []string{"m_1", "m_2"}},
		{name: "expires", rule: "due: {expires: {grace: 7 days}}", asOf: midnight, schema: listed("date", days...), goes: []string{"m_1", "m_2"}},
		// 1711238400 is 2024-03-24 00:00 UTC, 0x018e6dc1c800 ms.
		{name: "epoch_ms", asOf: midnight, rule: fmt.Sprintf(encoded, "epoch_ms"), schema: listed("bigint", "-7", "1711238399999", "1711238400000", "1800000000000"), goes: []string{"m_1", "m_2"}},
		{name: "epoch_s, numeric", asOf: midnight, rule: fmt.Sprintf(encoded, "epoch_s"), schema: listed("numeric(20, 3)", "-5.5", "1711238399.999", "1711238400", "1800000000"), goes: []string{"m_1", "m_2"}},
		{name: "uuidv7", asOf: midnight, rule: fmt.Sprintf(encoded, "uuidv7"),
			schema: listed("uuid", "'018e6dc1-c7ff-7000-8000-000000000000'", "'018e6dc1-c800-7000-8000-000000000000'", "'028e6dc1-c800-7000-8000-000000000000'"), goes: []string{"m_1"}},
		{name: "position", rule: `due: {position: {up_to: "SELECT 30::bigint"}}`, schema: listed("bigint", "-10", "9", "10", "30", "31", "1000"), goes: []string{"m_1", "m_2", "m_3", "m_4"}},
		{name: "ceiling", rule: `due: {age: {older_than: 7 days, up_to: "SELECT '2024-03-22'::date"}}`, schema: listed("date", days...), goes: []string{"m_1"}},
		{name: "no ceiling, nothing", rule: `due: {age: {older_than: 7 days, up_to: "SELECT NULL::date"}}`, schema: listed("date", days...)},

		{name: "all but the newest two, in the order of numbers", rule: newest, schema: listed("int", "9", "100", "10", "-100"), goes: []string{"m_4", "m_1"}},
		{name: "of smallint", rule: newest, schema: listed("smallint", "1", "2", "3"), goes: []string{"m_1"}},
		{name: "of double precision", rule: newest, schema: listed("double precision", "-1e300", "0.1", "1e300"), goes: []string{"m_1"}},
		{name: "the newest stays without a rule for it", rule: `where: "NOT EXISTS (SELECT FROM partition)"`, schema: listed("bigint", "9000000000", "9000000001", "9000000002"), goes: []string{"m_1", "m_2"}},
		{name: "DEFAULT is nobody's, and not the newest", rule: `where: "true"`, schema: listed("int", "1", "2", "3") + "; CREATE TABLE m_rest PARTITION OF m DEFAULT; INSERT INTO m VALUES (1, 4), (2, 2)", goes: []string{"m_1", "m_2"}},
		{name: "infinity is never reached, and has no place", rule: newest, schema: listed("date", append(days, "'infinity'")...), goes: []string{"m_1", "m_2", "m_3"}},
		{name: "-infinity takes no other's place", rule: week + `, keep: {oldest: {first: 1, order: upper}}`, schema: listed("date", append(days, "'-infinity'")...), goes: []string{"m_6", "m_2"}, kept: map[string]int64{"oldest": 1}},
		{name: "by name and by bounds", rule: `where: "name <> 'm_1' AND t.lower = t.upper AND upper < 4 AND parent = '@.m'"`, schema: listed("int", "1", "2", "3", "4", "5"), goes: []string{"m_2", "m_3"}},

		{name: "pending rows of this value only", rule: `keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}, where: "true"`,
			schema: listed("int", "1", "2", "3", "4", "5") + "; INSERT INTO m VALUES (1, 1, 'done'), (2, 2, 'pending'), (3, 3, 'done'), (4, 5, 'pending')",
			goes:   []string{"m_1", "m_3", "m_4"}, kept: map[string]int64{"pending": 1}},
		{name: "the content is counted", rule: `join: {n: "SELECT count(*) AS n, min(p.at) AS low, max(p.at) AS high FROM partition p"}, where: "n.n = 2 AND n.low = t.lower AND n.high = t.upper"`,
			schema: listed("int", "1", "2", "3", "4") + "; INSERT INTO m VALUES (1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (6, 3)", goes: []string{"m_2"}},
		{name: "no holes", rule: `where: "true", ` + noHoles, schema: listed("int", "1", "2", "3", "4", "5") + "; INSERT INTO m VALUES (1, 1, 'done'), (2, 3, 'pending'), (3, 4, 'done'), (4, 5, 'pending')",
			goes: []string{"m_1", "m_2"}, kept: map[string]int64{"pending": 2}},
		{name: "no holes, and the newest three stay", rule: `where: "true", ` + strings.Replace(noHoles, "keep: {", `keep: {newest: {first: 3, order: "upper DESC"}, `, 1), schema: listed("int", "1", "2", "3", "4", "5"),
			goes: []string{"m_1", "m_2"}, kept: map[string]int64{"newest": 2}},
		{name: "partitioned further", rule: `where: "NOT EXISTS (SELECT FROM partition WHERE state = 'pending')"`,
			schema: `CREATE TABLE m (id int, at int, state text, PRIMARY KEY (id, at)) PARTITION BY LIST (at);
				CREATE TABLE a PARTITION OF m FOR VALUES IN (1) PARTITION BY HASH (id); CREATE TABLE b PARTITION OF m FOR VALUES IN (2) PARTITION BY HASH (id);
				CREATE TABLE a_1 PARTITION OF a FOR VALUES WITH (MODULUS 1, REMAINDER 0); CREATE TABLE b_1 PARTITION OF b FOR VALUES WITH (MODULUS 1, REMAINDER 0);
				CREATE TABLE c PARTITION OF m FOR VALUES IN (3); INSERT INTO m VALUES (1, 1, 'pending'), (2, 2, 'done')`,
			goes: []string{"b"}},
		{name: "of letters, over ranges", rule: week + `, keep: {pending: "EXISTS (SELECT FROM partition WHERE state = 'pending')"}`,
			schema: `CREATE TABLE m (id int, region char(2), at date, state text, PRIMARY KEY (id, region, at)) PARTITION BY LIST (region);
				CREATE TABLE a PARTITION OF m FOR VALUES IN ('aa') PARTITION BY RANGE (at);
				CREATE TABLE a_1 PARTITION OF a FOR VALUES FROM ('2024-01-01') TO ('2024-02-01'); CREATE TABLE a_2 PARTITION OF a FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
				CREATE TABLE a_3 PARTITION OF a FOR VALUES FROM ('2024-03-01') TO ('2024-04-01'); INSERT INTO m VALUES (1, 'aa', '2024-01-15', 'pending'), (2, 'aa', '2024-02-15', 'done')`,
			goes: []string{"a_2"}, kept: map[string]int64{"pending": 1}},
	})
}

// A sliding list before and after, in plain SQL: numbers of generations with a status, days with an age.
func TestSlidingList(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE queue (generation bigint, id int, status smallint NOT NULL, PRIMARY KEY (generation, id)) PARTITION BY LIST (generation);
		CREATE TABLE daily (day date, id int, PRIMARY KEY (day, id)) PARTITION BY LIST (day);
		CREATE TABLE away (name text, value text, rows bigint);
		DO $$ BEGIN
			FOR i IN 1..7 LOOP EXECUTE format('CREATE TABLE queue_%s PARTITION OF queue FOR VALUES IN (%s)', i, i); END LOOP;
			FOR i IN 1..9 LOOP EXECUTE format('CREATE TABLE daily_%s PARTITION OF daily FOR VALUES IN (%L)', i, date '2024-03-19' + i); END LOOP;
		END $$;
		INSERT INTO queue SELECT g, i, CASE WHEN g IN (4, 7) AND i % 5 = 0 THEN 1 ELSE 2 END FROM generate_series(1, 7) g, generate_series(1, 10 * g::int) i WHERE g <> 2;
		INSERT INTO daily SELECT date '2024-03-19' + g, i FROM generate_series(1, 9) g, generate_series(1, g) i`, `
policies:
  queue:
    partitions_of: queue
    keep:
      pending: "EXISTS (SELECT FROM queue q WHERE q.generation <= t.upper AND q.status = 1)"
    where: "true"
    then: [insert: {into: away, set: {name: t.name, value: t.upper, rows: "(SELECT count(*) FROM partition)"}}, detach]
  daily: {partitions_of: daily, due: {age: {older_than: 7 days}}, then: [drop]}`)
	// What stays is asked before anything goes: generations from the first one with something to do on, or the last.
	in.Exec(t, `CREATE TABLE want_queue AS SELECT * FROM queue
			WHERE generation >= (SELECT min(generation) FROM queue WHERE status = 1) OR generation = (SELECT max(generation) FROM queue);
		CREATE TABLE went_queue AS SELECT generation, id FROM queue EXCEPT SELECT generation, id FROM want_queue;
		CREATE TABLE want_daily AS SELECT * FROM daily WHERE day >= ('`+noon+`'::timestamptz AT TIME ZONE 'UTC' - interval '7 days')::date`)
	same := func(what, a, b string) {
		t.Helper()
		if rows := in.Rows(fmt.Sprintf("(%s EXCEPT ALL %s) UNION ALL (%s EXCEPT ALL %s)", a, b, b, a)); len(rows) != 0 {
			t.Errorf("%s differ in %v", what, rows)
		}
	}
	for range 2 { // the second run has nothing to do
		in.Done("queue", noon)
		in.Done("daily", noon)
		same("generations", "SELECT * FROM queue", "SELECT * FROM want_queue")
		same("days", "SELECT * FROM daily", "SELECT * FROM want_daily")
		same("detached", "SELECT generation, id FROM (TABLE queue_1 UNION ALL TABLE queue_2 UNION ALL TABLE queue_3) x", "SELECT * FROM went_queue")
		same("written before", "SELECT * FROM away", "VALUES ('queue_1', '1', 10::bigint), ('queue_2', '2', 0), ('queue_3', '3', 30)")
	}
	// Done, and a partition that appeared meanwhile: the newest of before goes as well.
	in.Exec(t, "UPDATE queue SET status = 2; CREATE TABLE queue_8 PARTITION OF queue FOR VALUES IN (8)")
	in.Done("queue", noon)
	if got := attached(t, in, "queue"); !slices.Equal(got, []string{"queue_8"}) {
		t.Errorf("attached are %v", got)
	}
}

// A run that meets another list than one of a value each touches nothing, and says which partition it is; nor does one where
// partitions of ranges have appeared, which would be the rows if the policy were generated again.
func TestUnreadableLists(t *testing.T) {
	t.Parallel()
	for _, values := range []string{"4, 5", "NULL", "0, NULL", "0) PARTITION BY RANGE (at"} {
		in := kit.Install(t, strings.Replace(listed("int", "1", "2", "3"), "NOT NULL, state text, PRIMARY KEY (id, at)", ", state text", 1),
			`policies: {p: {partitions_of: m, due: {beyond: {first: 1, order: "upper DESC"}}, then: [drop]}}`)
		in.Exec(t, "CREATE TABLE m_odd PARTITION OF m FOR VALUES IN ("+values+")")
		if o := in.Run("p", noon); o.State != "failed" || !strings.Contains(o.Message, `partition "public.m_odd" has bounds that a policy on partitions cannot read`) {
			t.Errorf("%s: got %+v", values, o)
		}
		isAttached(t, in, "m_1", "m_2", "m_3", "m_odd")
		in.Exec(t, "DROP TABLE m_odd")
		in.Done("p", noon)
		isAttached(t, in, "m_3")
	}
}

// A held row keeps the partition of its value, and no other.
func TestHeldListPartition(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, listed("int", "1", "2", "3", "4")+"; INSERT INTO m VALUES (7, 1), (7, 2), (7, 3)", `policies: {p: {partitions_of: m, where: "true", then: [drop]}}`)
	hold(t, in, `'m', '{"id": 7, "at": 2}', 'case 1'`)
	if o := in.Done("p", noon); o.Taken != 2 || o.Kept["hold"] != 1 {
		t.Errorf("got %+v", o)
	}
	isAttached(t, in, "m_2", "m_4")
	if got := pgtest.Column[int](t, in, "SELECT at FROM m"); !slices.Equal(got, []int{2}) {
		t.Errorf("rows of %v are left", got)
	}
}
