package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeCronOrphan = register("V043", Schedule, "a pg_cron job that nobody wants")

func (v *inspection) cronOrphan(j cronJob, home string) {
	v.add(Finding{Code: codeCronOrphan, Kind: generator.KindCron, Object: j.Name,
		Message: fmt.Sprintf("job %q is in pg_cron, and nobody wants it", j.Name), Detail: fmt.Sprintf("It runs %s on %q.", j.Command, j.Schedule),
		Hint: fmt.Sprintf("As %q%s: SELECT cron.unschedule('%s').", j.User, v.there(home), j.Name)})
}
