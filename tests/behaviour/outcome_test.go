package behaviour

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestRefusedRowsInTheOutcome checks how a run reports refused rows, in the log and in its answer.
// Both have the number of refused rows and the first error. A run fails if it took no row and
// refused at least one. This applies to batches of one statement and to batches row by row.
func TestRefusedRowsInTheOutcome(t *testing.T) {
	t.Parallel()
	const table = `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01',
			v int NOT NULL DEFAULT 1, done boolean NOT NULL DEFAULT false);
		INSERT INTO m (id) SELECT i FROM generate_series(1, 4) i;
		CREATE TABLE child (id int REFERENCES m);
		CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'row % stays', OLD.id; END $$;`
	rule := func(rest string) string {
		return "policies: {p: {table: m, due: {age: {column: at, older_than: 1 day}}, " + rest + "}}"
	}
	for name, c := range map[string]struct{ schema, policy, first, code, mend string }{
		"a step": {"", rule(`then: [{update: {set: {at: as_of, v: "CASE WHEN done THEN v END"}}}]`),
			`null value in column "v"`, "23502", "UPDATE m SET done = true WHERE id > 1"},
		"a foreign key": {"INSERT INTO child SELECT id FROM m", rule("then: [delete]"),
			`update or delete on table "m" violates`, "23503", "DELETE FROM child WHERE id > 1"},
		"a trigger": {"CREATE TRIGGER no BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.v > 0) EXECUTE FUNCTION no()",
			rule("then: [delete]"), "row 1 stays", "P0001", "UPDATE m SET v = 0 WHERE id > 1"},
		"a condition": {"UPDATE m SET v = 0", rule(`where: "1 / v > 0", then: [delete]`), "division by zero", "22012",
			"UPDATE m SET v = 1 WHERE id > 1"},
		"row by row": {
			"UPDATE m SET v = 0",
			rule(`keep: {x: "EXISTS (SELECT FROM m x WHERE x.id = -t.id AND 1 / t.v > 9)", y: "1 / v > 2"},
				then: [delete]`),
			"division by zero", "22012", "UPDATE m SET v = 1 WHERE id > 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, table+c.schema, c.policy)
			for _, rows := range []int{1000, 2, 1} {
				in.SetBatch(rows)
				o := in.Run("p", noon)
				if want := "no row was taken; 4 rows were refused, the first: " + c.first; o.State != "failed" ||
					o.SQLState != c.code || o.Refused != 4 ||
					!strings.HasPrefix(o.Message, want) || o.Err == nil || o.Err.Code != c.code ||
					!strings.Contains(o.Err.Message, want) {
					t.Errorf("batches of %d: %+v, want %q", rows, o, want)
				}
			}
			in.Exec(t, c.mend)
			o := in.Done("p", noon)
			if want := "1 row was refused: " + c.first; o.Taken != 3 || o.Refused != 1 ||
				!strings.HasPrefix(o.Message, want) || !strings.Contains(o.Summary, "3 of 4 rows taken; "+want) {
				t.Errorf("%+v, want %q", o, want)
			}
			if o := in.Run("p", noon); o.State != "failed" ||
				!strings.HasPrefix(o.Message, "no row was taken; 1 row was refused: "+c.first) {
				t.Errorf("where one is left: want a run with state failed; got %+v", o)
			}
		})
	}
}

// TestOutcomeOfRefusedPartition checks that a run refuses a partition whose rows a foreign key
// refers to. It then fails, because it took no partition.
func TestOutcomeOfRefusedPartition(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE m (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE m_1 PARTITION OF m FOR VALUES FROM ('2024-01-01') TO ('2024-01-02');
		CREATE TABLE m_2 PARTITION OF m FOR VALUES FROM ('2024-01-02') TO ('2024-01-03');
		INSERT INTO m VALUES (1, '2024-01-01'), (2, '2024-01-02');
		CREATE TABLE ref (id int, at timestamptz, FOREIGN KEY (id, at) REFERENCES m);
		INSERT INTO ref VALUES (1, '2024-01-01')`,
		"policies: {p: {partitions_of: m, due: {age: {older_than: 1 day}}, then: [drop]}}")
	if o := in.Run("p", noon); o.State != "failed" ||
		!strings.Contains(o.Err.Message, "0 of 1 rows taken; no row was taken; 1 row was refused: ") ||
		!strings.Contains(o.Message, `"m_1" violates foreign key constraint "ref_id_at_fkey`) {
		t.Errorf("want a run with state failed; got %+v", o)
	}
}

// TestHoldOnTableWithoutPolicy places a hold on a table that no policy takes rows from. The hold is
// in force for a policy that is added later.
func TestHoldOnTableWithoutPolicy(t *testing.T) {
	t.Parallel()
	const yaml = "policies:\n  p: {table: m, where: true, then: [delete]}\n"
	in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY);
		INSERT INTO m VALUES (1);
		CREATE TABLE apart (id int PRIMARY KEY, kind text);
		INSERT INTO apart SELECT n, 'k' || n % 2 FROM generate_series(1, 4) n`, yaml)
	if err := in.Operator(`SELECT retention.place_hold('apart', '{"kind": "k1"}', 'case 7')`); err != nil {
		t.Fatal(err)
	}
	if o := in.Done("p", noon); o.Taken != 1 {
		t.Errorf("want a run with taken 1; got %+v", o)
	}
	in.Migrate(t, yaml+"  q: {table: apart, where: true, then: [delete]}\n")
	if o := in.Done("q", noon); o.Taken != 2 || o.Kept["hold"] != 2 {
		t.Errorf("want a run with taken 2, kept by hold 2; got %+v", o)
	}
	if left := fmt.Sprint(pgtest.Column[int32](t, in, "SELECT id FROM apart ORDER BY id")); left != "[1 3]" {
		t.Errorf("left are %s, want [1 3]", left)
	}
}

// TestPolicyCodeRaisesInternalError checks a function of a policy that raises PR009. Read-only
// queries end with this code internally. Here it must count as a failure: an incomplete result
// would hide held rows.
func TestPolicyCodeRaisesInternalError(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE FUNCTION looks(bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE 'PR009'; END $$;
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE n (id bigint PRIMARY KEY, m_id bigint)`, `
policies:
  p:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then: [delete: {table: n, as: x, where: "x.m_id = t.id AND looks(x.id)"}, delete]
`)
	in.Exec(t, `INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 4) i;
		INSERT INTO n SELECT i, i FROM generate_series(1, 4) i`)
	if err := in.Operator(`SELECT retention.place_hold('n', '3', 'case 1')`); err != nil {
		t.Fatal(err)
	}
	if err := in.Operator("SELECT * FROM retention.preview('p')"); err == nil ||
		!strings.Contains(err.Error(), "PR009") {
		t.Errorf("the preview returned %v, want the error PR009", err)
	}
	if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "PR009" {
		t.Errorf("the run ended %s with SQLSTATE %q, want failed with PR009: %s", o.State, o.SQLState, o.Message)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM m"); n != 4 {
		t.Errorf("%d of 4 rows are left, want 4", n)
	}
}

// TestWholeBatch checks policies with batch.whole. An error that a row causes undoes its batch and
// ends the run; earlier batches stay. Without the error, the next run takes all rows. Locked and
// held rows are skipped.
func TestWholeBatch(t *testing.T) {
	t.Parallel()
	const schema = plain + `;
		CREATE TABLE child (m_id int REFERENCES m DEFERRABLE INITIALLY DEFERRED);
		CREATE TABLE gone (id int PRIMARY KEY, at timestamptz, run bigint);
		CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`
	for name, c := range map[string]struct{ more, step, fault, mend, state string }{
		"foreign key": {"", "", "INSERT INTO child VALUES (12)", "DELETE FROM child", "23503"},
		"trigger": {
			"", "",
			"CREATE TRIGGER no BEFORE DELETE ON m FOR EACH ROW WHEN (OLD.id = 12) EXECUTE FUNCTION no()",
			"DROP TRIGGER no ON m", "P0001",
		},
		"condition": {`where: "1 / (id - 12) IS NOT NULL", `, "", "", "UPDATE m SET id = 120 WHERE id = 12", "22012"},
		"guard":     {`keep: {some: "1 / (id - 12) > 7"}, `, "", "", "UPDATE m SET id = 120 WHERE id = 12", "22012"},
		"archive": {"", "{archive: {into: gone, set: {run: run.id}}}, ", "INSERT INTO gone VALUES (12)",
			"DELETE FROM gone WHERE run IS NULL", "23505"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := fmt.Sprintf(`policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
				%sbatch: {rows: 1000, whole: true}, then: [%sdelete]}}`, c.more, c.step)
			in := kit.Install(t, schema, yaml)
			all := in.Rows("SELECT * FROM m")
			fails := func(rows, taken int) {
				t.Helper()
				in.SetBatch(rows)
				if o := in.Run("p", noon); o.State != "failed" || o.SQLState != c.state || o.Taken != int64(taken) ||
					o.Refused != 0 {
					t.Errorf("batches of %d: want a run with state failed, refused 0; got %+v", rows, o)
				}
				if left := len(in.Rows("SELECT FROM m")); left != 20-taken {
					t.Errorf("batches of %d: %d rows are left, want %d", rows, left, 20-taken)
				}
			}
			in.Exec(t, c.fault)
			fails(1000, 0)
			if diff := cmp.Diff(all, in.Rows("SELECT * FROM m")); diff != "" {
				t.Errorf("rows changed (-before +after):\n%s", diff)
			}
			fails(1, 8) // rows 20 to 13 are taken first
			in.Exec(t, c.mend)
			if o := in.Done("p", noon); o.Taken != 5 || len(in.Rows("SELECT FROM m")) != 7 {
				t.Errorf("after that: want a run with taken 5; got %+v", o)
			}
		})
	}
	t.Run("held and locked", func(t *testing.T) {
		t.Parallel()
		in := kit.Install(t, schema, "defaults: {batch: {whole: true}}\n"+old("batch: {rows: 1000}, "))
		hold(t, in, "'m', '9', 'case 1'")
		other := in.Conn(t)
		if _, err := other.Exec(t.Context(), "BEGIN; SELECT FROM m WHERE id = 15 FOR UPDATE"); err != nil {
			t.Fatal(err)
		}
		if o := in.Done("p", noon); o.Taken != 11 || o.Kept["hold"] != 1 || o.Contended != 1 {
			t.Errorf("want a run with taken 11, kept by hold 1, locked 1; got %+v", o)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 9, 15}, ids(t, in)); diff != "" {
			t.Errorf("rows that are left differ (-want +got):\n%s", diff)
		}
		if _, err := other.Exec(t.Context(), "COMMIT; INSERT INTO child VALUES (15)"); err != nil {
			t.Fatal(err)
		}
		if o := in.Run("p", noon); o.State != "failed" || o.SQLState != "23503" { // defaults.batch.whole is in force
			t.Errorf("want a failed run with SQLSTATE 23503, got %+v", o)
		}
	})
}

// TestLostRows checks which holds on single rows _lost_rows reports: "gone" if the row was deleted
// or its key changed, "denied" if the table cannot be read.
func TestLostRows(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TYPE colour AS ENUM ('red', 'blue');
		CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE c (a text, b colour, n numeric, PRIMARY KEY (a, b, n));
		CREATE TABLE shut (id int PRIMARY KEY);
		INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 3) i;
		INSERT INTO c VALUES ('x', 'red', 1.50), ('x', 'blue', 2);
		INSERT INTO shut VALUES (1)`,
		"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}")
	in.Exec(t, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO retention_worker")
	for _, held := range []string{"'m', '1'", "'m', '2'", `'c', '{"a": "x", "b": "red", "n": 1.5}'`,
		`'c', '{"a": "x", "b": "blue", "n": 2.0}'`, "'public.shut', '1'",
		"'m', '9'", `'m', '{"at": "2024-01-01"}'`} {
		hold(t, in, held+", 'case'")
	}
	lost := func() []string {
		t.Helper()
		return pgtest.Column[string](t, in, `SELECT l.hold_id || ' ' || l.fault FROM retention._lost_rows(100) l
			ORDER BY l.hold_id`)
	}
	if diff := cmp.Diff([]string{}, lost()); diff != "" {
		t.Errorf("as they were placed (-want +got):\n%s", diff)
	}
	in.Exec(t, `DELETE FROM m WHERE id = 2;
		UPDATE c SET n = 3 WHERE b = 'blue';
		UPDATE c SET n = 1.500 WHERE b = 'red';
		GRANT SELECT ON shut TO retention_owner;
		REVOKE SELECT ON shut FROM retention_worker`)
	if diff := cmp.Diff([]string{"2 gone", "4 gone", "5 denied"}, lost()); diff != "" {
		t.Errorf("lost rows differ (-want +got):\n%s", diff)
	}
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention._lost_rows(4)"); n != 2 {
		t.Errorf("%d of the newest holds, want 2", n)
	}
}

// TestFirstBatchOfTheNextRun checks that a run begins with as many rows as the last run has found,
// also if runs without due rows came between. A changed policy begins anew.
func TestFirstBatchOfTheNextRun(t *testing.T) {
	t.Parallel()
	for guard, anew := range map[string]int{"keep: {g: 'EXISTS (SELECT FROM g WHERE g.id = t.id)'},": 4, "": 500} {
		yaml := `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}},
			` + guard + ` then: [delete], batch: {time: 10s}}}`
		in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL); CREATE TABLE g (id int)",
			yaml)
		first := func() (rows int) {
			t.Helper()
			in.Exec(t, "INSERT INTO m SELECT i, '2024-01-01' FROM generate_series(1, 2000) i")
			for range 2 { // the second run finds no due row
				if _, err := in.Call("CALL retention.run('p', '2024-06-01')"); err != nil {
					t.Fatal(err)
				}
			}
			return pgtest.Value[int](t, in, `SELECT scanned FROM retention.batch
				WHERE n = 1 AND run_id = (SELECT max(run_id) FROM retention.batch WHERE scanned > 0)`)
		}
		if rows := first(); rows != anew {
			t.Errorf("the first run begins with %d rows, want %d", rows, anew)
		}
		if rows := first(); rows < 1000 {
			t.Errorf("the next run begins with %d rows, want all 2000, or half of them on a busy machine", rows)
		}
		in.Migrate(t, strings.Replace(yaml, "7 days", "8 days", 1))
		if rows := first(); rows != anew {
			t.Errorf("the first run of a changed policy begins with %d rows, want %d", rows, anew)
		}
	}
}

// TestSizeOfTheNextBatch checks how many rows the next batch reads, with a target of 50 ms.
func TestSizeOfTheNextBatch(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	run := in.Done("p", noon)
	for name, c := range map[string]struct {
		rows, scanned int
		ms, rowsMS    float64 // of the whole batch, and of its rows
		sqlstate      string
		want          int
	}{
		"on target":                             {500, 500, 60, 50, "", 500},
		"faster":                                {500, 500, 35, 25, "", 1000},
		"much faster":                           {500, 500, 3, 1, "", 5000},
		"slower":                                {500, 500, 80, 75, "", 333},
		"expensive rows":                        {500, 500, 200010, 200000, "", 1},
		"one expensive row":                     {1, 1, 410, 400, "", 1},
		"expensive rows, and few":               {500, 20, 8010, 8000, "", 1},
		"few rows":                              {500, 20, 100, 90, "", 500},
		"no rows":                               {500, 0, 900, 890, "", 500},
		"a processor that is ten times as busy": {500, 500, 400, 200, "", 500},
		"the same with smaller batches":         {100, 100, 240, 40, "", 500},
		"a long fixed part":                     {500, 500, 90, 50, "", 500},
		"a lock":                                {500, 500, 90, 80, "55P03", 500},
		"a refused row":                         {500, 500, 90, 25, "23503", 1000},
		"undone attempts":                       {500, 500, 900, 100, "22012", 250},
	} {
		got := pgtest.Value[int](t, in, `SELECT retention._batch_size(p, jsonb_populate_record(b, jsonb_build_object(
				'next_rows', $1::int, 'scanned', $2::int, 'ms', $3::float, 'sqlstate', nullif($4, ''))), $6)
			FROM retention.policy p, retention.batch b WHERE p.name = 'p' AND b.run_id = $5 AND b.n = 0`,
			c.rows, c.scanned, c.ms, c.sqlstate, run.ID, c.rowsMS)
		if got != c.want {
			t.Errorf("%s: the next batch reads %d rows, want %d", name, got, c.want)
		}
	}
}

// TestSizeOfBatchesOfASlowSearch lets batches have any size that _batch_size returns. A batch takes
// the same time for its search whatever its size, and more for each row. The rows must get at least
// a quarter of the time of all batches, unless the batches are as large as the policy allows.
// Without a search, no batch after the first ones may take much longer than batch.time. Rows that
// become expensive are not mistaken for a slow search.
func TestSizeOfBatchesOfASlowSearch(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain, old(""))
	run := in.Done("p", noon)
	conn := in.Conn(t)
	none := func() { pgtest.Exec(t, conn, "DELETE FROM retention.batch WHERE run_id = $1 AND n > 0", run.ID) }
	const fixed, target, batches, largest = 5, 50, 60, 50_000 // the last is the default of batch.rows
	next := func(n, size int, rowMS float64) int {
		return pgtest.Value[int](t, in, `WITH b AS (
				INSERT INTO retention.batch (run_id, n, mode, ms, scanned, next_pass, next_rows)
				VALUES ($1, $2, 'range', $3, $4::int, 1, $4::int) RETURNING *)
			SELECT retention._batch_size(p, b, $5) FROM retention.policy p, b WHERE p.name = 'p'`,
			run.ID, n, fixed+rowMS, size, rowMS)
	}
	none()
	// Half as many rows take a hundred times as long, so the rows are expensive, not the search.
	next(1, 1000, 50)
	if size := next(2, 500, 5000); size > 10 {
		t.Errorf("after 500 expensive rows the next batch reads %d, want at most 10", size)
	}
	none()
	for _, search := range []float64{0, 10, 40, 49, 51, 100, 1000, 30000} {
		for _, row := range []float64{0.01, 0.1, 5, 400} {
			ms, rowsMS, most, size := 0.0, 0.0, 0.0, 500
			for n := range batches {
				rowMS := search + row*float64(size)
				ms, rowsMS = ms+fixed+rowMS, rowsMS+row*float64(size)
				if n > 5 {
					most = max(most, rowMS)
				}
				size = next(n+1, size, rowMS)
			}
			none()
			if share := rowsMS / ms; share < 0.25 && size < largest {
				t.Errorf("search %g ms, %g ms a row: rows have %.2f of the time, want a quarter", search, row, share)
			}
			if limit := max(target, row) * 1.2; search == 0 && most > limit {
				t.Errorf("%g ms a row: a batch took %.0f ms, want at most %.0f", row, most, limit)
			}
		}
	}
}

// TestSizeOfBatches checks the number of rows in each batch. With "rows" alone, each batch has
// exactly that many. With a time, the first batch has 500 rows, or 4 if a guard reads another
// table, and later ones grow to reach the time. No batch has more rows than "rows".
func TestSizeOfBatches(t *testing.T) {
	for _, c := range []struct{ name, batch, rule, want string }{
		{"rows alone", "{rows: 700}", "", "700 700 700 700 700 700 700 100"},
		{"rows alone, LOCKED", "{rows: 1900}", "keep: {g: 'EXISTS (SELECT FROM g WHERE g.id = t.id)'}, ",
			"1900 1900 1200"},
		{"rows below 500", "{rows: 450, time: 10s}", "", "450 450 450 450 450 450 450 450 450 450 450 50"},
		{"a long time", "{rows: 1800, time: 10s}", "", "500 1800 1800 900"},
		{"a long time, LOCKED", "{time: 10s}", "keep: {g: 'EXISTS (SELECT FROM g WHERE g.id = t.id)'}, ",
			"4 40 400 4000 556"},
		{"no time at all", "{time: 1ms, rows: 600}", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows := 5000
			if c.want == "" { // batches become smaller because the time is too short
				rows = 1200
			}
			in := kit.Install(t, `CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL);
				CREATE TABLE g (id int);
				INSERT INTO m SELECT i, '2024-01-01'::timestamptz + i * interval '1 s' FROM generate_series(1, `+
				strconv.Itoa(rows)+") i",
				"policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, "+c.rule+
					"then: [delete], batch: "+c.batch+"}}")
			if _, err := in.Call("CALL retention.run('p', '2024-06-01')"); err != nil {
				t.Fatal(err)
			}
			sizes := pgtest.Value[string](t, in.Conn(t),
				"SELECT string_agg(scanned::text, ' ' ORDER BY n) FROM retention.batch WHERE scanned > 0")
			if c.want != "" && c.want != sizes {
				t.Errorf("batches of %s, want %s", sizes, c.want)
			}
			if n := pgtest.Value[int](t, in.Conn(t), "SELECT max(scanned) FROM retention.batch"); c.want == "" &&
				n > 600 {
				t.Errorf("a batch has %d rows, want at most 600", n)
			}
			if n := pgtest.Value[int](t, in.Conn(t), "SELECT count(*) FROM m"); n != 0 {
				t.Errorf("%d rows are left, want 0", n)
			}
		})
	}
}

// TestStrictJobNamesSkippedPolicies checks that a strict job ends after a policy that did not end
// "done". Its error names the policies that did not run.
func TestStrictJobNamesSkippedPolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		second, code, message string
		runs                  []string
	}{
		{`{table: m, due: {age: {column: at, older_than: 15 days}}, then: [delete]}`, "", "",
			[]string{"(first,done,1)", "(last,done,8)", "(second,done,4)"}},
		{`{table: m, due: {age: {column: at, older_than: 15 days}}, budget: {rows: 2}, then: [delete]}`, "P0001",
			"not run, because second ended more: last", []string{"(first,done,1)", "(second,more,2)"}},
		{`{table: m, where: "current_setting('retention.' || id) <> ''", then: [delete]}`, "42704",
			"second: failed", []string{"(first,done,1)", "(second,failed,0)"}},
	} {
		for _, strict := range []bool{true, false} {
			in := kit.Install(t, plain, `
policies:
  first: {table: m, due: {age: {column: at, older_than: 19 days}}, then: [delete]}
  second: `+c.second+`
  last: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [first, second, last]`+map[bool]string{true: ", strict: true"}[strict]+`}}`)
			_, err := in.Call("CALL retention.run_job('nightly', $1)", noon)
			got := in.Rows("SELECT policy, state, taken FROM retention.run")
			if !strict {
				if len(got) != 3 || err != nil && err.Code != "42704" {
					t.Errorf("a job that is not strict: runs %v, error %v, want 3 runs", got, err)
				}
				continue
			}
			if diff := cmp.Diff(c.runs, got); diff != "" {
				t.Errorf("%s: runs differ (-want +got):\n%s", c.second, diff)
			}
			switch {
			case c.code == "" && err != nil:
				t.Errorf("job with %s failed: %v", c.second, err)
			case c.code != "" && (err == nil || err.Code != c.code || !strings.Contains(err.Message, c.message) ||
				!strings.Contains(err.Message, "not run, because second ended")):
				t.Errorf("job with %s: got error %v, want SQLSTATE %s and %q", c.second, err, c.code, c.message)
			}
		}
	}
}

// TestJobWithAScope checks that the scope of a job narrows every policy of that job, and of no
// other job.
func TestJobWithAScope(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, scoped, `
policies:
  aged: {table: m, scope: [g, k], due: {age: {column: at, older_than: 12 days}}, then: [delete]}
  rest: {table: m, scope: [g], where: "id > 3", then: [delete]}
jobs:
  ones: {schedule: "@daily", run: [aged, rest], scope: {g: 1}, strict: true}
  all: {schedule: "@daily", run: [aged]}
  letters: {schedule: "@daily", run: [aged], scope: {g: 0, k: "'b'"}}`)
	in.Exec(t, "CREATE TABLE before AS TABLE m")
	for _, c := range []struct{ job, gone string }{
		{"letters", "g = 0 AND k = 'b' AND id > 12"}, {"ones", "g = 1 AND (id > 12 OR id > 3)"}, {"all", "id > 12"},
	} {
		in.Exec(t, "TRUNCATE m; INSERT INTO m TABLE before")
		if _, err := in.Call("CALL retention.run_job($1, $2)", c.job, noon); err != nil {
			t.Errorf("job %s failed: %v", c.job, err)
		}
		want := pgtest.Column[int](t, in, "SELECT id FROM before WHERE ("+c.gone+") IS NOT TRUE ORDER BY id")
		if diff := cmp.Diff(want, ids(t, in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.job, diff)
		}
	}
	// A policy whose scope columns are missing fails. It must not run without the scope.
	in.Exec(t, "TRUNCATE m; INSERT INTO m TABLE before; UPDATE retention.policy SET scope = '{}' WHERE name = 'aged'")
	if _, err := in.Call("CALL retention.run_job('ones', $1)", noon); err == nil || err.Code != "22023" ||
		!strings.Contains(err.Message, "not run, because aged ended failed: rest") {
		t.Errorf("got error %v, want 22023 that names the policy rest", err)
	}
	if n := len(ids(t, in)); n != 20 {
		t.Errorf("%d rows are left, want 20", n)
	}
}

// TestPreviewOfAJob checks that preview_job previews each policy on the rows that earlier policies
// leave. It undoes all changes. A policy that fails does not hide the results of later ones.
func TestPreviewOfAJob(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, plain+`;
		CREATE TABLE n (id int PRIMARY KEY, m int, at timestamptz NOT NULL);
		INSERT INTO n SELECT id, id, '2024-03-01 12:00+00' FROM m`, `
policies:
  aged: {table: m, due: {age: {column: at, older_than: 12 days}},
        then: [{update: {table: n, as: c, where: "c.m = t.id", set: {m: "NULL"}}}, delete]}
  fails: {table: m, where: "current_setting('retention.' || id) <> ''", due: {age: {column: at, older_than: 1 day}},
        then: [delete]}
  orphans: {table: n, where: "m IS NULL", due: {age: {column: at, older_than: 1 day}}, then: [delete]}
jobs: {nightly: {schedule: "@daily", run: [aged, fails, orphans]}}`)
	const foreseen = "SELECT policy, state, taken FROM retention.preview_job('nightly', '" + noon + "')"
	want := []string{"(aged,done,8)", "(fails,failed,0)", "(orphans,done,8)"}
	if diff := cmp.Diff(want, pgtest.Column[string](t, in.Runner(), "SELECT format('%s', p) FROM ("+
		foreseen+") p")); diff != "" {
		t.Errorf("the preview differs (-want +got):\n%s", diff)
	}
	if left := in.Rows(`SELECT count(*) FROM m UNION ALL SELECT count(m) FROM n UNION ALL SELECT count(*)
		FROM retention.run`); !cmp.Equal(left, []string{"(0)", "(20)", "(20)"}) {
		t.Errorf("after the preview, m, n and the run log have %v rows, want 20, 20 and 0", left)
	}
	for _, dry := range []bool{true, false} {
		if _, err := in.Call("CALL retention.run_job('nightly', $1, dry_run => $2)", noon, dry); err == nil {
			t.Errorf("dry_run %v: the job has a policy that fails, but raised no error", dry)
		}
		if diff := cmp.Diff(want,
			in.Rows(fmt.Sprintf("SELECT policy, state, taken FROM retention.run WHERE dry_run = %v",
				dry))); diff != "" {
			t.Errorf("the runs with dry_run %v differ (-want +got):\n%s", dry, diff)
		}
	}
	err := pgx.BeginFunc(t.Context(), in.Runner(), func(tx pgx.Tx) error {
		pgtest.Exec(t, in.Runner(), "CREATE TEMPORARY TABLE begun ()")
		_, err := tx.Exec(t.Context(), foreseen)
		return err
	})
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "25001" {
		t.Errorf("a preview in a transaction that has written: got %v, want 25001", err)
	}
}
