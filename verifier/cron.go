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
	var groups []group
	if v.install.Scheduler == "pg_cron" {
		groups = append(groups, group{"the jobs in pg_cron", v.checkCron}, group{"pg_cron's scheduler", v.checkScheduler})
	}
	return append(groups, v.logGroups()...)
}

func (v *inspection) checkCron(ctx context.Context, tx pgx.Tx) error {
	if home := v.install.CronDatabase; home != "" && home != v.server.Database {
		v.add(Finding{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
			Message: "could not check the jobs in pg_cron", Detail: fmt.Sprintf("They are in database %q, the connection is to %q.", home, v.server.Database)})
		return nil
	}
	rows, err := many[cronJob](ctx, tx, v.query("cron_jobs"))
	if err != nil {
		return err
	}
	live := map[string]cronJob{}
	for _, j := range rows {
		live[j.Name] = j
	}
	for _, o := range v.objects(generator.KindCron) {
		want, err := wantedCron(o)
		if err != nil {
			return err
		}
		if j, ok := live[want.name]; ok {
			v.compareCron(o, want, j)
		} else {
			v.about(o, Finding{Code: codeCronMissing, Message: fmt.Sprintf("job %q is not in pg_cron", want.name),
				Detail: fmt.Sprintf("Role %q has no job of that name; nothing runs its policies.", v.runner()), Hint: v.cronHint(want)})
		}
		delete(live, want.name)
	}
	for _, j := range rows {
		if _, orphan := live[j.Name]; orphan {
			v.add(Finding{Code: codeCronOrphan, Kind: generator.KindCron, Object: j.Name,
				Message: fmt.Sprintf("job %q is in pg_cron, and nobody wants it", j.Name), Detail: fmt.Sprintf("It runs %s on %q.", j.Command, j.Schedule),
				Hint: fmt.Sprintf("As %q: SELECT cron.unschedule('%s').", j.User, j.Name)})
		}
	}
	return nil
}

func (v *inspection) compareCron(o generator.Object, want cronCall, live cronJob) {
	name := fmt.Sprintf("job %q", want.name)
	for _, part := range []struct{ what, want, got string }{
		{"schedule", want.schedule, live.Schedule},
		{"command", want.command, live.Command},
		{"database", v.server.Database, live.Database},
		{"user", v.runner(), live.User},
	} {
		if part.want != part.got {
			v.about(o, Finding{Code: codeCronDiffers, Message: fmt.Sprintf("%s has another %s in pg_cron", name, part.what),
				Want: quoted(part.want), Got: quoted(part.got), Hint: v.cronHint(want)})
		}
	}
	if !live.Active {
		v.about(o, Finding{Code: codeCronInactive, Message: name + " is switched off in pg_cron",
			Hint: fmt.Sprintf("As %q: SELECT cron.alter_job(jobid, active := true) FROM cron.job WHERE jobname = '%s'.", v.runner(), want.name)})
	}
}

func (v *inspection) cronHint(want cronCall) string {
	return fmt.Sprintf("As %q, in database %q: SELECT cron.schedule('%s', '%s', $$%s$$).", v.runner(), v.server.Database, want.name, want.schedule, want.command)
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
	if !extension {
		f.Detail = fmt.Sprintf("Extension pg_cron is not installed in database %q.", v.server.Database)
	}
	v.add(f)
}
