package roles

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/sandbox"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestBootstrapByAdministrator runs the bootstrap script as an administrator who is not a
// superuser, for example at a hosting provider. The script executes the statements that this
// administrator may execute. The script's error lists the remaining statements, which a superuser
// then executes.
func TestBootstrapByAdministrator(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, smallSchema, small)
	db.Exec(t, "DROP EXTENSION pg_cron")
	err := s.bootstrap(dba)
	if err == nil || err.Code != "42501" ||
		!strings.Contains(err.Message, `role "shop_dba" could not execute all statements`) {
		t.Fatalf("the script run by shop_dba: %+v, want SQLSTATE 42501", err)
	}
	wantRemaining := func(want ...string) {
		t.Helper()
		var got []string
		for line := range strings.Lines(err.Detail) {
			statement, why, found := strings.Cut(strings.TrimSpace(line), ";  -- ")
			if !found || why == "" {
				t.Errorf("the detail gives no reason for a statement: %q", line)
			}
			got = append(got, statement)
		}
		if diff := cmp.Diff(want, got); diff != "" || err.Hint == "" {
			t.Errorf("remaining statements (-want +got), hint %q:\n%s", err.Hint, diff)
		}
	}
	wantRemaining("GRANT CREATE ON DATABASE postgres TO shop_deploy", "CREATE EXTENSION IF NOT EXISTS pg_cron",
		"GRANT USAGE ON SCHEMA cron TO retention_runner")
	if n := ask[int](s, super, "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'retention_%'"); n != 5 {
		t.Errorf("the script created %d roles, want 5", n)
	}
	for line := range strings.Lines(err.Detail) {
		s.as(super, line)
	}
	if err := s.bootstrap(dba); err != nil {
		t.Errorf("the script after the remaining statements: %+v", err)
	}
	before := pgtest.Column[string](t, db, privileges)
	for _, who := range []string{dba, super, dba} {
		if err := s.bootstrap(who); err != nil {
			t.Errorf("again, by %q: %+v", who, err)
		}
	}
	// A superuser may execute the optional statements that the administrator may not.
	after := pgtest.Column[string](t, db, privileges)
	monitor := ask[bool](s, super, "SELECT pg_has_role('retention_owner', 'pg_monitor', 'USAGE')")
	for _, line := range after {
		if !slices.Contains(before, line) && !strings.HasPrefix(line, "member retention_owner of pg_monitor") &&
			!strings.HasPrefix(line, "database postgres") {
			t.Errorf("the superuser's script added: %s", line)
		}
	}
	if !monitor {
		t.Error("retention_owner is not a member of pg_monitor after the superuser's script")
	}
	s.install(dba)
	s.as(dba, "GRANT retention_viewer TO bert")
	s.must(runner, "run", "--job", "nightly")
	s.must(viewer, "verify")
}

// TestTwoDatabasesOfOneServer installs into three databases of one server. The third database has
// other role names. Uninstalling from the second and the third database must not change the first
// database or the memberships of roles.
func TestTwoDatabasesOfOneServer(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{})
	db.Exec(t, people)
	quiet := strings.Replace(small, "install: {", "install: {scheduler: none, ", 1)
	other := strings.Replace(quiet, "search_path: [app]",
		"search_path: [app], roles: {owner: b_owner, runner: b_runner, operator: b_operator, viewer: b_viewer}", 1)
	first := newStage(t, db, smallSchema, quiet)
	first.install(super)
	first.enrol(super)
	second := newStage(t, db.Sibling(t, "second"), smallSchema, quiet)
	second.install(super)
	third := newStage(t, db.Sibling(t, "third"), smallSchema, other)
	third.install(super)
	const members = `
		SELECT m.member::regrole || ' ' || m.roleid::regrole
		FROM pg_auth_members m
		WHERE m.roleid::regrole::text !~ '^pg_' OR m.member::regrole::text !~ '^pg_'
		ORDER BY 1`
	before := pgtest.Column[string](t, db, members)
	catalog := kit.Catalog(t, first.DB, "retention")
	second.must(deploy, "migrate", "down", "--all")
	third.must(deploy, "migrate", "down", "--all")
	if diff := cmp.Diff(before, pgtest.Column[string](t, db, members)); diff != "" {
		t.Errorf("migrate down changed memberships:\n%s", diff)
	}
	if diff := cmp.Diff(catalog, kit.Catalog(t, first.DB, "retention")); diff != "" {
		t.Errorf("migrate down in other databases changed the first one:\n%s", diff)
	}
	first.must(runner, "run", "notes")
	first.must(viewer, "verify")
	second.must(deploy, "migrate", "up")
	second.must(operator, "run", "notes")
	second.must(viewer, "verify")
	third.must(deploy, "migrate", "up")
	third.refused(operator, 2, []string{"permission denied"}, "run", "notes")
	third.must("b_runner", "run", "notes")
}

// TestOneRoleForEverything installs with fewer roles than the default. Either the migrating role or
// an existing role does everything, or one role has two of the tasks.
func TestOneRoleForEverything(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ roles, who, before string }{
		"none": {roles: "none", who: deploy},
		"the migrating role": {
			roles: "{owner: shop_deploy, runner: shop_deploy, operator: shop_deploy, viewer: shop_deploy}",
			who:   deploy,
		},
		"an existing role": {
			roles:  "{owner: shop_batch, runner: shop_batch, operator: shop_batch, viewer: shop_batch}",
			who:    "shop_batch",
			before: "CREATE ROLE shop_batch LOGIN",
		},
		"one to own and run": {
			roles: "{owner: shop_batch, runner: shop_batch, operator: shop_people, viewer: shop_people}",
			who:   "shop_batch",
		},
		"the owner of the rows": {
			roles: "{owner: shop_deploy, runner: retention_runner}",
			who:   runner,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.CronServer(t)
			db.Exec(t, people)
			if c.before != "" {
				db.Exec(t, c.before)
			}
			s := newStage(t, db, smallSchema+`; GRANT SELECT ON app.note TO bert`,
				strings.Replace(small, "search_path: [app]", "search_path: [app], roles: "+c.roles, 1))
			const rights = `SELECT
				has_table_privilege('shop_deploy', 'app.note', 'SELECT, UPDATE, DELETE, INSERT, TRUNCATE')::text
				|| (SELECT relacl::text FROM pg_class WHERE oid = 'app.note'::regclass)`
			before := ask[string](s, super, rights)
			s.install(super)
			s.must(c.who, "run", "--job", "nightly")
			if n := ask[int](s, deploy, "SELECT count(*) FROM app.note"); n != 29 {
				t.Errorf("%d rows are left, want 29", n)
			}
			if name == "the owner of the rows" { // verify reports only that the owner can log in
				s.refused(super, 1, []string{`role "shop_deploy" can log in [V072]`, "Found 1 drift, 0 unknown"},
					"verify")
			} else {
				s.must(super, "verify")
				s.must(c.who, "verify")
			}
			again := pgtest.Column[string](t, db, privileges)
			if err := s.bootstrap(super); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(again, pgtest.Column[string](t, db, privileges)); diff != "" {
				t.Errorf("the second run of the bootstrap script changed privileges:\n%s", diff)
			}
			if err := s.try(stranger, "SELECT * FROM retention.run"); err == nil || err.Code != "42501" {
				t.Errorf("a role without privileges reads retention.run: %v, want SQLSTATE 42501", err)
			}
			s.must(deploy, "migrate", "down", "--all")
			if after := ask[string](s, super, rights); after != before {
				t.Errorf("privileges on app.note before the install: %s; after migrate down: %s", before, after)
			}
			s.must(deploy, "migrate", "up")
			s.must(c.who, "run", "notes")
		})
	}
}
