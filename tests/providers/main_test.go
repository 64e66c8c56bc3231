// Package providers installs pgretain on servers whose administrator is not a superuser. The files
// of testdata give this administrator what providers of managed servers give. A superuser executes
// only these files.
package providers

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	admin = "dbadmin" // the provider's administrator
	app   = "app"     // the role that owns the tables and migrates
)

// site is a directory with a policy file, and a database for it on a provider's server.
type site struct {
	*pgtest.DB
	route
	t      *testing.T
	dir    string
	server *pgtest.DB // the database of pg_cron
	done   bool       // no further stage
}

// newServer starts a server on which a superuser has executed the file of a provider.
func newServer(t *testing.T, provider string) *pgtest.DB {
	t.Helper()
	workers := map[string]string{"rds": "on", "azure": "on"}[provider]
	if workers == "" {
		workers = "off"
	}
	db := pgtest.CronServerWith(t, map[string]string{
		"cron.use_background_workers": workers,
		"max_worker_processes":        "20",
	})
	db.Exec(t, fixture.ReadFile(t, "testdata", provider+".sql"))
	return db
}

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// as executes SQL as a role, in a new session, and fails the test on an error.
func (s *site) as(role, sql string) {
	s.t.Helper()
	if err := try(s.t, s.DB, role, sql); err != nil {
		s.t.Fatalf("%s: %s: %+v", role, sql, err)
	}
}

// try executes SQL as a role, in a new session, and returns the server's error.
func try(t *testing.T, db *pgtest.DB, role, sql string) *pgconn.PgError {
	t.Helper()
	conn, err := db.Connect(t.Context(), role)
	if err == nil {
		defer conn.Close(context.Background())
		_, err = conn.PgConn().Exec(t.Context(), sql).ReadAll()
	}
	var server *pgconn.PgError
	if err != nil && !errors.As(err, &server) {
		t.Fatalf("%s: %s: %v", role, sql, err)
	}
	return server
}

// ask returns the value of a query that a role executes.
func ask[T any](t *testing.T, db *pgtest.DB, role, sql string, args ...any) T {
	t.Helper()
	conn, err := db.Connect(t.Context(), role)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	return pgtest.Value[T](t, conn, sql, args...)
}

// result is the exit code and the output of a command.
type result struct {
	code           int
	stdout, stderr string
}

// command runs pgretain as a role, in a database.
func (s *site) command(db *pgtest.DB, role string, args ...string) result {
	s.t.Helper()
	cmd := exec.Command(kit.Program(s.t), args...)
	cmd.Dir = s.dir
	return s.finish(cmd, db, role)
}

func (s *site) finish(cmd *exec.Cmd, db *pgtest.DB, role string) result {
	s.t.Helper()
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PG") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, kit.ConnectionEnv(s.t, db.URL(role))...)
	code, stdout, stderr := kit.RunCommand(s.t, cmd)
	return result{code, stdout, stderr}
}

// must runs a command that must succeed, and returns its standard output.
func (s *site) must(role string, args ...string) string {
	s.t.Helper()
	r := s.command(s.DB, role, args...)
	if r.code != 0 {
		s.t.Fatalf("pgretain %s as %s: exit code %d\n%s%s", strings.Join(args, " "), role, r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// bootstrap executes the script that "bootstrap" prints for a migrating role, as the administrator.
// It returns the warnings of the script and its error.
func (s *site) bootstrap(db *pgtest.DB, args ...string) (warned diag.List, err *pgconn.PgError) {
	s.t.Helper()
	r := s.command(db, app, append([]string{"bootstrap"}, args...)...)
	if r.code != 0 {
		s.t.Fatalf("bootstrap: %s%s", r.stdout, r.stderr)
	}
	_ = errors.As(install.Run(s.t.Context(), db.URL(admin), r.stdout, func(d diag.Diagnostic) { warned.Add(d) }), &err)
	return warned, err
}

// program runs a program of PostgreSQL on the server.
func (s *site) program(name string, args ...string) (string, error) {
	s.t.Helper()
	cmd := s.server.Server.Command(s.t.Context(), name, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
