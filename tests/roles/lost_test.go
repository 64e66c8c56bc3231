package roles

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// TestLostPrivileges revokes a membership or a privilege after the install. The command that needs
// it must name it.
func TestLostPrivileges(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, smallSchema, small)
	s.install(super)
	s.enrol(super)
	longer := strings.Replace(small, "days: 30", "days: 20", 1) + "  again: {schedule: \"0 2 * * *\", run: [notes]}\n"

	for name, c := range map[string]struct {
		lose, restore string   // SQL that revokes the privilege, and SQL that grants it again
		migrate       []string // texts that "migrate up" writes
		run           []string // texts that a failed run writes; nil if the run succeeds
		verify        []string // texts that verify writes; nil if it is not called
	}{
		"membership of the owner": {
			lose:    "REVOKE retention_owner FROM shop_deploy",
			restore: "GRANT retention_owner TO shop_deploy",
			migrate: []string{
				`role "shop_deploy" cannot SET ROLE "retention_owner"`,
				"pgretain bootstrap --migrator shop_deploy",
			},
			run:    []string{`table app.note belongs to role "shop_deploy", which is not trusted`},
			verify: []string{`role "shop_deploy", which is not trusted, owns 2 objects`},
		},
		"membership of the runner": {
			lose:    "REVOKE retention_runner FROM shop_deploy",
			restore: "GRANT retention_runner TO shop_deploy",
			migrate: []string{
				`role "shop_deploy" cannot SET ROLE "retention_runner"`,
				"pgretain bootstrap --migrator shop_deploy",
			},
		},
		"LOGIN of the runner": {
			lose:    "ALTER ROLE retention_runner NOLOGIN",
			restore: "ALTER ROLE retention_runner LOGIN",
			migrate: []string{`role "retention_runner" cannot log in`, "pgretain bootstrap"},
			verify:  []string{`"retention_runner" cannot log in`},
		},
		"CONNECT of the runner": {
			lose: `REVOKE CONNECT ON DATABASE postgres FROM PUBLIC, retention_runner;
				GRANT CONNECT ON DATABASE postgres TO shop_deploy, bert, anna`,
			restore: "GRANT CONNECT ON DATABASE postgres TO PUBLIC, retention_runner",
			migrate: []string{`role "retention_runner" has no CONNECT on database "postgres"`, "pgretain bootstrap"},
			verify:  []string{`has no CONNECT on database "postgres"`},
		},
		"USAGE on cron": {
			lose:    "REVOKE USAGE ON SCHEMA cron FROM retention_runner",
			restore: "GRANT USAGE ON SCHEMA cron TO retention_runner",
			migrate: []string{`role "retention_runner" has no USAGE on schema cron`, "pgretain bootstrap"},
		},
		"the worker's DELETE": {
			lose:    "REVOKE DELETE ON app.note FROM retention_worker",
			restore: "GRANT DELETE ON app.note TO retention_worker",
			migrate: []string{"permission denied for table note"},
			run:     []string{`permission denied for table note (as role "retention_worker")`},
			verify:  []string{`role "retention_worker" lacks DELETE on table "app.note"`},
		},
		"the worker's USAGE": {
			lose:    "REVOKE USAGE ON SCHEMA app FROM retention_worker",
			restore: "GRANT USAGE ON SCHEMA app TO retention_worker",
			migrate: []string{"permission denied for schema app"},
			run:     []string{`permission denied for schema app (as role "retention_worker")`},
			verify:  []string{`role "retention_worker" lacks USAGE on schema "app"`},
		},
	} {
		s.write("retention.yaml", small)
		s.as(deploy, "INSERT INTO app.note SELECT max(id) + 1, now() - interval '90 days' FROM app.note")
		s.as(super, c.lose)
		if c.run != nil {
			s.refused(operator, 1, c.run, "run", "notes")
		} else {
			s.must(operator, "run", "notes")
		}
		if c.verify != nil {
			s.refused(viewer, 1, c.verify, "verify")
		}
		s.write("retention.yaml", longer)
		s.must(deploy, "generate")
		s.refused(deploy, 2, c.migrate, "migrate", "up")
		s.as(super, c.restore)
		s.must(deploy, "migrate", "up")
		s.must(deploy, "migrate", "down")
		s.dropLastStep()
		s.write("retention.yaml", small)
		s.must(operator, "run", "notes")
		s.must(viewer, "verify")
		t.Logf("checked: %s", name)
	}

	// Now another role owns the table, so the migrating role can neither grant on it nor index it.
	s.as(deploy, "INSERT INTO app.note SELECT max(id) + 1, now() - interval '90 days' FROM app.note")
	s.as(super, "ALTER TABLE app.note OWNER TO shop_dba; REVOKE ALL ON app.note FROM retention_worker")
	s.refused(operator, 1, []string{`table app.note belongs to role "shop_dba", which is not trusted`}, "run", "notes")
	s.as(super, "UPDATE retention.install SET trust = '{shop_dba}'")
	s.refused(operator, 1, []string{`permission denied for table note (as role "retention_worker")`}, "run", "notes")
	s.write("retention.yaml", strings.Replace(small, "then: [delete]",
		`then: [{archive: {into: app.old, create: true}}, delete]`, 1))
	s.must(deploy, "snapshot")
	s.must(deploy, "generate")
	s.refused(deploy, 1, []string{`app.note belongs to role "shop_dba", which is not trusted`}, "migrate", "up")
	s.as(super, `
		UPDATE retention.install SET trust = '{}';
		ALTER TABLE app.note OWNER TO shop_deploy;
		GRANT SELECT, UPDATE, DELETE ON app.note TO retention_worker`)
	s.must(deploy, "migrate", "up")
	s.must(operator, "run", "notes")
	s.must(viewer, "verify")
}
