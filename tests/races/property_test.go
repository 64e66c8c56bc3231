package races

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const propertySchema = `
	CREATE TABLE m (id int PRIMARY KEY, kind text, score int NOT NULL, at timestamptz NOT NULL);
	CREATE TABLE sums (kind text PRIMARY KEY, n bigint NOT NULL, total bigint NOT NULL, best int NOT NULL,
		worst int NOT NULL);
	CREATE TABLE best (id int PRIMARY KEY, kind text, score int NOT NULL);
	CREATE TABLE bomb (id int PRIMARY KEY);`

// terminatingTrigger terminates the backend that deletes a row listed in bomb. The function belongs
// to a superuser, who may terminate every backend.
const terminatingTrigger = `
	CREATE FUNCTION bang() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		IF EXISTS (SELECT FROM public.bomb b WHERE b.id = OLD.id)
			THEN PERFORM pg_terminate_backend(pg_backend_pid());
		END IF;
		RETURN OLD;
	END $$;
	CREATE TRIGGER bang BEFORE DELETE ON m FOR EACH ROW EXECUTE FUNCTION bang();`

const propertyPolicies = `
policies:
  roll:
    table: m
    due: {age: {column: at, older_than: 7 days}}
    then:
      - insert: {into: sums, key: {kind: "coalesce(kind, '')"}, add: {n: "count(*)", total: "sum(score)"},
        max: {best: "max(score)"}, min: {worst: "min(score)"}}
      - insert: {into: best, key: {id: id}, set: {kind: kind, score: score}, where: "score >= 10"}
      - delete
  trim:
    table: best
    due: {beyond: {first: 3, per: [kind], order: "score DESC, id"}}
    then: [delete]
`

// rollUpRow is a row of m as the model knows it. kind is "" for NULL.
type rollUpRow struct {
	id, score int
	kind      string
	at        time.Time
}

// TestRollUpsEqualARecomputation checks that sums and best lists equal one computation over all
// rows that runs took. Batch sizes, budgets and terminated backends are random. In "make fire" each
// worker tries 50 histories.
func TestRollUpsEqualARecomputation(t *testing.T) {
	t.Parallel()
	histories := uint64(4)
	if kit.Fire() {
		histories = 50
	}
	for worker := range uint64(2) {
		t.Run(fmt.Sprint(worker), func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, propertySchema, propertyPolicies)
			in.Exec(t, terminatingTrigger)
			for n := range histories {
				seed := worker*100 + n
				if !runHistory(t, in, seed) {
					t.Fatalf("the history of seed %d failed", seed)
				}
			}
			if pgtest.Value[int](t, in, "SELECT count(*) FROM retention.run WHERE state = 'abandoned'") == 0 {
				t.Error("no backend was terminated, so this test proves nothing about crashes")
			}
		})
	}
}

// runHistory executes one random history from empty tables, and reports whether the result was
// right.
func runHistory(t *testing.T, in *kit.Installed, seed uint64) bool {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	in.Exec(t, "TRUNCATE m, sums, best, bomb")
	var rows []rollUpRow
	now := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seed) * time.Hour)
	for range 3 + random.IntN(4) {
		rows = append(rows, insertRandom(t, in, random, now, len(rows))...)
		now = now.Add(time.Duration(random.IntN(96)) * time.Hour)
		runRandom(t, in, random, now, len(rows))
	}
	in.Exec(t, "TRUNCATE bomb; UPDATE retention.policy SET batch_rows = 5, budget_rows = NULL")
	for _, policy := range []string{"roll", "trim"} {
		// a run that continues at the cursor of an earlier run may leave earlier rows for the next
		// run
		for in.Run(policy, now.Format(time.RFC3339)).State == "more" {
			continue
		}
		in.Done(policy, now.Format(time.RFC3339))
	}
	want := recompute(rows, now)
	got := map[string][]string{
		"m":    in.Rows("SELECT id FROM m"),
		"sums": in.Rows("SELECT kind, n, total, best, worst FROM sums"),
		"best": in.Rows("SELECT id FROM best"),
	}
	diff := gocmp.Diff(want, got)
	if diff != "" {
		t.Errorf("differs from a recomputation (-want +got):\n%s", diff)
	}
	return diff == ""
}

// insertRandom inserts rows with random times before and after the cutoff.
func insertRandom(t *testing.T, in *kit.Installed, random *rand.Rand, now time.Time, next int) []rollUpRow {
	t.Helper()
	var rows []rollUpRow
	var values []string
	for range 1 + random.IntN(40) {
		r := rollUpRow{id: next + len(rows), score: random.IntN(30), kind: []string{"", "a", "b"}[random.IntN(3)],
			at: now.Add(-time.Duration(random.IntN(21*24)) * time.Hour)}
		rows = append(rows, r)
		values = append(values, fmt.Sprintf("(%d, nullif('%s', ''), %d, '%s'::timestamptz)", r.id, r.kind, r.score,
			r.at.Format(time.RFC3339)))
	}
	in.Exec(t, "INSERT INTO m VALUES "+strings.Join(values, ", "))
	return rows
}

// runRandom runs some policies. A random row may terminate the backend.
func runRandom(t *testing.T, in *kit.Installed, random *rand.Rand, now time.Time, ids int) {
	t.Helper()
	in.Exec(t, fmt.Sprintf(`
		TRUNCATE bomb;
		UPDATE retention.policy SET batch_rows = %d, budget_rows = nullif(%d, 0) WHERE name IN ('roll', 'trim')`,
		1+random.IntN(9), random.IntN(12)))
	if random.IntN(2) == 0 {
		in.Exec(t, fmt.Sprintf("INSERT INTO bomb VALUES (%d)", random.IntN(ids)))
	}
	for _, policy := range []string{"roll", "trim", "roll"}[:1+random.IntN(3)] {
		conn := in.Conn(t)
		_, _ = conn.Exec(t.Context(), "SET SESSION AUTHORIZATION retention_runner")
		// The backend may be terminated.
		_, _ = conn.Exec(t.Context(), "CALL retention.run($1, $2)", policy, now.Format(time.RFC3339))
		_ = conn.Close(t.Context())
		pgtest.WaitForExit(t, in, conn.PgConn().PID())
		died := pgtest.Value[bool](t, in, `SELECT state NOT IN ('done', 'more', 'busy', 'running', 'abandoned')
			FROM retention.run ORDER BY id DESC LIMIT 1`)
		if died {
			t.Errorf("a run of %s ended with %+v", policy, in.Last(policy))
		}
	}
}

// recompute returns what the tables must contain: the remaining rows of m, the sums over the taken
// rows, and the first three taken rows of each kind.
func recompute(rows []rollUpRow, now time.Time) map[string][]string {
	left, sums, best := []string{}, []string{}, []string{}
	for _, kind := range []string{"", "a", "b"} {
		var gone []rollUpRow
		for _, r := range rows {
			switch {
			case r.kind != kind:
			case r.at.Before(now.Add(-7 * 24 * time.Hour)):
				gone = append(gone, r)
			default:
				left = append(left, fmt.Sprintf("(%d)", r.id))
			}
		}
		slices.SortFunc(gone, func(a, b rollUpRow) int {
			return cmp.Or(cmp.Compare(b.score, a.score),
				cmp.Compare(a.id, b.id))
		})
		total := 0
		for i, r := range gone {
			total += r.score
			if r.score >= 10 && i < 3 {
				best = append(best, fmt.Sprintf("(%d)", r.id))
			}
		}
		if n := len(gone); n > 0 {
			sums = append(sums, fmt.Sprintf("(%s,%d,%d,%d,%d)", kind, n, total, gone[0].score, gone[n-1].score))
		}
	}
	for i, row := range sums {
		if strings.HasPrefix(row, "(,") { // PostgreSQL prints an empty string in a row as ""
			sums[i] = `("",` + row[2:]
		}
	}
	for _, list := range [][]string{left, sums, best} {
		slices.Sort(list)
	}
	return map[string][]string{"m": left, "sums": sums, "best": best}
}
