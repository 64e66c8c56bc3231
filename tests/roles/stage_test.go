package roles

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// The roles of a stage. Only super is a superuser, and only the migrating role owns tables.
const (
	deploy   = "shop_deploy" // the migrating role
	runner   = "retention_runner"
	owner    = "retention_owner"
	operator = "anna"     // a person with the role operator
	viewer   = "bert"     // a person with the role viewer
	app      = "shop_app" // the role that the policies list under "grant"
	stranger = "stranger" // a role without privileges
	dba      = "shop_dba" // the provider's administrator
	super    = ""         // the superuser
)

const people = `
	CREATE ROLE shop_deploy LOGIN; CREATE ROLE anna LOGIN; CREATE ROLE bert LOGIN; CREATE ROLE shop_app LOGIN;
	CREATE ROLE stranger LOGIN; CREATE ROLE shop_dba LOGIN CREATEROLE CREATEDB`

// stage is a directory with a policy file, and a database. Only the pgretain command installs
// there.
type stage struct {
	*pgtest.DB
	t   *testing.T
	dir string
}

// newStage writes the policy file and creates the schema's objects as the migrating role.
func newStage(t *testing.T, db *pgtest.DB, schema, yaml string) *stage {
	t.Helper()
	s := &stage{DB: db, t: t, dir: t.TempDir()}
	db.Exec(t, "CREATE SCHEMA app AUTHORIZATION "+deploy+"; CREATE SCHEMA shop_anna AUTHORIZATION "+deploy)
	s.as(deploy, schema)
	s.write("retention.yaml", yaml)
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// with returns the same stage for a subtest.
func (s *stage) with(t *testing.T) *stage {
	other := *s
	other.t = t
	return &other
}

// as executes SQL as a role, in a new session, and fails the test on an error.
func (s *stage) as(role, sql string) {
	s.t.Helper()
	if err := s.try(role, sql); err != nil {
		s.t.Fatalf("%s: %s: %+v", role, sql, err)
	}
}

// try executes SQL as a role, in a new session, and returns the server's error. Several statements
// form one transaction unless sql contains BEGIN or COMMIT.
func (s *stage) try(role, sql string) *pgconn.PgError {
	s.t.Helper()
	conn, err := s.Connect(s.t.Context(), role)
	if err == nil {
		defer conn.Close(context.Background())
		_, err = conn.PgConn().Exec(s.t.Context(), sql).ReadAll()
	}
	var server *pgconn.PgError
	if err != nil && !errors.As(err, &server) {
		s.t.Fatalf("%s: %s: %v", role, sql, err)
	}
	return server
}

// ask returns the value of a query that a role executes.
func ask[T any](s *stage, role, sql string, args ...any) T {
	s.t.Helper()
	conn, err := s.Connect(s.t.Context(), role)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	return pgtest.Value[T](s.t, conn, sql, args...)
}

// result is the exit code and the output of a command.
type result struct {
	code           int
	stdout, stderr string
}

// command runs pgretain as a role.
func (s *stage) command(role string, args ...string) result {
	s.t.Helper()
	cmd := exec.Command(kit.Program(s.t), args...)
	cmd.Dir = s.dir
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PG") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, kit.ConnectionEnv(s.t, s.URL(role))...)
	code, stdout, stderr := kit.RunCommand(s.t, cmd)
	return result{code, stdout, stderr}
}

// must runs a command that must succeed, and returns its standard output.
func (s *stage) must(role string, args ...string) string {
	s.t.Helper()
	r := s.command(role, args...)
	if r.code != 0 {
		s.t.Fatalf("pgretain %s as %s: exit code %d\n%s%s", strings.Join(args, " "), role, r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// refused runs a command, and checks its exit code and that its output contains each of the texts.
func (s *stage) refused(role string, code int, says []string, args ...string) {
	s.t.Helper()
	r := s.command(role, args...)
	if r.code != code {
		s.t.Errorf("pgretain %s as %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), role, r.code, code,
			r.stdout, r.stderr)
	}
	for _, text := range says {
		if !strings.Contains(r.stdout+r.stderr, text) {
			s.t.Errorf("the output of pgretain %s as %s lacks %q:\n%s%s", strings.Join(args, " "), role, text, r.stdout,
				r.stderr)
		}
	}
}

// bootstrap executes the printed bootstrap script as a DBA.
func (s *stage) bootstrap(dba string) *pgconn.PgError {
	s.t.Helper()
	return s.try(dba, s.must(deploy, "bootstrap"))
}

// install runs bootstrap, snapshot, generate and "migrate up".
func (s *stage) install(dba string) {
	s.t.Helper()
	if err := s.bootstrap(dba); err != nil {
		s.t.Fatalf("the DBA's script: %+v", err)
	}
	s.must(deploy, "snapshot")
	s.must(deploy, "generate")
	s.must(deploy, "migrate", "up")
}

// enrol grants the operator's and the viewer's role to people.
func (s *stage) enrol(dba string) {
	s.t.Helper()
	s.as(dba, "GRANT retention_operator TO anna; GRANT retention_viewer TO bert")
}

// privileges returns everything that bootstrap may change: roles, memberships, and privileges on
// databases and schemas.
const privileges = `
	SELECT format('role %s %s', r.rolname, to_jsonb(r) - '{oid}'::text[]) FROM pg_roles r WHERE r.rolname !~ '^pg_'
	UNION ALL
	SELECT format('member %s of %s by %s %s', m.member::regrole, m.roleid::regrole, m.grantor::regrole,
	              to_jsonb(m) - '{oid,roleid,member,grantor}'::text[]) FROM pg_auth_members m
	UNION ALL
	SELECT format('database %s %s', d.datname, d.datacl) FROM pg_database d
	UNION ALL
	SELECT format('schema %s %s %s', n.nspname, n.nspowner::regrole, n.nspacl)
	FROM pg_namespace n
	WHERE n.nspname !~ '^pg_(toast|temp)'
	UNION ALL
	SELECT format('defaults %s %s', d.defaclrole::regrole, d.defaclacl) FROM pg_default_acl d
	UNION ALL
	SELECT format('extension %s %s', e.extname, e.extowner::regrole) FROM pg_extension e
	ORDER BY 1`

// call executes one statement with arguments as a role.
func (s *stage) call(role, sql string, args ...any) error {
	s.t.Helper()
	conn, err := s.Connect(s.t.Context(), role)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(s.t.Context(), sql, args...)
	return err
}

// asServer returns the server's error, or nil if err is another error.
func asServer(err error) *pgconn.PgError {
	var server *pgconn.PgError
	errors.As(err, &server)
	return server
}

// dropLastStep removes the files of all migrations after the first installation.
func (s *stage) dropLastStep() {
	s.t.Helper()
	names, err := filepath.Glob(filepath.Join(s.dir, "migrations", "*.sql"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) > "00005" {
			if err := os.Remove(name); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}
