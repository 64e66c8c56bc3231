package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
)

var codeCronDiffers = register("V041", Schedule, "a pg_cron job differs")

// cronDiffers is about a part of a job, as "schedule".
func (v *inspection) cronDiffers(o generator.Object, part, want, got, where, hint string) {
	v.about(o, Finding{Code: codeCronDiffers, Message: fmt.Sprintf("job %q has another %s in pg_cron", o.Cron.Name, part),
		Want: quoted(want), Got: quoted(got), Detail: strings.TrimSpace(where), Hint: hint})
}

func (v *inspection) jobsOfAnotherDatabase() {
	v.add(Finding{Code: codeCronDiffers, Position: v.install.Position, Message: fmt.Sprintf("the jobs do not run in database %q", v.server.Database),
		Want: quoted(v.install.Database), Got: quoted(v.server.Database), Hint: "Connect to the database that install.database names."})
}
