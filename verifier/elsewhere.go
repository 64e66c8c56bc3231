package verifier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// sight is what the role of a session sees of schema cron.
type sight struct {
	Exists, Readable, Hidden, Member bool
	Database                         string
}

// attempt is a run of a job that did not succeed, by pg_cron's own account.
type attempt struct {
	Job, Message string
	At           *time.Time
	InRow        int64      // how many failed since the last that did not
	Since        *time.Time // the first of these
}

// checkCronElsewhere follows the jobs into the other database, where row security shows them to the
// runner and to superusers. Whoever cannot see them finds them unknown.
func (v *inspection) checkCronElsewhere(ctx context.Context, _ pgx.Tx) error {
	if v.server.Database != v.install.Database {
		v.jobsOfAnotherDatabase()
	}
	if v.opt.Cron == nil {
		why := "There is no connection to that database."
		if v.opt.CronRefused != nil {
			why = fmt.Sprintf("The connection failed: %v.", v.opt.CronRefused)
		}
		v.jobsUnseen(why, "Name it with --cron-database-url.")
		return nil
	}
	err := v.readOn(ctx, v.opt.Cron, v.lookElsewhere)
	var refused *pgconn.PgError
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		v.jobsUnseen(fmt.Sprintf("The server says: %s [%s].", refused.Message, refused.Code), "Try again when the server is less busy, or allow more time.")
	default:
		v.jobsUnseen("The connection to that database was lost.", "Verify again.")
	}
	return nil
}

// lookElsewhere reads as the role of the session if that sees all, else as the runner.
func (v *inspection) lookElsewhere(ctx context.Context, tx pgx.Tx) error {
	if err := v.obeyRowSecurity(ctx, tx); err != nil {
		return err
	}
	see, err := one[sight](ctx, tx, v.query("cron_sight"), v.runner())
	if err != nil {
		return err
	}
	if !see.Exists {
		v.cronNotElsewhere(see.Database)
		return nil
	}
	if see.Hidden || !see.Readable {
		if see, err = v.become(ctx, tx, see); err != nil || !see.Readable {
			return err
		}
	}
	rows, err := many[cronJob](ctx, tx, v.query("cron_jobs_there"), v.install.CronJobPrefix())
	if err != nil {
		return err
	}
	v.compareJobs(v.ours(rows), see.Database)
	failed, err := many[attempt](ctx, tx, v.query("cron_attempts_there"), v.install.CronJobPrefix())
	v.remember(failed)
	return err
}

// remember keeps attempts that failed, by the names of their jobs.
func (v *inspection) remember(failed []attempt) {
	v.failed = map[string]attempt{}
	for _, a := range failed {
		v.failed[a.Job] = a
	}
}

// lastAttempt is one that failed, of a job of the policy file, by any of its schedules.
func (v *inspection) lastAttempt(name string) (attempt, bool) {
	for i := 0; i <= len(v.failed); i++ {
		if a, failed := v.failed[v.install.CronJobName(name, i)]; failed {
			return a, true
		}
	}
	return attempt{}, false
}

// become takes on the runner for the rest of the transaction, and says what that one sees; it adds a
// finding where it cannot, and answers that nothing is readable.
func (v *inspection) become(ctx context.Context, tx pgx.Tx, before sight) (sight, error) {
	err := pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		_, err := savepoint.Exec(ctx, v.query("become"), v.runner())
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		detail := fmt.Sprintf("Row security shows them to role %q alone, and role %q cannot take that on.", v.runner(), v.opt.Cron.Config().User)
		grant := "GRANT %s TO %s;"
		if before.Member {
			detail += " It is a member without the SET option."
			grant = "GRANT %s TO %s WITH SET TRUE;"
		}
		detail += " Or verify as a superuser."
		v.jobsUnseen(detail, fmt.Sprintf(grant, ident(v.runner()), ident(v.opt.Cron.Config().User)))
		return sight{}, nil
	}
	if err != nil {
		return sight{}, err
	}
	see, err := one[sight](ctx, tx, v.query("cron_sight"), v.runner())
	if err == nil && !see.Readable {
		v.jobsUnseen(fmt.Sprintf("Role %q has no USAGE on schema cron, or no SELECT on cron.job.", v.runner()),
			`Have a DBA run what "pgretain bootstrap --cron" prints.`)
	}
	return see, err
}

// ours leaves out jobs of an install whose database's name begins as ours does: names of jobs have
// no dots.
func (v *inspection) ours(rows []cronJob) []cronJob {
	var list []cronJob
	for _, j := range rows {
		if !strings.Contains(strings.TrimPrefix(j.Name, v.install.CronJobPrefix()), ".") {
			list = append(list, j)
		}
	}
	return list
}

// failure says, for the detail of a finding, how pg_cron's last attempt of a job went wrong.
func (v *inspection) failure(name string) string {
	a, failed := v.lastAttempt(name)
	switch {
	case failed && a.At != nil:
		return fmt.Sprintf(" pg_cron's last attempt, at %s, failed: %s.", instant(*a.At), strings.TrimRight(a.Message, ".\n "))
	case failed:
		return fmt.Sprintf(" pg_cron's last attempt failed: %s.", strings.TrimRight(a.Message, ".\n "))
	}
	return ""
}

// readZone finds the zone in which schedules are meant: pg_cron's own, UTC without it.
func (v *inspection) readZone(ctx context.Context, tx pgx.Tx) error {
	v.zone = nil
	if v.install.Scheduler != "pg_cron" {
		v.zone = time.UTC
		return nil
	}
	found, err := one[struct{ Name string }](ctx, tx, v.query("cron_zone"))
	if err != nil {
		return err
	}
	if found.Name != "" {
		v.zone, err = time.LoadLocation(found.Name)
	}
	if v.zone != nil && err == nil {
		return nil
	}
	v.zone = nil
	v.zoneUnknown(found.Name)
	return nil
}
