package examples

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestExamplesTakeWhatIsExpected checks the path of the demo. It loads data.sql, migrates, loads
// later.sql and runs the first job. The job takes the rows that expected.sql counts.
func TestExamplesTakeWhatIsExpected(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(directory("*/expected.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := beforeMigrations(t, name)
			for _, sql := range []string{"data.sql", "later.sql"} {
				pgtest.Exec(t, e.conn, fixture.ReadFile(t, directory(name), sql))
				if sql == "data.sql" {
					e.Up(t)
					pgtest.Exec(t, e.conn, "UPDATE cron.job SET active = false")
				}
			}
			expected := pairs(t, e, fixture.ReadFile(t, directory(name), "expected.sql"))
			job := e.File.Jobs[0]
			e.runJob(t, job.Name, pgtest.Value[string](t, e.conn, "SELECT now()::text"))
			taken := pairs(t, e, `
				SELECT r.policy, sum(r.taken)::bigint
				FROM retention.run r JOIN retention.policy p ON p.name = r.policy
				WHERE r.job IS NOT NULL AND NOT p.report GROUP BY r.policy`)
			if diff := cmp.Diff(expected, taken); diff != "" {
				t.Errorf("rows taken (-expected +got):\n%s", diff)
			}
		})
	}
}

func beforeMigrations(t *testing.T, name string) *example {
	t.Helper()
	in := kit.ShippedFiles(t, directory(name))
	return &example{Installed: in, conn: in.Conn(t)}
}

// pairs returns the names and numbers that a query returns.
func pairs(t *testing.T, e *example, sql string) map[string]int64 {
	t.Helper()
	rows, err := e.conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int64{}
	var name string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error { all[name] = n; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}
