package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeCronInactive = register("V042", Schedule, "a pg_cron job is switched off")

func (v *inspection) cronInactive(o generator.Object, want generator.CronJob, home string) {
	f := Finding{Code: codeCronInactive, Message: fmt.Sprintf("job %q is switched off in pg_cron", want.Name),
		Hint: fmt.Sprintf("As %q: SELECT cron.alter_job(jobid, active := true) FROM cron.job WHERE jobname = '%s'.", v.runner(), want.Name)}
	if v.install.CronElsewhere() {
		f.Hint = fmt.Sprintf("In database %q, as %q, unschedule it, and then %s", home, v.runner(), v.call(want, home))
	}
	v.about(o, f)
}
