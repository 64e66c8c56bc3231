package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
)

// cronJob is a live job of pg_cron.
type cronJob struct {
	Name, Schedule, Command, Database, User string
	Active                                  bool
}

func (v *inspection) scheduleGroups() []group {
	groups := []group{{"the zone in which schedules are meant", v.readZone}}
	if v.install.Scheduler == "pg_cron" {
		check := v.checkCron
		if v.install.CronElsewhere() {
			check = v.checkCronElsewhere
		}
		groups = append(groups, group{"the jobs in pg_cron", check}, group{"pg_cron's scheduler", v.checkScheduler})
	}
	return groups
}

func (v *inspection) checkCron(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[cronJob](ctx, tx, v.query("cron_jobs"))
	if err != nil {
		return err
	}
	v.compareJobs(rows, v.server.Database)
	return nil
}

// compareJobs compares what is wanted with the jobs of the runner in the database where schema cron
// lives.
func (v *inspection) compareJobs(rows []cronJob, home string) {
	live := map[string]cronJob{}
	for _, j := range rows {
		live[j.Name] = j
	}
	for _, o := range v.objects(generator.KindCron) {
		want := *o.Cron
		if want.Database == "" {
			want.Database = home
		}
		if j, ok := live[want.Name]; ok {
			v.compareCron(o, want, j, home)
		} else {
			v.about(o, Finding{Code: codeCronMissing, Message: fmt.Sprintf("job %q is not in pg_cron", want.Name),
				Detail: fmt.Sprintf("Role %q has no job of that name; nothing runs its policies.", v.runner()), Hint: v.cronHint(want, home)})
		}
		delete(live, want.Name)
	}
	for _, j := range rows {
		if _, orphan := live[j.Name]; orphan {
			v.add(Finding{Code: codeCronOrphan, Kind: generator.KindCron, Object: j.Name,
				Message: fmt.Sprintf("job %q is in pg_cron, and nobody wants it", j.Name), Detail: fmt.Sprintf("It runs %s on %q.", j.Command, j.Schedule),
				Hint: fmt.Sprintf("As %q%s: SELECT cron.unschedule('%s').", j.User, v.there(home), j.Name)})
		}
	}
}

func (v *inspection) compareCron(o generator.Object, want generator.CronJob, live cronJob, home string) {
	name := fmt.Sprintf("job %q", want.Name)
	for _, part := range []struct{ what, want, got string }{
		{"schedule", want.Schedule, live.Schedule},
		{"command", want.Command, live.Command},
		{"database", want.Database, live.Database},
		{"user", v.runner(), live.User},
	} {
		if part.want != part.got {
			v.about(o, Finding{Code: codeCronDiffers, Message: fmt.Sprintf("%s has another %s in pg_cron", name, part.what),
				Want: quoted(part.want), Got: quoted(part.got), Hint: v.cronHint(want, home)})
		}
	}
	if !live.Active {
		f := Finding{Code: codeCronInactive, Message: name + " is switched off in pg_cron",
			Hint: fmt.Sprintf("As %q: SELECT cron.alter_job(jobid, active := true) FROM cron.job WHERE jobname = '%s'.", v.runner(), want.Name)}
		if v.install.CronElsewhere() {
			f.Hint = fmt.Sprintf("In database %q, as %q, unschedule it, and then %s", home, v.runner(), v.call(want, home))
		}
		v.about(o, f)
	}
}

// there is where schema cron lives, for hints, where that is another database.
func (v *inspection) there(home string) string {
	if !v.install.CronElsewhere() {
		return ""
	}
	return fmt.Sprintf(", in database %q", home)
}

func (v *inspection) cronHint(want generator.CronJob, home string) string {
	return fmt.Sprintf("As %q, in database %q: %s", v.runner(), home, v.call(want, home))
}

// call schedules a job.
func (v *inspection) call(want generator.CronJob, home string) string {
	if want.Database == home {
		return fmt.Sprintf("SELECT cron.schedule('%s', '%s', $$%s$$).", want.Name, want.Schedule, want.Command)
	}
	return fmt.Sprintf("SELECT cron.schedule_in_database('%s', '%s', $$%s$$, '%s').", want.Name, want.Schedule, want.Command, want.Database)
}

type scheduler struct{ Extension, Running bool }

// checkScheduler asks the owner of the runtime where the role itself does not see other sessions.
func (v *inspection) checkScheduler(ctx context.Context, tx pgx.Tx) error {
	live, err := one[scheduler](ctx, tx, v.query("scheduler"))
	if err != nil || live.Running {
		return err
	}
	if v.server.SeesSessions {
		v.schedulerMissing(live.Extension)
		return nil
	}
	type seen struct{ SeesSessions, Missing bool }
	owner, err := one[seen](ctx, tx, v.query("scheduler_seen_by_owner"))
	switch {
	case err != nil:
		return err
	case !owner.SeesSessions:
		v.add(Finding{Code: codeScheduler, Severity: diag.Unknown, Message: "could not see whether the pg_cron scheduler is running",
			Detail: fmt.Sprintf("Neither %q nor %q may see other sessions.", v.server.User, v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %q.", v.owner())})
	case owner.Missing:
		v.schedulerMissing(live.Extension)
	}
	return nil
}

func (v *inspection) schedulerMissing(extension bool) {
	f := Finding{Code: codeScheduler, Message: "the pg_cron scheduler is not running",
		Hint: "Look for \"pg_cron\" in the server's log, in shared_preload_libraries, and at cron.database_name."}
	if !extension && !v.install.CronElsewhere() {
		f.Detail = fmt.Sprintf("Extension pg_cron is not installed in database %q.", v.server.Database)
	}
	v.add(f)
}
