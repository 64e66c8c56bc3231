package verifier

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// namedTable is a table where the policy file names it, and the columns that it names of it.
type namedTable struct {
	table   policy.Table
	policy  string
	created bool // by a migration, where it was missing
	columns []namedColumn
}

type namedColumn struct {
	name     string
	position diag.Position
}

func (v *inspection) checkTables(r reading) error {
	named := v.namedTables()
	type live struct {
		Name    string
		Columns []string
	}
	columns := map[string][]string{}
	err := each(r, "tables", func(t live) { columns[t.Name] = t.Columns },
		distinct(mapped(named, func(n namedTable) string { return n.table.String() })))
	if err != nil {
		return err
	}
	for _, n := range named {
		v.compareTable(n, columns[n.table.String()])
	}
	return nil
}

func (v *inspection) compareTable(n namedTable, live []string) {
	table, ofPolicy := n.table.String(), ""
	if n.policy != "" {
		ofPolicy = fmt.Sprintf(" of policy %q", n.policy)
	}
	if live == nil {
		hint := `Rename it in the policy file, or take its policy out; then run "pgretain snapshot" and "pgretain generate".`
		if n.created {
			hint = "A migration made it: look for its rows in a backup, and run the statements of that migration again."
		}
		v.add(message{Code: codeNoTable, Object: table, Policy: n.policy, Position: n.table.Position,
			Message: fmt.Sprintf("table %q%s does not exist", table, ofPolicy), Hint: hint})
		return
	}
	var missing []string
	for _, c := range n.columns {
		if slices.Contains(live, c.name) || slices.Contains(missing, c.name) {
			continue
		}
		missing = append(missing, c.name)
		v.add(message{Code: codeNoColumn, Object: table + "." + c.name, Table: table, Policy: n.policy, Position: c.position,
			Message: fmt.Sprintf("column %q of table %q%s does not exist", c.name, table, ofPolicy),
			Hint:    `Rename it in the policy file, then run "pgretain snapshot" and "pgretain generate"; a column that the policy makes sure of comes back with the ALTER TABLE of its migration.`})
	}
}

// namedTables lists every table of the file with the columns that can be told to be its own.
func (v *inspection) namedTables() []namedTable {
	list := mapped(v.file.Protect, func(t policy.Table) namedTable { return namedTable{table: t} })
	named, _ := parallel.Each(v.file.Policies, func(p *policy.Policy) ([]namedTable, error) { return namedBy(p), nil })
	return append(list, slices.Concat(named...)...)
}

// namedBy are the tables that a policy names; in sub-selects those with their schema, since a bare name may be that
// of a WITH.
func namedBy(p *policy.Policy) []namedTable {
	var list []namedTable
	var columns []namedColumn
	for _, e := range expressions(p) {
		parsed, err := pgparse.Expression(e.SQL)
		if err != nil {
			continue // refused when the file was read
		}
		columns = append(columns, ownColumnsOf(e, parsed)...)
		for _, ref := range parsed.Tables {
			if ref.Schema != "" {
				list = append(list, namedTable{table: policy.Table{Schema: ref.Schema, Name: ref.Name, Position: e.At(ref.Offset)}, policy: p.Name})
			}
		}
	}
	for _, c := range p.Ensure {
		columns = append(columns, namedColumn{c.Name, c.Position})
	}
	for _, c := range clocks(p) {
		if c.Column != "" {
			columns = append(columns, namedColumn{c.Column, c.ColumnPos})
		}
	}
	if p.Partitions {
		columns = nil // they are those of a partition: name, lower, upper
	}
	list = append(list, namedTable{table: p.Table, policy: p.Name, columns: columns})
	for _, use := range p.Uses()[1:] {
		list = append(list, namedTable{table: use.Table, policy: p.Name, created: use.Created})
	}
	return list
}

// ownColumnsOf are the names of an expression that can mean nothing but a column of the row: bare
// ones outside sub-selects, and those behind "t".
func ownColumnsOf(e policy.Expr, parsed *pgparse.Expr) []namedColumn {
	var list []namedColumn
	for _, ref := range parsed.Columns {
		bare := len(ref.Fields) == 1 && ref.Depth == 0 && ref.Fields[0] != "as_of" && ref.Fields[0] != "t"
		if !ref.Star && (bare || len(ref.Fields) == 2 && ref.Fields[0] == "t") {
			list = append(list, namedColumn{ref.Fields[len(ref.Fields)-1], e.At(ref.Offset)})
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

func clocks(p *policy.Policy) []*policy.Clock {
	var list []*policy.Clock
	if p.Due != nil {
		for _, e := range p.Due.Entries {
			if e.Clock != nil {
				list = append(list, e.Clock)
			}
		}
	}
	return list
}

func ranks(p *policy.Policy) []*policy.Rank {
	var list []*policy.Rank
	if p.Due != nil {
		for _, e := range p.Due.Entries {
			if e.Beyond != nil {
				list = append(list, e.Beyond)
			}
		}
	}
	for _, g := range p.Keep {
		if g.Rank != nil {
			list = append(list, g.Rank)
		}
	}
	return list
}

// expressions are those of a policy that speak about its row.
func expressions(p *policy.Policy) []policy.Expr {
	var list []policy.Expr
	add := func(e *policy.Expr) {
		if e != nil {
			list = append(list, *e)
		}
	}
	add(p.Where)
	for _, c := range clocks(p) {
		add(c.Expression)
		for _, tier := range c.Window.Tiers {
			add(tier.When)
		}
	}
	for _, r := range ranks(p) {
		list = append(list, r.Per...)
		for _, o := range r.Order {
			list = append(list, o.Expr)
		}
		add(r.Among)
	}
	for _, g := range p.Keep {
		add(g.Condition)
	}
	return list
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
			f.Message, f.Want, f.Got = about+"default", orNone(w.wantedDefault()), orNone(live.Default)
			f.Detail = "Rows that the application writes get another value, or none."
			f.Hint = v.inPath([]string{strings.TrimSpace(w.SQL[strings.LastIndex(w.SQL, "ALTER TABLE "):])})
			v.about(w.Object, f)
		}
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
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
