package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/quote"
)

// cronJob is a live job of pg_cron.
type cronJob struct {
	Name, Schedule, Command, Database, User string
	Active                                  bool
}

// codesOfCron: lateness says how pg_cron's last attempt failed.
var codesOfCron = []string{codeCronMissing, codeCronDiffers, codeCronInactive, codeCronOrphan, codeScheduler, codeLate, codeNotYet, codeCronStart}

func (v *inspection) scheduleGroups() []group {
	groups := []group{{about: "the zone in which schedules are meant", codes: []string{codeLate, codeNotYet, codeLastRun, codeOverdue, codeKeepUp}, check: v.readZone}}
	if v.install.Scheduler == "pg_cron" {
		check := v.checkCron
		if v.install.CronElsewhere() {
			check = v.checkCronElsewhere
		}
		groups = append(groups, group{about: "the jobs in pg_cron", codes: codesOfCron, check: check})
		if !v.server.Standby {
			groups = append(groups, group{about: "pg_cron's scheduler", codes: []string{codeScheduler}, check: v.checkScheduler})
		}
	}
	return groups
}

func (v *inspection) checkCron(ctx context.Context, tx pgx.Tx) error {
	if err := v.obeyRowSecurity(ctx, tx); err != nil {
		return err
	}
	rows, err := many[cronJob](ctx, tx, v.query("cron_jobs"))
	if err != nil {
		return err
	}
	v.compareJobs(rows, v.server.Database)
	failed, err := many[attempt](ctx, tx, v.query("cron_attempts"))
	v.remember(failed)
	return err
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
			v.cronMissing(o, want, home)
		}
		delete(live, want.Name)
	}
	for _, j := range rows {
		if _, orphan := live[j.Name]; orphan {
			v.cronOrphan(j, home)
		}
	}
}

func (v *inspection) compareCron(o generator.Object, want generator.CronJob, live cronJob, home string) {
	for _, part := range []struct{ what, want, got string }{
		{"schedule", want.Schedule, live.Schedule},
		{"command", want.Command, live.Command},
		{"database", want.Database, live.Database},
		{"user", v.runner(), live.User},
	} {
		if part.want != part.got {
			v.cronDiffers(o, part.what, part.want, part.got, v.there(home), v.schedule(want, home, part.what != "user"))
		}
	}
	if !live.Active {
		v.cronInactive(o, want, home)
	}
}

// there says where hints on pg_cron's jobs are run, where that is another database.
func (v *inspection) there(home string) string {
	if !v.install.CronElsewhere() {
		return ""
	}
	return fmt.Sprintf(" Schema cron is in database %q.", home)
}

// schedule is a job anew: scheduling it again neither switches it on nor moves it to its database.
func (v *inspection) schedule(want generator.CronJob, home string, again bool) string {
	name := quote.Literal(want.Name)
	call := fmt.Sprintf("SELECT cron.schedule(%s, %s, %s);", name, quote.Literal(want.Schedule), quote.Literal(want.Command))
	if want.Database != home {
		call = fmt.Sprintf("SELECT cron.schedule_in_database(%s, %s, %s, %s);", name, quote.Literal(want.Schedule), quote.Literal(want.Command), quote.Literal(want.Database))
	}
	if again {
		call = fmt.Sprintf("SELECT cron.unschedule(%s); %s", name, call)
	}
	return as(v.runner(), call)
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
	if err := v.obeyRowSecurity(ctx, tx); err != nil {
		return err
	}
	type seen struct{ SeesSessions, Missing bool }
	owner, err := one[seen](ctx, tx, v.query("scheduler_seen_by_owner"))
	switch {
	case err != nil:
		return err
	case !owner.SeesSessions:
		v.schedulerUnseen()
	case owner.Missing:
		v.schedulerMissing(live.Extension)
	}
	return nil
}
