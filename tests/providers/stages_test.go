package providers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/pgtest"
)

// memberships are those of the administrator, which a script must not change.
const memberships = `
	SELECT coalesce(string_agg(m.roleid::regrole || ' ' || m.grantor::regrole
	                           || (to_jsonb(m) - '{oid,roleid,member,grantor}'::text[])::text, E'\n' ORDER BY 1), '')
	FROM pg_auth_members m
	WHERE m.member = 'dbadmin'::regrole AND m.roleid::regrole::text ~ '^retention_'
	  AND m.grantor = m.member`

// configure writes the policy file for a route and a number of days.
func (s *site) configure(days int) {
	s.t.Helper()
	s.write("retention.yaml", strings.NewReplacer("INSTALL", s.install, "DAYS", fmt.Sprint(days)).Replace(policies))
}

// prepare prepares the database as the administrator, and migrates as the role of the application.
// Where the provider must do something itself, the script says so, and the route ends.
func (s *site) prepare(key string) {
	s.t.Helper()
	s.create()
	s.as(app, tables)
	s.configure(30)
	_, err := s.bootstrap(s.DB)
	if err == nil && s.elsewhere() {
		_, err = s.bootstrap(s.server, "--cron")
	}
	if refusal, found := refusals[key]; found {
		if err == nil || !strings.Contains(err.Detail, refusal) {
			s.t.Fatalf("the script ended with %+v, want a refusal of %s", err, refusal)
		}
		s.done = true
		return
	}
	if err != nil {
		s.t.Fatalf("the administrator's script: %+v", err)
	}
	if left := ask[string](s.t, s.DB, admin, memberships); left != "" {
		s.t.Errorf("after the script the administrator is a member: %s", left)
	}
	s.must(app, "snapshot")
	s.must(app, "generate")
	s.must(app, "migrate", "up")
	if s.elsewhere() {
		s.must(app, "migrate", "up", "--cron")
	}
}

// create creates the role of the application. It also creates the database, unless pg_cron has
// created it.
func (s *site) create() {
	s.t.Helper()
	if s.DB = s.server; s.database != "postgres" {
		if err := try(s.t, s.server, admin, "CREATE DATABASE "+s.database); err != nil {
			s.t.Fatal(err)
		}
		s.DB = s.server.Other(s.t, s.database)
	}
	s.as(admin, fmt.Sprintf("CREATE ROLE app LOGIN; GRANT CREATE, CONNECT ON DATABASE %s TO app", s.database))
}

// tick waits until the job has run, and compares the rows that are left.
func (s *site) tick() {
	s.t.Helper()
	if s.name == "none" {
		s.must("retention_runner", "run", "--job", "purge")
	}
	conn := s.Conn(s.t, app)
	pgtest.Until(s.t, conn, "SELECT EXISTS (SELECT FROM retention.run WHERE job = 'purge' AND state = 'done')")
	s.wantRows(30)
	s.conforms()
}

// wantRows compares the rows that are left with the oracle.
func (s *site) wantRows(days int) {
	s.t.Helper()
	conn := s.Conn(s.t, app)
	for _, query := range []string{"SELECT id FROM shop.session ORDER BY 1", "SELECT id FROM shop.login ORDER BY 1"} {
		if diff := cmp.Diff(oracle(days), pgtest.Column[int64](s.t, conn, query)); diff != "" {
			s.t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// conforms checks that verify has no finding above "info".
func (s *site) conforms() {
	s.t.Helper()
	if r := s.command(s.DB, app, "verify"); r.code != 0 || !strings.Contains(r.stdout, "Verdict: conforms") {
		s.t.Errorf("verify: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// change shortens the window and migrates. The next run takes the rows of the new window.
func (s *site) change() {
	s.t.Helper()
	s.configure(20)
	s.must(app, "generate")
	s.must(app, "migrate", "up")
	s.must("retention_runner", "run", "--job", "purge")
	s.wantRows(20)
	s.conforms()
}

// lend makes the administrator a member of the roles to which objects of the database belong, as
// docs/copies.md shows it.
const lend = "GRANT app, retention_owner, retention_worker, retention_runner TO dbadmin"

// restore dumps the database and restores it as another one, as the administrator. Afterwards the
// script of "bootstrap" mends the install, and "adopt" lets runs start.
func (s *site) restore() {
	s.t.Helper()
	options := ""
	if ask[int](s.t, s.DB, admin, "SELECT current_setting('server_version_num')::int") >= 160000 {
		options = " WITH INHERIT TRUE, SET TRUE"
	}
	s.as(admin, lend+options)
	s.as(admin, "CREATE DATABASE restored")
	file, host := filepath.Join(s.server.Server.Dir(), "dump"), "--host="+s.server.Server.Dir()
	if out, err := s.program("pg_dump", "--format=custom", "--exclude-schema=cron", "--file="+file, host,
		"--username="+admin, s.database); err != nil {
		s.t.Fatalf("pg_dump: %v\n%s", err, out)
	}
	// It ends with errors, because the administrator may not hand over some functions.
	out, err := s.program("pg_restore", host, "--username="+admin, "--dbname=restored", file)
	if !strings.Contains(out, "OWNER TO retention_worker") {
		s.t.Errorf("pg_restore: %v\n%s", err, out)
	}
	s.as(admin, "REVOKE app, retention_owner, retention_worker, retention_runner FROM dbadmin")

	restored := *s
	restored.route, restored.DB, restored.dir = route{"none", "scheduler: none", "restored"},
		s.server.Other(s.t, "restored"), s.t.TempDir()
	if err := os.CopyFS(restored.dir, os.DirFS(s.dir)); err != nil {
		s.t.Fatal(err)
	}
	restored.configure(30)
	const hint = "hint: pgretain bootstrap | psql -X -v ON_ERROR_STOP=1"
	if r := restored.command(restored.DB, app, "verify"); r.code != 1 || !strings.Contains(r.stdout, hint) {
		s.t.Errorf("verify before the script: exit code %d, want the hint of V005\n%s%s", r.code, r.stdout, r.stderr)
	}
	if _, err := restored.bootstrap(restored.DB); err != nil {
		s.t.Fatalf("the script in the restored database: %+v", err)
	}
	restored.must(app, "adopt", "--reason", "restored")
	restored.must("retention_runner", "run", "--job", "purge")
	restored.wantRows(30)
	if s.name == "none" {
		restored.conforms()
		return
	}
	// The registry has the scheduler of the original, and the policy file has another one.
	// Everything else is restored.
	r := restored.command(restored.DB, app, "verify")
	if findings := regexp.MustCompile(`V\d{3}`).FindAllString(r.stdout, -1); slices.ContainsFunc(findings,
		func(code string) bool { return code != "V009" && code != "V015" }) || len(findings) == 0 {
		s.t.Errorf("verify in the restored database: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// uninstall removes pgretain and its jobs, and leaves the tables as they are.
func (s *site) uninstall() {
	s.t.Helper()
	s.must(app, "uninstall", "--yes")
	const left = "SELECT count(*) FROM pg_namespace WHERE nspname ~ 'retention'"
	for _, db := range []*pgtest.DB{s.DB, s.server} {
		if n := ask[int](s.t, db, admin, left); n != 0 {
			s.t.Errorf("after uninstall database %s has %d schemas of pgretain", db.Name, n)
		}
	}
	if n := s.jobs(); n != 0 {
		s.t.Errorf("after uninstall pg_cron has %d jobs", n)
	}
	s.wantRows(20)
}

// jobs returns the number of jobs in pg_cron.
func (s *site) jobs() int {
	s.t.Helper()
	return ask[int](s.t, s.server, "", "SELECT count(*) FROM cron.job")
}
