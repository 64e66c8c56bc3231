package races

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// TestCursor checks that a cursor moves only forward, in whichever session. Positions are compared
// by all columns of the cursor.
func TestCursor(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims, claimRule)
	type at struct {
		TS   int64
		Hash string
	}
	position := func() (list []at) {
		rows, err := s.watch.Query(t.Context(), "SELECT * FROM retention.p_cursor('w')")
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[at])
		}
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := position(); len(got) != 0 {
		t.Errorf("a cursor that does not exist is at %v", got)
	}
	for _, c := range []struct {
		to    at
		moves bool
	}{
		{at{10, "b"}, true}, {at{10, "b"}, false}, {at{10, "a"}, false}, {at{9, "z"}, false},
		{at{10, "c"}, true}, {at{11, "a"}, true}, {at{10, "z"}, false}, {at{-1, ""}, false}, {at{12, ""}, true},
	} {
		before := position()
		// Each call uses a new session, as after a restart.
		if got := pgtest.Value[bool](t, s.session("retention_operator"), "SELECT retention.p_advance('w', $1, $2)",
			c.to.TS, c.to.Hash); got != c.moves {
			t.Errorf("p_advance to %v returned %t, want %t", c.to, got, c.moves)
		}
		want := before
		if c.moves {
			want = []at{c.to}
		}
		if diff := cmp.Diff(want, position()); diff != "" {
			t.Errorf("the position after p_advance to %v differs (-want +got):\n%s", c.to, diff)
		}
	}
	for _, call := range []string{"NULL, 1, 'a'", "'w', NULL, 'a'", "'w', 99, NULL"} {
		if err := s.start(s.session("retention_operator"), "SELECT retention.p_advance("+call+")").wait(); err == nil ||
			err.Code != "22004" {
			t.Errorf("p_advance(%s) ended with %v, want 22004", call, err)
		}
	}
	s.Exec(t, "INSERT INTO cursor_of VALUES ('empty', NULL, NULL), ('half', 5, NULL)")
	for _, c := range []struct {
		call string
		want bool
	}{{"'empty', -5, ''", true}, {"'half', 4, 'z'", false}, {"'half', 5, ''", true}} {
		if got := pgtest.Value[bool](t, s.watch, "SELECT retention.p_advance("+c.call+")"); got != c.want {
			t.Errorf("p_advance(%s) returned %t, want %t", c.call, got, c.want)
		}
	}
}

// TestCursorConcurrently moves one cursor in many sessions. The cursor must end at the greatest
// position. No move goes backwards or repeats a position.
func TestCursorConcurrently(t *testing.T) {
	t.Parallel()
	s := newStageOf(t, claims+`;
		CREATE TABLE log (n int GENERATED ALWAYS AS IDENTITY, ts bigint, hash text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (ts, hash)
			VALUES (NEW.ts, NEW.hash); RETURN NEW; END $$;
		CREATE TRIGGER note AFTER INSERT OR UPDATE ON cursor_of FOR EACH ROW EXECUTE FUNCTION note();
		GRANT INSERT ON log TO PUBLIC`, claimRule)
	var moved sync.Mutex
	moves := 0
	s.runTogether(32, func(i int, conn *pgx.Conn) error {
		random := rand.New(rand.NewPCG(uint64(i), 3))
		for range 40 {
			var yes bool
			ts, hash := random.IntN(60), fmt.Sprintf("%02d", random.IntN(50))
			if err := conn.QueryRow(t.Context(), "SELECT retention.p_advance('w', $1, $2)", ts,
				hash).Scan(&yes); err != nil {
				return err
			}
			if yes {
				moved.Lock()
				moves++
				moved.Unlock()
			}
		}
		return nil
	})
	if got := pgtest.Value[int](t, s.watch, "SELECT count(*)::int FROM log"); got != moves || moves == 0 {
		t.Errorf("p_advance returned true %d times, but the table was written %d times", moves, got)
	}
	if back := pgtest.Value[int](t, s.watch,
		"SELECT count(*)::int FROM log a JOIN log b ON b.n > a.n AND (b.ts, b.hash) <= (a.ts, a.hash)"); back != 0 {
		t.Errorf("the cursor moved backwards %d times", back)
	}
	if !pgtest.Value[bool](t, s.watch,
		"SELECT (ts, hash) = (SELECT ts, hash FROM log ORDER BY ts DESC, hash DESC LIMIT 1) FROM cursor_of") {
		t.Error("the cursor is not at its greatest position")
	}
}
