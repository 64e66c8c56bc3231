package verifier

import (
	"fmt"

	"pgretain/generator"
	"pgretain/internal/quote"
)

var codeCronOrphan = register("V043", Schedule, "a pg_cron job that nobody wants")

func (v *inspection) cronOrphan(j cronJob, home string) {
	v.add(Finding{Code: codeCronOrphan, Kind: generator.KindCron, Object: j.Name,
		Message: fmt.Sprintf("job %q is in pg_cron, and nobody wants it", j.Name), Detail: fmt.Sprintf("It runs %s on %q.%s", j.Command, j.Schedule, v.there(home)),
		Hint: as(j.User, fmt.Sprintf("SELECT cron.unschedule(%s);", quote.Literal(j.Name)))})
}
