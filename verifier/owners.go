package verifier

import (
	"context"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

// foreignTables are those of an owner whom a function's own owner is no member of; N is the function's place.
type foreignTables struct {
	N               int
	Table           string
	Count           int
	Owner, Function string
}

func (v *inspection) ownerGroups() []group {
	takers := v.takers()
	if len(takers) == 0 {
		return nil
	}
	var names []string
	for _, o := range takers {
		names = append(names, o.Policy)
	}
	return []group{{about: "who may detach and drop what policies take", codes: []string{codeTakeRights}, check: v.checkOwners, policies: distinct(names)}}
}

// takers are the functions that detach and drop tables.
func (v *inspection) takers() []generator.Object {
	var list []generator.Object
	for _, o := range v.objects(generator.KindFunction) {
		if o.As == generator.AsMigrator {
			list = append(list, o)
		}
	}
	return list
}

// checkOwners: only a table's owner may detach or drop it, so that the function which does
// must belong to a member of that role. New partitions may have another owner than the old ones.
func (v *inspection) checkOwners(ctx context.Context, tx pgx.Tx) error {
	takers := v.takers()
	var functions, tables []string
	for _, o := range takers {
		functions, tables = append(functions, o.Name), append(tables, o.Table)
	}
	rows, err := seen[foreignTables](ctx, tx, v.query("table_owners"), functions, tables)
	for _, r := range rows {
		v.takeRights(takers[r.N-1], r)
	}
	return err
}
