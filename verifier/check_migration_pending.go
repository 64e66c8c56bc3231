package verifier

import "fmt"

var codePending = register("V011", Installed, "a migration is not applied")

// pending reports what the migration directory has and the database has not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name),
			Hint: "pgretain migrate up"})
	}
	for _, name := range v.opt.CronPending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: "pgretain migrate up --cron"})
	}
}
