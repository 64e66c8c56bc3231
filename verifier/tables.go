package verifier

import (
	"context"
	"fmt"
	"slices"

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
