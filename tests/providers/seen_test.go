package providers

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// newSite installs by a route on a new server of a provider, and waits until a job has run.
func newSite(t *testing.T, provider string, r route) *site {
	t.Helper()
	s := &site{t: t, route: r, dir: t.TempDir(), server: newServer(t, provider)}
	s.prepare(provider + " " + r.name)
	s.command(s.DB, "retention_runner", "run", "--job", "purge")
	return s
}

// TestUnseenScheduler reads verify, status and metrics where nobody may see sessions and settings
// of others: the owner and the reader lack pg_monitor. What cannot be seen is not reported as an
// error as long as the jobs run in time. Without runs it is unknown, not stopped.
func TestUnseenScheduler(t *testing.T) {
	t.Parallel()
	s := newSite(t, "cloudsql", routes[1])
	s.as(admin, "CREATE ROLE reader LOGIN; GRANT retention_viewer TO reader")
	s.as(app, "GRANT USAGE ON SCHEMA shop TO reader")
	s.server.Exec(t, "REVOKE pg_monitor FROM retention_owner")
	seen := func(code int, verdict, state string) {
		t.Helper()
		r := s.command(s.DB, "reader", "verify")
		if r.code != code || !strings.Contains(r.stdout, "Verdict: "+verdict) {
			t.Errorf("verify: exit code %d, want %d and %s\n%s%s", r.code, code, verdict, r.stdout, r.stderr)
		}
		if found := ask[string](t, s.DB, "reader", "SELECT retention._scheduler_state()"); found != state {
			t.Errorf("the scheduler is %s, want %s", found, state)
		}
		if r := s.command(s.DB, "reader", "status"); r.code != 0 {
			t.Errorf("status: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
		}
		const alerts = `SELECT count(*) FROM retention.metrics
			WHERE name = 'retention_scheduler_running' AND value = 0
			   OR name = 'retention_problems' AND labels @> '{"severity": "error"}' AND value > 0`
		if n := ask[int](t, s.DB, "reader", alerts); n != 0 {
			t.Errorf("metrics has %d series that alert", n)
		}
	}
	seen(0, "conforms", "running")
	s.server.Exec(t, "UPDATE cron.job SET active = false")
	// A tick that had begun may still write a run.
	pgtest.Poll(t, "no run of the last two hours", func() bool {
		s.DB.Exec(t, "UPDATE retention.run SET started_at = now() - interval '3 hours' WHERE state <> 'running'")
		return ask[string](t, s.DB, "reader", "SELECT retention._scheduler_state()") == "unknown"
	})
	seen(1, "unknown", "unknown")
}

// TestPortOfJobs changes the port that a job has recorded. Background workers do not connect over
// it, so it is no drift.
func TestPortOfJobs(t *testing.T) {
	t.Parallel()
	for _, r := range routes[:2] {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "azure", r)
			s.server.Exec(t, "UPDATE cron.job SET nodeport = 6543, nodename = 'elsewhere'")
			s.conforms()
			pgtest.Exec(t, s.server.Conn(t), "UPDATE cron.job SET schedule = '0 0 1 1 *'")
			if r := s.command(s.DB, app, "verify"); !strings.Contains(r.stdout, "has another schedule in pg_cron") {
				t.Errorf("verify after a changed schedule: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// TestReadingOnAStandby calls the commands that read on a hot standby. "plan" creates temporary
// functions, so it says that it needs the primary.
func TestReadingOnAStandby(t *testing.T) {
	t.Parallel()
	s := newSite(t, "rds", routes[2])
	standby := s.server.Standby(t, nil)
	standby.CatchUp(t, s.server)
	there := standby.Other(t, s.database)
	for command, code := range map[string]int{"status": 0, "preview": 0, "report": 0, "plan": 2} {
		r := s.command(there, app, command)
		if r.code != code || strings.Contains(r.stderr, "the server is a standby") != (code == 2) {
			t.Errorf("%s: exit code %d, want %d\n%s", command, r.code, code, r.stderr)
		}
	}
}

// TestStatementTimeout gives the migrating role a statement_timeout that is shorter than a run
// takes. It does not end a run from the command line. It ends a preview, whose message names it.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	s := newSite(t, "rds", routes[2])
	s.as(app, `CREATE FUNCTION shop.slow() RETURNS boolean LANGUAGE sql AS 'SELECT pg_sleep(0.1) IS NULL';
		GRANT EXECUTE ON FUNCTION shop.slow() TO retention_worker`)
	s.write("retention.yaml", strings.NewReplacer("INSTALL", s.install, "DAYS", "10", "pinned: pinned",
		`pinned: "pinned OR shop.slow()"`).Replace(policies))
	s.must(app, "generate")
	s.must(app, "migrate", "up")
	s.as(admin, "ALTER ROLE app SET statement_timeout = '900ms'")
	r := s.command(s.DB, app, "preview", "sessions")
	if r.code != 2 || !strings.Contains(r.stderr, "statement_timeout is 900ms") ||
		!strings.Contains(r.stderr, "PGOPTIONS='-c statement_timeout=0'") {
		t.Errorf("preview: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	s.must(app, "run", "--job", "purge")
	s.wantRows(10)
}

// TestConnectionLimit gives a role and a database a CONNECTION LIMIT. The hint names the limit that
// was reached.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, "rds", routes[2])
	refused := func(hint string) {
		t.Helper()
		if r := s.command(s.DB, app, "run", "--job", "purge"); r.code != 2 || !strings.Contains(r.stderr, hint) {
			t.Errorf("run: exit code %d, want the hint %s\n%s", r.code, hint, r.stderr)
		}
	}
	s.as(admin, "ALTER ROLE app CONNECTION LIMIT 1")
	refused(`ALTER ROLE app CONNECTION LIMIT N;`)
	s.as(admin, "ALTER ROLE app CONNECTION LIMIT -1; ALTER DATABASE shop CONNECTION LIMIT 1")
	refused(`ALTER DATABASE shop CONNECTION LIMIT N;`)
}
