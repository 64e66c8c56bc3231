package verifier

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

func (v *inspection) checkTables(r reading) error {
	named := v.namedTables()
	about := lists.Map(named, func(m policy.Mention) generator.Object {
		return generator.Object{Name: m.String(), Table: m.String(), Policy: m.Of, Position: m.Position}
	})
	return v.finds(codeNoTable, about, "tables", lists.Map(about, objectName), lists.Map(named, func(m policy.Mention) string { return m.Of }),
		lists.Map(named, func(m policy.Mention) bool { return m.Created }))(r)
}

// namedTables lists every table of the file but those of reports; of those in SQL the ones with their schema, since a bare
// name may be that of a WITH.
func (v *inspection) namedTables() []policy.Mention {
	return slices.DeleteFunc(v.file.Mentions(), func(m policy.Mention) bool { return m.Schema == "" || m.Kind == "report" })
}

// ensured is a column that a migration made, as it is wanted.
type ensured struct {
	generator.Object
	column policy.Column
}

type liveColumn struct {
	N             int
	Type, Default string
	OID           uint32
	Other         *bool // another type than the wanted one
	Plain         bool  // constants can be compared by the type's input function
}

// checkEnsured compares type and default of the columns that migrations made: rows that the application
// writes get their clocks from these.
func (v *inspection) checkEnsured(r reading) error {
	if err := r.set("search_path", v.searchPath()); err != nil {
		return err
	}
	wanted := v.ensured()
	rows, err := collectRows[liveColumn](r, "ensured_columns", lists.Map(wanted, func(w ensured) string { return w.Table }),
		lists.Map(wanted, func(w ensured) string { return w.column.Name }), lists.Map(wanted, func(w ensured) string { return w.column.Type }))
	if err != nil {
		return err
	}
	for _, live := range rows {
		w := wanted[live.N-1]
		f := message{Code: codeColumn, Message: fmt.Sprintf("column %q of table %q of policy %q ", w.column.Name, w.Table, w.Policy)}
		switch {
		case live.Type == "":
			f.Message += "is missing"
			f.Hint = repairHint
		case w.otherType(live):
			f.Message += "has another type"
			f.Want, f.Got = w.column.Type, live.Type
			f.Hint = "Write a migration of your own that gives it the wanted type, or write the type that it has in the policy file, then generate and migrate."
		default:
			other, err := w.otherDefault(r, live)
			if err != nil {
				return err
			}
			if !other {
				continue
			}
			f.Message += "has another default"
			f.Want, f.Got = cmp.Or(w.wantedDefault(), "none"), cmp.Or(live.Default, "none")
			f.Detail = "Rows that the application writes get another value, or none."
			f.Hint = v.inPath([]string{strings.TrimSpace(w.SQL[strings.LastIndex(w.SQL, "ALTER TABLE "):])})
		}
		v.about(w.Object, f)
	}
	return nil
}

// ensured leaves out columns that the application made: the policy takes them as they are.
func (v *inspection) ensured() []ensured {
	made := map[string]generator.Object{}
	for _, o := range v.objects(generator.KindColumn) {
		made[o.Name] = o
	}
	var list []ensured
	for _, p := range v.file.Policies {
		for _, c := range p.Ensure {
			if o, ok := made[p.Table.String()+"."+c.Name]; ok {
				o.Table = p.Table.String()
				list = append(list, ensured{o, c})
			}
		}
	}
	return list
}

func (w ensured) otherType(live liveColumn) bool {
	return live.Other != nil && (*live.Other || length(w.column.Type) != length(live.Type))
}

var modifier = regexp.MustCompile(`\(([^)]*)\)`)

// length is what a type has in parentheses, but for what it means without them.
func length(name string) string {
	found := modifier.FindStringSubmatch(name)
	if found == nil {
		return ""
	}
	length := strings.TrimSuffix(strings.ReplaceAll(found[1], " ", ""), ",0")
	if length == "1" && !strings.Contains(name, "var") {
		return "" // char, bit
	}
	return length
}

func (w ensured) wantedDefault() string {
	if w.column.Default == nil {
		return ""
	}
	return w.column.Default.SQL
}

// otherDefault asks the server only where two constants have to be compared as values of their type.
func (w ensured) otherDefault(r reading, live liveColumn) (bool, error) {
	likeness, constants, err := pgparse.LikeDefault(w.wantedDefault(), live.Default)
	if err != nil || constants == nil || !live.Plain {
		return likeness == pgparse.Different && err == nil, nil
	}
	same := true
	err = r.savepoint(func() error {
		values := [][]byte{[]byte(constants[0]), []byte(constants[1])}
		result := r.tx.Conn().PgConn().ExecParams(r.ctx, verifysql.Query("same_constants", r.schema), values, []uint32{live.OID, live.OID}, nil, nil).Read()
		same = result.Err != nil || len(result.Rows) != 1 || string(result.Rows[0][0]) == "t"
		return result.Err
	})
	if _, refused := errors.AsType[*pgconn.PgError](err); refused {
		return false, nil
	}
	return !same, err
}
