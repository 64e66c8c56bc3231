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

// checkUnexpected asks what a run asks before it touches anything. A table or column that is gone has a finding of its
// own; what stops several policies is said once.
func (v *inspection) checkUnexpected(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[unexpected](ctx, tx, v.query("unexpected"), v.policyNames())
	var order []string
	stopped := map[string][]*policy.Policy{}
	for _, u := range rows {
		if p := v.policy(u.Policy); !v.found(p, codeNoTable, codeNoColumn, codeNotCopied, codeExpression) {
			if stopped[u.Why] == nil {
				order = append(order, u.Why)
			}
			stopped[u.Why] = append(stopped[u.Why], p)
		}
	}
	for _, text := range order {
		why, mend, found := strings.Cut(text, "; ")
		switch {
		case !found:
			v.notMadeFor(stopped[text], why, `Take the table out of "protect", or out of the policy.`)
		case strings.HasPrefix(mend, "list"):
			v.notMadeFor(stopped[text], why, `List the role under "trust" of the install, or give what it owns to another role.`)
		case strings.HasPrefix(mend, "undo"):
			v.notMadeFor(stopped[text], why, `Undo it, or run "pgretain snapshot", then "pgretain generate", and migrate.`)
		case strings.HasPrefix(mend, "rows"):
			v.notMadeFor(stopped[text], why, "Take the policy out, or run it where the rows are.")
		default:
			v.notMadeFor(stopped[text], why, mend+";")
		}
	}
	return err
}

func (v *inspection) notMadeFor(stopped []*policy.Policy, why, hint string) {
	first, names := stopped[0], make([]string, len(stopped))
	for i, p := range stopped {
		names[i] = quoted(p.Name)
	}
	message := fmt.Sprintf("policy %s was not made for this catalog: %s", names[0], why)
	if len(names) > 1 {
		message = fmt.Sprintf("policies %s were not made for this catalog: %s", strings.Join(names, ", "), why)
	}
	v.add(Finding{Code: codeUnexpected, Object: first.Table.String(), Policy: first.Name, Position: first.Position, Hint: hint,
		Message: message, Detail: "Runs trip and touch nothing until that is mended."})
}
