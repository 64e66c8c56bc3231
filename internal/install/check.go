package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// oldest is the oldest supported server, as server_version_num.
const oldest = 150000

// server holds the facts about a server that a migration needs.
type server struct {
	version         int
	standby         bool
	database, user  string
	superuser       bool
	mayCreateSchema bool
	schemaMissing   bool
	versions        bool // the version table exists
	states          bool // the version table has the column that pgretain adds
	runtime         bool // the runtime is installed
	registry        bool // the role may read the runtime's registry
}

// recorded reports whether "pgretain migrate" recorded the migrations. It is false if the runtime
// exists without a version table.
func (s *session) recorded() bool { return s.server.versions || !s.server.runtime }

// inspect reads the facts about the server, and refuses servers that are too old.
func (s *session) inspect(ctx context.Context) error {
	v := &s.server
	err := s.row(ctx, "reading the state of the server", "server", []any{s.schema()},
		&v.version, &v.standby, &v.database, &v.user, &v.superuser, &v.mayCreateSchema, &v.schemaMissing,
		&v.versions, &v.states, &v.runtime, &v.registry)
	if err == nil && v.version < oldest {
		err = Refusal(fmt.Sprintf("the server is PostgreSQL %d", v.version/10000), "",
			fmt.Sprintf("pgretain needs PostgreSQL %d or later.", oldest/10000))
	}
	return err
}

// Standby returns the error for a server that accepts no writes.
func Standby() error {
	return Refusal("the server is a standby", "It is in recovery and accepts no writes.",
		"Connect to the primary; target_session_attrs=read-write finds it.")
}

// check refuses everything that would stop a migration before its end, and reports all faults at
// once. It checks that the roles exist and the migrating role is a member of them. It checks the
// privileges on the schema, and that the runner can schedule jobs.
func (s *session) check(ctx context.Context) error {
	if s.server.standby {
		return Standby()
	}
	roles, schema := rolesOf(s.Install, s.server.user), strconv.Quote(s.schema())
	command := "bootstrap"
	if s.Cron {
		command = "bootstrap --cron"
	}
	hint := messages.AskDBA(s.server.database, command, s.server.user)
	if !roles.None {
		err := refusals(ctx, s, "reading the roles", "roles", func(f messages.RoleFault) diag.Diagnostic {
			return messages.RoleStopsMigration(roles.Owner, hint, f)
		}, roles.All(), roles.Owner, roles.Worker, roles.Runner, s.Install.Scheduler == "pg_cron")
		if err != nil {
			return err
		}
	}
	return errors.Join(
		refusals(ctx, s, "reading schema "+schema, "schema", func(f messages.SchemaFault) diag.Diagnostic {
			return messages.SchemaStopsMigration(s.schema(), roles.Owner, hint, f)
		}, s.schema(), roles.Owner),
		s.checkCron(ctx, roles.Runner, hint))
}

// CheckVersion returns an error if the runtime is newer than this program, or if its version cannot
// be read. This program does not know the functions and tables of a newer runtime. An older runtime
// is no error.
func CheckVersion(found, database string) error {
	newer, err := sqlfiles.Compare(found)
	if err == nil && newer <= 0 {
		return nil
	}
	return Refusal(fmt.Sprintf("database %q has version %s of the runtime, this pgretain knows version %s",
		database, found, sqlfiles.Version), "", "Use the pgretain version that upgraded the database, or a later one.")
}

// checkVersion calls CheckVersion for the runtime of this install, if the role can read it.
func (s *session) checkVersion(ctx context.Context) error {
	if !s.server.registry {
		return nil
	}
	var found string
	err := s.conn.QueryRow(ctx, s.statement("runtime_version")).Scan(&found)
	switch {
	case err != nil:
		return fmt.Errorf("reading the runtime's version: %w", err)
	case found == "":
		return nil
	}
	return CheckVersion(found, s.server.database)
}

// checkRecorded refuses to start over if another tool installed the runtime.
func (s *session) checkRecorded(command string) error {
	if s.recorded() {
		return nil
	}
	return Refusal(fmt.Sprintf("the runtime in schema %q was not installed by \"pgretain migrate\"", s.schema()),
		"There is no version table "+s.schema()+".goose_db_version, which would list the applied migrations.",
		s.goOn(command))
}

// goOn returns the hint to go on with the other tool. command is the one of goose; without it the
// hint names no command.
func (s *session) goOn(command string) string {
	hint := "Continue with the program that applied the migrations."
	if command == "" {
		return hint
	}
	return fmt.Sprintf("%s With goose: goose -dir '%s' postgres \"$DATABASE_URL\" %s", hint,
		strings.ReplaceAll(s.Path, "'", `'\''`), command)
}

// checkRecordedDown is checkRecorded for Down and Uninstall. pick selects the migrations that the
// hint undoes. The hint has no command where that would undo a migration of the user as well.
func (s *session) checkRecordedDown(ctx context.Context, pick func([]Migration) []Migration) error {
	if s.recorded() {
		return nil
	}
	known, err := s.status(ctx)
	if err != nil {
		return err
	}
	generated := only(known, func(m Migration) bool { return m.part > 0 })
	slices.Reverse(generated)
	command := ""
	if undone := pick(generated); len(undone) > 0 {
		first := undone[len(undone)-1].Version
		own := only(known, func(m Migration) bool { return m.part == 0 && m.Version >= first })
		if len(own) == 0 {
			command = fmt.Sprintf("down-to %d", first-1)
		}
	}
	return s.checkRecorded(command)
}

// checkCron checks that pg_cron is installed and that the runner may call it. If jobs are in
// another database, it checks that the connection is to the right database.
func (s *session) checkCron(ctx context.Context, runner, hint string) error {
	in := s.Install
	want, key := in.Database, "database"
	if s.Cron {
		want, key = in.CronDatabase, "cron_database"
	}
	if (s.Cron || in.CronElsewhere()) && want != "" && s.server.database != want {
		return Refusal(fmt.Sprintf("install.%s is %q, the connection is to database %q", key, want, s.server.database),
			"Jobs are scheduled in one database and run in the other, by name.",
			"Connect to that database, or change the policy file and run \"pgretain generate\".")
	}
	if !s.Cron && (in.CronElsewhere() || in.Scheduler != "pg_cron") {
		return nil
	}
	return refusals(ctx, s, "reading pg_cron", "cron", func(f messages.CronFault) diag.Diagnostic {
		return messages.CronStopsMigration(runner, in.Database, hint, f)
	}, runner, in.Database, s.Cron, in.CronElsewhere())
}

// checkSchedules schedules each schedule of the policy file as the runner, in a transaction that is
// rolled back. Only the installed pg_cron knows which syntax it accepts. Other errors of the server
// are left to the migration.
func (s *session) checkSchedules(ctx context.Context) error {
	var errs []error
	for _, schedule := range s.Schedules {
		runner := rolesOf(s.Install, s.server.user).Runner
		_, err := s.conn.Exec(ctx, render("try_schedule", map[string]any{"Role": runner, "Schedule": schedule.Text}))
		server, refused := errors.AsType[*pgconn.PgError](err)
		switch {
		case refused && server.Code == "22023":
			wrong := Refusal(
				fmt.Sprintf("pg_cron of database %q does not accept the schedule %q", s.server.database, schedule.Text),
				"pg_cron reports: "+server.Message+".",
				"Update pg_cron: intervals in seconds need version 1.5, and $ for the last day of a month needs 1.6. "+
					`Or write a schedule with five fields and run "pgretain generate".`).because(server)
			wrong.Position, wrong.Code = schedule.Position, diag.SQLState(server.Code)
			errs = append(errs, wrong)
		case err != nil && !refused:
			return fmt.Errorf("trying schedule %q: %w", schedule.Text, err)
		}
	}
	return errors.Join(errs...)
}

// refusals returns all faults that a query finds as one error. doing describes the query for
// messages, and message returns the message about a fault.
func refusals[F any](ctx context.Context, s *session, doing, name string, message func(F) diag.Diagnostic,
	args ...any) error {
	rows, _ := s.conn.Query(ctx, query(name), args...) // CollectRows returns the same error
	faults, err := pgx.CollectRows(rows, pgx.RowToStructByName[F])
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return errors.Join(lists.Map(faults, func(f F) error {
		d := message(f)
		return Refusal(d.Message, d.Detail, d.Hint)
	})...)
}

// checkOrder calls checkApplied, and refuses a pending file below an applied one. The later
// file was generated for a database without the pending file.
func checkOrder(known []Migration) error {
	if err := checkApplied(known); err != nil {
		return err
	}
	isApplied := func(m Migration) bool { return m.Applied }
	from := slices.IndexFunc(known, func(m Migration) bool { return !m.Applied })
	if from < 0 || !slices.ContainsFunc(known[from:], isApplied) {
		return nil
	}
	later := from + slices.IndexFunc(known[from:], isApplied)
	hint := "Later generated files build on these. Undo the later ones with \"pgretain migrate down\", in a checkout " +
		"that this database was migrated from, then go up again here."
	if own := names(only(known[from:later], func(m Migration) bool { return m.state == "" })); own != "" {
		hint = fmt.Sprintf("Give %s a number after the last applied one.", own)
	}
	return Refusal(fmt.Sprintf("%s is applied, but earlier files are not: %s", known[later].Name,
		names(known[from:later])), "", hint)
}

func only(list []Migration, which func(Migration) bool) []Migration {
	return slices.DeleteFunc(slices.Clone(list), func(m Migration) bool { return !which(m) })
}

// names lists the names of the files, or the versions of migrations without a file.
func names(list []Migration) string {
	return strings.Join(lists.Map(list, func(m Migration) string { return cmp.Or(m.Name, fmt.Sprint(m.Version)) }),
		", ")
}

// checkApplied refuses a directory that lacks applied migrations or has other files for them. It
// also refuses two files with one number. It recognizes a file that was given another number.
func checkApplied(known []Migration) error {
	unknown := only(known, func(m Migration) bool { return m.Name == "" })
	hint := ""
	for i, m := range known {
		if i > 0 && known[i-1].Version == m.Version {
			return Refusal(names(known[i-1:i+1])+" have the same number", "",
				"Give another number to the file that no database has applied.")
		}
		for _, u := range unknown {
			if m.state != "" && m.state == u.recorded && !m.Applied {
				hint += fmt.Sprintf("Version %d was applied from %s: restore the number of this file. ",
					u.Version, m.Name)
			}
		}
	}
	if len(unknown) > 0 {
		return Refusal("the database has migrations that the directory does not have: "+names(unknown), "",
			cmp.Or(strings.TrimSpace(hint),
				"Use the directory from which they were applied, or a later version of it."))
	}
	if other := names(only(known, func(m Migration) bool { return m.Differs })); other != "" {
		return Refusal("the database was migrated with other files of these numbers: "+other,
			"One side of a fork was generated again after this database had applied it, or files were exchanged.",
			"Run \"pgretain migrate down\" in a checkout that has the files of this database, until they are undone; "+
				"then \"pgretain migrate up\" here.")
	}
	return nil
}

// Bootstrap returns the script that a DBA runs once in database. After it, role migrator can
// migrate without being a superuser. The script creates roles, memberships, pg_monitor and pg_cron,
// and may be run again. It runs on PostgreSQL 15 and later. With "roles: none" it prepares only
// what migrator needs. Bootstrap returns an error if database or migrator is empty.
func Bootstrap(install policy.Install, database, migrator string) (string, error) {
	if database == "" || migrator == "" {
		return "", errors.New("bootstrapping: a database and a migrating role are needed")
	}
	return render("bootstrap", map[string]any{"Database": database, "Migrator": migrator, "Schema": install.Schema,
		"Roles": rolesOf(install, migrator), "Elsewhere": false,
		"Cron": install.Scheduler == "pg_cron" && !install.CronElsewhere()}), nil
}

// Run executes a script of Bootstrap or BootstrapCron as the role of the connection. It passes
// warnings of the server to warn. It returns the error of the server, or of the connection.
func Run(ctx context.Context, url, script string, warn func(diag.Diagnostic)) error {
	conn, err := connect(ctx, url, func(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
		config.OnNotice = warnings(warn)
		afterConnect(config, "")
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

// warnings returns a handler that passes what the server notices to warn.
func warnings(warn func(diag.Diagnostic)) pgconn.NoticeHandler {
	return func(_ *pgconn.PgConn, notice *pgconn.Notice) {
		d := Said((*pgconn.PgError)(notice))
		d.Severity = diag.Warning
		warn(d)
	}
}

// rolesOf returns the roles of an install. With "roles: none" the migrator is every role.
func rolesOf(install policy.Install, migrator string) policy.Roles {
	if !install.Roles.None {
		return install.Roles
	}
	return policy.Roles{None: true, Owner: migrator, Worker: migrator, Runner: migrator, Operator: migrator,
		Viewer: migrator}
}

// BootstrapCron returns the script for the other database in which schema cron is. A DBA runs it
// after the script of Bootstrap. It gives the runner what it needs to schedule jobs, and creates a
// schema for the migration versions. It may be run again. BootstrapCron returns an error if
// migrator is empty or schema cron is in the same database.
func BootstrapCron(install policy.Install, migrator string) (string, error) {
	if migrator == "" {
		return "", errors.New("bootstrapping: a migrating role is needed")
	}
	if !install.CronElsewhere() {
		return "", Refusal("schema cron is not in another database", "",
			"Set install.database and install.cron_database, or leave --cron out.")
	}
	return render("bootstrap", map[string]any{"Database": install.CronDatabase, "Application": install.Database,
		"Schema": install.CronSchema(), "Mark": sqlfiles.SchemaMark, "Migrator": migrator,
		"Roles": rolesOf(install, migrator), "Elsewhere": true, "Cron": true}), nil
}
