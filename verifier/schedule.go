package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
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

var codeCronMissing = register("V040", Schedule, "a pg_cron job is missing")

func (v *inspection) cronMissing(o generator.Object, want generator.CronJob, home string) {
	v.about(o, Finding{Code: codeCronMissing, Message: fmt.Sprintf("job %q is not in pg_cron", want.Name),
		Detail: fmt.Sprintf("Role %q has no job of that name; nothing runs its policies.%s", v.runner(), v.there(home)), Hint: v.schedule(want, home, false)})
}

var codeCronDiffers = register("V041", Schedule, "a pg_cron job differs")

// cronDiffers is about a part of a job, as "schedule".
func (v *inspection) cronDiffers(o generator.Object, part, want, got, where, hint string) {
	v.about(o, Finding{Code: codeCronDiffers, Message: fmt.Sprintf("job %q has another %s in pg_cron", o.Cron.Name, part),
		Want: quoted(want), Got: quoted(got), Detail: strings.TrimSpace(where), Hint: hint})
}

func (v *inspection) jobsOfAnotherDatabase() {
	v.add(Finding{Code: codeCronDiffers, Position: v.install.Position, Message: fmt.Sprintf("the jobs do not run in database %q", v.server.Database),
		Want: quoted(v.install.Database), Got: quoted(v.server.Database), Hint: "Connect to the database that install.database names."})
}

var codeCronInactive = register("V042", Schedule, "a pg_cron job is switched off")

// cronInactive has the job made anew: alter_job is for those alone whom an administrator gave it.
func (v *inspection) cronInactive(o generator.Object, want generator.CronJob, home string) {
	v.about(o, Finding{Code: codeCronInactive, Message: fmt.Sprintf("job %q is switched off in pg_cron", want.Name),
		Detail: strings.TrimSpace(v.there(home)), Hint: v.schedule(want, home, true)})
}

var codeCronOrphan = register("V043", Schedule, "a pg_cron job that nobody wants")

func (v *inspection) cronOrphan(j cronJob, home string) {
	v.add(Finding{Code: codeCronOrphan, Kind: generator.KindCron, Object: j.Name,
		Message: fmt.Sprintf("job %q is in pg_cron, and nobody wants it", j.Name), Detail: fmt.Sprintf("It runs %s on %q.%s", j.Command, j.Schedule, v.there(home)),
		Hint: as(j.User, fmt.Sprintf("SELECT cron.unschedule(%s);", quote.Literal(j.Name)))})
}

var codeCronStart = register("V049", Schedule, "pg_cron does not start jobs")

// startGroups are after those that read what pg_cron says of its attempts.
func (v *inspection) startGroups() []group {
	if v.install.Scheduler != "pg_cron" || v.server.Standby {
		return nil
	}
	return []group{
		{about: "pg_cron's switches", codes: []string{codeCronStart}, check: v.checkSwitches},
		{about: "jobs that pg_cron could not start", codes: []string{codeCronStart}, check: v.checkStarts},
	}
}

// switches are settings of pg_cron: "" where it has none of the name, nil where nobody may read them.
type switches struct{ Launch, Running *string }

func (v *inspection) checkSwitches(ctx context.Context, tx pgx.Tx) error {
	found, err := one[switches](ctx, tx, v.query("cron_switches"))
	unseen := slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Code == codeScheduler })
	if err == nil && (found.Launch != nil && found.Running != nil || !unseen) { // one cause, one finding
		v.switchedOff(found)
	}
	return err
}

func (v *inspection) switchedOff(s switches) {
	f := Finding{Code: codeCronStart, Position: v.install.Position}
	switch {
	case s.Launch == nil || s.Running == nil:
		f.Severity, f.Message = diag.Unknown, "could not see whether pg_cron is switched off"
		f.Detail, f.Hint = fmt.Sprintf("Role %q may not read its settings.", v.owner()), fmt.Sprintf("GRANT pg_monitor TO %s;", quote.Ident(v.owner()))
	case *s.Launch == "off":
		f.Message, f.Hint = "pg_cron starts no job: cron.launch_active_jobs is off", "ALTER SYSTEM SET cron.launch_active_jobs = on; SELECT pg_reload_conf();"
	case *s.Running == "0":
		f.Message, f.Hint = "pg_cron starts no job: cron.max_running_jobs is 0", "Reset cron.max_running_jobs and restart the server."
	default:
		return
	}
	v.add(f)
}

// checkStarts is about jobs whose last attempts failed, several in a row, of which the run log knows
// nothing: they did not get so far. A single one may be anybody's restart.
func (v *inspection) checkStarts(ctx context.Context, tx pgx.Tx) error {
	var suspects []job
	var names []string
	for _, j := range v.jobs() {
		if a, ok := v.lastAttempt(j.name); ok && a.InRow > 1 {
			suspects, names = append(suspects, j), append(names, j.name)
		}
	}
	if len(suspects) == 0 {
		return nil
	}
	type begun struct {
		Job string
		At  time.Time
	}
	rows, err := many[begun](ctx, tx, v.query("jobs_since"), names)
	last := map[string]time.Time{}
	for _, r := range rows {
		last[r.Job] = r.At
	}
	for _, j := range suspects {
		if a, _ := v.lastAttempt(j.name); a.Since == nil || last[j.name].Before(*a.Since) {
			v.cannotStart(j, a)
		}
	}
	return err
}

func (v *inspection) cannotStart(j job, a attempt) {
	f := Finding{Code: codeCronStart, Object: j.name, Position: j.position,
		Message: fmt.Sprintf("pg_cron cannot start job %q: its last %d attempts failed", j.name, a.InRow),
		Detail:  fmt.Sprintf("None of them got as far as a run. pg_cron says: %s.", strings.TrimRight(a.Message, ".\n "))}
	switch {
	case strings.HasPrefix(a.Message, "connection"):
		f.Hint = fmt.Sprintf("Let role %q connect from the server itself: its password file, pg_hba.conf, cron.host; or set cron.use_background_workers.", v.runner())
	case strings.HasPrefix(a.Message, "could not start background"):
		f.Hint = "Raise max_worker_processes, which pg_cron's jobs share with replication and parallel queries."
	default:
		f.Hint = fmt.Sprintf("CALL %s(%s);", v.runtime("run_job"), quote.Literal(j.name))
		f.Detail += fmt.Sprintf(" Role %q may find out more.", v.runner())
	}
	v.add(f)
}

var codeScheduler = register("V044", Schedule, "the pg_cron scheduler is not running")

func (v *inspection) schedulerMissing(extension bool) {
	f := Finding{Code: codeScheduler, Message: "the pg_cron scheduler is not running",
		Hint: "Look for \"pg_cron\" in the server's log, in shared_preload_libraries, and at cron.database_name."}
	if !extension && !v.install.CronElsewhere() {
		f.Detail = fmt.Sprintf("Extension pg_cron is not installed in database %q.", v.server.Database)
	}
	v.add(f)
}

func (v *inspection) schedulerUnseen() {
	v.add(Finding{Code: codeScheduler, Severity: diag.Unknown, Message: "could not see whether the pg_cron scheduler is running",
		Detail: fmt.Sprintf("Neither %q nor %q may see other sessions.", v.server.User, v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %s;", ident(v.owner()))})
}

func (v *inspection) cronNotElsewhere(database string) {
	v.add(Finding{Code: codeScheduler, Position: v.install.Position, Message: fmt.Sprintf("extension pg_cron is not installed in database %q", database),
		Detail: "No job of this policy file is scheduled.", Hint: `Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".`})
}
