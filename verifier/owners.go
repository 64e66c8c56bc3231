package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

func (v *inspection) ownerGroups() []group {
	var groups []group
	for _, o := range v.objects(generator.KindFunction) {
		if o.As == generator.AsMigrator {
			groups = append(groups, group{fmt.Sprintf("who may detach and drop what policy %q takes", o.Policy), func(ctx context.Context, tx pgx.Tx) error {
				return v.checkOwners(ctx, tx, o)
			}})
		}
	}
	return groups
}

// checkOwners: only a table's owner may detach or drop it, so that the function which does
// must belong to a member of that role. New partitions may have another owner than the old ones.
func (v *inspection) checkOwners(ctx context.Context, tx pgx.Tx, o generator.Object) error {
	type foreign struct {
		Table           string
		Count           int
		Owner, Function string
	}
	rows, err := many[foreign](ctx, tx, v.query("table_owners"), o.Name, o.Table)
	for _, r := range rows {
		v.about(o, Finding{Code: codeTakeRights,
			Message: fmt.Sprintf("policy %q cannot detach or drop tables of role %q, who owns %q", o.Policy, r.Owner, r.Table),
			Detail:  fmt.Sprintf("Function %q belongs to role %q, which is no member of it. This is so for %s.", o.Name, r.Function, plural(r.Count, "table")),
			Hint:    fmt.Sprintf("GRANT %s TO %s, or give the tables one owner.", r.Owner, r.Function)})
	}
	return err
}
