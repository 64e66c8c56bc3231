package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// insertData is what the templates of insert, archive and emit read: rows come from Rows, or, with
// Related, from related rows.
type insertData struct {
	Into     sqlText
	Name     literal // under which rows are counted
	Rows     rows
	Related  *relatedData
	Pairs    bool // each related row needs the first row of the batch that it belongs to
	Where    []sqlText
	Columns  []ident
	Values   []sqlText
	Override bool // identity columns get our values
	Keys     []ident
	Groups   []valueText
	Totals   []valueText // aggregates
	Newer    []sqlText   // the order of the rows, the newest is the last
	Newest   []valueText // values of the newest row of a group
	Fixed    []valueText // values that read no row
	Header   sqlText     // the variable that receives the rows, "" for none
	HeaderOf sqlText
	Conflict conflictText
	Copied   sqlText // the variable that counts copies, "" for none
}

// valueText gives a column its value; Existing is what a row that exists gets.
type valueText struct {
	Column   ident
	Value    sqlText
	Existing fragmentName // the name of a fragment
}

// fragmentName is a fragment that the project wrote.
type fragmentName string

// conflictAction is "nothing", "update" or none.
type conflictAction string

// conflictText says what becomes of a row that exists already.
type conflictText struct {
	Do     conflictAction // "", "nothing" or "update"
	Target []ident
	Set    []ident
}

func headerVariable(s step) sqlText { return sqlText(fmt.Sprintf("v_new_%d", s.number)) }

// intoTable is the table that a step writes to; nil after an error.
func (w *work) intoTable(t policy.Table) *catalog.Table { return w.relation(t) }

// sourceOf says where the rows of an insert come from.
func (w *work) sourceOf(s step, b batchData, numbered bool, list []policy.Expr) insertData {
	d := insertData{Newer: []sqlText{"batch.n"}}
	if b.InRange {
		d.Newer = nil
		for _, c := range b.Cursor {
			d.Newer = append(d.Newer, c.Expr)
		}
	}
	if s.Related == nil {
		d.Rows = w.rowsOf(s, b, numbered)
		d.Where = append(slices.Clone(d.Rows.Where), w.condition(s)...)
		return d
	}
	d.Pairs = w.readsBatch(s, list...)
	related, _ := w.relatedOf(s, b, d.Pairs)
	d.Related, d.Rows = &related, related.Rows
	return d
}

func (w *work) insert(s step, b batchData) sqlText {
	in := s.Insert
	table := w.intoTable(in.Into)
	if table == nil {
		return ""
	}
	all := slices.Concat(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
	w.checkTarget(s.Step, all, table)
	grouped := len(in.Key)+len(in.Per) > 0
	newest := grouped && slices.ContainsFunc(in.Set, func(a policy.Assignment) bool { return w.fromRow(s, a.Value) })
	d := w.sourceOf(s, b, newest, values(all))
	d.Into, d.Name = quotedTable(in.Into), literal(in.Into.String())
	if !grouped {
		w.plainValues(&d, in.Set)
		return w.written("step_insert", "plain insert", d, b)
	}
	for _, a := range slices.Concat(in.Key, in.Per) {
		d.Groups = append(d.Groups, w.valueOf(a, ""))
	}
	d.Totals = w.totals(in, table)
	for _, a := range in.Set {
		switch {
		case hasAggregate(a.Value):
			d.Totals = append(d.Totals, w.valueOf(a, "excluded value"))
		case w.fromRow(s, a.Value):
			d.Newest = append(d.Newest, w.valueOf(a, "excluded value"))
		default:
			d.Fixed = append(d.Fixed, w.valueOf(a, "excluded value"))
		}
	}
	if len(in.Key) > 0 {
		d.Conflict = w.rollUp(s, table, in.Key)
	}
	if in.As != "" {
		d.Header, d.HeaderOf = headerVariable(s), quotedTable(in.Into)
	}
	return w.written("step_insert_grouped", "grouped insert", d, b)
}

// written is an insert as a step of its own, or, in shape RANGE, as a part of the one statement.
func (w *work) written(template, statement string, d insertData, b batchData) sqlText {
	if b.InRange {
		return fragment(statement, d)
	}
	return stepText(template, d)
}

func (w *work) plainValues(d *insertData, list []policy.Assignment) {
	for _, a := range list {
		d.Columns = append(d.Columns, ident(a.Column))
		d.Values = append(d.Values, enclosed(w.bind(a.Value)))
	}
}

func (w *work) valueOf(a policy.Assignment, existing fragmentName) valueText {
	return valueText{ident(a.Column), enclosed(w.bind(a.Value)), existing}
}

// totals are the columns that add up over batches.
func (w *work) totals(in *policy.Insert, table *catalog.Table) []valueText {
	var list []valueText
	for _, a := range in.Add {
		v := w.valueOf(a, "added value")
		if column := table.Column(a.Column); column != nil && numberType(column.Type) {
			v.Value = fragment("or zero", v.Value)
		}
		list = append(list, v)
	}
	for _, a := range in.Max {
		list = append(list, w.valueOf(a, "greatest value"))
	}
	for _, a := range in.Min {
		list = append(list, w.valueOf(a, "least value"))
	}
	return list
}

// rollUp is the unique key by which a roll-up finds the row that exists.
func (w *work) rollUp(s step, table *catalog.Table, key []policy.Assignment) conflictText {
	c := conflictText{Do: "update"}
	var names []string
	for _, a := range key {
		names = append(names, a.Column)
		c.Target = append(c.Target, ident(a.Column))
		if column := table.Column(a.Column); column != nil && !column.NotNull {
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q of table %q may be NULL, so that its unique index would not find the row that exists", a.Column, tableName(table)),
				"Make it NOT NULL; a value for \"none\" can come from coalesce().")
		}
	}
	if !hasUnique(table, names) {
		w.refuse(s.Position, codeStep, fmt.Sprintf("table %q has no unique index on exactly (%s)", tableName(table), strings.Join(names, ", ")),
			"\"key\" changes the row that exists, and finds it by a unique index: create one.")
	}
	in := s.Insert
	if len(in.Add)+len(in.Max)+len(in.Min)+len(in.Set) == 0 {
		c.Do = "nothing"
	}
	return c
}

// hasUnique says whether a table has a unique index on exactly these columns.
func hasUnique(table *catalog.Table, names []string) bool {
	same := func(columns []string) bool {
		a, b := slices.Sorted(slices.Values(columns)), slices.Sorted(slices.Values(names))
		return slices.Equal(a, b)
	}
	return same(table.PrimaryKey) && !table.Temporal() || slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool {
		return i.Unique && i.Valid && i.Predicate == "" && same(i.Columns)
	})
}

func values(list []policy.Assignment) []policy.Expr {
	exprs := make([]policy.Expr, len(list))
	for i, a := range list {
		exprs[i] = a.Value
	}
	return exprs
}

// fromRow says whether a value reads the rows of the step.
func (w *work) fromRow(s step, e policy.Expr) bool {
	return w.readsBatch(s, e) || s.Related != nil && w.mentions(e, s.Related.As)
}

// aggregates are PostgreSQL's own aggregate functions.
var aggregates = []string{
	"array_agg", "avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "every",
	"json_agg", "json_object_agg", "jsonb_agg", "jsonb_object_agg", "max", "min", "mode", "percentile_cont",
	"percentile_disc", "range_agg", "stddev", "stddev_pop", "stddev_samp", "string_agg", "sum", "var_pop",
	"var_samp", "variance", "xmlagg",
}

func hasAggregate(e policy.Expr) bool {
	parsed, err := pgparse.Expression(e.SQL)
	return err == nil && !parsed.Subquery && slices.ContainsFunc(parsed.Functions, func(f string) bool { return slices.Contains(aggregates, f) })
}

func numberType(typ string) bool {
	base := scalarTypes.FindStringSubmatch(typ)
	return base != nil && slices.Contains([]string{"bigint", "integer", "smallint", "numeric", "real", "double precision"}, base[1])
}

// checkTarget refuses an insert that the table cannot take.
func (w *work) checkTarget(s policy.Step, list []policy.Assignment, table *catalog.Table) {
	var given []string
	for _, a := range list {
		given = append(given, a.Column)
		column := table.Column(a.Column)
		switch {
		case column == nil:
			w.refuse(a.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(table), a.Column), didYouMean(a.Column, columnNames(table)))
		case column.Generated:
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q of table %q is generated", a.Column, tableName(table)), "Leave it out.")
		}
	}
	w.checkMissing(s, given, table)
}

// checkMissing refuses to leave out what the table needs.
func (w *work) checkMissing(s policy.Step, given []string, table *catalog.Table) {
	for _, column := range table.Columns {
		if column.NotNull && column.Default == "" && !column.Generated && column.Identity == "" && !slices.Contains(given, column.Name) {
			w.refuse(s.Position, codeStep, fmt.Sprintf("column %q of table %q is NOT NULL, has no default, and gets no value", column.Name, tableName(table)),
				fmt.Sprintf("Give it one: set: {%s: ...}.", column.Name))
		}
	}
}
