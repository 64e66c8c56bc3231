package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// cli runs the command in a directory of the test against a database.
type cli struct {
	t           *testing.T
	binary, dir string
	url         string
}

// result is how a command line ended.
type result struct {
	code           int
	stdout, stderr string
}

func newCLI(t *testing.T, binary, url, dir string) *cli {
	return &cli{t: t, binary: binary, dir: dir, url: url}
}

func (c *cli) command(args ...string) *exec.Cmd {
	cmd := exec.Command(c.binary, args...)
	cmd.Dir = c.dir
	return cmd
}

// run adds the connection, if there is one, to the arguments.
func (c *cli) run(args ...string) result {
	c.t.Helper()
	if c.url != "" {
		args = append(args, "--database-url", c.url)
	}
	return c.finish(c.command(args...))
}

func (c *cli) finish(cmd *exec.Cmd) result {
	c.t.Helper()
	code, stdout, stderr := kit.Finish(c.t, cmd)
	return result{code, stdout, stderr}
}

// must runs a command that succeeds.
func (c *cli) must(args ...string) result {
	c.t.Helper()
	r := c.run(args...)
	if r.code != 0 {
		c.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// want runs a command that fails with a code and says a text on standard error.
func (c *cli) want(code int, text string, args ...string) {
	c.t.Helper()
	r := c.run(args...)
	if r.code != code || !strings.Contains(r.stderr, text) || strings.Contains(r.stderr, "s3cr3t") {
		c.t.Errorf("pgretain %s: exit code %d, want %d and %q in:\n%s", strings.Join(args, " "), r.code, code, text, r.stderr)
	}
}

// copyExample puts an example into a directory of the test.
func copyExample(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Whatever signal ends "migrate up", and whenever, the next one finishes.
func testInterruptedMigration(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	full := kit.Catalog(t, db, "retention")
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			c.must("migrate", "down", "--all")
			holder := db.Conn(t)
			pgtest.Exec(t, holder, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
			r := c.signalled(signal, func() {
				pgtest.Until(t, db, "SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase LIKE 'waiting for old%')")
			})
			if signal != syscall.SIGKILL {
				if r.code != 2 || !strings.Contains(r.stderr, "interrupted while migrating migrations/00002_retention_indexes.sql") ||
					!strings.Contains(r.stderr, "hint: Run the command again") {
					t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
				}
				// The snapshot is still held: nobody but the command can have ended the build.
				pgtest.Until(t, db, `
					SELECT NOT EXISTS (SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
					                   WHERE l.locktype = 'advisory' AND d.datname = current_database())`)
			}
			pgtest.Exec(t, holder, "COMMIT")
			c.must("migrate", "up")
			if diff := cmp.Diff(full, kit.Catalog(t, db, "retention")); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("any time", func(t *testing.T) {
		c.must("migrate", "down", "--all")
		start := time.Now()
		c.must("migrate", "up")
		whole := time.Since(start)
		for i := range 6 {
			verb := []string{"migrate", "up"}
			if i%2 == 0 {
				verb = []string{"migrate", "down", "--all"}
			}
			c.signalled(syscall.SIGKILL, func() { time.Sleep(whole * time.Duration(i+1) / 7) }, verb...)
			c.must(verb...)
			if got := kit.Catalog(t, db, "retention"); i%2 == 1 && !slices.Equal(got, full) {
				t.Error(cmp.Diff(full, got))
			}
		}
	})
}

// signalled sends a signal to a command, "migrate up" by default, when the moment has come.
func (c *cli) signalled(signal os.Signal, moment func(), args ...string) result {
	c.t.Helper()
	if len(args) == 0 {
		args = []string{"migrate", "up"}
	}
	cmd := c.command(append(args, "--database-url", c.url)...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	moment()
	_ = cmd.Process.Signal(signal) // it may have ended by itself
	_ = cmd.Wait()                 // the exit code tells
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}
