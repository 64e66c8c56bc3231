package verifier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
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
}

// checkCronElsewhere follows the jobs into the other database, where row security shows them to the
// runner and to superusers. Whoever cannot see them finds them unknown.
func (v *inspection) checkCronElsewhere(ctx context.Context, _ pgx.Tx) error {
	if v.server.Database != v.install.Database {
		v.add(Finding{Code: codeCronDiffers, Position: v.install.Position, Message: fmt.Sprintf("the jobs do not run in database %q", v.server.Database),
			Want: quoted(v.install.Database), Got: quoted(v.server.Database), Hint: "Connect to the database that install.database names."})
	}
	if v.opt.Cron == nil {
		f := v.unseen("There is no connection to that database.", "Name it with --cron-database-url.")
		if v.opt.CronRefused != nil {
			f.Detail = fmt.Sprintf("The connection failed: %v.", v.opt.CronRefused)
		}
		v.add(f)
		return nil
	}
	err := v.readOn(ctx, v.opt.Cron, v.lookElsewhere)
	var refused *pgconn.PgError
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		v.add(v.unseen(fmt.Sprintf("The server says: %s [%s].", refused.Message, refused.Code), "Try again when the server is less busy, or allow more time."))
	default:
		v.add(v.unseen("The connection to that database was lost.", "Verify again."))
	}
	return nil
}

// unseen is the finding that the jobs could not be looked at.
func (v *inspection) unseen(detail, hint string) Finding {
	return Finding{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
		Message: fmt.Sprintf("could not check the jobs in pg_cron, in database %q", v.install.CronDatabase), Detail: detail, Hint: hint}
}

// lookElsewhere reads as the role of the session if that sees all, else as the runner.
func (v *inspection) lookElsewhere(ctx context.Context, tx pgx.Tx) error {
	see, err := one[sight](ctx, tx, v.query("cron_sight"), v.runner())
	if err != nil {
		return err
	}
	if !see.Exists {
		v.add(Finding{Code: codeScheduler, Position: v.install.Position, Message: fmt.Sprintf("extension pg_cron is not installed in database %q", see.Database),
			Detail: "No job of this policy file is scheduled.", Hint: `Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".`})
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
	failed, err := many[attempt](ctx, tx, v.query("cron_attempts"), v.install.CronJobPrefix())
	v.failed = map[string]attempt{}
	for _, a := range failed {
		v.failed[a.Job] = a
	}
	return err
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
		if before.Member {
			detail += " It is a member without the SET option."
		}
		v.add(v.unseen(detail, fmt.Sprintf("Verify as a superuser, as %q, or as a member of it: GRANT %q TO the role that verifies.", v.runner(), v.runner())))
		return sight{}, nil
	}
	if err != nil {
		return sight{}, err
	}
	see, err := one[sight](ctx, tx, v.query("cron_sight"), v.runner())
	if err == nil && !see.Readable {
		v.add(v.unseen(fmt.Sprintf("Role %q has no USAGE on schema cron, or no SELECT on cron.job.", v.runner()),
			`Have a DBA run what "pgretain bootstrap --cron" prints.`))
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
	for i := 0; ; i++ {
		a, failed := v.failed[v.install.CronJobName(name, i)]
		switch {
		case failed && a.At != nil:
			return fmt.Sprintf(" pg_cron's last attempt, at %s, failed: %s.", instant(*a.At), strings.TrimRight(a.Message, ".\n "))
		case failed:
			return fmt.Sprintf(" pg_cron's last attempt failed: %s.", strings.TrimRight(a.Message, ".\n "))
		case i >= len(v.failed):
			return ""
		}
	}
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
	f := Finding{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not tell when jobs should run",
		Detail: fmt.Sprintf("pg_cron counts in cron.timezone, which role %q may not read.", v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %q.", v.owner())}
	if found.Name != "" {
		f.Detail = fmt.Sprintf("pg_cron counts in cron.timezone %q, which this program does not know.", found.Name)
		f.Hint = `Set cron.timezone to a name of the time zone database, such as "Europe/Berlin".`
	}
	v.add(f)
	return nil
}
