package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// namedTable is a table where the policy file names it, and the columns that it names of it.
type namedTable struct {
	table   policy.Table
	policy  string
	created bool // by a migration, where it was missing
	columns []namedColumn
}

// ofPolicy says whose it is, for messages.
func (n namedTable) ofPolicy() string {
	if n.policy == "" {
		return ""
	}
	return fmt.Sprintf(" of policy %q", n.policy)
}

type namedColumn struct {
	name     string
	position diag.Position
}

func (v *inspection) tableGroups() []group {
	names := []string{codeNoTable, codeNoColumn, codeNotCopied, codeIndexGone, codeNoIndex, codeOtherPlan}
	groups := []group{{about: "the tables that the policies name", codes: names, check: v.checkTables}}
	if len(v.objects(generator.KindColumn)) > 0 {
		groups = append(groups, group{about: "the columns that the policies make sure of", codes: []string{codeColumn}, check: v.checkEnsured})
	}
	return append(groups, v.coverageGroups()...)
}

func (v *inspection) checkTables(ctx context.Context, tx pgx.Tx) error {
	named := v.namedTables()
	var names []string
	for _, n := range named {
		names = append(names, n.table.String())
	}
	names = distinct(names)
	type live struct {
		Name    string
		Columns []string
	}
	rows, err := seen[live](ctx, tx, v.query("tables"), names)
	if err != nil {
		return err
	}
	columns := map[string][]string{}
	for _, row := range rows {
		columns[row.Name] = row.Columns
	}
	for _, n := range named {
		v.compareTable(n, columns[n.table.String()])
	}
	v.checkArchives(columns)
	return nil
}

func (v *inspection) compareTable(n namedTable, live []string) {
	if live == nil {
		v.damage(n.table.String())
		v.tableMissing(n)
		return
	}
	var missing []string
	for _, c := range n.columns {
		if !slices.Contains(live, c.name) && !slices.Contains(missing, c.name) {
			missing = append(missing, c.name)
			v.damage(n.table.String())
			v.columnMissing(n, c)
		}
	}
}

// namedTables lists every table of the file with the columns that can be told to be its own.
func (v *inspection) namedTables() []namedTable {
	var list []namedTable
	for _, t := range v.file.Protect {
		list = append(list, namedTable{table: t})
	}
	named, _ := parallel.Each(v.file.Policies, func(p *policy.Policy) ([]namedTable, error) { return namedBy(p), nil })
	return append(list, slices.Concat(named...)...)
}

// namedBy are the tables that a policy names.
func namedBy(p *policy.Policy) []namedTable {
	var list []namedTable
	main := namedTable{table: p.Table, policy: p.Name}
	for _, e := range expressions(p) {
		parsed, err := pgparse.Expression(e.SQL)
		if err != nil {
			continue // refused when the file was read
		}
		main.columns = append(main.columns, ownColumnsOf(e, parsed)...)
		list = append(list, tablesOf(e, parsed, p.Name)...)
	}
	main.columns = append(main.columns, plainColumns(p)...)
	if p.Partitions {
		main.columns = nil // they are those of a partition: name, lower, upper
	}
	list = append(list, main)
	for _, use := range p.Uses()[1:] {
		list = append(list, namedTable{table: use.Table, policy: p.Name, created: use.Created})
	}
	return list
}

// plainColumns are those that the file names outside expressions.
func plainColumns(p *policy.Policy) []namedColumn {
	var list []namedColumn
	for _, c := range p.Ensure {
		list = append(list, namedColumn{c.Name, c.Position})
	}
	for _, c := range clocks(p) {
		if c.Column != "" {
			list = append(list, namedColumn{c.Column, c.ColumnPos})
		}
	}
	return list
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

// tablesOf are the tables that sub-selects of an expression name with their schema; a bare name
// may be that of a WITH.
func tablesOf(e policy.Expr, parsed *pgparse.Expr, name string) []namedTable {
	var list []namedTable
	for _, ref := range parsed.Tables {
		if ref.Schema != "" {
			list = append(list, namedTable{table: policy.Table{Schema: ref.Schema, Name: ref.Name, Position: e.At(ref.Offset)}, policy: name})
		}
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

var codeNoTable = register("V030", Tables, "a table that the policy file names does not exist")

func (v *inspection) tableMissing(n namedTable) {
	hint := `Rename it in the policy file, or take its policy out; then run "pgretain snapshot" and "pgretain generate".`
	if n.created {
		hint = "A migration made it: look for its rows in a backup, and run the statements of that migration again."
	}
	v.add(Finding{Code: codeNoTable, Object: n.table.String(), Policy: n.policy, Position: n.table.Position,
		Message: fmt.Sprintf("table %q%s does not exist", n.table, n.ofPolicy()), Hint: hint})
}

var codeColumn = register("V035", Tables, "a column that a migration made is not as the policy wants it")

func (v *inspection) columnHasOtherType(w ensured) {
	f := w.finding("type")
	f.Want, f.Got = w.column.Type, w.live.Type
	f.Hint = "Write a migration of your own that gives it the wanted type, or write the type that it has in the policy file, then generate and migrate."
	v.about(w.Object, f)
}

func (v *inspection) columnHasOtherDefault(w ensured) {
	f := w.finding("default")
	f.Want, f.Got = "none", w.live.Default
	if w.column.Default != nil {
		f.Want = w.column.Default.SQL
	}
	if f.Got == "" {
		f.Got = "none"
	}
	f.Detail = "Rows that the application writes get another value, or none."
	f.Hint = v.inPath([]string{strings.TrimSpace(w.SQL[strings.LastIndex(w.SQL, "ALTER TABLE "):])})
	v.about(w.Object, f)
}

func (w ensured) finding(what string) Finding {
	return Finding{Code: codeColumn, Message: fmt.Sprintf("column %q of table %q of policy %q has another %s", w.column.Name, w.policy.Table, w.policy.Name, what)}
}

var codeNoColumn = register("V031", Tables, "a column that the policy file names does not exist")

func (v *inspection) columnMissing(n namedTable, c namedColumn) {
	v.add(Finding{Code: codeNoColumn, Object: n.table.String() + "." + c.name, Policy: n.policy, Position: c.position,
		Message: fmt.Sprintf("column %q of table %q%s does not exist", c.name, n.table, n.ofPolicy()),
		Hint:    `Rename it in the policy file, then run "pgretain snapshot" and "pgretain generate"; a column that the policy makes sure of comes back with the ALTER TABLE of its migration.`})
}

var codeNotCopied = register("V032", Tables, "an archive lacks a column of the rows that go there")

func (v *inspection) notCopied(p *policy.Policy, s policy.Step, from policy.Table, column string) {
	v.add(Finding{Code: codeNotCopied, Object: s.Archive.Into.String() + "." + column, Policy: p.Name, Position: s.Archive.Into.Position,
		Message: fmt.Sprintf("archive %q of policy %q has no column %q of table %q", s.Archive.Into, p.Name, column, from),
		Detail:  "Rows go without a copy of it.",
		Hint:    `Add the column to the archive, or name it under "set"; then run "pgretain snapshot" and "pgretain generate".`})
}
