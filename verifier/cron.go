package verifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// cronJob is a live job of pg_cron.
type cronJob struct {
	Name     string `json:"name"`
	Schedule string `json:"schedule"`
	Command  string `json:"command"`
	Database string `json:"database"`
	User     string `json:"user"`
	Active   bool   `json:"active"`
}

// attempt is a run of a job that did not succeed, by pg_cron's own account.
type attempt struct {
	Job, Message string
	At           *time.Time
	InRow        int64      // how many failed since the last that did not
	Since        *time.Time // the first of these
}

// codesOfCron: lateness says how pg_cron's last attempt failed.
var codesOfCron = []string{codeCronMissing, codeCronDiffers, codeCronInactive, codeCronOrphan, codeScheduler, codeLate, codeNotYet, codeCronStart}

func (v *inspection) checkCron(r reading) error {
	rows, err := collectRows[cronJob](r, "cron_jobs")
	if err != nil {
		return err
	}
	if err := v.compareJobs(r, rows, v.server.Database); err != nil {
		return err
	}
	return v.readAttempts(r, "cron_attempts")
}

// readAttempts keeps attempts that failed, by the names of their jobs.
func (v *inspection) readAttempts(r reading, query string, args ...any) error {
	v.attempts = map[string]attempt{}
	return each(r, query, func(a attempt) { v.attempts[a.Job] = a }, args...)
}

// lastAttempt is one that failed, of a job of the policy file, by any of its schedules; zero where none did.
func (v *inspection) lastAttempt(name string) attempt {
	for i := 0; i <= len(v.attempts); i++ {
		if a, failed := v.attempts[v.install.CronJobName(name, i)]; failed {
			return a
		}
	}
	return attempt{}
}

// compareJobs compares what is wanted with the jobs of the runner in the database where schema cron
// lives.
func (v *inspection) compareJobs(r reading, live []cronJob, home string) error {
	objects := v.objects(generator.KindCron)
	wanted := lists.Map(objects, func(o generator.Object) cronJob {
		return cronJob{Name: o.Cron.Name, Schedule: o.Cron.Schedule, Command: o.Cron.Command, Database: o.Cron.Database}
	})
	return v.finds("", objects, "cron_compare", wanted, append([]cronJob{}, live...), v.runner(), home, v.install.CronElsewhere())(r)
}

// checkCronElsewhere follows the jobs into the other database, where row security shows them to the
// runner and to superusers. Whoever cannot see them finds them unknown.
func (v *inspection) checkCronElsewhere(r reading) error {
	if v.server.Database != v.install.Database {
		v.add(message{Code: codeCronDiffers, Position: v.install.Position, Message: fmt.Sprintf("the jobs do not run in database %q", v.server.Database),
			Want: quoted(v.install.Database), Got: quoted(v.server.Database), Hint: "Connect to the database that install.database names."})
	}
	if v.opt.Cron == nil {
		why := "There is no connection to that database."
		if v.opt.CronRefused != nil {
			why = fmt.Sprintf("The connection failed: %v.", v.opt.CronRefused)
		}
		v.jobsUnseen(why, "Name it with --cron-database-url.")
		return nil
	}
	err := v.read(r.ctx, v.opt.Cron, obeying(v.readCronElsewhere))
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil || r.ctx.Err() != nil:
		return r.ctx.Err()
	case ok:
		v.jobsUnseen(fmt.Sprintf("The server says: %s [%s].", refused.Message, refused.Code), "Try again when the server is less busy, or allow more time.")
	default:
		v.jobsUnseen("The connection to that database was lost.", "Verify again.")
	}
	return nil
}

// jobsUnseen: the jobs in another database could not be looked at.
func (v *inspection) jobsUnseen(detail, hint string) {
	v.add(message{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
		Message: fmt.Sprintf("could not check the jobs in pg_cron, in database %q", v.install.CronDatabase), Detail: detail, Hint: hint})
}

// cronView is what the role of a session sees of schema cron.
type cronView struct {
	Exists, Readable, Hidden bool
	Database                 string
}

// readCronElsewhere reads as the role of the session if that sees all, else as the runner. Jobs of an install whose
// database's name begins as ours does are left out: names of jobs have no dots.
func (v *inspection) readCronElsewhere(r reading) error {
	view, err := collectRow[cronView](r, "cron_sight")
	if err != nil {
		return err
	}
	if !view.Exists {
		v.add(message{Code: codeScheduler, Position: v.install.Position, Message: fmt.Sprintf("extension pg_cron is not installed in database %q", view.Database),
			Detail: "No job of this policy file is scheduled.", Hint: `Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".`})
		return nil
	}
	if view.Hidden || !view.Readable {
		err := r.savepoint(func() error { return r.set("role", v.runner()) })
		if _, refused := errors.AsType[*pgconn.PgError](err); refused {
			user := v.opt.Cron.Config().User
			v.jobsUnseen(fmt.Sprintf("Row security shows them to role %q alone, and role %q cannot take that on. Or verify as a superuser.", v.runner(), user),
				fmt.Sprintf("GRANT %s TO %s;", quote.Ident(v.runner()), quote.Ident(user)))
			return nil
		}
		if err == nil {
			view, err = collectRow[cronView](r, "cron_sight")
		}
		if err == nil && !view.Readable {
			v.jobsUnseen(fmt.Sprintf("Role %q has no USAGE on schema cron, or no SELECT on cron.job.", v.runner()),
				`Have a DBA run what "pgretain bootstrap --cron" prints.`)
		}
		if err != nil || !view.Readable {
			return err
		}
	}
	prefix := v.install.CronJobPrefix()
	rows, err := collectRows[cronJob](r, "cron_jobs_there", prefix)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(j cronJob) bool { return strings.Contains(strings.TrimPrefix(j.Name, prefix), ".") })
	if err := v.compareJobs(r, rows, view.Database); err != nil {
		return err
	}
	return v.readAttempts(r, "cron_attempts_there", prefix)
}

// checkSwitches is about settings that keep pg_cron from running anything: one cause, one finding.
func (v *inspection) checkSwitches(r reading) error {
	unseen := slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == codeScheduler })
	return v.finds(codeCronStart, v.atInstall(), "cron_switches", v.owner(), unseen)(r)
}

// checkStarts is about jobs whose last attempts failed, several in a row. A single one may be anybody's restart.
func (v *inspection) checkStarts(r reading) error {
	var about []generator.Object
	var suspects []attempt
	for _, j := range v.file.Jobs {
		if a := v.lastAttempt(j.Name); a.InRow > 1 {
			about, suspects = append(about, generator.Object{Name: j.Name, Position: j.Position}), append(suspects, a)
		}
	}
	return v.finds(codeCronStart, about, "cron_starts", lists.Map(about, objectName),
		lists.Map(suspects, func(a attempt) string { return a.Message }), lists.Map(suspects, func(a attempt) int64 { return a.InRow }),
		lists.Map(suspects, func(a attempt) *time.Time { return a.Since }), v.runner())(r)
}

// readZone finds the zone in which schedules are meant: pg_cron's own, UTC without it.
func (v *inspection) readZone(r reading) error {
	if v.zone = time.UTC; v.install.Scheduler != "pg_cron" {
		return nil
	}
	v.zone = nil
	found, err := collectRow[struct{ Name string }](r, "cron_zone")
	if err != nil {
		return err
	}
	f := message{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not tell when jobs should run",
		Detail: fmt.Sprintf("pg_cron counts in cron.timezone, which role %q may not read.", v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %s;", quote.Ident(v.owner()))}
	if found.Name != "" {
		zone, err := time.LoadLocation(found.Name)
		if err == nil {
			v.zone = zone
			return nil
		}
		f.Detail = fmt.Sprintf("pg_cron counts in cron.timezone %q, which this program does not know.", found.Name)
		f.Hint = `Set cron.timezone to a name of the time zone database, such as "Europe/Berlin".`
	}
	v.add(f)
	return nil
}
