package races

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// touching returns the policies for table m whose clock p_touch sets. A guard makes the batches
// work row by row.
func touching(guard string) string {
	return `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, ` + guard + `then: [delete],
		batch: {lock_timeout: 100s},
		touch: {key: id, set: {at: as_of, v: "v + 1"}, revive: {table: catalogue, as: c, set: {id: c.id},
			emit: revived}}}}`
}

const catalogue = `CREATE TABLE catalogue (id int PRIMARY KEY); INSERT INTO catalogue SELECT generate_series(1, 100);`

const touch15 = "SELECT retention.p_touch(ARRAY[15])"

// TestTouchWhileARunDeletes checks a touch and a run that need the same row. The touched row exists
// afterwards, whichever comes first.
func TestTouchWhileARunDeletes(t *testing.T) {
	t.Parallel()
	for shape, guard := range map[string]string{"one statement": "",
		"row by row": `keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, `} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+signals+catalogue+gateAt15, touching(guard))
			if shape == "row by row" {
				// Without this call, the batch would release its rows after 100 ms at the gate, and
				// lock them again later.
				s.useRowByRow()
			}

			// The touch is first. The run skips the row, or finds it refreshed once it has the row
			// lock.
			s.refill(30)
			s.appExec("BEGIN; " + touch15)
			run := s.run("p")
			run.waitsOrEnds()
			s.appExec("COMMIT")
			run.mustSucceed()
			s.wantLeft(15)
			if v := pgtest.Value[int](t, s.watch, "SELECT v FROM m"); v != 1 {
				t.Errorf("the row was touched %d times, want once", v)
			}

			// The run is first. The touch waits and inserts the row again.
			s.refill(30)
			s.shutGate()
			run = s.run("p")
			run.mustWait()
			touch := s.start(s.session("retention_operator"), touch15)
			touch.mustWait()
			s.openGate()
			touch.mustSucceed()
			run.mustSucceed()
			s.wantLeft(15)
			if !pgtest.Value[bool](t, s.watch, "SELECT v = 0 AND at > now() - interval '3 minutes' FROM m") {
				t.Error("the row was not inserted again")
			}

			// The run is first, and its backend is terminated. The touch updates the row that the
			// batch did not delete.
			s.refill(30)
			s.shutGate()
			run = s.run("p")
			run.mustWait()
			touch = s.start(s.session("retention_operator"), touch15)
			touch.mustWait()
			pgtest.Exec(t, s.watch, "SELECT pg_terminate_backend($1)", run.pid)
			touch.mustSucceed()
			s.openGate()
			if !pgtest.Value[bool](t, s.watch, `SELECT v = 1 AND at > now() - interval '3 minutes' FROM m
				WHERE id = 15`) {
				t.Error("the row was not touched")
			}
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*)::int FROM retention.event"); n != 1 {
				t.Errorf("there are %d events, want only that of the inserted row", n)
			}
		})
	}
}

// TestTouchSetsNoClockBack checks a touch that waits for a row lock while a later touch sets the
// clock. The first touch must not overwrite the clock with an older value.
func TestTouchSetsNoClockBack(t *testing.T) {
	t.Parallel()
	for name, revive := range map[string]string{"found": "",
		"revived": ", revive: {table: catalogue, as: c, set: {id: c.id}}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+catalogue, "policies: {p: {table: m, due: {age: {column: at, older_than: 7 "+
				"days}}, then: [delete], touch: {key: id, set: {at: as_of}"+revive+"}}}")
			s.refill(30)
			s.appExec("BEGIN; SELECT FROM m WHERE id = 1 FOR UPDATE")
			early, late := s.start(s.session("retention_operator"),
				"SELECT retention.p_touch(ARRAY[1, 2, 3])"), s.Conn(t)
			early.mustWait()
			pgtest.Exec(t, late, "SELECT retention.p_touch(ARRAY[2]); BEGIN; SELECT retention.p_touch(ARRAY[3])")
			pgtest.Exec(t, late, "CREATE TEMP TABLE seen AS SELECT id, at FROM m WHERE id IN (2, 3)")
			s.appExec("COMMIT")
			early.waitsOrEnds()
			pgtest.Exec(t, late, "COMMIT")
			early.mustSucceed()
			back := pgtest.Column[int](t, late, "SELECT s.id FROM seen s JOIN m USING (id) WHERE m.at < s.at")
			if len(back) > 0 {
				t.Errorf("the clocks of rows %v were set back", back)
			}
		})
	}
}

// TestConcurrentTouches checks sessions that touch the same rows in different orders, while runs
// take them. No session gets a deadlock error, and every touched row exists.
func TestConcurrentTouches(t *testing.T) {
	t.Parallel()
	// The policy has no lock_timeout, so a run gives way long before the server looks for
	// deadlocks.
	s := newStageOf(t, tableM+catalogue+"GRANT SELECT ON m TO PUBLIC",
		strings.Replace(touching(""), "batch: {lock_timeout: 100s},", "", 1))
	s.refill(100)
	stop := make(chan struct{})
	ran := make(chan error, 1)
	runner := s.session("retention_runner")
	go func() {
		for {
			select {
			case <-stop:
				ran <- nil
				return
			default:
				if _, err := runner.Exec(t.Context(), "CALL retention.run('p')"); err != nil {
					ran <- err
					return
				}
			}
		}
	}()
	s.runTogether(32, func(i int, conn *pgx.Conn) error {
		random := rand.New(rand.NewPCG(uint64(i), 11))
		for range 20 {
			ids := random.Perm(100)[:30]
			for j := range ids {
				ids[j]++
			}
			if _, err := conn.Exec(t.Context(), "SELECT retention.p_touch($1)", ids); err != nil {
				return err
			}
			var missing int
			if err := conn.QueryRow(t.Context(), `SELECT count(*)::int FROM unnest($1::int[]) k
				WHERE NOT EXISTS (SELECT FROM m WHERE id = k)`, ids).Scan(&missing); err != nil {
				return err
			} else if missing > 0 {
				return fmt.Errorf("%d of the rows just touched do not exist", missing)
			}
		}
		return nil
	})
	close(stop)
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
