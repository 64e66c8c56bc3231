package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	verifysql "pgretain/sql/verify"
)

func (v *inspection) checkRegistry(r reading) error {
	wanted := v.objects(generator.KindInstall, generator.KindPolicy, generator.KindJob)
	known := map[[2]string]bool{}
	for _, o := range wanted {
		known[[2]string{string(o.Kind), o.Name}] = true
	}
	err := each(r, "row_names", func(row struct{ Kind, Name string }) {
		if !known[[2]string{row.Kind, row.Name}] {
			v.about(generator.Object{Kind: generator.Kind(row.Kind), Name: row.Name}, message{Code: codeRowOrphan,
				Message: fmt.Sprintf("%s %q is in the registry, and nobody wants it", row.Kind, row.Name),
				Detail:  "It can be run as long as it is there. If no migration wrote the row, delete it as the owner of the runtime.",
				Hint:    "pgretain generate && pgretain migrate up"})
		}
	})
	if err != nil {
		return err
	}
	sets, err := rowSets(wanted, v.install.Schema)
	for _, s := range sets {
		if err := v.checkRows(r, s); err != nil {
			return err
		}
	}
	return err
}

// rowSet is rows of one table whose migrations write the same columns.
type rowSet struct {
	table   string
	columns []string
	objects []generator.Object
	values  [][]string
}

// rowsAtOnce bounds the text of one query; a row has a few kilobytes.
const rowsAtOnce = 500

// rowSets sorts the wanted rows by what can be compared in one query.
func rowSets(wanted []generator.Object, schema string) ([]*rowSet, error) {
	var list []*rowSet
	open := map[string]*rowSet{}
	rows, err := parallel.Each(wanted, func(o generator.Object) (pgparse.Insert, error) { return rowOf(o, schema) })
	for i, row := range rows {
		o := wanted[i]
		key := string(o.Kind) + " " + strings.Join(row.Columns, " ")
		s := open[key]
		if s == nil || len(s.objects) == rowsAtOnce {
			s = &rowSet{table: string(o.Kind), columns: row.Columns}
			open[key], list = s, append(list, s)
		}
		s.objects, s.values = append(s.objects, o), append(s.values, row.Values)
	}
	return list, err
}

// ownColumns are written by the migration too, but say where it ran: they are compared by the
// check for copies.
var ownColumns = []string{"system_identifier", "database_name"}

// rowOf is what a row's INSERT writes, and of a policy what its page registers; the key comes first.
func rowOf(o generator.Object, schema string) (pgparse.Insert, error) {
	if o.Kind == generator.KindPolicy {
		row := pgparse.Insert{Columns: []string{"name"}, Values: []string{quote.Literal(o.Name)}}
		for _, column := range slices.Sorted(maps.Keys(o.Row)) {
			if column != "name" {
				row.Columns = append(row.Columns, column)
				row.Values = append(row.Values, verifysql.RowValue(schema, "policy", column, o.Row[column]))
			}
		}
		return row, nil
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

// checkRows evaluates the values and compares them with the live rows. A row of the answer is a column that
// differs, or says that the whole row is missing; N is the row's place among the wanted ones.
func (v *inspection) checkRows(r reading, s *rowSet) error {
	type column struct {
		N               int
		Found           bool
		Name, Want, Got string
	}
	rows, _ := r.tx.Query(r.ctx, verifysql.RowsQuery(r.schema, s.table, s.columns, s.values)) // rows give the same error
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	for i, o := range s.objects {
		var names, want, got []string
		name := fmt.Sprintf("%s %q", o.Kind, o.Name)
		if o.Kind == generator.KindInstall {
			name = "the row of the install"
		}
		for _, c := range columns {
			switch {
			case c.N != i+1:
			case !c.Found:
				v.about(o, message{Code: codeRowMissing, Message: name + " is not in the registry", Hint: repairHint})
			default:
				names, want, got = append(names, c.Name), append(want, c.Name+" = "+c.Want), append(got, c.Name+" = "+c.Got)
			}
		}
		if len(names) > 0 {
			v.about(o, message{Code: codeRowDiffers, Message: name + " differs in the registry: " + strings.Join(names, ", "),
				Want: strings.Join(want, "; "), Got: strings.Join(got, "; "), Hint: repairHint})
		}
	}
	return err
}
