package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// rowName is a row of the registry.
type rowName struct{ Kind, Name string }

// rowColumn is a column of a registry row beside the value that its migration writes.
type rowColumn struct {
	Name      string
	Differs   bool
	Want, Got string
}

// ownColumns are written by the migration too, but say where it ran: they are compared by the
// check for copies.
var ownColumns = []string{"system_identifier", "database_name"}

func (v *inspection) checkRegistry(ctx context.Context, tx pgx.Tx) error {
	live, err := many[rowName](ctx, tx, v.query("row_names"))
	if err != nil {
		return err
	}
	wanted := v.objects(generator.KindInstall, generator.KindPolicy, generator.KindJob)
	for _, o := range wanted {
		if err := v.checkRow(ctx, tx, o); err != nil {
			return err
		}
	}
	for _, row := range live {
		same := func(o generator.Object) bool { return string(o.Kind) == row.Kind && o.Name == row.Name }
		if !slices.ContainsFunc(wanted, same) {
			v.rowOrphan(row)
		}
	}
	return nil
}

// checkRow evaluates the values of a row's INSERT and compares them with the live row.
func (v *inspection) checkRow(ctx context.Context, tx pgx.Tx, o generator.Object) error {
	insert, err := pgparse.ParseInsert(o.SQL)
	if err != nil {
		return fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
	}
	var columns, values []string
	for i, column := range insert.Columns {
		if !slices.Contains(ownColumns, column) {
			columns, values = append(columns, column), append(values, insert.Values[i])
		}
	}
	if o.Kind == generator.KindInstall { // its key has a default
		columns, values = append([]string{"only_row"}, columns...), append([]string{"true"}, values...)
	}
	row, err := many[rowColumn](ctx, tx, verifysql.RowQuery(v.install.Schema, string(o.Kind), columns, values))
	if err != nil {
		return err
	}
	v.compareRow(o, row)
	return nil
}

func (v *inspection) compareRow(o generator.Object, row []rowColumn) {
	if len(row) == 0 {
		v.rowMissing(o)
		return
	}
	row = slices.DeleteFunc(row, func(c rowColumn) bool { return !c.Differs })
	if len(row) > 0 {
		v.rowDiffers(o, row)
	}
}

func registryRow(o generator.Object) string {
	if o.Kind == generator.KindInstall {
		return "the row of the install"
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Name)
}

// policy finds a policy of the file by name, nil when there is none.
func (v *inspection) policy(name string) *policy.Policy {
	for _, p := range v.file.Policies {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// position is that of a policy of the file, none where there is no such policy.
func (v *inspection) position(name string) diag.Position {
	if p := v.policy(name); p != nil {
		return p.Position
	}
	return diag.Position{}
}
