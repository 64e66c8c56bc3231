package verifier

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
)

var codeTimeout = register("V091", Sight, "a check took too long")

// tookTooLong: a statement of a group, or its wait for a lock.
func (v *inspection) tookTooLong(g group, err *pgconn.PgError) {
	v.add(Finding{Code: codeTimeout, Severity: diag.Unknown, Message: fmt.Sprintf("checking %s took longer than %s", g.about, v.opt.Timeout),
		Detail: fmt.Sprintf("The server says: %s [%s].", err.Message, err.Code) + g.unchecked(),
		Hint:   "Try again when the server is less busy, or allow more time."})
}
