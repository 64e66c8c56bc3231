package install

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// scheduling is what the runner finds in a database.
type scheduling struct {
	extension, usage bool
	inDatabase       bool // it may schedule jobs that run in another database
	connect          bool // and connect to that one
	database         bool // which exists
}

// checkCron: the extension is here and the runner may call it; with jobs elsewhere, this is the
// database that they call.
func (s *session) checkCron(ctx context.Context, v server, o Options) error {
	in := o.Install
	switch {
	case !v.cron && in.CronElsewhere():
		return isDatabase(v, in.Database, "database")
	case !v.cron && in.Scheduler != "pg_cron":
		return nil
	case v.cron && in.CronDatabase != "":
		if err := isDatabase(v, in.CronDatabase, "cron_database"); err != nil {
			return err
		}
	}
	runner := v.user
	if !in.Roles.None {
		runner = in.Roles.Runner
	}
	var f scheduling
	err := s.db.QueryRowContext(ctx, query("cron"), runner, in.Database).
		Scan(&f.extension, &f.usage, &f.inDatabase, &f.database, &f.connect)
	if err != nil {
		return fmt.Errorf("reading pg_cron: %w", err)
	}
	if !f.extension {
		return noCron(v, in, s.cronHome(ctx))
	}
	if err := f.check(v, in, runner); err != nil {
		return err
	}
	return s.checkSchedules(ctx, runner, v, o)
}

// isDatabase refuses a connection to another database than the policy file names.
func isDatabase(v server, want, key string) error {
	if v.database == want {
		return nil
	}
	return &CheckError{
		Message: fmt.Sprintf("install.%s is %q, the connection is to database %q", key, want, v.database),
		Detail:  "Jobs are scheduled in one database and run in the other, by name.",
		Hint:    "Connect to that database, or change the policy file and run \"pgretain generate\".",
	}
}

// check says by name what the runner lacks.
func (f scheduling) check(v server, in policy.Install, runner string) error {
	var message string
	switch {
	case !f.usage:
		message = fmt.Sprintf("role %q has no USAGE on schema cron", runner)
	case v.cron && !f.inDatabase:
		message = fmt.Sprintf("role %q has no EXECUTE on cron.schedule_in_database", runner)
	case v.cron && in.CronElsewhere() && !f.database:
		return &CheckError{
			Message: fmt.Sprintf("install.database is %q, and the server of database %q has none of that name", in.Database, v.database),
			Hint:    "Connect to the server that has both databases: pg_cron runs jobs on its own server.",
		}
	case v.cron && in.CronElsewhere() && !f.connect:
		return &CheckError{
			Message: fmt.Sprintf("role %q has no CONNECT on database %q", runner, in.Database),
			Hint:    fmt.Sprintf("Have a DBA run in database %q what \"pgretain bootstrap\" prints.", in.Database),
		}
	}
	if message == "" {
		return nil
	}
	return &CheckError{Message: message, Hint: bootstrapHint(v)}
}

// cronHome is the database that pg_cron works in, "" where it is not loaded, or where the migrating
// role may not know.
func (s *session) cronHome(ctx context.Context) string {
	var home string
	if err := s.db.QueryRowContext(ctx, query("cron_home")).Scan(&home); err != nil {
		return ""
	}
	return home
}

// noCron tells apart a server without pg_cron, and pg_cron in another database.
func noCron(v server, in policy.Install, home string) error {
	check := &CheckError{Message: fmt.Sprintf("extension pg_cron is not installed in database %q", v.database)}
	switch {
	case home == "":
		check.Detail = "The server does not load pg_cron, or the migrating role cannot read its settings."
		check.Hint = "Add pg_cron to shared_preload_libraries, set cron.database_name, restart and run what " +
			"\"pgretain bootstrap\" prints; or set install.scheduler to none and run jobs by other means."
	case home == v.database:
		check.Detail = "The server loads pg_cron for this database."
		check.Hint = bootstrapHint(v)
	case v.cron:
		check.Detail = fmt.Sprintf("The server loads pg_cron for database %q.", home)
		check.Hint = fmt.Sprintf("Set install.cron_database to %q.", home)
	default:
		check.Detail = fmt.Sprintf("The server loads pg_cron for database %q.", home)
		check.Hint = fmt.Sprintf("Set install.database to %q and install.cron_database to %q, run \"pgretain generate\", and after "+
			"\"pgretain migrate up\" also \"pgretain migrate up --cron\"; or set install.scheduler to none.", v.database, home)
	}
	return check
}

// ScheduleError is a schedule of the policy file that the pg_cron at hand does not take.
type ScheduleError struct {
	Schedule policy.Schedule
	Database string
	cause    *pgconn.PgError
}

func (e *ScheduleError) Error() string {
	return fmt.Sprintf("the pg_cron of database %q does not take the schedule %q", e.Database, e.Schedule.Text)
}

// Diagnostic is the error at the line of the policy file.
func (e *ScheduleError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Position: e.Schedule.Position, Severity: diag.Error, Code: e.cause.Code, Message: e.Error(),
		Detail: "It says: " + e.cause.Message + ".",
		Hint:   "Update pg_cron: it has seconds from 1.5 on, and $ for the last day of the month from 1.6 on. Or write five plain fields.",
	}
}

// checkSchedules schedules each for a moment, as the runner, in a transaction that is rolled back:
// what a pg_cron takes it knows best itself. A refusal of another kind is left to the migration.
func (s *session) checkSchedules(ctx context.Context, runner string, v server, o Options) error {
	var errs []error
	tried := map[string]bool{}
	for _, schedule := range o.Schedules {
		if tried[schedule.Text] {
			continue
		}
		tried[schedule.Text] = true
		err := s.trySchedule(ctx, runner, schedule.Text)
		var server *pgconn.PgError
		switch {
		case err == nil:
		case !errors.As(err, &server):
			return fmt.Errorf("trying schedule %q: %w", schedule.Text, err)
		case server.Code == "22023":
			errs = append(errs, &ScheduleError{schedule, v.database, server})
		}
	}
	return errors.Join(errs...)
}

func (s *session) trySchedule(ctx context.Context, runner, schedule string) error {
	become, err := render("become", map[string]any{"Role": runner})
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // the session ends with a failure of this
	if _, err := tx.ExecContext(ctx, become); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, query("try_schedule"), schedule)
	return err
}
