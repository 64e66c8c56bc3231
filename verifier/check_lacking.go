package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

var codeLacking = register("V083", Privileges, "a role lacks a privilege in the runtime's schema")

// relationRights are privileges that roles should have on relations of the runtime, one at each place.
type relationRights struct{ relations, roles, privileges []string }

func (r *relationRights) add(relation, role string, privileges ...string) {
	for _, p := range privileges {
		r.relations, r.roles, r.privileges = append(r.relations, relation), append(r.roles, role), append(r.privileges, p)
	}
}

// relationRights are what the objects' list grants, and what their owner has as such unless somebody revoked it.
func (v *inspection) relationRights() relationRights {
	var r relationRights
	for _, o := range v.objects(generator.KindTable, generator.KindView, generator.KindStored) {
		name := v.inSchema(o)
		r.add(name, v.owner(), "SELECT")
		if o.Kind != generator.KindView {
			r.add(name, v.owner(), "INSERT", "UPDATE", "DELETE")
		}
		for _, role := range o.Grants {
			r.add(name, role, "SELECT")
		}
	}
	return r
}

func (v *inspection) checkLacking(ctx context.Context, tx pgx.Tx) error {
	want := v.relationRights()
	rows, err := seen[writer](ctx, tx, v.query("lacking"), v.install.Schema, want.relations, want.roles, want.privileges, v.owner())
	for _, r := range rows {
		v.lacks(r)
	}
	return err
}

func (v *inspection) lacks(r writer) {
	v.add(Finding{Code: codeLacking, Object: r.Role, Position: v.install.Position,
		Message: fmt.Sprintf("role %q lacks %s on %s", r.Role, r.Privileges, strings.Join(r.Tables, ", ")),
		Detail:  "What the role is for fails.",
		Hint:    fmt.Sprintf("GRANT %s ON %s TO %s;", r.Privileges, commas(r.Tables, own), ident(r.Role))})
}
