// Package poolers tests the command through PgBouncer.
package poolers

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const schema = `
	CREATE TABLE item (id int PRIMARY KEY, at timestamptz NOT NULL);
	CREATE TABLE mass (LIKE item INCLUDING ALL);
	INSERT INTO item SELECT i, '2024-01-01' FROM generate_series(1, 9) i;
	INSERT INTO mass SELECT * FROM item`

const policies = `version: 1
install: {scheduler: none, roles: none}
policies:
  old: {table: item, due: &week {age: {column: at, older_than: 7 days}}, then: [delete]}
  mass: {table: mass, due: *week, breaker: {rows: 5}, then: [delete]}
jobs:
  j: {schedule: "@daily", run: [old, mass]}
`

// commands are the commands of daily use with the exit codes and texts that they have without a
// pool.
var commands = []struct {
	args []string
	code int
	text string
}{
	{[]string{"migrate", "up"}, 0, "applied"},
	{[]string{"run", "old"}, 0, "9 deleted"},
	{[]string{"run", "mass"}, 1, `policy "mass" tripped`},
	{[]string{"status"}, 1, "tripped"},
	{[]string{"verify"}, 1, `the last run of policy "mass"`},
}

// TestSession runs the commands through a pool in session mode. They do the same as without a pool.
func TestSession(t *testing.T) {
	t.Parallel()
	in, dir := prepare(t)
	to := pool(t, in, "pool_mode = session")
	for _, c := range commands {
		if code, output := pgretain(t, dir, to, c.args...); code != c.code || !strings.Contains(output, c.text) {
			t.Errorf("%s: exit code %d, want %d and %q in:\n%s", c.args, code, c.code, c.text, output)
		}
	}
	if left := pgtest.Value[string](t, in, "SELECT concat((SELECT count(*) FROM item), ' ', (SELECT count(*) "+
		"FROM mass))"); left != "0 9" {
		t.Errorf("left are %s rows, want 0 of item and 9 of mass", left)
	}
}

// TestTransaction runs the commands through pools in transaction mode. Each command refuses the
// pool and says what to use. No setting stays in a session of the pool.
func TestTransaction(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{
		"the last session first": "pool_mode = transaction",
		"in turn":                "pool_mode = transaction\nserver_round_robin = 1\nmin_pool_size = 3",
		// A pool may drop parameters that it does not know.
		"parameters are ignored": "pool_mode = transaction\nignore_startup_parameters = search_path, options",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, dir := prepare(t)
			to := pool(t, in, settings)
			for _, c := range commands {
				code, output := pgretain(t, dir, to, c.args...)
				const refusal = "pgretain: error: the server is a pool in which clients share sessions\n"
				const hint = "hint: Connect to PostgreSQL itself"
				if code != 2 || !strings.HasPrefix(output, refusal) || !strings.Contains(output, hint) {
					t.Errorf("%s: exit code %d, want 2, %q and %q:\n%s", c.args, code, refusal, hint, output)
				}
			}
			if path := pgtest.Value[string](t, connect(t, to), "SHOW search_path"); path != `"$user", public` {
				t.Errorf("a session of the pool has search_path %s", path)
			}
		})
	}
}

// TestOneSession runs a policy through a pool that has one session. The pool gives no second
// session, so the command ends with an error.
func TestOneSession(t *testing.T) {
	t.Parallel()
	in, dir := prepare(t)
	to := pool(t, in, "pool_mode = session\ndefault_pool_size = 1\nquery_wait_timeout = 1")
	if code, output := pgretain(t, dir, to, "migrate", "up"); code != 0 {
		t.Fatalf("migrate up: exit code %d\n%s", code, output)
	}
	code, output := pgretain(t, dir, to, "run", "old")
	if code != 2 || !strings.Contains(output, "query_wait_timeout") {
		t.Errorf("run: exit code %d, want 2 and query_wait_timeout in:\n%s", code, output)
	}
	if code, output := pgretain(t, dir, to, "status"); code != 0 {
		t.Errorf("status: exit code %d, want 0\n%s", code, output)
	}
}

// prepare creates a database without the runtime, and a project with its migrations.
func prepare(t *testing.T) (*kit.Installed, string) {
	t.Helper()
	in, dir := kit.Prepare(t, schema, policies), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "retention.yaml"), []byte(policies), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"snapshot"}, {"generate"}} {
		if code, output := pgretain(t, dir, in.URL(kit.Migrator), args...); code != 0 {
			t.Fatalf("%s: exit code %d\n%s", args, code, output)
		}
	}
	return in, dir
}

// pgretain runs a command and returns its exit code, and standard error before standard output.
func pgretain(t *testing.T, dir, to string, args ...string) (code int, output string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), kit.Program(t), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), kit.ConnectionEnv(t, to)...)
	code, stdout, stderr := kit.RunCommand(t, cmd)
	return code, stderr + stdout
}

func connect(t *testing.T, to string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(to)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// pool starts PgBouncer before a database, and returns a URL of the migrator to it. PgBouncer stops
// when the test ends. Without PgBouncer it skips the test; in CI it fails the test.
func pool(t *testing.T, in *kit.Installed, settings string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // not in the PATH of ordinary users
	}
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("no pgbouncer in PATH; .ci/setup pgbouncer installs it")
	} else if err != nil {
		t.Skip("no pgbouncer in PATH; .ci/setup pgbouncer installs it")
	}
	server, err := pgx.ParseConfig(in.URL(kit.Migrator))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pool") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	account := notRoot(t, server.Host)
	files := map[string]string{
		"users": fmt.Sprintf("%q %q\n", kit.Migrator, server.Password),
		"ini": fmt.Sprintf("[databases]\n* = host=%s port=%d\n[pgbouncer]\nunix_socket_dir = %s\n"+
			"listen_port = 6432\nauth_type = trust\nauth_file = %s/users\nlogfile = %s/log\n%s\n",
			server.Host, server.Port, dir, dir, dir, settings),
		"log": "",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if account != nil {
		for name := range map[string]bool{"": true, "users": true, "ini": true, "log": true} {
			if err := os.Chown(filepath.Join(dir, name), int(account.Uid), int(account.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command(program, "-q", filepath.Join(dir, "ini"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: account}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(filepath.Join(dir, "log")); t.Failed() && err == nil {
			t.Logf("log of pgbouncer:\n%s", text)
		}
	})
	to := url.URL{Scheme: "postgres", User: url.User(kit.Migrator), Path: "/" + in.Name,
		RawQuery: url.Values{"host": {dir}, "port": {"6432"}, "sslmode": {"disable"}}.Encode()}
	pgtest.Poll(t, "pgbouncer accepts connections", func() bool {
		conn, err := pgx.Connect(t.Context(), to.String())
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err == nil
	})
	return to.String()
}

// notRoot returns the account of a server whose socket is in the given directory, because PgBouncer
// refuses to run as root. It returns nil if this process does not run as root.
func notRoot(t *testing.T, host string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	if info, err := os.Stat(host); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 {
			return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
		}
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.Atoi(nobody.Uid)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
}
