package roles

import (
	"strings"
	"testing"

	"pgretain/tests/pgtest"
)

// What goes missing later is said by name, by the command that needs it.
func TestWhatIsLostLater(t *testing.T) {
	t.Parallel()
	db := pgtest.CronServer(t)
	db.Exec(t, people)
	s := newStage(t, db, smallSchema, small)
	s.install(super)
	s.enrol(super)
	longer := strings.Replace(small, "days: 30", "days: 20", 1) + "  again: {schedule: \"0 2 * * *\", run: [notes]}\n"

	for name, c := range map[string]struct {
		lose, find string
		migrate    []string
		run        []string // what a run says, nil when it does not mind
		verify     []string
	}{
		"membership of the owner": {"REVOKE retention_owner FROM shop_deploy", "GRANT retention_owner TO shop_deploy",
			[]string{`role "shop_deploy" cannot SET ROLE "retention_owner"`,
				"pgretain bootstrap --migrator shop_deploy"},
			[]string{`table app.note belongs to role "shop_deploy", which is not trusted`}, []string{`table app.note belongs to role "shop_deploy", which is not trusted`}},
		"membership of the runner": {"REVOKE retention_runner FROM shop_deploy",
			"GRANT retention_runner TO shop_deploy",
			[]string{`role "shop_deploy" cannot SET ROLE "retention_runner"`,
				"pgretain bootstrap --migrator shop_deploy"}, nil, nil},
		"LOGIN of the runner": {"ALTER ROLE retention_runner NOLOGIN", "ALTER ROLE retention_runner LOGIN",
			[]string{`role "retention_runner" cannot log in`,
				"pgretain bootstrap"}, nil, []string{`"retention_runner" cannot log in`}},
		"CONNECT of the runner": {"REVOKE CONNECT ON DATABASE postgres FROM PUBLIC, retention_runner; GRANT CONNECT " +
			"ON DATABASE postgres TO shop_deploy, bert, anna",
			"GRANT CONNECT ON DATABASE postgres TO PUBLIC, retention_runner",
			[]string{`role "retention_runner" has no CONNECT on database "postgres"`,
				"pgretain bootstrap"}, nil, []string{`has no CONNECT on database "postgres"`}},
		"USAGE on cron": {"REVOKE USAGE ON SCHEMA cron FROM retention_runner",
			"GRANT USAGE ON SCHEMA cron TO retention_runner",
			[]string{`role "retention_runner" has no USAGE on schema cron`, "pgretain bootstrap"}, nil, nil},
		"the worker's DELETE": {"REVOKE DELETE ON app.note FROM retention_worker",
			"GRANT DELETE ON app.note TO retention_worker",
			[]string{"permission denied for table note"},
			[]string{`permission denied for table note (as role "retention_worker")`}, []string{`role "retention_worker" lacks DELETE on table "app.note"`}},
		"the worker's USAGE": {"REVOKE USAGE ON SCHEMA app FROM retention_worker",
			"GRANT USAGE ON SCHEMA app TO retention_worker",
			[]string{"permission denied for schema app"},
			[]string{`permission denied for schema app (as role "retention_worker")`}, []string{`role "retention_worker" lacks USAGE on schema "app"`}},
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
		s.as(super, c.find)
		s.must(deploy, "migrate", "up")
		s.must(deploy, "migrate", "down")
		s.dropLastStep()
		s.write("retention.yaml", small)
		s.must(operator, "run", "notes")
		s.must(viewer, "verify")
		t.Logf("%s: said by name", name)
	}

	// Another owner of the table: the migrating role cannot grant on it, or index it, any more.
	s.as(deploy, "INSERT INTO app.note SELECT max(id) + 1, now() - interval '90 days' FROM app.note")
	s.as(super, "ALTER TABLE app.note OWNER TO shop_dba; REVOKE ALL ON app.note FROM retention_worker")
	s.refused(operator, 1, []string{`table app.note belongs to role "shop_dba", which is not trusted`}, "run", "notes")
	s.as(super, "UPDATE retention.install SET trust = '{shop_dba}'")
	s.refused(operator, 1, []string{`permission denied for table note (as role "retention_worker")`}, "run", "notes")
	s.write("retention.yaml", strings.Replace(small, "then: [delete]",
		`then: [{archive: {into: app.old, create: true}}, delete]`, 1))
	s.must(deploy, "snapshot")
	s.must(deploy, "generate")
	s.refused(deploy, 2, []string{"permission denied for table note",
		"The migrating role must own the tables of the policies"}, "migrate", "up")
	s.as(super, "UPDATE retention.install SET trust = '{}'; ALTER TABLE app.note OWNER TO shop_deploy; GRANT "+
		"SELECT, UPDATE, DELETE ON app.note TO retention_worker")
	s.must(deploy, "migrate", "up")
	s.must(operator, "run", "notes")
	s.must(viewer, "verify")
}
