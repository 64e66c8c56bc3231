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

// TestTablesWithoutAKey runs policies on tables without a key. Each table has many equal rows, and
// many rows with one clock value.
func TestTablesWithoutAKey(t *testing.T) {
	const (
		columns = "(at timestamptz, kind text, n int)"
		schema  = "CREATE TABLE m " + columns
		data    = `INSERT INTO m SELECT :as_of - i / 40 * interval '6 days', (ARRAY['a', 'b', 'c'])[i % 3 + 1], i % 4
				FROM generate_series(0, 399) i;
			INSERT INTO m SELECT NULL, 'a', i % 2 FROM generate_series(1, 10) i`
		aged    = "at < :as_of - interval '7 days'"
		archive = schema + "; CREATE TABLE old (at timestamptz, kind text, n int, taken timestamptz)"
	)
	age := func(rest string) string {
		return `{table: "@.m", due: {age: {column: at, older_than: 7 days}}, ` + rest + "}"
	}
	const deletes = "then: [delete]"
	suite{batch: 3, scenarios: []scenario{
		{
			name: "delete", schema: schema, data: data,
			rule: age(deletes), goes: "SELECT * FROM m WHERE " + aged,
		},
		{
			name: "partitions by the clock",
			schema: schema + ` PARTITION BY RANGE (at); CREATE TABLE m_1 PARTITION OF m DEFAULT;
				CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-02-10') TO ('2024-03-01');
				CREATE TABLE m_3 PARTITION OF m FOR VALUES FROM ('2024-03-01') TO ('2024-03-20')`,
			data: data, rule: age(deletes), goes: "SELECT * FROM m WHERE " + aged,
		},
		{
			name: "partitions with the same clocks",
			schema: schema + ` PARTITION BY LIST (kind); CREATE TABLE m_1 PARTITION OF m FOR VALUES IN ('b');
				CREATE TABLE m_2 PARTITION OF m FOR VALUES IN ('a') PARTITION BY LIST (n);
				CREATE TABLE m_3 PARTITION OF m FOR VALUES IN ('c');
				CREATE TABLE m_4 PARTITION OF m_2 FOR VALUES IN (0, 3); CREATE TABLE m_5 PARTITION OF m_2 DEFAULT`,
			data: data, rule: age(`keep: {some: "kind = 'c' AND n > 1"}, ` + deletes),
			goes: "SELECT * FROM m WHERE NOT (kind = 'c' AND n > 1) AND " + aged,
		},
		{
			name: "guard on the row", schema: schema, data: data,
			rule: age(`keep: {c: "kind = 'c'"}, ` + deletes),
			goes: "SELECT * FROM m WHERE kind <> 'c' AND " + aged,
			kept: map[string]int64{"c": 107},
		},
		{
			name: "guard on another table", schema: schema + "; CREATE TABLE pin (kind text, n int)",
			data: data + "; INSERT INTO pin VALUES ('a', 1), ('b', 2)",
			rule: age(`keep: {pin: "EXISTS (SELECT FROM @.pin p WHERE p.kind = t.kind AND p.n = t.n)"}, ` + deletes),
			goes: "SELECT * FROM m WHERE (kind, n) NOT IN (('a', 1), ('b', 2)) AND " + aged,
		},
		{
			name: "delete of a part", schema: schema, data: data,
			rule: age(`then: [delete: {where: "kind = 'b' AND n = 0"}]`),
			goes: "SELECT * FROM m WHERE kind = 'b' AND n = 0 AND " + aged,
			kept: map[string]int64{"passed": 294},
		},
		{
			name:   "delete by a value of a join",
			schema: schema + "; CREATE TABLE o (kind text PRIMARY KEY, goes boolean)",
			data:   data + "; INSERT INTO o VALUES ('a', true), ('b', false)",
			rule: age(`join: {o: {table: "@.o", where: "o.kind = t.kind"}}, then: [
				{emit: {event: log.gone, payload: {goes: o.goes}}}, {delete: {where: o.goes}}]`),
			goes: "SELECT * FROM m WHERE kind = 'a' AND " + aged, kept: map[string]int64{"passed": 213},
			related: map[string]int64{"retention.event": 320},
		},
		{
			name: "archive", schema: archive, data: data,
			rule:    age(`then: [archive: {into: "@.old", set: {taken: as_of}}, delete]`),
			goes:    "SELECT * FROM m WHERE " + aged,
			leaves:  map[string]string{"old": "SELECT *, :as_of FROM m WHERE " + aged},
			related: map[string]int64{"@.old": 320},
		},
		{
			name: "archive a part of a partitioned table",
			schema: strings.Replace(archive, columns, columns+" PARTITION BY LIST (kind)", 1) + `;
				CREATE TABLE m_1 PARTITION OF m FOR VALUES IN ('b'); CREATE TABLE m_2 PARTITION OF m DEFAULT`,
			data: data,
			rule: age(`keep: {c: "kind = 'c'"},
				then: [archive: {into: "@.old", set: {taken: as_of}, where: "n = 1"}, delete: {where: "n = 1"}]`),
			goes:    "SELECT * FROM m WHERE kind <> 'c' AND n = 1 AND " + aged,
			leaves:  map[string]string{"old": "SELECT *, :as_of FROM m WHERE kind <> 'c' AND n = 1 AND " + aged},
			related: map[string]int64{"@.old": 54},
		},
		{
			name: "archive a document with a value of a join",
			schema: schema + `; CREATE TABLE old (body jsonb, owner text);
				CREATE TABLE o (kind text PRIMARY KEY, name text)`,
			data: data + "; INSERT INTO o VALUES ('a', 'Ann'), ('b', 'Bob')",
			rule: age(`join: {o: {table: "@.o", where: "o.kind = t.kind"}}, then: [
				{archive: {into: "@.old", document: body, set: {owner: o.name}}}, delete]`),
			goes:    "SELECT * FROM m WHERE " + aged,
			leaves:  map[string]string{"old": "SELECT to_jsonb(m), name FROM m LEFT JOIN o USING (kind) WHERE " + aged},
			related: map[string]int64{"@.old": 320},
		},
		{
			name: "emit and delete", schema: schema, data: data,
			rule:    age(`then: [{emit: {event: log.gone, payload: {n: n}}}, delete]`),
			goes:    "SELECT * FROM m WHERE " + aged,
			related: map[string]int64{"retention.event": 320},
		},
		{
			name:   "totals",
			schema: schema + "; CREATE TABLE total (kind text PRIMARY KEY, n bigint, most int)",
			data:   data,
			rule: age(`then: [
				{insert: {into: "@.total", key: {kind: kind}, add: {n: "count(*)"}, max: {most: "max(n)"}}}, delete]`),
			goes: "SELECT * FROM m WHERE " + aged,
			leaves: map[string]string{
				"total": "SELECT kind, count(*), max(n) FROM m WHERE " + aged + " GROUP BY kind"},
			uncounted:  true,
			unforeseen: "rows of one group",
		},
		{
			name: "rows of another table", schema: schema + "; CREATE TABLE copy (n int)", data: data,
			rule:    age(`then: [{insert: {into: "@.copy", set: {n: n}}}, delete]`),
			goes:    "SELECT * FROM m WHERE " + aged,
			leaves:  map[string]string{"copy": "SELECT n FROM m WHERE " + aged},
			related: map[string]int64{"@.copy": 320},
		},
		{
			name: "clock of two columns", schema: "CREATE TABLE m (at timestamptz, kind text, n int, seen timestamptz)",
			data: data + "; UPDATE m SET seen = :as_of - interval '8 days' WHERE n = 3 OR at IS NULL",
			rule: `{table: "@.m", due: {expires: {expression: "coalesce(seen, at)", grace: 8 days, inclusive: true}},
				then: [delete]}`,
			goes: "SELECT * FROM m WHERE coalesce(seen, at) <= :as_of - interval '8 days'",
		},
		{
			name: "encoded clock", schema: "CREATE TABLE m (at bigint, kind text, n int)",
			data: `INSERT INTO m SELECT extract(epoch FROM :as_of) - i / 40 * 6 * 86400, 'a', i % 4
				FROM generate_series(0, 399) i`,
			rule: `{table: "@.m", due: {age: {column: at, encoding: epoch_s, older_than: 7 days}}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE to_timestamp(at) < :as_of - interval '7 days'",
		},
		{
			name: "window by row", schema: schema, data: data,
			rule: `{table: "@.m", due: {age: {column: at, older_than: [{when: "kind = 'a'", then: 20 days},
				{when: "n = 1", then: null}, {else: 40 days}]}}, then: [delete]}`,
			goes: `SELECT * FROM m WHERE kind = 'a' AND at < :as_of - interval '20 days' OR kind <> 'a' AND n <> 1
				AND at < :as_of - interval '40 days'`,
		},
		{
			name: "either of two clocks", schema: "CREATE TABLE m (at timestamptz, kind text, n int, seen timestamptz)",
			data: data + "; UPDATE m SET seen = :as_of - n * interval '10 days' WHERE kind = 'a'",
			rule: `{table: "@.m", due: {any: [{age: {column: at, older_than: 30 days}},
				{age: {column: seen, older_than: 15 days}}]}, then: [delete]}`,
			goes: "SELECT * FROM m WHERE at < :as_of - interval '30 days' OR seen < :as_of - interval '15 days'",
		},
	}}.run(t)
}

// TestEqualClocksWithoutAKey gives thousands of rows of a table without a key the same clock. Some
// rows are kept by a guard or a hold, locked by another session, or refused by a trigger, and a
// condition fails on others. The runs take exactly the other rows.
func TestEqualClocksWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ table, then string }{
		"delete":  {"", "[delete]"},
		"archive": {"", "[archive: {into: old}, delete]"},
		"emit":    {"", "[{emit: {event: log.gone, payload: {n: n}}}, delete]"},
		"partitions": {` PARTITION BY LIST (kind); CREATE TABLE m_1 PARTITION OF m FOR VALUES IN ('goes', 'refused');
			CREATE TABLE m_2 PARTITION OF m DEFAULT`, "[archive: {into: old}, delete]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (at date, kind text, n int)`+c.table+`;
				CREATE TABLE old (at date, kind text, n int);
				CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
				CREATE TRIGGER refuse BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.kind = 'refused')
					EXECUTE FUNCTION refuse();
				INSERT INTO m SELECT '2024-01-01', CASE WHEN i % 1500 = 7 THEN 'refused' WHEN i % 2500 = 8 THEN 'fails'
					WHEN i % 11 = 0 THEN 'kept' WHEN i % 13 = 0 THEN 'held' WHEN i % 100 = 31 THEN 'locked'
					ELSE 'goes' END,
					i % 5 FROM generate_series(1, 3000) i;
				INSERT INTO m SELECT '2024-03-31', 'goes', i % 5 FROM generate_series(1, 100) i`, `
policies:
  p: {table: m, where: "CASE WHEN kind = 'fails' THEN 1 / (n - n) = 0 ELSE true END",
    due: {age: {column: at, older_than: 7 days}}, keep: {kept: "kind = 'kept'"},
    breaker: {fraction: 100%}, batch: {lock_timeout: 20ms}, then: `+c.then+`}`)
			in.SetBatch(400)
			hold(t, in, `'m', '{"kind": "held"}', 'case 7'`)
			other := in.Conn(t)
			pgtest.Exec(t, other, "BEGIN; SELECT FROM m WHERE kind = 'locked' FOR UPDATE")
			const rows = "SELECT kind || n || at AS row FROM m"
			count := func(kind string) int64 {
				return pgtest.Value[int64](t, in, "SELECT count(*) FROM m WHERE kind = $1 AND at < '2024-03-01'", kind)
			}
			goes, kept, held, locked := count("goes"), count("kept"), count("held"), count("locked")
			refused := count("refused") + count("fails")
			left := in.Rows(rows + " WHERE kind <> 'goes' OR at > '2024-03-01' ORDER BY 1")
			taken := in.Rows(rows + " WHERE kind = 'goes' AND at < '2024-03-01' ORDER BY 1")

			o := in.Done("p", noon)
			want := fmt.Sprintf("taken %d kept %d held %d contended %d refused %d", goes, kept, held, locked, refused)
			if got := fmt.Sprintf("taken %d kept %d held %d contended %d refused %d", o.Taken, o.Kept["kept"],
				o.Kept["hold"], o.Contended, o.Refused); got != want {
				t.Errorf("the run has %s, want %s", got, want)
			}
			if diff := cmp.Diff(left, in.Rows(rows+" ORDER BY 1")); diff != "" {
				t.Errorf("rows left (-want +got):\n%s", diff)
			}
			if strings.Contains(c.then, "archive") {
				if diff := cmp.Diff(taken, in.Rows("SELECT kind || n || at AS row FROM old ORDER BY 1")); diff != "" {
					t.Errorf("archived rows (-want +got):\n%s", diff)
				}
			}
			if strings.Contains(c.then, "emit") {
				if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM retention.event"); n != goes {
					t.Errorf("%d events, want %d", n, goes)
				}
			}
			pgtest.Exec(t, other, "COMMIT")
			if o := in.Run("p", noon); o.Taken != locked || count("locked") != 0 {
				t.Errorf("the next run took %d rows, want the %d that were locked", o.Taken, locked)
			}
		})
	}
}

// TestTriggerMovesRowsWithoutAKey runs policies on a table without a key. A trigger updates each
// row instead of deleting it, so the row moves to another place. A run meets each row once, refuses
// it, and rolls back what the trigger and the other steps did.
func TestTriggerMovesRowsWithoutAKey(t *testing.T) {
	t.Parallel()
	const parts = ` PARTITION BY LIST (kind); CREATE TABLE m_1 PARTITION OF m FOR VALUES IN (0);
		CREATE TABLE m_2 PARTITION OF m DEFAULT`
	const totals = `[insert: {into: total, key: {kind: kind}, add: {n: "count(*)"}}, delete]`
	for name, c := range map[string]struct{ table, then string }{
		"delete":             {"", "[delete]"},
		"delete, partitions": {parts, "[delete]"},
		"archive":            {"", "[archive: {into: old}, delete]"},
		"totals":             {"", totals},
		"totals, partitions": {parts, totals},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (at timestamptz NOT NULL, kind int, n int, body text)`+c.table+`;
				CREATE TABLE old (at timestamptz, kind int, n int, body text);
				CREATE TABLE total (kind int PRIMARY KEY, n bigint);
				CREATE FUNCTION moves() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
				BEGIN
					UPDATE m SET body = 'gone' WHERE n = OLD.n;
					RETURN NULL;
				END $$;
				CREATE TRIGGER moves BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION moves();
				INSERT INTO m SELECT '2024-01-01', i % 2, i, repeat('x', 700) FROM generate_series(1, 60) i`, `
policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, breaker: {fraction: 100%}, then: `+c.then+`}}`)
			in.SetBatch(20)
			before := in.Rows("SELECT n, left(body, 4) FROM m ORDER BY n")
			_, _ = in.Call("CALL retention.run('p', $1)", noon)
			o := in.Last("p")
			if got := fmt.Sprintf("%s %d %d %v", o.State, o.Taken, o.Refused, o.Kept); got != "failed 0 60 map[]" {
				t.Errorf("the run has %s, want failed 0 60 map[]: %s", got, o.Message)
			}
			if diff := cmp.Diff(before, in.Rows("SELECT n, left(body, 4) FROM m ORDER BY n")); diff != "" {
				t.Errorf("rows (-before +after):\n%s", diff)
			}
			if n := pgtest.Value[int](t, in,
				"SELECT (SELECT count(*) FROM old) + (SELECT count(*) FROM total)"); n != 0 {
				t.Errorf("%d rows are written, want none", n)
			}
		})
	}
}

// TestRunsContinueWithoutAKey lets the runs of a job use up their budgets among rows with equal
// clocks that a guard keeps. In between, the rows move to other places. No due row is left out.
func TestRunsContinueWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]string{
		"rows stay": "SELECT 1", "rows move": "VACUUM FULL m", "rows are updated": "UPDATE m SET n = n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, `CREATE TABLE m (at timestamptz NOT NULL, kind text, n int);
				INSERT INTO m SELECT '2024-01-01', CASE WHEN i % 3 = 0 THEN 'goes' ELSE 'kept' END, i % 7
					FROM generate_series(1, 3000) i`, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, keep: {kept: "kind = 'kept'"}, batch: {rows: 100},
    budget: {rows: 200}, breaker: {fraction: 100%}, then: [delete]}
jobs: {often: {schedule: "* * * * *", run: [p]}}`)
			for i := 0; ; i++ {
				if _, err := in.Call("CALL retention.run_job('often', $1)", noon); err != nil {
					t.Fatal(err)
				}
				left := pgtest.Value[int64](t, in, "SELECT count(*) FROM m WHERE kind = 'goes'")
				if o := in.Last("p"); o.State == "done" && left != 0 {
					t.Fatalf("run %d ended done, and %d rows are due", i, left)
				} else if o.State == "done" {
					break
				} else if i > 40 {
					t.Fatalf("%d rows are due after %d runs", left, i)
				}
				in.Exec(t, move)
			}
			if n := pgtest.Value[int64](t, in, "SELECT count(*) FROM m WHERE kind = 'kept'"); n != 2000 {
				t.Errorf("%d kept rows are left, want 2000", n)
			}
		})
	}
}

// TestCallsWithoutAKey calls functions for a table without a key. What needs a key is refused with
// a message that says so. Holds and why work by the values of columns.
func TestCallsWithoutAKey(t *testing.T) {
	t.Parallel()
	const yaml = `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}},
    then: [archive: {into: old, set: {run_id: run.id}}, delete]}`
	in := kit.Install(t, `CREATE TABLE m (at timestamptz NOT NULL, kind text, n int);
		CREATE TABLE old (at timestamptz, kind text, n int, run_id bigint);
		INSERT INTO m SELECT '2024-01-01', 'k' || i % 2, i / 10 FROM generate_series(0, 19) i`, yaml)
	objects, _ := in.Compile(t, yaml)
	in.WantConforms(t, objects)
	for what, policy := range map[string]string{
		"touch": `{table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete],
			touch: {key: kind, set: {at: as_of}}}`,
		"claim": "{table: m, due: {expires: {column: at}}, then: [delete], claim: {key: kind, ttl: 1 hour}}",
	} {
		_, list := in.Compile(t, "policies: {p: "+policy+"}")
		want := fmt.Sprintf(`table "public.m" has no key, so "%s" cannot be used`, what)
		if !slices.ContainsFunc(list, func(d diag.Diagnostic) bool {
			return d.Code.String() == "P052" &&
				d.Message == want
		}) {
			t.Errorf("%s: got %v, want %q", what, list, want)
		}
	}
	hold(t, in, `'m', '{"kind": "k1", "n": 0}', 'case 7'`)
	if held := pgtest.Value[string](t, in, `SELECT string_agg(concat_ws(' ', due, kept_by), ', ' ORDER BY due)
		FROM retention.why('p', '{"n": 0}', $1::text::timestamptz)`, noon); held !=
		strings.Repeat("f hold, ", 5)+strings.Repeat("t, ", 4)+"t" {
		t.Errorf("why says %q", held)
	}
	o := in.Done("p", noon)
	if o.Taken != 15 || o.Kept["hold"] != 5 {
		t.Errorf("the run took %d rows and kept %v, want 15 and 5 held rows", o.Taken, o.Kept)
	}
	for call, want := range map[string]string{
		"SELECT retention.place_hold('m', '4711', 'case')": `table "public.m" has no key`,
		fmt.Sprintf("SELECT retention.restore('p', %d)", o.ID): `table "public.m" has no key, so its rows cannot be ` +
			"restored",
		fmt.Sprintf("SELECT retention.restore('p', %d, match => '1')", o.ID): `table "public.m" has no key, so its ` +
			"rows cannot be restored",
	} {
		if err := in.Operator(call); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", call, err, want)
		}
	}
}

// TestWatermarkWithoutAKey counts and emits rows of a table without a key up to a watermark. Many
// rows have the same position. Each row is processed once, and stays.
func TestWatermarkWithoutAKey(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE e (seq bigint NOT NULL, v int);
		CREATE TABLE mark (seq bigint NOT NULL);
		CREATE TABLE total (v int PRIMARY KEY, n bigint NOT NULL);
		INSERT INTO mark VALUES (0);
		INSERT INTO e SELECT 1 + i / 50, i % 3 FROM generate_series(0, 299) i`, `
policies:
  p:
    table: e
    due: {position: {column: seq, watermark: {table: mark, column: seq}}}
    breaker: {fraction: 100%}
    then:
      - insert: {into: total, key: {v: v}, add: {n: "count(*)"}}
      - emit: {event: seen, payload: {seq: seq}}`)
	in.SetBatch(70)
	check := func(taken, all, mark int64) {
		t.Helper()
		if o := in.Done("p", noon); o.Taken != taken {
			t.Errorf("the run took %d rows, want %d", o.Taken, taken)
		}
		want := fmt.Sprintf("%d %d %d %d", all, all, all, mark)
		if got := pgtest.Value[string](t, in, `SELECT concat_ws(' ', (SELECT count(*) FROM e),
			(SELECT sum(n) FROM total), (SELECT count(*) FROM retention.event), (SELECT seq FROM mark))`); got != want {
			t.Errorf("rows, total, events and mark are %s, want %s", got, want)
		}
	}
	check(300, 300, 6)
	in.Exec(t, "INSERT INTO e SELECT 7, 1 FROM generate_series(1, 10)")
	check(10, 310, 7)
}

// TestPlansWithoutAKey checks the plan with which a batch finds its rows in a large table without a
// key. It sorts only rows with equal clocks, and reads the rows by an index and by their places.
func TestPlansWithoutAKey(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{
		"table": "CREATE TABLE m (at timestamptz NOT NULL, body text)",
		"partitions": `CREATE TABLE m (at timestamptz NOT NULL, body text) PARTITION BY RANGE (at);
			CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('2024-01-10');
			CREATE TABLE m_2 PARTITION OF m DEFAULT`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const yaml = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"
			in := kit.Install(t, table+`; ALTER TABLE m ALTER body SET STORAGE PLAIN;
				INSERT INTO m SELECT '2024-01-01'::timestamptz + i * interval '3 min', repeat('x', 1900)
				FROM generate_series(1, 9000) i`, yaml)
			in.Exec(t, "ANALYZE m")
			objects, _ := in.Compile(t, yaml)
			in.WantConforms(t, objects)
			plan := pgtest.Value[string](t, in, "SELECT plan::text FROM retention._plans(ARRAY['p'], true)")
			for _, node := range []string{"Incremental Sort", "Nested Loop", "Index Scan", "Tid Scan"} {
				if !strings.Contains(plan, `"Node Type": "`+node+`"`) {
					t.Errorf("the plan has no node %s:\n%s", node, plan)
				}
			}
			for _, node := range []string{"Sort", "Seq Scan", "Hash Join", "Merge Join"} {
				if strings.Contains(plan, `"Node Type": "`+node+`"`) {
					t.Errorf("the plan has a node %s:\n%s", node, plan)
				}
			}
		})
	}
}

// TestEachSchemaWithoutAKey runs one policy on the tables of two schemas that have no key.
func TestEachSchemaWithoutAKey(t *testing.T) {
	t.Parallel()
	schema := ""
	for _, name := range []string{"tenant_a", "tenant_b"} {
		schema += strings.ReplaceAll(`CREATE SCHEMA x; CREATE TABLE x.log (at timestamptz NOT NULL, n int);
			CREATE INDEX ON x.log (at);
			INSERT INTO x.log SELECT '2024-01-01'::timestamptz + i / 20 * interval '45 days', i % 3
				FROM generate_series(0, 79) i;`, "x", name)
	}
	in := kit.Install(t, schema, `
each: {each_tenant: {schemas: "tenant_*"}}
policies:
  log: {table: each_tenant.log, due: {age: {column: at, older_than: 7 days}}, keep: {n: "n = 2"}, batch: {rows: 7},
    then: [delete]}`)
	for _, name := range []string{"tenant_a", "tenant_b"} {
		rows := "SELECT at, n FROM " + name + ".log"
		want := in.Rows(rows + " WHERE n = 2 OR at > '2024-03-25' ORDER BY 1, 2")
		o := in.Done("log@"+name, noon)
		if diff := cmp.Diff(want, in.Rows(rows+" ORDER BY 1, 2")); diff != "" {
			t.Errorf("rows left in %s (-want +got):\n%s", name, diff)
		}
		if o.Taken+int64(len(want)) != 80 || o.Batches < 2 {
			t.Errorf("the run of %s took %d rows in %d batches, and %d stay", name, o.Taken, o.Batches, len(want))
		}
	}
}
