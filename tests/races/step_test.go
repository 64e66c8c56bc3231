package races

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// stepSchema creates table m and the tables that steps write. Each row of m has two rows in r. Only
// row 5 has no related rows, so that no other row remains if row 5 is refused.
const stepSchema = `
	CREATE TABLE m (id int PRIMARY KEY, kind text NOT NULL, state text NOT NULL DEFAULT 'new', at timestamptz NOT NULL);
	CREATE TABLE r (id int PRIMARY KEY, m_id int, note text);
	CREATE TABLE log (id int, kind text, at timestamptz);
	CREATE TABLE sums (kind text PRIMARY KEY, n bigint NOT NULL, last int);
	CREATE TABLE old (LIKE m INCLUDING ALL, run_id bigint);
	CREATE TABLE attic (what text, body jsonb);
	CREATE TABLE head (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text, n bigint);
	CREATE TABLE mark (id int NOT NULL); INSERT INTO mark VALUES (0);`

const stepData = `INSERT INTO m SELECT i, 'k' || i % 3, 'new',
	'2024-01-01'::timestamptz + i * interval '1 minute' FROM generate_series(1, 12) i;
	INSERT INTO r SELECT i, (i + 1) / 2, 'n' || i FROM generate_series(1, 24) i WHERE (i + 1) / 2 <> 5`

// stepTables has a query for each table that the tests compare. The queries leave out values of
// sequences.
var stepTables = map[string]string{
	"m": "SELECT * FROM m", "r": "SELECT * FROM r", "log": "SELECT * FROM log", "sums": "SELECT * FROM sums",
	"old":   "SELECT id, kind, state, at, run_id IS NOT NULL FROM old",
	"attic": "SELECT * FROM attic",
	"head":  "SELECT kind, n FROM head",
	"mark":  "SELECT * FROM mark",
	"event": "SELECT policy, event, payload FROM retention.event",
	"undo":  "SELECT policy, key, written FROM retention.undo",
}

const (
	stepDue = "due: {age: {column: at, older_than: 7 days}}"
	stepAge = "table: m, " + stepDue
)

// stepKinds has a policy for each kind of step, and the table and the event of the trigger that
// fails for row 5.
var stepKinds = map[string]struct{ rule, on, when string }{
	"delete": {stepAge + `, then: [delete]`, "m", "DELETE"},
	"related delete": {stepAge + `, then: [{delete: {table: r, as: r, where: "r.m_id = t.id"}}, delete]`, "m",
		"DELETE"},
	"related after": {stepAge + `, then: [delete, {delete: {table: r, as: r, where: "r.m_id = t.id"}}]`, "m",
		"DELETE"},
	"update": {`table: m, where: "state = 'new'", ` +
		stepDue + `, then: [{update: {set: {state: "'done'"}}}]`, "m", "UPDATE"},
	"undoable update": {`table: m, where: "state = 'new'", ` +
		stepDue + `, then: [{update: {set: {state: "'done'"}, undo: {state: "'new'"}}}]`, "m", "UPDATE"},
	"related update": {stepAge + `, then: [
		{update: {table: r, as: r, where: "r.m_id = t.id", set: {note: "'of ' || t.kind"}}}, delete]`,
		"m",
		"DELETE"},
	"insert": {stepAge + `, then: [{insert: {into: log, set: {id: id, kind: kind, at: as_of}}}, delete]`, "m",
		"DELETE"},
	"roll-up": {stepAge + `, then: [
		{insert: {into: sums, key: {kind: kind}, add: {n: "count(*)"}, set: {last: id}}}, delete]`,
		"m",
		"DELETE"},
	"archive": {stepAge + `, then: [{archive: {into: old, set: {run_id: run.id}}}, delete]`, "m", "DELETE"},
	"related archive": {stepAge + `, then: [
		{archive: {table: r, as: r, where: "r.m_id = t.id", into: attic, document: body, set: {what: "'r'"}}},
		{delete: {table: r, as: r, where: "r.m_id = t.id"}},
		delete]`,
		"m",
		"DELETE"},
	"emit": {stepAge + `, then: [{emit: {event: gone, payload: {id: id}}}, delete]`, "m", "DELETE"},
	"statement": {stepAge + `, then: [{sql: "INSERT INTO public.log SELECT b.id, b.kind, as_of FROM batch b"}, delete]`,
		"m",
		"DELETE"},
}

const failingTrigger = `
	CREATE FUNCTION bang() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN %s;
		RETURN coalesce(NEW, OLD); END $$;
	CREATE TRIGGER bang BEFORE %s ON %s FOR EACH ROW WHEN (OLD.id = 5) EXECUTE FUNCTION bang()`

// TestStepFailsForOneRow checks that a row whose step fails stays, with its related rows. The other
// rows have the same result as without that row.
func TestStepFailsForOneRow(t *testing.T) {
	t.Parallel()
	for name, c := range stepKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, stepSchema+stepData, "policies: {p: {"+c.rule+"}}")
			in.Exec(t, "DELETE FROM m WHERE id = 5")
			in.Done("p", asOf)
			want := stepContent(t, in)
			want["m"] = append(want["m"], "(5,k2,new,\"2024-01-01 00:05:00+00\")")
			slices.Sort(want["m"])

			in.Exec(t, "TRUNCATE m, r, log, sums, old, attic, head, retention.event, retention.undo; "+stepData)
			in.Exec(t, sprintf(failingTrigger, "RAISE EXCEPTION 'not this one'", c.when, c.on))
			if o := in.Done("p", asOf); o.Refused != 1 || o.Taken != 11 {
				t.Errorf("the run ended with %+v", o)
			}
			if diff := cmp.Diff(want, stepContent(t, in)); diff != "" {
				t.Errorf("rows differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBackendDiesInAStep checks that a batch changes no table if its backend is terminated during a
// step.
func TestBackendDiesInAStep(t *testing.T) {
	t.Parallel()
	for name, c := range stepKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, stepSchema+stepData, "policies: {p: {"+c.rule+"}}")
			want := stepContent(t, in)
			in.Exec(t, sprintf(failingTrigger, "PERFORM pg_terminate_backend(pg_backend_pid())", c.when, c.on))
			conn := in.Conn(t)
			if _, err := conn.Exec(t.Context(), "CALL retention.run('p', '"+asOf+"')"); err == nil {
				t.Fatal("the CALL succeeded, want the backend terminated")
			}
			pgtest.WaitForExit(t, in, conn.PgConn().PID())
			if diff := cmp.Diff(want, stepContent(t, in)); diff != "" {
				t.Errorf("rows differ (-before +after):\n%s", diff)
			}
			in.Exec(t, "DROP TRIGGER bang ON "+c.on)
			if o := in.Done("p", asOf); o.Taken != 12 {
				t.Errorf("the next run ended with %+v, want 12 rows taken", o)
			}
			if state := pgtest.Value[string](t, in,
				"SELECT state FROM retention.run ORDER BY id LIMIT 1"); state != "abandoned" {
				t.Errorf("the log has state %q for the terminated run, want abandoned", state)
			}
		})
	}
}

// TestWatermarkStaysBeforeAFailedRow checks that a run skips no row, and that the watermark stays
// before the row that fails.
func TestWatermarkStaysBeforeAFailedRow(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, stepSchema+stepData, `policies: {p: {table: m,
		due: {position: {column: id, up_to: "SELECT 10", watermark: {table: mark, column: id}}},
		then: [{insert: {into: log, set: {id: id, kind: kind}}}], batch: {rows: 2}}}`)
	in.Exec(t, `
		CREATE FUNCTION bang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one';
			END $$;
		CREATE TRIGGER bang BEFORE INSERT ON log FOR EACH ROW WHEN (NEW.id = 5) EXECUTE FUNCTION bang()`)
	o := in.Run("p", asOf)
	if o.State != "failed" || o.Message != "not this one" {
		t.Errorf("the run ended with %+v", o)
	}
	if diff := cmp.Diff([]string{"(4)"}, in.Rows("SELECT * FROM mark")); diff != "" {
		t.Errorf("the watermark differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"(1)", "(2)", "(3)", "(4)"}, in.Rows("SELECT id FROM log")); diff != "" {
		t.Errorf("rows of log differ (-want +got):\n%s", diff)
	}
	in.Exec(t, "DROP TRIGGER bang ON log")
	in.Done("p", asOf)
	n := pgtest.Value[int](t, in, "SELECT count(DISTINCT id) FROM log HAVING count(*) = 10 AND max(id) = 10")
	if n != 10 {
		t.Errorf("the log has %d different rows, want 10", n)
	}
}

func stepContent(t *testing.T, in *kit.Installed) map[string][]string {
	t.Helper()
	content := map[string][]string{}
	for name, query := range stepTables {
		content[name] = append([]string{}, in.Rows(query)...)
	}
	return content
}

func sprintf(format string, args ...string) string {
	for _, a := range args {
		format = strings.Replace(format, "%s", a, 1)
	}
	return format
}
