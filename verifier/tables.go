package verifier

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// namedTable is a table where the policy file names it.
type namedTable struct {
	policy.Table
	policy  string
	created bool // by a migration, where it was missing
}

func (v *inspection) checkTables(r reading) error {
	named := v.namedTables()
	about := mapped(named, func(n namedTable) generator.Object {
		return generator.Object{Name: n.String(), Table: n.String(), Policy: n.policy, Position: n.Position}
	})
	return v.finds(codeNoTable, about, "tables", mapped(named, func(n namedTable) string { return n.String() }),
		mapped(named, func(n namedTable) string { return n.policy }), mapped(named, func(n namedTable) bool { return n.created }))(r)
}

// namedTables lists every table of the file; of those in SQL the ones with their schema, since a bare name may be that of a
// WITH.
func (v *inspection) namedTables() []namedTable {
	list := mapped(v.file.Protect, func(t policy.Table) namedTable { return namedTable{Table: t} })
	for _, p := range v.file.Policies {
		for _, use := range p.Uses() {
			list = append(list, namedTable{use.Table, p.Name, use.Created})
		}
		for _, part := range p.Parts() {
			for _, t := range part.Tables() {
				if t.Schema != "" {
					list = append(list, namedTable{t, p.Name, false})
				}
			}
		}
	}
	return list
}

// source is a policy or report, with the tables that it names and its pieces of SQL.
type source struct {
	kind, name string // kind is "policy" or "report"
	tables     []policy.Table
	parts      []policy.Part
}

func (v *inspection) sources() []source {
	policies := mapped(v.file.Policies, func(p *policy.Policy) source {
		return source{"policy", p.Name, mapped(p.Uses(), func(use policy.Use) policy.Table { return use.Table }), p.Parts()}
	})
	return append(policies, mapped(v.file.Reports, func(r *policy.Report) source { return source{"report", r.Name, nil, r.Parts()} })...)
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
	if err := r.exec("search_path", v.searchPath()); err != nil {
		return err
	}
	wanted := v.ensured()
	rows, err := collectRows[liveColumn](r, "ensured_columns", mapped(wanted, func(w ensured) string { return w.Table }),
		mapped(wanted, func(w ensured) string { return w.column.Name }), mapped(wanted, func(w ensured) string { return w.column.Type }))
	if err != nil {
		return err
	}
	for _, live := range rows {
		w := wanted[live.N-1]
		f := message{Code: codeColumn}
		if live.Type == "" {
			f.Message = fmt.Sprintf("column %q of table %q of policy %q is missing", w.column.Name, w.Table, w.Policy)
			f.Hint = repairHint
			v.about(w.Object, f)
			continue
		}
		about := fmt.Sprintf("column %q of table %q of policy %q has another ", w.column.Name, w.Table, w.Policy)
		if w.otherType(live) {
			f.Message, f.Want, f.Got = about+"type", w.column.Type, live.Type
			f.Hint = "Write a migration of your own that gives it the wanted type, or write the type that it has in the policy file, then generate and migrate."
			v.about(w.Object, f)
			continue
		}
		other, err := w.otherDefault(r, live)
		if err != nil {
			return err
		}
		if other {
			f.Message, f.Want, f.Got = about+"default", cmp.Or(w.wantedDefault(), "none"), cmp.Or(live.Default, "none")
			f.Detail = "Rows that the application writes get another value, or none."
			f.Hint = v.inPath([]string{strings.TrimSpace(w.SQL[strings.LastIndex(w.SQL, "ALTER TABLE "):])})
			v.about(w.Object, f)
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
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		return false, nil
	}
	return !same, err
}
