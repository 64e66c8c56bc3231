package providers

import (
	"regexp"
	"strings"
	"testing"

	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// grown is a table that "init" proposes a policy for, and a table with row security.
const grown = `
	CREATE SCHEMA shop;
	CREATE TABLE shop.message (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
	ALTER TABLE shop.message ENABLE ROW LEVEL SECURITY;
	CREATE TABLE shop.log_line (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
	INSERT INTO shop.message SELECT n, now() - interval '1 year' FROM generate_series(1, 5000) n;
	INSERT INTO shop.log_line SELECT n, now() - interval '1 year' FROM generate_series(1, 5000) n;
	ANALYZE shop.message, shop.log_line`

var proposal = regexp.MustCompile("(?m)^# ")

// TestInitProposesWhatCanStart accepts all proposals of "init" for a database whose schema public
// belongs to another role than the tables. The migrations can be applied, and the job can run.
func TestInitProposesWhatCanStart(t *testing.T) {
	t.Parallel()
	s := &site{t: t, route: routes[2], dir: t.TempDir(), server: newServer(t, "rds")}
	s.create()
	s.as(app, grown)
	s.must(app, "init")
	proposed := fixture.ReadFile(t, s.dir, "retention.yaml")
	for _, text := range []string{"trust: [app, dbadmin]", "SHOW cron.database_name", "undecided: row security is on"} {
		if !strings.Contains(proposed, text) {
			t.Errorf("the file lacks %q:\n%s", text, proposed)
		}
	}
	s.write("retention.yaml", strings.Replace(proposal.ReplaceAllString(proposed, ""), "\ninstall:",
		"\ninstall:\n  scheduler: none", 1))
	if _, err := s.bootstrap(s.DB); err != nil {
		t.Fatal(err)
	}
	s.must(app, "generate")
	s.must(app, "migrate", "up")
	s.must("retention_runner", "run", "--first", "--job", "retention", "--yes")
	if n := ask[int](t, s.DB, app, "SELECT count(*) FROM shop.log_line"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

// TestRowSecurity follows what lint and plan say about a table with row security. From PostgreSQL
// 16 on some administrators can let the worker bypass it. Everywhere "roles: none" works.
func TestRowSecurity(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"rds", "azure"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, route: routes[2], dir: t.TempDir(), server: newServer(t, provider)}
			s.create()
			s.as(app, grown)
			const secret = `version: 1
install: {scheduler: none, search_path: [shop], ROLES}
policies:
  messages:
    table: shop.message
    due: {age: {column: created_at, older_than: 30 days}}
    breaker: {fraction: 1}
    then: [delete]
jobs: {purge: {schedule: "17 3 * * *", run: [messages]}}
`
			s.write("retention.yaml", strings.Replace(secret, ", ROLES", "", 1))
			s.must(app, "snapshot")
			if r := s.command(s.DB, app, "lint"); !strings.Contains(r.stderr, "[L036]") {
				t.Errorf("lint: exit code %d\n%s", r.code, r.stderr)
			}
			gives := provider == "azure" &&
				ask[int](t, s.DB, app, "SELECT current_setting('server_version_num')::int") >= 160000
			who := "Only a superuser can let it"
			if gives {
				who = `superusers can let it, and "dbadmin"`
			}
			r := s.command(s.DB, app, "plan")
			if r.code != 0 || !strings.Contains(r.stderr, who) {
				t.Errorf("plan: exit code %d, want %s\n%s", r.code, who, r.stderr)
			}
			if gives {
				s.run("ALTER ROLE retention_worker BYPASSRLS")
				if r := s.command(s.DB, app, "plan"); strings.Contains(r.stderr, "[V055]") {
					t.Errorf("plan after ALTER ROLE: %s", r.stderr)
				}
				return
			}
			s.write("retention.yaml", strings.Replace(secret, "ROLES", "roles: none", 1))
			s.run("")
		})
	}
}

// run installs and runs the job, and checks that it has taken all messages. The administrator
// executes a statement after the script.
func (s *site) run(statement string) {
	s.t.Helper()
	if _, err := s.bootstrap(s.DB); err != nil {
		s.t.Fatal(err)
	}
	s.as(admin, statement)
	s.must(app, "generate")
	s.must(app, "migrate", "up")
	s.must(app, "run", "--job", "purge")
	if n := pgtest.Value[int](s.t, s.Conn(s.t, app), "SELECT count(*) FROM shop.message"); n != 0 {
		s.t.Errorf("%d messages are left", n)
	}
}
