package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
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
			v.add(Finding{Code: codeRowOrphan, Kind: generator.Kind(row.Kind), Object: row.Name,
				Message: fmt.Sprintf("%s %q is in the registry, and nobody wants it", row.Kind, row.Name),
				Detail:  "It can be run as long as it is there.",
				Hint:    `If it was taken out of the policy file, "pgretain generate" and "pgretain migrate up" remove it; otherwise delete the row as the owner.`})
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
	what := fmt.Sprintf("%s %q", o.Kind, o.Name)
	if o.Kind == generator.KindInstall {
		what = "the row of the install"
	}
	if len(row) == 0 {
		v.about(o, Finding{Code: codeRowMissing, Message: what + " is not in the registry", Hint: repairHint})
		return
	}
	var names, want, got []string
	for _, c := range row {
		if c.Differs {
			names, want, got = append(names, c.Name), append(want, c.Name+" = "+c.Want), append(got, c.Name+" = "+c.Got)
		}
	}
	if len(names) > 0 {
		v.about(o, Finding{Code: codeRowDiffers, Message: fmt.Sprintf("%s differs in the registry: %s", what, strings.Join(names, ", ")),
			Want: strings.Join(want, "; "), Got: strings.Join(got, "; "), Hint: repairHint})
	}
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
