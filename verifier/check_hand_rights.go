package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

var codeHandRights = register("V077", Privileges, "a role can delete or change a policy's rows by hand")

// handRights are what a role may do with rows of policies.
type handRights struct {
	Role   string // "" is PUBLIC
	Owns   bool
	Rights string
	Tables []string
}

func (v *inspection) checkHandRights(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[handRights](ctx, tx, v.query("hand_rights"), v.changedTables(), v.otherRoles(), v.owner())
	for _, r := range rows {
		v.rightsByHand(r)
	}
	return err
}

// rightsByHand is for information where the application chose it: it gave everybody these rights, or the
// install an owner of its tables for a role.
func (v *inspection) rightsByHand(r handRights) {
	const most = 5
	tables := r.Tables
	if len(tables) > most {
		tables = append(tables[:most:most], fmt.Sprintf("%d more", len(r.Tables)-most))
	}
	f := Finding{Code: codeHandRights, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q has %s on %s", r.Role, r.Rights, strings.Join(tables, ", ")),
		Detail:  "It can delete or change rows by hand, past holds, guards, breaker and run log.",
		Hint:    fmt.Sprintf("Revoke %s on these tables from %q, or end the membership that gives it.", r.Rights, r.Role)}
	switch {
	case r.Role == "":
		f.Severity, f.Object = Info, "PUBLIC"
		f.Message = fmt.Sprintf("PUBLIC has %s on %s", r.Rights, strings.Join(tables, ", "))
		f.Detail = "Everybody can delete or change rows by hand, past holds, guards, breaker and run log."
		f.Hint = fmt.Sprintf("Revoke %s on these tables from PUBLIC, unless the application needs it.", r.Rights)
	case r.Owns:
		f.Severity, f.Hint = Info, ""
		f.Message = fmt.Sprintf("role %q owns %s", r.Role, strings.Join(tables, ", "))
	}
	v.add(f)
}

// changedTables are the tables of policies, those that they change, and their archives.
func (v *inspection) changedTables() []string {
	var list []string
	for _, p := range v.file.Policies {
		list = append(list, p.Table.String())
		for _, t := range p.Changes() {
			list = append(list, t.String())
		}
		for _, s := range p.Then {
			if s.Archive != nil {
				list = append(list, s.Archive.Into.String())
			}
		}
	}
	return list
}
