package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

var codeCreators = register("V078", Privileges, "a role can create objects in the search path")

func (v *inspection) checkCreators(ctx context.Context, tx pgx.Tx) error {
	type creator struct{ Schema, Role string }
	schemas := append([]string{v.install.Schema}, v.install.SearchPath...)
	rows, err := seen[creator](ctx, tx, v.query("creators"), schemas, v.owner(), v.changedTables())
	for _, c := range rows {
		v.add(Finding{Code: codeCreators, Object: c.Schema, Position: v.install.Position,
			Message: fmt.Sprintf("role %q can create objects in schema %q", c.Role, c.Schema),
			Detail:  fmt.Sprintf("A function or operator that fits better could change what a policy means, and would run with the rights of %q.", v.owner()),
			Hint:    fmt.Sprintf("REVOKE CREATE ON SCHEMA %s FROM %s;", quote.Ident(c.Schema), quote.Ident(c.Role))})
	}
	return err
}
