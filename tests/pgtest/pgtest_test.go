package pgtest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var builds int

var filled = pgtest.Template("filled", func(ctx context.Context, conn *pgx.Conn) error {
	builds++
	_, err := conn.Exec(ctx, "CREATE TABLE item AS SELECT generate_series(1, 3) AS id")
	return err
})

func TestClonesAreIndependent(t *testing.T) {
	t.Parallel()
	for i := range 6 {
		t.Run(fmt.Sprintf("É %d/'\"", i), func(t *testing.T) {
			t.Parallel()
			db := filled.Database(t)
			if n := db.Exec(t, "DELETE FROM item WHERE id = $1", 2); n != 1 {
				t.Errorf("deleted %d rows, want 1", n)
			}
			got := pgtest.Column[int](t, db, "SELECT id FROM item ORDER BY id")
			if diff := cmp.Diff([]int{1, 3}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Cleanup(func() {
		if builds != 1 {
			t.Errorf("the template was built %d times, want once", builds)
		}
	})
}

func TestEmptyDatabaseAndSessions(t *testing.T) {
	t.Parallel()
	db := pgtest.Database(t)
	db.Exec(t, "CREATE TABLE a (x int); INSERT INTO a VALUES (1), (2)")
	one, two := db.Conn(t), db.Conn(t)
	pgtest.Exec(t, one, "BEGIN; DELETE FROM a")
	if n := pgtest.Value[int](t, two, "SELECT count(*) FROM a"); n != 2 {
		t.Errorf("the second session sees %d rows, want 2", n)
	}
	if n := pgtest.Value[int](t, one, "SELECT count(*) FROM a"); n != 0 {
		t.Errorf("the first session sees %d rows, want 0", n)
	}
}

func TestCronServerHasTheExtension(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	if n := pgtest.Value[int](t, db, "SELECT count(*) FROM pg_extension WHERE extname = 'pg_cron'"); n != 1 {
		t.Errorf("pg_extension has %d rows for pg_cron, want 1", n)
	}
	if err := db.Server.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := db.Server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := pgtest.Value[int](t, db.Conn(t), "SELECT 1"); n != 1 {
		t.Errorf("SELECT 1 returns %d after the restart", n)
	}
}
