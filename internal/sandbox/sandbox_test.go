package sandbox

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// victimVariable makes the test binary start a server and wait to be killed.
const victimVariable = "PGRETAIN_SANDBOX_VICTIM"

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		victim()
	}
	os.Exit(m.Run())
}

func victim() {
	server, err := Start(context.Background(), Options{})
	if err != nil {
		panic(err)
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt) // a shell makes background processes ignore SIGINT
	os.Stdout.WriteString(server.Dir() + "\n")
	<-interrupted
	os.Exit(1) // without stopping the server
}

// start starts a server or, on a machine without PostgreSQL that is not CI, skips the test.
func start(t *testing.T, options Options) *Server {
	t.Helper()
	server, err := Start(context.Background(), options)
	var missing *MissingError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skipf("%s. %s", missing.What, missing.Hint)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
		gone(t, server.Dir())
	})
	return server
}

// until waits until a condition is true. The test fails after four times the timeout.
func until(t *testing.T, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(4 * timeout); !true(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// gone waits until a file or directory does not exist.
func gone(t *testing.T, path string) {
	t.Helper()
	until(t, path+" does not exist", func() bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	})
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func value[T any](t *testing.T, url, sql string) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, _ := conn.Query(t.Context(), sql) // the error comes again from the rows
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTwoServersAtOnce(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t, Options{Settings: map[string]string{"cluster_name": `it's \ ` + name}})
			if got := value[string](t, server.URL("", ""), "SHOW cluster_name"); got != `it's \ `+name {
				t.Errorf("cluster_name is %q", got)
			}
			if got := value[string](t, server.URL("", ""), "SHOW listen_addresses"); got != "" {
				t.Errorf("listens on %q", got)
			}
		})
	}
}

func TestHostileDatabaseAndUser(t *testing.T) {
	t.Parallel()
	server := start(t, Options{})
	execute(t, server.URL("", ""), `CREATE ROLE "o'hara @ ü" LOGIN`)
	execute(t, server.URL("", ""), `CREATE DATABASE "a b?c%&ü"`)
	got := value[string](t, server.URL("a b?c%&ü", "o'hara @ ü"), `SELECT current_database() || '|' || current_user`)
	if diff := cmp.Diff("a b?c%&ü|o'hara @ ü", got); diff != "" {
		t.Error(diff)
	}
}

func TestKillAndRestart(t *testing.T) {
	t.Parallel()
	server := start(t, Options{})
	conn, err := pgx.Connect(t.Context(), server.URL("", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n`); err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := pgx.Connect(t.Context(), server.URL("", "")); err == nil {
		t.Error("the server still takes connections after Kill")
	}
	for range 2 {
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := value[int](t, server.URL("", ""), `SELECT count(*) FROM kept`); got != 1000 {
			t.Errorf("%d rows after the restart, want 1000", got)
		}
	}
}

func TestContextStops(t *testing.T) {
	t.Parallel()
	start(t, Options{}) // skips the test if PostgreSQL is not installed
	ctx, cancel := context.WithCancel(context.Background())
	server, err := Start(ctx, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	gone(t, server.Dir())
}

func TestDiesWithItsParent(t *testing.T) {
	t.Parallel()
	start(t, Options{})
	for _, ending := range []os.Signal{os.Kill, os.Interrupt} {
		t.Run(ending.String(), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), victimVariable+"=1")
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(ending); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // ended by the signal
			dir := strings.TrimSpace(line)
			gone(t, dir)
			noProcess(t, filepath.Join(dir, "data"))
		})
	}
}

// noProcess fails if a running process has the text in its command line. It checks nothing on
// systems without /proc.
func noProcess(t *testing.T, text string) {
	t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline") // the pattern is well formed
	for _, file := range files {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), text) {
			t.Errorf("still running: %q", line)
		}
	}
}

func TestMissing(t *testing.T) {
	empty := t.TempDir()
	t.Setenv(BinDirVariable, empty)
	_, err := Start(t.Context(), Options{})
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Hint == "" {
		t.Fatalf("got %v, want a MissingError with a hint", err)
	}
	for program, does := range map[string]string{
		"initdb":   `mkdir data; touch data/postgresql.conf`,
		"postgres": `echo 'FATAL:  could not access file "pg_cron": No such file or directory'; exit 1`,
	} {
		if err := os.WriteFile(filepath.Join(empty, program), []byte("#!/bin/sh\n"+does+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(empty), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err = Start(t.Context(), Options{Cron: true}); !errors.As(err, &missing) {
		t.Fatalf("got %v, want a MissingError about pg_cron", err)
	}
}

func TestLongSocketPath(t *testing.T) {
	t.Parallel()
	long := filepath.Join("/tmp", strings.Repeat("x", 90))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(long) })
	if dir, err := makeDirIn(long, nil); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %q, %v", dir, err)
	}
}
