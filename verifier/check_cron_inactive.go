package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeCronInactive = register("V042", Schedule, "a pg_cron job is switched off")

// cronInactive has the job made anew: alter_job is for those alone whom an administrator gave it.
func (v *inspection) cronInactive(o generator.Object, want generator.CronJob, home string) {
	v.about(o, Finding{Code: codeCronInactive, Message: fmt.Sprintf("job %q is switched off in pg_cron", want.Name),
		Detail: strings.TrimSpace(v.there(home)), Hint: v.schedule(want, home, true)})
}
