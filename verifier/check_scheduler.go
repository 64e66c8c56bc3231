package verifier

import (
	"fmt"

	"pgretain/internal/diag"
)

var codeScheduler = register("V044", Schedule, "the pg_cron scheduler is not running")

func (v *inspection) schedulerMissing(extension bool) {
	f := Finding{Code: codeScheduler, Message: "the pg_cron scheduler is not running",
		Hint: "Look for \"pg_cron\" in the server's log, in shared_preload_libraries, and at cron.database_name."}
	if !extension && !v.install.CronElsewhere() {
		f.Detail = fmt.Sprintf("Extension pg_cron is not installed in database %q.", v.server.Database)
	}
	v.add(f)
}

func (v *inspection) schedulerUnseen() {
	v.add(Finding{Code: codeScheduler, Severity: diag.Unknown, Message: "could not see whether the pg_cron scheduler is running",
		Detail: fmt.Sprintf("Neither %q nor %q may see other sessions.", v.server.User, v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %s;", ident(v.owner()))})
}

func (v *inspection) cronNotElsewhere(database string) {
	v.add(Finding{Code: codeScheduler, Position: v.install.Position, Message: fmt.Sprintf("extension pg_cron is not installed in database %q", database),
		Detail: "No job of this policy file is scheduled.", Hint: `Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".`})
}
