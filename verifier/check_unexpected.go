package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeUnexpected = register("V050", Reach, "the catalog is not what a policy was made for")

// foreignCode is what functions of the runtime raise where a policy would run code of a role that is not trusted.
const foreignCode = "PR004"

// unexpected is one difference between the catalog and what a policy relies on, and what to do about it.
type unexpected struct{ Policy, Why string }

// checkUnexpected asks what a run asks before it touches anything. A table or column that is gone has a finding of its own.
func (v *inspection) checkUnexpected(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[unexpected](ctx, tx, v.query("unexpected"), v.policyNames())
	for _, u := range rows {
		p := v.policy(u.Policy)
		why, mend, found := strings.Cut(u.Why, "; ")
		switch {
		case v.found(p, codeNoTable, codeNoColumn, codeNotCopied, codeExpression):
		case !found:
			v.notMadeFor(p, why, `Take the table out of "protect", or out of the policy.`)
		case strings.HasPrefix(mend, "list"):
			v.notMadeFor(p, why, `List the role under "trust" of the install, or give what it owns to another role.`)
		case strings.HasPrefix(mend, "undo"):
			v.notMadeFor(p, why, `Undo it, or run "pgretain snapshot", then "pgretain generate", and migrate.`)
		default:
			v.notMadeFor(p, why, mend+";")
		}
	}
	return err
}

func (v *inspection) notMadeFor(p *policy.Policy, why, hint string) {
	v.add(Finding{Code: codeUnexpected, Object: p.Table.String(), Policy: p.Name, Position: p.Position, Hint: hint,
		Message: fmt.Sprintf("policy %q was not made for this catalog: %s", p.Name, why),
		Detail:  "Runs of the policy trip and touch nothing until that is mended."})
}
