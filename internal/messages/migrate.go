package messages

import (
	"fmt"
	"strings"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// Faults that stop a migration, and warnings after it. They have no code. The structs are the facts
// that queries of package install return. Each query has the columns that its struct has fields.

// AskDBA returns the hint for a role that lacks what a bootstrap command gives to it.
func AskDBA(database, command, migrator string) string {
	return fmt.Sprintf("Have a DBA run in database %q what \"pgretain %s --migrator %s\" prints.", database, command,
		migrator)
}

// RoleFault is a fault of roles of the install. The file of query roles describes the faults.
type RoleFault struct {
	Fault          string
	Roles          []string // several ones only if they do not exist
	User, Database string   // of the session
}

func RoleStopsMigration(owner, hint string, f RoleFault) diag.Diagnostic {
	const become = "Objects are created as the owner and jobs are scheduled as the runner."
	const login = "pg_cron logs in as the runner."
	d, role := diag.Diagnostic{Hint: hint}, f.Roles[0]
	switch f.Fault {
	case "missing":
		d.Message = fmt.Sprintf(`roles do not exist: "%s"`, strings.Join(f.Roles, `", "`))
	case "owner":
		d.Message = fmt.Sprintf(`role "%s" is not a member of "%s", with all of its privileges`, owner, role)
		d.Detail = "The owner makes functions for the worker, and hands them over."
	case "set role":
		d.Message, d.Detail = fmt.Sprintf(`role "%s" cannot SET ROLE "%s"`, f.User, role), become
	case "inherit":
		d.Message = fmt.Sprintf(`role "%s" does not inherit the privileges of "%s"`, f.User, role)
		d.Detail = become
	case "login":
		d.Message, d.Detail = fmt.Sprintf(`role "%s" cannot log in`, role), login
	case "connect":
		d.Message, d.Detail = noConnect(role, f.Database), login
	default:
		UnknownFault(f.Fault)
	}
	return d
}

func noConnect(role, database string) string {
	return fmt.Sprintf(`role "%s" has no CONNECT on database "%s"`, role, database)
}

// SchemaFault says why the owner cannot create the runtime's schema, or objects in it. The file of
// query schema describes the faults.
type SchemaFault struct {
	Fault          string
	User, Database string  // of the session
	Owner          *string // of the schema; nil if it does not exist
	Table          *string // a table in the schema; nil if there is none
}

// SchemaStopsMigration takes the role that creates objects, and a hint if the migrating role cannot
// create the schema.
func SchemaStopsMigration(schema, creator, hint string, f SchemaFault) diag.Diagnostic {
	switch f.Fault {
	case "cannot create":
		return diag.Diagnostic{Hint: hint, Message: fmt.Sprintf(
			`role "%s" may not create schema "%s" in database "%s"`, f.User, schema, f.Database)}
	case "closed":
		return diag.Diagnostic{
			Message: fmt.Sprintf(`role "%s" may not create objects in schema "%s"`, creator, schema),
			Detail:  fmt.Sprintf(`The schema exists and belongs to "%s".`, *f.Owner),
			Hint:    "Name another schema under install.schema, or make that role its owner."}
	case "owner":
		return diag.Diagnostic{
			Message: fmt.Sprintf(`schema "%s" belongs to role "%s", who is no member of "%s"`, schema, *f.Owner,
				creator),
			Detail: "The owner of a schema can drop all objects in it, and may have created functions that " +
				"migrations would call.",
			Hint: fmt.Sprintf("ALTER SCHEMA %s OWNER TO %s; or name another schema under install.schema.",
				quote.Ident(schema), quote.Ident(creator))}
	case "table":
		return diag.Diagnostic{
			Message: fmt.Sprintf(`schema "%s" contains table "%s", which pgretain did not create`, schema, *f.Table),
			Detail:  "Migrations revoke the privileges of other roles in their schema.",
			Hint:    "Name another schema under install.schema."}
	}
	return UnknownFault(f.Fault)
}

// CronFault is the first fault that prevents the runner from scheduling jobs. The file of query
// cron describes the faults.
type CronFault struct {
	Fault, Here string
	Home        string // the database for which the server loads pg_cron
}

// CronStopsMigration takes the database in which jobs run, and a hint about privileges.
func CronStopsMigration(runner, database, hint string, f CronFault) diag.Diagnostic {
	missing := fmt.Sprintf(`extension pg_cron is not installed in database "%s"`, f.Here)
	switch f.Fault {
	case "not loaded":
		return diag.Diagnostic{Message: missing,
			Detail: "The server does not load pg_cron, or the migrating role cannot read its settings.",
			Hint: "Add pg_cron to shared_preload_libraries, set cron.database_name, restart and run what " +
				`"pgretain bootstrap" prints; or set install.scheduler to none and run jobs by other means.`}
	case "loaded here":
		return diag.Diagnostic{Message: missing, Detail: "The server loads pg_cron for this database.", Hint: hint}
	case "loaded elsewhere":
		return diag.Diagnostic{Message: missing,
			Detail: fmt.Sprintf(`The server loads pg_cron for database "%s".`, f.Home),
			Hint:   fmt.Sprintf(`Set install.cron_database to "%s".`, f.Home)}
	case "no usage":
		return diag.Diagnostic{Message: fmt.Sprintf(`role "%s" has no USAGE on schema cron`, runner), Hint: hint}
	case "no execute":
		return diag.Diagnostic{Hint: hint,
			Message: fmt.Sprintf(`role "%s" has no EXECUTE on cron.schedule_in_database`, runner)}
	case "other server":
		return diag.Diagnostic{
			Message: fmt.Sprintf(`install.database is "%s", and the server of database "%s" has none of that name`,
				database, f.Here),
			Hint: "Connect to the server that has both databases: pg_cron runs jobs on its own server."}
	case "no connect":
		return diag.Diagnostic{Message: noConnect(runner, database),
			Hint: fmt.Sprintf(`Have a DBA run in database "%s" what "pgretain bootstrap" prints.`, database)}
	}
	return UnknownFault(f.Fault)
}

// LockHolder is the session that holds the lock of migrations. PID is nil if it has ended.
type LockHolder struct {
	PID                       *int
	RoleName, ApplicationName string
}

// MigrationRuns takes how long the caller waited for the lock.
func MigrationRuns(schema string, waited time.Duration, h LockHolder) diag.Diagnostic {
	message := fmt.Sprintf(`another migration of schema "%s" is running`, schema)
	if h.PID == nil {
		return diag.Diagnostic{Message: message,
			Detail: fmt.Sprintf("Waited %s for its lock; it has ended just now.", waited),
			Hint:   "Run the command again."}
	}
	return diag.Diagnostic{Message: fmt.Sprintf("%s in pid %d", message, *h.PID),
		Detail: fmt.Sprintf(`Waited %s for its lock, which is held by role "%s", application "%s".`, waited, h.RoleName,
			h.ApplicationName),
		Hint: fmt.Sprintf("Wait for it to end; SELECT * FROM pg_stat_activity WHERE pid = %d shows what it does.",
			*h.PID)}
}

// Lost is an index or a column that another program has dropped. Index is "" for a column. The
// other fields are "" for an index.
type Lost struct{ Index, Table, Column, Policy string }

func Dropped(l Lost) diag.Diagnostic {
	d := diag.Diagnostic{Severity: diag.Warning, Message: fmt.Sprintf(`index "%s" is missing`, l.Index),
		Detail: "No migration is pending that would create it. Another program may have dropped it.",
		Hint:   `Run "pgretain snapshot" and "pgretain generate", and migrate.`}
	if l.Index == "" {
		d.Message = fmt.Sprintf(`table "%s" has no column "%s", which policy "%s" reads`, l.Table, l.Column, l.Policy)
	}
	return d
}
