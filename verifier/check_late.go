package verifier

import (
	"fmt"
	"time"
)

var codeLate = register("V045", Schedule, "a policy has not succeeded in time")

// late: it had "what", as "last succeeded", at an instant, and should have succeeded again by the deadline.
func (v *inspection) late(j job, p jobPolicy, what string, from, deadline time.Time) {
	v.add(Finding{Code: codeLate, Policy: p.name, Position: p.position, Message: fmt.Sprintf("%s has not succeeded in time", p),
		Detail: fmt.Sprintf("It %s at %s; with the schedule of job %q it should have succeeded again by %s.%s", what,
			instant(from), j.name, instant(deadline), v.failure(j.name)),
		Hint: v.lateHint(j)})
}

// lateHint says where to look for a run that should have been.
func (v *inspection) lateHint(j job) string {
	hint := fmt.Sprintf("SELECT * FROM %s.status, and ", v.install.Schema)
	switch {
	case v.install.Scheduler != "pg_cron":
		return hint + fmt.Sprintf("whatever calls \"pgretain run --job %s\".", j.name)
	case v.install.CronElsewhere():
		return hint + fmt.Sprintf("cron.job_run_details of role %q in database %q.", v.runner(), v.install.CronDatabase)
	}
	return hint + fmt.Sprintf("cron.job_run_details of role %q.", v.runner())
}
