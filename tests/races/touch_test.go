package races

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// touching is a policy by when rows of m were read, in either shape.
func touching(guard string) string {
	return `policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, ` + guard + `then: [delete], batch: {lock_timeout: 100s},
		touch: {key: id, set: {at: as_of, v: "v + 1"}, revive: {table: catalogue, as: c, set: {id: c.id}, emit: revived}}}}`
}

const catalogue = `CREATE TABLE catalogue (id int PRIMARY KEY); INSERT INTO catalogue SELECT generate_series(1, 100);`

const touch15 = "SELECT retention.p_touch(ARRAY[15])"

// A touch and a run come to one row: whoever is first, no row that was touched is gone.
func TestTouchWhileARunDeletes(t *testing.T) {
	t.Parallel()
	for shape, guard := range map[string]string{"RANGE": "",
		"LOCKED": `keep: {signal: "EXISTS (SELECT FROM sig s WHERE s.m_id = t.id)"}, `} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+signals+catalogue+gateAt15, touching(guard))
			if shape == "LOCKED" {
				s.locked() // else the batch lets go of its rows after 100 ms at the gate, and locks them then
			}

			// The touch is first: the run finds a fresh row once it has its lock, or passes it by.
			s.refill(30)
			s.application("BEGIN; " + touch15)
			run := s.run("p")
			run.waits()
			s.application("COMMIT")
			run.ok()
			s.leaves(15)
			if v := pgtest.Value[int](t, s.watch, "SELECT v FROM m"); v != 1 {
				t.Errorf("the row was touched %d times", v)
			}

			// The run is first: the touch waits, and brings the row back.
			s.refill(30)
			s.shut()
			run = s.run("p")
			run.mustWait()
			touch := s.start(s.session("retention_operator"), touch15)
			touch.mustWait()
			s.open()
			touch.ok()
			run.ok()
			s.leaves(15)
			if !pgtest.Value[bool](t, s.watch, "SELECT v = 0 AND at > now() - interval '3 minutes' FROM m") {
				t.Error("the row is not one that was made anew")
			}

			// The run is first, and fails: the touch finds the row as it was.
			s.refill(30)
			s.shut()
			run = s.run("p")
			run.mustWait()
			touch = s.start(s.session("retention_operator"), touch15)
			touch.mustWait()
			pgtest.Exec(t, s.watch, "SELECT pg_terminate_backend($1)", run.pid)
			touch.ok()
			s.open()
			if !pgtest.Value[bool](t, s.watch, "SELECT v = 1 AND at > now() - interval '3 minutes' FROM m WHERE id = 15") {
				t.Error("the row was not touched")
			}
			if n := pgtest.Value[int](t, s.watch, "SELECT count(*)::int FROM retention.event"); n != 1 {
				t.Errorf("%d events, want the one of the second race", n)
			}
		})
	}
}

// A touch that waited, for another row or for this one, never sets the clock of a later touch back.
func TestTouchSetsNoClockBack(t *testing.T) {
	t.Parallel()
	for name, revive := range map[string]string{"found": "",
		"revived": ", revive: {table: catalogue, as: c, set: {id: c.id}}"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStageOf(t, tableM+catalogue, "policies: {p: {table: m, due: {age: {column: at, older_than: 7 "+
				"days}}, then: [delete], touch: {key: id, set: {at: as_of}"+revive+"}}}")
			s.refill(30)
			s.application("BEGIN; SELECT FROM m WHERE id = 1 FOR UPDATE")
			early, late := s.start(s.session("retention_operator"),
				"SELECT retention.p_touch(ARRAY[1, 2, 3])"), s.Conn(t)
			early.mustWait()
			pgtest.Exec(t, late, "SELECT retention.p_touch(ARRAY[2]); BEGIN; SELECT retention.p_touch(ARRAY[3])")
			pgtest.Exec(t, late, "CREATE TEMP TABLE seen AS SELECT id, at FROM m WHERE id IN (2, 3)")
			s.application("COMMIT")
			early.waits()
			pgtest.Exec(t, late, "COMMIT")
			early.ok()
			if back := pgtest.Column[int](t, late, "SELECT s.id FROM seen s JOIN m USING (id) WHERE m.at < s.at"); len(back) > 0 {
				t.Errorf("the clocks of %v were set back", back)
			}
		})
	}
}

// Many sessions touch the same rows in other orders, while runs take them: nobody waits in a
// circle, and every row that was touched is there.
func TestTouchTogether(t *testing.T) {
	t.Parallel()
	// A run gives way long before the server looks for deadlocks, unless its policy has it wait.
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
	s.crowd(32, func(i int, conn *pgx.Conn) error {
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
			if err := conn.QueryRow(t.Context(), "SELECT count(*)::int FROM unnest($1::int[]) k WHERE NOT EXISTS "+
				"(SELECT FROM m WHERE id = k)", ids).Scan(&missing); err != nil {
				return err
			} else if missing > 0 {
				return fmt.Errorf("%d of the rows just touched are gone", missing)
			}
		}
		return nil
	})
	close(stop)
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
