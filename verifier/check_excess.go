package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codeExcess = register("V079", Privileges, "a role can do more than pgretain needs")

// excess is something that a role can do and nothing of ours needs.
type excess struct {
	Role    string
	Changes bool // other people's rows
	Fault   string
}

func (v *inspection) checkExcess(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[excess](ctx, tx, v.query("excess"), v.owner(), v.otherRoles())
	if err != nil {
		return err
	}
	for _, e := range rows {
		v.roleExceeds(e)
	}
	heirs, err := seen[struct{ Name string }](ctx, tx, v.query("successors"), v.owner(), v.runner(), v.otherRoles(), v.changedTables())
	if len(heirs) > 0 {
		var names []string
		for _, h := range heirs {
			names = append(names, quoted(h.Name))
		}
		v.add(Finding{Code: codeExcess, Severity: Info, Object: v.owner(), Position: v.install.Position,
			Message: fmt.Sprintf("%s can become %q", strings.Join(names, ", "), v.owner()),
			Detail:  "They can delete by hand and change the run log. They neither own a table of a policy nor are members of the runner, as a role that migrates is."})
	}
	return err
}

// roleExceeds is drift where it leads to rows that only runs should change.
func (v *inspection) roleExceeds(e excess) {
	f := Finding{Code: codeExcess, Severity: Info, Object: e.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q %s", e.Role, e.Fault), Detail: "Nothing of pgretain needs it."}
	if e.Changes {
		f.Severity = diag.Drift
		f.Detail += " With it the role can change rows by hand, past holds, guards and run log."
	}
	if attribute, ok := strings.CutPrefix(e.Fault, "has "); ok {
		f.Hint = fmt.Sprintf("ALTER ROLE %s NO%s;", quote.Ident(e.Role), attribute)
	} else {
		f.Hint = fmt.Sprintf("REVOKE %s FROM %s;", quote.Ident(strings.Trim(strings.TrimPrefix(e.Fault, "is a member of "), `"`)), quote.Ident(e.Role))
	}
	v.add(f)
}

// otherRoles are runner, operator and viewer, without the owner.
func (v *inspection) otherRoles() []string {
	roles := v.install.Roles
	return slices.DeleteFunc([]string{roles.Runner, roles.Operator, roles.Viewer}, func(name string) bool { return name == roles.Owner })
}
