package behaviour

import (
	"strings"
	"testing"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestTooManyEqualPositions has 1,000,001 rows with one position under a watermark, which must go
// in one batch. The run fails, and no row goes. With 1,000,000 rows it takes them all.
func TestTooManyEqualPositions(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `CREATE TABLE page_view (id bigint PRIMARY KEY, seq bigint NOT NULL);
		CREATE TABLE progress (kind text PRIMARY KEY, seq bigint NOT NULL);
		INSERT INTO progress VALUES ('page_view', 0);
		INSERT INTO page_view SELECT n, 1 FROM generate_series(1, 1000001) n;
		ANALYZE page_view`, `defaults: {breaker: {rows: 2000000, fraction: 1}, budget: {rows: 2000000}}
policies:
  seen:
    table: page_view
    due: {position: {column: seq, watermark: {table: progress, column: seq, where: "kind = 'page_view'"}}}
    then: [delete]
`)
	outcome, err := in.Call("CALL retention.run('seen')")
	if err == nil || !strings.Contains(err.Error(), "1000001 rows share position 1, more than a batch can take") {
		t.Fatalf("a run of 1,000,001 rows with one position: %v, want a refusal\n%s", err, outcome)
	}
	if o := in.Last("seen"); o.State != "failed" || o.Taken != 0 {
		t.Errorf("the run ended %+v, want failed, with no row taken", o)
	}
	const state = "SELECT format('%s rows, watermark %s', count(*), (SELECT seq FROM progress)) FROM page_view"
	if got := pgtest.Value[string](t, in, state); got != "1000001 rows, watermark 0" {
		t.Errorf("after the refused run: %s", got)
	}
	in.Exec(t, "DELETE FROM page_view WHERE id = 1")
	if outcome, err := in.Call("CALL retention.run('seen')"); err != nil {
		t.Fatalf("a run of 1,000,000 rows with one position: %v\n%s", err, outcome)
	}
	if got := pgtest.Value[string](t, in, state); got != "0 rows, watermark 1" {
		t.Errorf("after the run: %s", got)
	}
}
