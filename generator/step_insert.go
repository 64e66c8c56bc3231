package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// valueText gives a column, or a key of a JSON object, its value; Existing is the name of the fragment by which a row
// that is there gets it, "" where it gets none.
type valueText struct {
	Column   ident
	Value    sqlText
	Existing sqlText
}

// valueTexts gives columns their values.
func (w *pageWriter) valueTexts(list []policy.Assignment, existing sqlText) []valueText {
	return each(list, func(a policy.Assignment) valueText { return valueText{ident(a.Column), w.bind(a.Value), existing} })
}

// insertFields are what the templates of insert, archive and emit read. Of a list of values that read both, each related row
// needs the first row of the batch that it belongs to; Newer is the order of the rows, the newest is the last.
func (w *pageWriter) insertFields(s step, numbered bool, list []policy.Assignment) fields {
	pairs := s.Related != nil && (numbered || w.readsBatch(s, list))
	d := w.stepFields(s, numbered || pairs)
	newer := []sqlText{"batch.n"}
	if w.inRange {
		newer = each(w.cursor(w.passes[0]), columnText.name)
	} else if s.Related != nil { // of several that belong to one row of the batch
		newer = append(newer, each(s.from.PrimaryKey, func(name string) sqlText { return aliased(s.as, ident(name)) })...)
	}
	d["Pairs"], d["Newer"], d["Override"], d["Conflict"], d["Target"], d["Copied"] = pairs, newer, false, false, nil, false
	return d
}

func (w *pageWriter) insert(s step) sqlText {
	in, table := s.Insert, s.into
	all := slices.Concat(in.Key, in.Per, in.Add, in.Max, in.Min, in.Set)
	for _, a := range all {
		w.writable(table, a.Column, a.Position, codeStep)
	}
	w.refuseMissing(table, each(all, assignedColumn), s.Position, codeStep)
	grouped := len(in.Key)+len(in.Per) > 0
	d := w.insertFields(s, grouped && w.fromRow(s, in.Set...), all)
	if !grouped {
		return w.plainInsert(d, "a row for each", quotedTable(in.Into), w.valueTexts(in.Set, ""))
	}
	totals := w.totals(in, table)
	var newest, fixed []valueText // values of the newest row of a group, and those that read no row
	for i, v := range w.valueTexts(in.Set, "excluded value") {
		if parsed := w.parse(in.Set[i].Value); !parsed.Subquery && calls(parsed, aggregates...) {
			totals = append(totals, v)
		} else if w.fromRow(s, in.Set[i]) {
			newest = append(newest, v)
		} else {
			fixed = append(fixed, v)
		}
	}
	d["Groups"], d["Totals"], d["Newest"], d["Fixed"] = w.valueTexts(slices.Concat(in.Key, in.Per), ""), totals, newest, fixed
	d["Into"], d["Changes"], d["Header"] = quotedTable(in.Into), slices.Concat(totals, newest, fixed), in.As != ""
	if d["Number"] = s.number; len(in.Key) > 0 {
		d["Conflict"], d["Target"] = true, w.rollUp(s, table)
	}
	return w.inserted("step_insert_grouped", "grouped insert", d)
}

// plainInsert writes a row for each, and gives one that is there those columns that say how.
func (w *pageWriter) plainInsert(d fields, what, into sqlText, columns []valueText) sqlText {
	d["What"], d["Into"], d["Columns"] = what, into, columns
	d["Changes"] = slices.DeleteFunc(slices.Clone(columns), func(v valueText) bool { return v.Existing == "" })
	return w.inserted("step_insert", "plain insert", d)
}

// inserted is an insert as a step of its own, or, in way RANGE, as a part of the one statement.
func (w *pageWriter) inserted(template, statement string, d fields) sqlText {
	if w.inRange {
		return fragment(statement, d)
	}
	return stepText(template, d)
}

// emit is an insert into the runtime's own table of events.
func (w *pageWriter) emit(s step) sqlText {
	constant := func(text string) sqlText { return sqlText(literal(text).String()) }
	payload := fragment("payload", w.valueTexts(s.Emit.Payload, ""))
	return w.plainInsert(w.insertFields(s, false, s.Emit.Payload), "an event for each", fragment("event table", sqlText(w.schema())),
		[]valueText{{"run_id", "($1).run_id", ""}, {"policy", constant(w.policy.Name), ""}, {"event", constant(s.Emit.Event), ""}, {"payload", payload, ""}})
}

// totals are the columns that add up over batches.
func (w *pageWriter) totals(in *policy.Insert, table *catalog.Table) []valueText {
	list := w.valueTexts(in.Add, "added value")
	for i := range list {
		v := &list[i]
		if column := table.Column(string(v.Column)); column != nil && slices.Contains(numberTypes, catalog.Unsized(column.Plain())) {
			if v.Existing = "added number"; !isCount(in.Add[i].Value.SQL) {
				v.Value = fragment("or zero", v.Value)
			}
		}
	}
	return slices.Concat(list, w.valueTexts(in.Max, "greatest value"), w.valueTexts(in.Min, "least value"))
}

// isCount says whether an expression is count(*), perhaps with a filter, which is never NULL.
func isCount(sql string) bool {
	rest, found := strings.CutPrefix(strings.ToLower(strings.TrimSpace(sql)), "count(*)")
	filter, filtered := strings.CutPrefix(strings.TrimSpace(rest), "filter")
	return found && (rest == "" || filtered && pgparse.Enclosed(filter))
}

// rollUp is the unique key by which a roll-up finds the row that exists.
func (w *pageWriter) rollUp(s step, table *catalog.Table) []ident {
	names := each(s.Insert.Key, assignedColumn)
	for _, a := range s.Insert.Key {
		if column := table.Column(a.Column); column != nil && !column.NotNull {
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q of table %q may be NULL, so that its unique index would not find the row that exists", a.Column, tableName(table)),
				"Make it NOT NULL; a value for \"none\" can come from coalesce().")
		}
	}
	if !hasUnique(table, names) {
		w.refuse(s.Position, codeStep, fmt.Sprintf("table %q has no unique index on exactly (%s)", tableName(table), strings.Join(names, ", ")),
			"\"key\" changes the row that exists, and finds it by a unique index: create one.")
	}
	return identifiers(names)
}

// hasUnique says whether a table has a unique index on exactly these columns.
func hasUnique(table *catalog.Table, names []string) bool {
	wanted := slices.Sorted(slices.Values(names))
	same := func(columns []string) bool { return slices.Equal(slices.Sorted(slices.Values(columns)), wanted) }
	return same(table.PrimaryKey) && !table.Temporal() || slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool {
		return i.Unique && i.Valid && i.Predicate == "" && same(i.Columns)
	})
}

func values(list []policy.Assignment) []policy.Part {
	return each(list, func(a policy.Assignment) policy.Part { return policy.Part{Expr: a.Value} })
}

func assignedColumn(a policy.Assignment) string { return a.Column }

func assigned(list []policy.Assignment, column string) bool {
	return slices.ContainsFunc(list, func(a policy.Assignment) bool { return a.Column == column })
}

// fromRow says whether values read the rows of the step.
func (w *pageWriter) fromRow(s step, list ...policy.Assignment) bool {
	return w.readsBatch(s, list) || s.Related != nil && mentions(values(list), s.Related.As)
}

// aggregates are PostgreSQL's own aggregate functions.
var aggregates = []string{
	"array_agg", "avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "count", "every",
	"json_agg", "json_object_agg", "jsonb_agg", "jsonb_object_agg", "max", "min", "mode", "percentile_cont",
	"percentile_disc", "range_agg", "stddev", "stddev_pop", "stddev_samp", "string_agg", "sum", "var_pop",
	"var_samp", "variance", "xmlagg",
}

var numberTypes = []string{"bigint", "integer", "smallint", "numeric", "real", "double precision"}

// refuseMissing refuses rows for a table with a column beside given that must have a value and gets none by itself.
func (c *compiler) refuseMissing(table *catalog.Table, given []string, at diag.Position, code string) {
	for _, column := range table.Columns {
		if column.NotNull && column.Default == "" && !column.Generated && column.Identity == "" && !slices.Contains(given, column.Name) {
			c.refuse(at, code, fmt.Sprintf("column %q of table %q is NOT NULL, has no default, and gets no value", column.Name, tableName(table)),
				"Give it a default, or a value in \"set\".")
		}
	}
}
