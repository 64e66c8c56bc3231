package verifier

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

func (v *inspection) checkTables(r reading) error {
	named := v.namedTables()
	missing, err := collectNamed[messages.MissingTable](r, "tables", lists.Map(named, policy.NamedTable.String))
	for _, t := range missing {
		m := named[t.N-1]
		name, f := m.String(), messages.NoTable(m.String(), m.Of, m.Created, t)
		v.reasons[f.Message] = append(v.reasons[f.Message], fmt.Sprintf(`"%s" is not there`, name),
			fmt.Sprintf(`relation "%s" does not exist`, name))
		v.about(generator.Object{Name: name, Table: name, Policy: m.Of, Position: m.Position}, f)
	}
	return err
}

// namedTables returns the tables that the file names, except in reports. A table in SQL is included
// only if the SQL names its schema, because an unqualified name may be a query in WITH.
func (v *inspection) namedTables() []policy.NamedTable {
	return slices.DeleteFunc(v.file.NamedTables(), func(m policy.NamedTable) bool {
		return m.Schema == "" || m.Kind == "report"
	})
}

// ensured is a wanted column that a migration created.
type ensured struct {
	generator.Object
	name, value string // name of the column, and its default; "" if it has none
}

type liveColumn struct {
	N       int
	Exists  bool
	Default string
	Type    uint32
	Plain   bool // the type's input function can compare constants
}

// checkEnsured compares the defaults of columns that migrations created. The clock values of new
// rows come from these defaults. checkEnsured ignores columns that the application created. Another
// check reports columns of another type.
func (v *inspection) checkEnsured(r reading) error {
	if err := r.set("search_path", v.searchPath()); err != nil {
		return err
	}
	made := map[string]generator.Object{}
	for _, o := range v.objects(generator.KindColumn) {
		made[o.Name] = o
	}
	var wanted []ensured
	for _, p := range v.file.Policies {
		for _, c := range p.Ensure {
			if o, ok := made[p.Table.String()+"."+c.Name]; ok {
				o.Table = p.Table.String()
				w := ensured{Object: o, name: c.Name}
				if c.Default != nil {
					w.value = c.Default.SQL
				}
				wanted = append(wanted, w)
			}
		}
	}
	rows, err := collectRows[liveColumn](r, "ensured_columns",
		lists.Map(wanted, func(w ensured) string { return w.Table }),
		lists.Map(wanted, func(w ensured) string { return w.name }))
	for _, live := range rows {
		w := wanted[live.N-1]
		column := messages.Column{Policy: w.Policy, Table: w.Table, Name: w.name}
		f := messages.ColumnMissing(column)
		if live.Exists {
			other, err := w.otherDefault(r, live)
			if err != nil {
				return err
			}
			if !other {
				continue
			}
			f = messages.OtherDefault(column, cmp.Or(w.value, "none"), cmp.Or(live.Default, "none"),
				v.inPath(w.Column.SetDefault()))
		}
		v.about(w.Object, f)
	}
	return err
}

// otherDefault reports whether the wanted and the live default differ. The server compares
// constants as values of the column's type. A function call differs from a constant and from a
// missing default. Other pairs of defaults cannot be compared; for these, otherDefault returns
// false.
func (w ensured) otherDefault(r reading, live liveColumn) (bool, error) {
	var constants []pgparse.Constant
	calls, none := false, false
	for _, sql := range []string{cmp.Or(w.value, "NULL"), cmp.Or(live.Default, "NULL")} {
		e, err := pgparse.Expression(sql)
		if err != nil {
			return false, nil
		}
		if c := e.Condition(); c.Form == pgparse.Fixed {
			constants, none = append(constants, c.Value), none || c.Value.Kind == pgparse.NullConstant
		} else {
			calls = calls || len(e.Calls) > 0 || e.Clock.Text != ""
		}
	}
	switch {
	case len(constants) < 2:
		return len(constants) == 1 && (calls || none), nil
	case constants[0].Text == constants[1].Text || none || !live.Plain:
		return none && constants[0] != constants[1], nil
	}
	same := true
	err := r.savepoint(func() error {
		values := [][]byte{[]byte(constants[0].Text), []byte(constants[1].Text)}
		result := r.tx.Conn().PgConn().ExecParams(r.ctx, verifysql.Query("same_constants", r.schema), values,
			[]uint32{live.Type, live.Type}, nil, nil).Read()
		same = result.Err != nil || len(result.Rows) != 1 || string(result.Rows[0][0]) == "t"
		return result.Err
	})
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		return false, nil
	}
	return !same, err
}
