package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

func uncheckedJobs(database string) string {
	return fmt.Sprintf(`could not check the jobs in pg_cron, in database "%s"`, database)
}

func noUsageOfCron(runner string) string {
	return fmt.Sprintf(`Role "%s" has no USAGE on schema cron, or no SELECT on cron.job.`, runner)
}

func JobsUnreadable(database, runner string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown, Message: uncheckedJobs(database),
		Detail: noUsageOfCron(runner), Hint: `Have a DBA run what "pgretain bootstrap" prints.`}
}

// CronUnreachable takes why the database of the jobs could not be read.
func CronUnreachable(database string, err error) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown, Message: uncheckedJobs(database),
		Detail: fmt.Sprintf("The answer was: %v.", err),
		Hint:   "Name that database with --cron-database-url, or verify again."}
}

func CronZoneUnknown(zone string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown,
		Message: "could not determine when jobs should run",
		Detail:  fmt.Sprintf("The schedules are in cron.timezone %q, which this program does not know.", zone),
		Hint:    `Set cron.timezone to a name of the time zone database, such as "Europe/Berlin".`}
}

// JobsOfOtherDatabase takes the database in which the jobs run, and the database that is verified.
func JobsOfOtherDatabase(want, got string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCronDiffers,
		Message: fmt.Sprintf("the jobs run in another database than %q", got), Want: `"` + want + `"`,
		Got: `"` + got + `"`, Hint: "Connect to the database that install.database names."}
}

// HiddenJobs says why a role cannot see the jobs of schema cron in another database.
type HiddenJobs struct{ Database, Role, Fault string }

// JobsHidden takes whether each job began a run in time. Then jobs that cannot be seen are
// information only.
func JobsHidden(runner string, inTime bool, h HiddenJobs) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown, Message: uncheckedJobs(h.Database)}
	switch h.Fault {
	case "no table":
		return diag.Diagnostic{Code: CodeScheduler,
			Message: fmt.Sprintf(`extension pg_cron is not installed in database "%s"`, h.Database),
			Detail:  "pg_cron schedules no job of this policy file.",
			Hint:    `Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".`}
	case "no privilege":
		d.Detail, d.Hint = noUsageOfCron(runner), `Have a DBA run what "pgretain bootstrap --cron" prints.`
	case "row security":
		d.Detail = fmt.Sprintf(`Row security shows them to role "%s" alone, and role "%s" is not a member of it.`,
			runner, h.Role)
		d.Hint = fmt.Sprintf(`Run "pgretain verify" as a superuser, or as role "%s".`, runner)
	default:
		UnknownFault(h.Fault)
	}
	if inTime {
		d.Severity = diag.Info
		d.Detail += " Each job has run in time. It was not checked whether pg_cron has the schedules of the " +
			"policy file."
	}
	return d
}

// NotStarted is about a job whose last attempts failed before a run began. Such attempts leave no
// trace in the run log.
func NotStarted(schema, runner, job string, a FailedAttempts) diag.Diagnostic {
	message, more := strings.TrimRight(a.Message, ".\n "), ""
	hint := inRuntime(schema, "CALL retention.run_job(%s);", quote.Literal(job))
	switch {
	case strings.HasPrefix(a.Message, "connection"):
		hint = fmt.Sprintf(`Let role "%s" connect from the server itself: its password file, pg_hba.conf, cron.host; `+
			`or set cron.use_background_workers.`, runner)
	case strings.HasPrefix(a.Message, "could not start background"):
		hint = "Raise max_worker_processes, which pg_cron's jobs share with replication and parallel queries."
	default:
		more = fmt.Sprintf(` Role "%s" may find out more.`, runner)
	}
	return diag.Diagnostic{Code: CodeCronStart, Hint: hint,
		Message: fmt.Sprintf(`pg_cron cannot start job "%s": its last %d attempts failed`, job, a.Failed),
		Detail:  fmt.Sprintf("No attempt began a run. pg_cron reports: %s.%s", message, more)}
}

// Scheduler describes the scheduler of pg_cron. A setting is nil if it cannot be read.
type Scheduler struct {
	Installed                        bool // extension pg_cron is in the database of the policies
	Visible                          bool // the scheduler would be seen if it was running
	Reported                         bool // it is not running, or that is unknown
	LaunchActiveJobs, MaxRunningJobs *string
	InTime                           bool // jobs began runs in time
}

// SchedulerStopped takes the session's role, the runtime's owner, the database of the policies, and
// whether schema cron is in another database.
func SchedulerStopped(role, owner, database string, elsewhere bool, s Scheduler) diag.Diagnostic {
	if !s.Visible {
		return diag.Diagnostic{Code: CodeScheduler, Severity: diag.Unknown,
			Message: "could not determine whether the pg_cron scheduler is running",
			Detail:  fmt.Sprintf(`Neither "%s" nor "%s" may see other sessions.`, role, owner),
			Hint:    grantMonitor(owner)}
	}
	d := diag.Diagnostic{Code: CodeScheduler, Message: "the pg_cron scheduler is not running",
		Hint: `Look for "pg_cron" in the server's log, in shared_preload_libraries, and at cron.database_name.`}
	if !elsewhere && !s.Installed {
		d.Detail = fmt.Sprintf(`Extension pg_cron is not installed in database "%s".`, database)
	}
	return d
}

func grantMonitor(owner string) string {
	return fmt.Sprintf("GRANT pg_monitor TO %s;", quote.Ident(owner))
}

// Settings with which pg_cron starts no job.
var (
	JobsNotLaunched = diag.Diagnostic{Code: CodeCronStart,
		Message: "pg_cron starts no job: cron.launch_active_jobs is off",
		Hint:    "ALTER SYSTEM SET cron.launch_active_jobs = on; SELECT pg_reload_conf();"}
	NoRunningJobs = diag.Diagnostic{Code: CodeCronStart, Message: "pg_cron starts no job: cron.max_running_jobs is 0",
		Hint: "Reset cron.max_running_jobs and restart the server."}
)

func CronSettingsUnreadable(owner string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCronStart, Severity: diag.Unknown,
		Message: "could not determine whether pg_cron is switched off",
		Detail:  fmt.Sprintf(`Role "%s" may not read its settings.`, owner), Hint: grantMonitor(owner)}
}

// CronJob is a job of pg_cron, wanted or present. Name is nil for a job without one. A wanted job
// has no ID.
type CronJob struct {
	ID                                int
	Name                              *string
	Schedule, Command, Database, User string
	Active                            bool
}

// CronTable is the table of pg_cron's jobs. Elsewhere reports whether its database is another one
// than the database of the policies.
type CronTable struct {
	Database  string
	Elsewhere bool
}

func (t CronTable) sentence() string {
	if !t.Elsewhere {
		return ""
	}
	return fmt.Sprintf(`Schema cron is in database "%s".`, t.Database)
}

// schedule returns the statements with which the runner schedules a job. cron.schedule() neither
// switches an existing job on nor moves it to another database. Only an administrator may let a
// role call cron.alter_job(). So the statements can drop the job before.
func (t CronTable) schedule(job CronJob, drop bool) string {
	name, unschedule := quote.Literal(*job.Name), ""
	if drop {
		unschedule = fmt.Sprintf("SELECT cron.unschedule(%s); ", name)
	}
	schedule := fmt.Sprintf("SELECT cron.schedule(%s, %s, %s);", name, quote.Literal(job.Schedule),
		quote.Literal(job.Command))
	if job.Database != t.Database {
		schedule = fmt.Sprintf("SELECT cron.schedule_in_database(%s, %s, %s, %s);", name, quote.Literal(job.Schedule),
			quote.Literal(job.Command), quote.Literal(job.Database))
	}
	return fmt.Sprintf("SET ROLE %s; %s%s RESET ROLE;", quote.Ident(job.User), unschedule, schedule)
}

func JobMissing(want CronJob, in CronTable) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCronMissing, Message: fmt.Sprintf(`job "%s" is not in pg_cron`, *want.Name),
		Detail: strings.TrimSpace(fmt.Sprintf(`Role "%s" has no job of that name; nothing runs its policies. %s`,
			want.User, in.sentence())),
		Hint: in.schedule(want, false)}
}

// JobDiffers returns a finding for each part of a job that differs.
func JobDiffers(want, got CronJob, in CronTable) (list []diag.Diagnostic) {
	for _, part := range []struct{ name, want, got string }{
		{"schedule", want.Schedule, got.Schedule}, {"command", want.Command, got.Command},
		{"database", want.Database, got.Database}, {"user", want.User, got.User},
	} {
		if part.want != part.got {
			list = append(list, diag.Diagnostic{Code: CodeCronDiffers,
				Message: fmt.Sprintf(`job "%s" has another %s in pg_cron`, *want.Name, part.name),
				Want:    `"` + part.want + `"`, Got: `"` + part.got + `"`, Detail: in.sentence(),
				Hint: in.schedule(want, part.name != "user")})
		}
	}
	return list
}

func JobInactive(want CronJob, in CronTable) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCronInactive, Detail: in.sentence(), Hint: in.schedule(want, true),
		Message: fmt.Sprintf(`job "%s" is switched off in pg_cron`, *want.Name)}
}

func OrphanJob(job CronJob, in CronTable) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeCronOrphan}
	name, argument := fmt.Sprint(job.ID), fmt.Sprint(job.ID)
	if job.Name != nil {
		d.Object, name, argument = *job.Name, `"`+*job.Name+`"`, quote.Literal(*job.Name)
	}
	d.Message = fmt.Sprintf("job %s is in pg_cron, but not in the policy file", name)
	d.Detail = strings.TrimSpace(fmt.Sprintf(`It runs %s on "%s". %s`, job.Command, job.Schedule, in.sentence()))
	d.Hint = fmt.Sprintf("SET ROLE %s; SELECT cron.unschedule(%s); RESET ROLE;", quote.Ident(job.User), argument)
	return d
}
