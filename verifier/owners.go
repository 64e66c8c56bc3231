package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

// foreignTables are those of an owner whom a function's own owner is no member of.
type foreignTables struct {
	Table           string
	Count           int
	Owner, Function string
}

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
	rows, err := many[foreignTables](ctx, tx, v.query("table_owners"), o.Name, o.Table)
	for _, r := range rows {
		v.takeRights(o, r)
	}
	return err
}
