package install

import (
	"errors"

	"pgretain/policy"
)

// Bootstrap is the script that a DBA runs once in database, so that role migrator, which need not
// be a superuser, can migrate: roles, memberships, pg_monitor, pg_cron. It may be run again, on
// every version from 15 on. With "roles: none" it prepares only what migrator itself needs.
func Bootstrap(install policy.Install, database, migrator string) (string, error) {
	if database == "" || migrator == "" {
		return "", errors.New("bootstrapping: a database and a migrating role are needed")
	}
	roles := install.Roles
	if roles.None {
		roles = policy.Roles{None: true, Owner: migrator, Runner: migrator, Operator: migrator, Viewer: migrator}
	}
	return render("bootstrap", map[string]any{
		"Database": database,
		"Migrator": migrator,
		"Roles":    !roles.None,
		"Owner":    roles.Owner,
		"Runner":   roles.Runner,
		"Operator": roles.Operator,
		"Viewer":   roles.Viewer,
		"Cron":     usesCron(install, database),
	})
}

// usesCron says whether jobs are scheduled in this very database.
func usesCron(install policy.Install, database string) bool {
	return install.Scheduler == "pg_cron" && (install.CronDatabase == "" || install.CronDatabase == database)
}
