package install

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/policy"
)

// checkCron: the extension is here and the runner may call it; with jobs in another database, this is the
// database that they call.
func (s *session) checkCron(ctx context.Context) error {
	in := s.Install
	switch {
	case !s.Cron && in.CronElsewhere():
		return s.isDatabase(in.Database, "database")
	case !s.Cron && in.Scheduler != "pg_cron":
		return nil
	case s.Cron && in.CronDatabase != "":
		if err := s.isDatabase(in.CronDatabase, "cron_database"); err != nil {
			return err
		}
	}
	return s.checkRunner(ctx, s.runner())
}

// runner is the role that schedules jobs.
func (s *session) runner() string {
	if s.Install.Roles.None {
		return s.server.user
	}
	return s.Install.Roles.Runner
}

// isDatabase refuses a connection to another database than the policy file names.
func (s *session) isDatabase(want, key string) error {
	if s.server.database == want {
		return nil
	}
	return &CheckError{
		Message: fmt.Sprintf("install.%s is %q, the connection is to database %q", key, want, s.server.database),
		Detail:  "Jobs are scheduled in one database and run in the other, by name.",
		Hint:    "Connect to that database, or change the policy file and run \"pgretain generate\".",
	}
}

// checkRunner says by name what the runner lacks to schedule jobs.
func (s *session) checkRunner(ctx context.Context, runner string) error {
	return s.refusals(ctx, "reading pg_cron", "cron", runner, s.Install.Database, s.Cron, s.Install.CronElsewhere(), s.bootstrapHint())
}

// checkSchedules schedules each for a moment, as the runner, in a transaction that is rolled back:
// what a pg_cron takes it knows best itself. A refusal of another kind is left to the migration.
func (s *session) checkSchedules(ctx context.Context, pending []Migration) error {
	schedules := slices.Clone(s.Schedules)
	for _, m := range pending {
		schedules = append(schedules, s.written(m)...)
	}
	var errs []error
	tried := map[string]bool{}
	for _, schedule := range schedules {
		if tried[schedule.Text] {
			continue
		}
		tried[schedule.Text] = true
		err := s.trySchedule(ctx, s.runner(), schedule.Text)
		server, refused := errors.AsType[*pgconn.PgError](err)
		switch {
		case err == nil:
		case !refused:
			return fmt.Errorf("trying schedule %q: %w", schedule.Text, err)
		case server.Code == "22023":
			errs = append(errs, s.scheduleError(schedule, pending, server))
		}
	}
	return errors.Join(errs...)
}

// scheduled is a statement of a generated file that schedules a job: it begins a line, and the second literal is when.
var scheduled = regexp.MustCompile(`(?m)^SELECT cron\.schedule(?:_in_database)?\((?:E?'(?:[^']|'')*'|replace\([^)]*\)\)), '([^']*)'`)

// written are the schedules of a generated file, at their places there.
func (s *session) written(m Migration) (list []policy.Schedule) {
	up, _, _ := strings.Cut(m.content, "\n-- +goose Down\n")
	for _, at := range scheduled.FindAllStringSubmatchIndex(up, -1) {
		list = append(list, policy.Schedule{Text: up[at[2]:at[3]],
			Position: diag.Position{File: path.Join(s.Path, m.Name), Line: 1 + strings.Count(up[:at[0]], "\n"), Column: 1}})
	}
	return list
}

// scheduleError is at the line of the policy file, or of the migration where that alone has the schedule. It names the
// files that have to go: what is generated after a pending one does not keep it from being applied.
func (s *session) scheduleError(schedule policy.Schedule, pending []Migration, server *pgconn.PgError) error {
	hint := "Update pg_cron: it has seconds from 1.5 on, and $ for the last day of the month from 1.6 on. Or write five plain fields"
	first := slices.IndexFunc(pending, func(m Migration) bool {
		return slices.ContainsFunc(s.written(m), func(w policy.Schedule) bool { return w.Text == schedule.Text })
	})
	if first >= 0 {
		files := lists.Map(pending[first:], func(m Migration) string { return path.Join(s.Path, m.Name) })
		hint += ", remove " + strings.Join(files, ", ") + ", which must not have been applied anywhere,"
	}
	return &StatementError{diagnostic{
		Position: schedule.Position, Severity: diag.Error, Code: server.Code,
		Message: fmt.Sprintf("the pg_cron of database %q does not take the schedule %q", s.server.database, schedule.Text),
		Detail:  "It says: " + server.Message + ".",
		Hint:    hint + ` and run "pgretain generate".`,
	}, server}
}

func (s *session) trySchedule(ctx context.Context, runner, schedule string) error {
	tx, err := s.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // the session ends with a failure of this
	if _, err := tx.Exec(ctx, render("become", map[string]any{"Role": runner})); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, query("try_schedule"), schedule)
	return err
}
