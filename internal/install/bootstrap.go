package install

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// Bootstrap is the script that a DBA runs once in database, so that role migrator, which need not
// be a superuser, can migrate: roles, memberships, pg_monitor, pg_cron. It may be run again, on
// every version from 15 on. With "roles: none" it prepares only what migrator itself needs.
func Bootstrap(install policy.Install, database, migrator string) (string, error) {
	if database == "" || migrator == "" {
		return "", errors.New("bootstrapping: a database and a migrating role are needed")
	}
	return render("bootstrap", map[string]any{"Database": database, "Migrator": migrator,
		"Roles": rolesOf(install, migrator), "Cron": install.Scheduler == "pg_cron" && !install.CronElsewhere()}), nil
}

// Run runs a script of Bootstrap or BootstrapCron as the role of the connection. What the server warns of meanwhile
// goes to warn.
func Run(ctx context.Context, url, script string, warn func(diag.Diagnostic)) error {
	conn, err := connect(ctx, url, func(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
		config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) {
			d := Said((*pgconn.PgError)(notice))
			d.Severity = diag.Warning
			warn(d)
		}
		return pgx.ConnectConfig(ctx, config)
	})
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err = conn.PgConn().Exec(ctx, script).ReadAll(); err != nil {
		return fmt.Errorf("bootstrapping: %w", err)
	}
	return nil
}

// rolesOf are the roles of an install; with "roles: none" the migrator is all of them.
func rolesOf(install policy.Install, migrator string) policy.Roles {
	if !install.Roles.None {
		return install.Roles
	}
	return policy.Roles{None: true, Owner: migrator, Worker: migrator, Runner: migrator, Operator: migrator, Viewer: migrator}
}

// BootstrapCron is the script that a DBA runs, after that of Bootstrap, in the other database where
// schema cron lives: what the runner needs to schedule jobs from there, and a schema for the
// versions of these migrations. It may be run again.
func BootstrapCron(install policy.Install, migrator string) (string, error) {
	if migrator == "" {
		return "", errors.New("bootstrapping: a migrating role is needed")
	}
	if !install.CronElsewhere() {
		return "", Refusal("schema cron does not live in another database", "",
			"Set install.database and install.cron_database, or leave --cron out.")
	}
	return render("bootstrap_cron", map[string]any{"Database": install.CronDatabase, "Application": install.Database,
		"Schema": install.CronSchema(), "Mark": schemaMark, "Migrator": migrator, "Roles": rolesOf(install, migrator)}), nil
}
