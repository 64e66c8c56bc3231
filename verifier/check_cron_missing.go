package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeCronMissing = register("V040", Schedule, "a pg_cron job is missing")

func (v *inspection) cronMissing(o generator.Object, want generator.CronJob, home string) {
	v.about(o, Finding{Code: codeCronMissing, Message: fmt.Sprintf("job %q is not in pg_cron", want.Name),
		Detail: fmt.Sprintf("Role %q has no job of that name; nothing runs its policies.%s", v.runner(), v.there(home)), Hint: v.schedule(want, home, false)})
}
