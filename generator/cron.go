package generator

import (
	"slices"
	"strings"

	"pgretain/policy"
)

// CronJob is what a KindCron object schedules, and in which database the command runs: "" is the
// one that the job is scheduled in.
type CronJob struct{ Name, Schedule, Command, Database string }

// purgeJob keeps cron.job_run_details short where it is in another database than the run log.
const purgeJob = "cron_log#purge"

// purgeSchedule is once a night, at a minute that few others use.
const purgeSchedule = "53 3 * * *"

// purgeWindow is how long the purge keeps rows: as long as the runtime does by default where it purges them itself.
const purgeWindow = "14 days"

// CronCommand is what pg_cron executes for a job: one statement and nothing else.
func CronCommand(install policy.Install, job string) string {
	return strings.TrimSpace(object("cron_command", struct {
		Schema string
		Job    literal
	}{install.Schema, literal(job)}))
}

// CronName is the jobname of a job's schedule, counted from 0.
func CronName(install policy.Install, job string, schedule int) string {
	return install.CronJobName(job, schedule)
}

// SplitCron takes apart what goes into the database of the tables and what into the one where
// schema cron lives; the second is empty where that is the same.
func SplitCron(objects []Object, install policy.Install) (here, elsewhere []Object) {
	if !install.CronElsewhere() {
		return objects, nil
	}
	for _, o := range objects {
		if o.Kind == KindCron {
			elsewhere = append(elsewhere, o)
		} else {
			here = append(here, o)
		}
	}
	return here, elsewhere
}

// OnlyCron says whether the migrations install jobs and nothing else: they are for the database
// where schema cron lives.
func (h *History) OnlyCron() bool {
	return len(h.objects) > 0 && !slices.ContainsFunc(h.order, func(id ID) bool { return id.Kind != KindCron })
}

// HasMore says whether the migrations install anything but jobs.
func (h *History) HasMore() bool {
	return slices.ContainsFunc(h.order, func(id ID) bool { return id.Kind != KindCron })
}

func (c *compiler) cronJobs(job *policy.Job) []Object {
	var objects []Object
	for i, schedule := range job.Schedules {
		o := c.cronJob(CronJob{Name: CronName(c.file.Install, job.Name, i), Schedule: cronSchedule(schedule.Text),
			Command: CronCommand(c.file.Install, job.Name)})
		o.Position = schedule.Position
		objects = append(objects, o)
	}
	return objects
}

// cronSchedule spells out the words that pg_cron from 1.5 on takes and never runs: its set of months
// stays empty.
func cronSchedule(text string) string {
	if text == "@yearly" || text == "@annually" {
		return "0 0 1 1 *"
	}
	return text
}

// cronJob runs in the application's database.
func (c *compiler) cronJob(job CronJob) Object {
	template := "cron"
	if c.file.Install.CronElsewhere() {
		template, job.Database = "cron_elsewhere", c.file.Install.Database
	}
	return cronObject(template, job)
}

// cronPurge runs in the database that it is scheduled in.
func (c *compiler) cronPurge() Object {
	in := c.file.Install
	name := CronName(in, purgeJob, 0)
	command := object("cron_purge", struct{ JobName, Database, Window literal }{
		literal(name), literal(in.Database), purgeWindow})
	return cronObject("cron", CronJob{Name: name, Schedule: purgeSchedule, Command: oneLine(strings.TrimSpace(command))})
}

func cronObject(template string, job CronJob) Object {
	data := struct{ JobName, Schedule, Command, Database literal }{
		literal(job.Name), literal(job.Schedule), literal(job.Command), literal(job.Database),
	}
	return Object{Kind: KindCron, Name: job.Name, As: AsRunner, SQL: object(template, data),
		Drop: object("cron_drop", data), Cron: &job}
}
