package verifier

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// rowName is a row of the registry.
type rowName struct{ Kind, Name string }

// rowColumn is a column of a registry row beside the value that its migration writes, or says that the
// row is missing. N is the row's place among the wanted ones.
type rowColumn struct {
	N         int
	Found     bool
	Name      string
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
	shapes, err := rowShapes(wanted, v.install.Schema)
	if err != nil {
		return err
	}
	for _, s := range shapes {
		if err := v.checkRows(ctx, tx, s); err != nil {
			return err
		}
	}
	known := map[rowName]bool{}
	for _, o := range wanted {
		known[rowName{string(o.Kind), o.Name}] = true
	}
	for _, row := range live {
		if !known[row] {
			v.rowOrphan(row)
		}
	}
	return nil
}

// rowShape is rows of one table whose migrations write the same columns.
type rowShape struct {
	table   string
	columns []string
	objects []generator.Object
	values  [][]string
}

// rowsAtOnce bounds the text of one query; a row has a few kilobytes.
const rowsAtOnce = 500

// rowShapes sorts the wanted rows by what can be compared in one query.
func rowShapes(wanted []generator.Object, schema string) ([]*rowShape, error) {
	var list []*rowShape
	open := map[string]*rowShape{}
	rows, err := parallel.Each(wanted, func(o generator.Object) (pgparse.Insert, error) { return rowOf(o, schema) })
	if err != nil {
		return nil, err
	}
	for i, o := range wanted {
		key := string(o.Kind) + " " + strings.Join(rows[i].Columns, " ")
		s := open[key]
		if s == nil || len(s.objects) == rowsAtOnce {
			s = &rowShape{table: string(o.Kind), columns: rows[i].Columns}
			open[key], list = s, append(list, s)
		}
		s.objects, s.values = append(s.objects, o), append(s.values, rows[i].Values)
	}
	return list, nil
}

// rowOf is what a row's INSERT writes, and of a policy what its page registers; the key comes first.
func rowOf(o generator.Object, schema string) (pgparse.Insert, error) {
	if o.Kind == generator.KindPolicy {
		return policyRow(o, schema), nil
	}
	insert, err := pgparse.ParseInsert(o.SQL)
	if err != nil {
		return pgparse.Insert{}, fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
	}
	var row pgparse.Insert
	if o.Kind == generator.KindInstall { // its key has a default
		row = pgparse.Insert{Columns: []string{"only_row"}, Values: []string{"true"}}
	}
	for i, column := range insert.Columns {
		if !slices.Contains(ownColumns, column) {
			row.Columns, row.Values = append(row.Columns, column), append(row.Values, insert.Values[i])
		}
	}
	return row, nil
}

func policyRow(o generator.Object, schema string) pgparse.Insert {
	row := pgparse.Insert{Columns: []string{"name"}, Values: []string{quote.Literal(o.Name)}}
	for _, column := range slices.Sorted(maps.Keys(o.Row)) {
		if column != "name" {
			row.Columns = append(row.Columns, column)
			row.Values = append(row.Values, verifysql.RowValue(schema, "policy", column, o.Row[column]))
		}
	}
	return row
}

// checkRows evaluates the values and compares them with the live rows.
func (v *inspection) checkRows(ctx context.Context, tx pgx.Tx, s *rowShape) error {
	rows, err := many[rowColumn](ctx, tx, verifysql.RowsQuery(v.install.Schema, s.table, s.columns, s.values))
	differing := map[int][]rowColumn{}
	for _, r := range rows {
		if r.Found {
			differing[r.N-1] = append(differing[r.N-1], r)
		} else {
			v.rowMissing(s.objects[r.N-1])
		}
	}
	for i, o := range s.objects {
		if len(differing[i]) > 0 {
			v.rowDiffers(o, differing[i])
		}
	}
	return err
}

func registryRow(o generator.Object) string {
	if o.Kind == generator.KindInstall {
		return "the row of the install"
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Name)
}

// policy finds a policy of the file by name, nil when there is none.
func (v *inspection) policy(name string) *policy.Policy { return v.policies[name] }

func (v *inspection) policyNames() []string {
	var names []string
	for _, p := range v.file.Policies {
		names = append(names, p.Name)
	}
	return names
}

// position is that of a policy of the file, none where there is no such policy.
func (v *inspection) position(name string) diag.Position {
	if p := v.policy(name); p != nil {
		return p.Position
	}
	return diag.Position{}
}

var codeRowDiffers = register("V009", Installed, "a registry row differs")

func (v *inspection) rowDiffers(o generator.Object, columns []rowColumn) {
	var names, want, got []string
	for _, c := range columns {
		names, want, got = append(names, c.Name), append(want, c.Name+" = "+c.Want), append(got, c.Name+" = "+c.Got)
	}
	v.about(o, Finding{Code: codeRowDiffers, Message: fmt.Sprintf("%s differs in the registry: %s", registryRow(o), strings.Join(names, ", ")),
		Want: strings.Join(want, "; "), Got: strings.Join(got, "; "), Hint: repairHint})
}

var codeRowMissing = register("V008", Installed, "a registry row is missing")

func (v *inspection) rowMissing(o generator.Object) {
	v.about(o, Finding{Code: codeRowMissing, Message: registryRow(o) + " is not in the registry", Hint: repairHint})
}

var codeRowOrphan = register("V010", Installed, "a registry row that nobody wants")

func (v *inspection) rowOrphan(row rowName) {
	v.add(Finding{Code: codeRowOrphan, Kind: generator.Kind(row.Kind), Object: row.Name,
		Message: fmt.Sprintf("%s %q is in the registry, and nobody wants it", row.Kind, row.Name),
		Detail:  "It can be run as long as it is there. If no migration wrote the row, delete it as the owner of the runtime.",
		Hint:    "pgretain generate && pgretain migrate up"})
}
