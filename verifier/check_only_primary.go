package verifier

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
)

var codeOnlyPrimary = register("V094", Sight, "a standby cannot tell")

func (v *inspection) onlyPrimary() {
	if !v.opt.Checks.any([]string{codeScheduler, codeLastRun}) {
		return
	}
	what := "whether a run that is written down as running is at work"
	if v.install.Scheduler == "pg_cron" {
		what = "whether the pg_cron scheduler is running and starts jobs, and " + what
	}
	v.add(Finding{Code: codeOnlyPrimary, Severity: diag.Unknown, Position: v.install.Position,
		Message: "some of it only the primary can tell", Detail: "Not looked at: " + what + ".",
		Hint: "Verify the primary, or leave this out: --skip V094."})
}

// inTheWay: replay ended the statement.
func (v *inspection) inTheWay(g group, err *pgconn.PgError) {
	v.add(Finding{Code: codeOnlyPrimary, Severity: diag.Unknown, Message: fmt.Sprintf("checking %s stood in the way of replication", g.about),
		Detail: fmt.Sprintf("The server says: %s [%s].", err.Message, err.Code) + g.unchecked(),
		Hint:   "Try again, verify the primary, or set hot_standby_feedback or a longer max_standby_streaming_delay on the standby."})
}
