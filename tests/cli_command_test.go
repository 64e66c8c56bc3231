package tests

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/htmlreport"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// cli runs pgretain in a directory of the test, with a database.
type cli struct {
	t           *testing.T
	binary, dir string
	url         string
}

// result is the exit code and the output of a command.
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

// run runs a command and adds the connection, if there is one, to its arguments.
func (c *cli) run(args ...string) result {
	c.t.Helper()
	if c.url != "" {
		args = append(args, "--database-url", c.url)
	}
	return c.finish(c.command(args...))
}

func (c *cli) finish(cmd *exec.Cmd) result {
	c.t.Helper()
	code, stdout, stderr := kit.RunCommand(c.t, cmd)
	return result{code, stdout, stderr}
}

// must runs a command that must succeed.
func (c *cli) must(args ...string) result {
	c.t.Helper()
	r := c.run(args...)
	if r.code != 0 {
		c.t.Fatalf("pgretain %s: exit code %d\n%s%s", strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r
}

// want runs a command, and checks its exit code and that its standard error contains a text.
func (c *cli) want(code int, text string, args ...string) {
	c.t.Helper()
	r := c.run(args...)
	if r.code != code || !strings.Contains(r.stderr, text) || strings.Contains(r.stderr, "s3cr3t") {
		c.t.Errorf("pgretain %s: exit code %d, want %d and %q in:\n%s", strings.Join(args, " "), r.code, code, text,
			r.stderr)
	}
}

// copyExample copies an example, and its migrations, into a directory of the test.
func copyExample(t *testing.T, name string) string {
	t.Helper()
	return kit.CopyExample(t, filepath.Join("..", "examples", name))
}

// testInterruptedMigration interrupts "migrate up" and "migrate down" with signals at several
// moments. The next call must complete the work.
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
				pgtest.Until(t, db, `SELECT EXISTS (SELECT FROM pg_stat_progress_create_index
					WHERE datname = current_database() AND phase LIKE 'waiting for old%')`)
			})
			if signal != syscall.SIGKILL {
				if r.code != 2 || !strings.Contains(r.stderr,
					"interrupted while migrating migrations/00002_retention_indexes.sql") ||
					!strings.Contains(r.stderr, "hint: Run the command again") {
					t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
				}
				// The other session still holds its snapshot, so only the command can have ended
				// the index build.
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

// signalled starts a command, "migrate up" by default, and sends it a signal when moment returns.
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
	_ = cmd.Process.Signal(signal) // fails if the command has ended
	_ = cmd.Wait()                 // the caller checks the exit code
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// started starts a command that runs until it is interrupted. It returns the lines of one of its
// outputs, and a function that interrupts it.
func started(t *testing.T, c *cli, output func(*exec.Cmd) (io.ReadCloser, error),
	args ...string) (lines *bufio.Scanner, interrupt func(wantCode int)) {
	t.Helper()
	cmd := c.command(append(args, "--database-url", c.url)...)
	pipe, err := output(cmd)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return bufio.NewScanner(pipe), func(wantCode int) {
		t.Helper()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, pipe)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != wantCode {
			t.Errorf("pgretain %s: exit code %d, want %d", strings.Join(args, " "), code, wantCode)
		}
	}
}

// testLooksAgain checks that "status --watch" shows a run that ends meanwhile. Its exit code is
// that of the last status shown.
func testLooksAgain(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.want(2, "too short", "status", "--watch=1ms")
	lines, interrupt := started(t, c, (*exec.Cmd).StdoutPipe, "status", "--watch=100ms")
	next := func(state string) {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "lines_old") && strings.Contains(lines.Text(), state) {
				return
			}
		}
		t.Fatalf("status --watch ended before it showed lines_old with %q", state)
	}
	next("")
	db.Exec(t, "UPDATE retention.policy SET breaker_rows = 50")
	if r := c.run("run", "lines_old"); r.code != 1 {
		t.Fatal(r)
	}
	next("tripped")
	next("tripped")
	interrupt(1)
}

// testServesReports checks that "report --serve" answers each request with a new report. It serves
// only requests for host names of the local machine.
func testServesReports(t *testing.T, binary string) {
	db := pgtest.Database(t)
	c := cliProject(t, binary, db)
	c.want(2, "is not an address of only this machine", "report", "--serve=0.0.0.0:0")
	c.want(2, "is not an address of only this machine", "report", "--serve=:8423")
	c.want(2, "serve", "report", "--serve", "--output=x.html")
	lines, interrupt := started(t, c, (*exec.Cmd).StderrPipe, "report", "--serve=127.0.0.1:0")
	if !lines.Scan() {
		t.Fatal("report --serve prints no address")
	}
	address, _, _ := strings.Cut(lines.Text(), ",")
	get := func(method, path, host string) (int, http.Header, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, response.Header, string(text)
	}
	code, header, text := get("GET", "/", "")
	if code != 200 || !strings.HasPrefix(text, htmlreport.Mark) || header.Get("Refresh") != "60" ||
		header.Get("Cache-Control") != "no-store" || strings.Contains(text, "pause of anna") {
		t.Errorf("%d %v\n%.300s", code, header, text)
	}
	c.must("pause", "lines_old", "--reason", "pause of anna")
	if _, _, text := get("GET", "/", "localhost:80"); !strings.Contains(text, "pause of anna") {
		t.Error("the second report does not show the pause that followed the first")
	}
	for _, x := range []struct {
		method, path, host string
		code               int
	}{{"GET", "/", "evil.example", 403}, {"GET", "/", "localhost.evil.example:80", 403}, {"GET", "/x", "", 404},
		{"POST", "/", "", 405}} {
		if code, _, text := get(x.method, x.path, x.host); code != x.code || strings.Contains(text, "lines_old") {
			t.Errorf("%v: status code %d, and a report: %t\n%.300s", x, code, strings.Contains(text, "lines_old"), text)
		}
	}
	interrupt(0)
}
