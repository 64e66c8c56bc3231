package verifier

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// ensured is a column that a migration made, as it is wanted and as it is.
type ensured struct {
	generator.Object
	policy *policy.Policy
	column policy.Column
	live   liveColumn
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
func (v *inspection) checkEnsured(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, v.query("search_path"), v.searchPath()); err != nil {
		return err
	}
	wanted := v.ensured()
	var tables, columns, types []string
	for _, w := range wanted {
		tables, columns, types = append(tables, w.policy.Table.String()), append(columns, w.column.Name), append(types, w.column.Type)
	}
	rows, err := seen[liveColumn](ctx, tx, v.query("ensured_columns"), tables, columns, types)
	if err != nil {
		return err
	}
	for _, live := range rows {
		w := wanted[live.N-1]
		w.live = live
		if w.otherType() {
			v.columnHasOtherType(w)
		} else if other, err := w.otherDefault(ctx, tx, v.query("same_constants")); err != nil {
			return err
		} else if other {
			v.columnHasOtherDefault(w)
		}
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
				list = append(list, ensured{Object: o, policy: p, column: c})
			}
		}
	}
	return list
}

func (w ensured) otherType() bool {
	wanted, wrong := pgparse.TypeIdentity(w.column.Type)
	live, err := pgparse.TypeIdentity(w.live.Type)
	if wrong != nil || err != nil || wanted == live || w.live.Other == nil {
		return false
	}
	return *w.live.Other || length(w.column.Type) != length(w.live.Type)
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

// otherDefault asks the server only where two constants have to be compared as values of their type.
func (w ensured) otherDefault(ctx context.Context, tx pgx.Tx, query string) (bool, error) {
	wanted := ""
	if w.column.Default != nil {
		wanted = w.column.Default.SQL
	}
	likeness, constants, err := pgparse.LikeDefault(wanted, w.live.Default)
	if err != nil || constants == nil || !w.live.Plain {
		return likeness == pgparse.Different && err == nil, nil
	}
	same := true
	err = pgx.BeginFunc(ctx, tx, func(savepoint pgx.Tx) error {
		values := [][]byte{[]byte(constants[0]), []byte(constants[1])}
		result := savepoint.Conn().PgConn().ExecParams(ctx, query, values, []uint32{w.live.OID, w.live.OID}, nil, nil).Read()
		same = result.Err != nil || len(result.Rows) != 1 || string(result.Rows[0][0]) == "t"
		return result.Err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return false, nil
	}
	return !same, err
}
