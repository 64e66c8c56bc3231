package verifier

import (
	"fmt"

	"pgretain/internal/diag"
)

var codeLock = register("V047", Schedule, "a run lock is held without a run")

func (v *inspection) lockHeld(l lock) {
	table := "a table that is gone"
	if l.Table != nil {
		table = fmt.Sprintf("table %q", *l.Table)
	}
	f := Finding{Code: codeLock, Message: fmt.Sprintf("backend %d (role %q) holds the run lock of %s without a run", l.PID, l.User, table),
		Detail: "Every run of the table's policies ends as busy until it lets go.", Hint: fmt.Sprintf("SELECT pg_terminate_backend(%d);", l.PID)}
	if l.State == nil {
		f.Severity = diag.Unknown
		f.Message = fmt.Sprintf("backend %d (role %q) holds the run lock of %s, and no run of it is known yet", l.PID, l.User, table)
		f.Detail = fmt.Sprintf("Role %q may not see whether that session is at work.", v.server.User)
		f.Hint = "Verify again, or connect as a member of pg_read_all_stats."
	}
	v.add(f)
}
