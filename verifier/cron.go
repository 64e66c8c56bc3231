package verifier

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
)

// codesOfCron are the checks that need pg_cron's tables. One of them is the check on lateness,
// which reports how the last attempt failed.
var codesOfCron = []diag.Code{messages.CodeCronMissing, messages.CodeCronDiffers, messages.CodeCronInactive,
	messages.CodeCronOrphan, messages.CodeScheduler, messages.CodeLate,
	messages.CodeNotYet, messages.CodeCronStart}

// evidence holds facts about pg_cron that follow from the runs of jobs. InTime reports whether each
// job began a run in time. Reached reports whether pg_cron reaches the database, whatever host and
// port a job has.
type evidence struct{ InTime, Reached bool }

// checkCron compares the jobs with pg_cron, if the runner may read them. Jobs that it may not read
// are unknown, not missing.
func (v *inspection) checkCron(r reading) error {
	readable, err := collectRow[struct{ OK bool }](r, "cron_seen")
	if err != nil {
		return err
	}
	if !readable.OK {
		v.addToInstall(messages.JobsUnreadable(v.server.Database, v.runner()))
		return nil
	}
	seen, err := collectRow[evidence](r, "cron_evidence")
	if err != nil {
		return err
	}
	return v.compareJobs(r, "cron", seen.Reached)
}

// compareJobs compares the wanted jobs with the jobs of the runner in the database of schema cron.
// It also reads which of these jobs failed. A wanted job without a database belongs to the database
// of schema cron.
func (v *inspection) compareJobs(r reading, query string, args ...any) error {
	live, err := collectRow[struct {
		Database string
		Jobs     []messages.CronJob
		Attempts []messages.FailedAttempts
	}](r, query, args...)
	if err != nil {
		return err
	}
	v.attempts = live.Attempts
	names := v.cronNames()
	for i := range v.attempts {
		v.attempts[i].Job = names[v.attempts[i].Name]
	}
	in := messages.CronTable{Database: live.Database, Elsewhere: v.install.CronElsewhere()}
	named := func(name string) func(messages.CronJob) bool {
		return func(job messages.CronJob) bool { return job.Name != nil && *job.Name == name }
	}
	wanted := map[string]bool{}
	for _, o := range v.objects(generator.KindCron) {
		want := messages.CronJob{Name: &o.Cron.Name, Schedule: o.Cron.Schedule, Command: o.Cron.Command,
			Database: cmp.Or(o.Cron.Database, live.Database), User: v.runner()}
		wanted[*want.Name] = true
		if !slices.ContainsFunc(live.Jobs, named(*want.Name)) {
			v.about(o, messages.JobMissing(want, in))
		}
		for _, job := range live.Jobs {
			if !named(*want.Name)(job) {
				continue
			}
			for _, m := range messages.JobDiffers(want, job, in) {
				v.about(o, m)
			}
			if !job.Active {
				v.about(o, messages.JobInactive(want, in))
			}
		}
	}
	for _, job := range live.Jobs {
		if job.Name == nil || !wanted[*job.Name] {
			v.addKind(generator.KindCron, messages.OrphanJob(job, in))
		}
	}
	return nil
}

// checkCronElsewhere checks the jobs in the other database. Row security there shows them only to
// the runner and to superusers. For other roles the jobs are unknown.
func (v *inspection) checkCronElsewhere(r reading) error {
	if v.server.Database != v.install.Database {
		v.addToInstall(messages.JobsOfOtherDatabase(v.install.Database, v.server.Database))
	}
	seen, err := collectRow[evidence](r, "cron_evidence")
	if err != nil {
		return err
	}
	err = v.opt.CronRefused
	switch {
	case v.opt.Cron != nil:
		err = v.read(r.ctx, v.opt.Cron, withRowSecurity(func(r reading) error {
			return v.readCronElsewhere(r, seen)
		}))
	case err == nil:
		err = errors.New("there is no connection")
	}
	if err != nil && r.ctx.Err() == nil {
		v.addToInstall(messages.CronUnreachable(v.install.CronDatabase, err))
	}
	return r.ctx.Err()
}

// readCronElsewhere reads the jobs as the session's role if that role sees all jobs, otherwise as
// the runner. If neither is possible, the finding is information only if the jobs ran in time.
func (v *inspection) readCronElsewhere(r reading, seen evidence) error {
	said := len(v.report.Findings)
	_, err := collectTexts(r, "cron_role", v.runner())
	if err == nil {
		err = eachFact(r, "cron_sight", func(h messages.HiddenJobs) {
			v.addToInstall(messages.JobsHidden(v.runner(), seen.InTime, h))
		}, v.runner())
	}
	if err != nil || len(v.report.Findings) > said {
		return err
	}
	return v.compareJobs(r, "cron_there", v.install.CronJobPrefix(), v.install.Database, seen.Reached)
}

// checkScheduler checks that pg_cron starts jobs. If the scheduler is not running, settings that
// cannot be read are no finding.
func (v *inspection) checkScheduler(r reading) error {
	return eachFact(r, "scheduler", func(s messages.Scheduler) {
		launch, most := s.LaunchActiveJobs, s.MaxRunningJobs
		if s.Reported {
			v.add(messages.SchedulerStopped(v.server.User, v.owner(), v.server.Database, v.install.CronElsewhere(), s))
		}
		if launch != nil && *launch == "off" {
			v.addToInstall(messages.JobsNotLaunched)
		}
		if most != nil && *most == "0" {
			v.addToInstall(messages.NoRunningJobs)
		}
		if (launch == nil || most == nil) && !s.Reported && !s.InTime {
			v.addToInstall(messages.CronSettingsUnreadable(v.owner()))
		}
	})
}

// checkStarts reports jobs whose last attempts, at least two, failed before a run began. A single
// failed attempt may come from a restart of the server.
func (v *inspection) checkStarts(r reading) error {
	failed := map[string]*messages.FailedAttempts{} // by job
	var jobs []string
	var since []*time.Time
	for _, j := range v.file.Jobs {
		if a := v.failedAttempts(j.Name, 2); a != nil {
			failed[j.Name], jobs, since = a, append(jobs, j.Name), append(since, a.Since)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	idle, err := collectTexts(r, "cron_starts", jobs, since)
	for _, j := range v.file.Jobs {
		if slices.Contains(idle, j.Name) {
			v.about(generator.Object{Name: j.Name, Position: j.Position},
				messages.NotStarted(v.install.Schema, v.runner(), j.Name, *failed[j.Name]))
		}
	}
	return err
}

// failedAttempts returns the last attempts of pg_cron to start a job, if at least a number of them
// failed. Of several schedules of the job, it returns the first one.
func (v *inspection) failedAttempts(job string, least int) *messages.FailedAttempts {
	for i := range v.attempts {
		if a := &v.attempts[i]; a.Job == job && a.Failed >= least {
			return a
		}
	}
	return nil
}

// cronNames maps the names of jobs in pg_cron to the jobs of the file. There is one name for each
// schedule.
func (v *inspection) cronNames() map[string]string {
	names := map[string]string{}
	for _, j := range v.file.Jobs {
		for i := range j.Schedules {
			names[v.install.CronJobName(j.Name, i)] = j.Name
		}
	}
	return names
}

// anyZone holds a zone for each hour that a clock on Earth can show. The furthest zones are UTC-12
// and UTC+14.
var anyZone = func() (zones []*time.Location) {
	for hour := -12; hour <= 14; hour++ {
		zones = append(zones, time.FixedZone("", hour*60*60))
	}
	return zones
}()

// readZone reads the time zone of the schedules: pg_cron's own, or UTC without pg_cron. If the zone
// cannot be read, each zone is possible.
func (v *inspection) readZone(r reading) error {
	if v.zones = []*time.Location{time.UTC}; v.install.Scheduler != "pg_cron" {
		return nil
	}
	found, err := collectRow[struct{ Name string }](r, "cron_zone")
	if err != nil {
		return err
	}
	if v.zones = anyZone; found.Name == "" {
		return nil
	}
	zone, err := time.LoadLocation(found.Name)
	if err == nil {
		v.zones = []*time.Location{zone}
		return nil
	}
	v.zones = nil
	v.add(messages.CronZoneUnknown(found.Name))
	return nil
}
