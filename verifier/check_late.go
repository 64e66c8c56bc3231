package verifier

import (
	"fmt"
	"time"
)

var codeLate = register("V045", Schedule, "a policy has not succeeded in time")

// late: it had "what", as "last succeeded", at an instant, and should have succeeded again by the deadline.
func (v *inspection) late(j job, p jobPolicy, what string, from, deadline time.Time, runs lastRuns) {
	v.add(Finding{Code: codeLate, Policy: p.name, Position: p.position, Message: fmt.Sprintf("%s has not succeeded in time", p),
		Detail: fmt.Sprintf("It %s at %s; with the schedule of job %q it should have succeeded again by %s.%s%s%s", what,
			instant(from), j.name, instant(deadline), busy(runs), v.failure(j.name), v.witness(j)),
		Hint: fmt.Sprintf("SELECT * FROM %s;", v.runtime("status"))})
}

// busy says, for a detail, that others stood in the way.
func busy(runs lastRuns) string {
	if runs.State != "busy" {
		return ""
	}
	return fmt.Sprintf(" The last run (%d) ended busy: %s.", runs.ID, runs.Message)
}

// witness says who else knows of a run that should have been.
func (v *inspection) witness(j job) string {
	switch {
	case v.install.Scheduler != "pg_cron":
		return fmt.Sprintf(" Look at whatever calls \"pgretain run --job %s\".", j.name)
	case v.install.CronElsewhere():
		return fmt.Sprintf(" What pg_cron knows is in cron.job_run_details of database %q, for role %q.", v.install.CronDatabase, v.runner())
	}
	return fmt.Sprintf(" What pg_cron knows is in cron.job_run_details, for role %q.", v.runner())
}
