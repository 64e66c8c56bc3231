package generator

import (
	"fmt"
	"regexp"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// batchRows is the batch in a step's FROM clause, as the alias t with joins and headers beside it.
type batchRows struct {
	From  sqlText
	Where []sqlText
	plain bool // the table itself
}

// rowsOf is the batch as a step's expressions read it. While no step has written the rows, they
// are read from the table; later from what was saved. Numbered makes batch.n their order.
func (w *pageWriter) rowsOf(s step, b batch, numbered bool) batchRows {
	w.numbered = w.numbered || numbered
	if b.inRange {
		return batchRows{"t", nil, true}
	}
	headers := each(s.headers, w.headerText)
	joins := w.joinsOf(s)
	if s.untouched && !numbered && len(joins)+len(headers) == 0 {
		conditions := []sqlText{"t.ctid = ANY (v_tids)"}
		if b.many {
			conditions = append(conditions, fragment("same partitions", nil))
		}
		return batchRows{fragment("table as t", b.table), conditions, true}
	}
	var read []sqlText
	var columns []saved
	for _, v := range b.saved {
		ofRow := v.alias == "t" && !s.untouched
		if ofRow {
			columns = append(columns, v)
		}
		if ofRow || slices.ContainsFunc(joins, func(j savedAlias) bool { return string(j.Name) == v.alias }) {
			read = append(read, v.Field)
		}
	}
	return batchRows{fragment("batch rows", fields{"Table": b.table, "Many": b.many, "Live": s.untouched, "Numbered": numbered,
		"Fields": read, "Columns": columns, "Joins": joins, "Headers": headers}), nil, false}
}

// savedAlias is a join as it was judged.
type savedAlias struct {
	Name    ident
	Columns []saved
}

func (w *pageWriter) joinsOf(s step) []savedAlias {
	columns := map[int][]saved{}
	for _, part := range s.reads {
		w.joinColumns(part, func(join int, column string) {
			if v := w.savedJoin(join, column); !slices.Contains(columns[join], v) {
				columns[join] = append(columns[join], v)
			}
		})
	}
	var list []savedAlias
	for i, j := range w.policy.Joins {
		if len(columns[i]) > 0 {
			list = append(list, savedAlias{ident(j.Name), columns[i]})
		}
	}
	return list
}

// headerText ties the header rows of an earlier step to the batch.
type headerText struct {
	Name     ident
	Variable sqlText
	On       []sqlText
}

func (w *pageWriter) headerText(h step) headerText {
	text := headerText{Name: ident(h.Insert.As), Variable: headerVariable(h)}
	for _, a := range h.Insert.Per {
		text.On = append(text.On, fragment("group same", fields{"Left": aliased(text.Name, ident(a.Column)), "Right": enclosed(w.bind(a.Value))}))
	}
	return text
}

// saved is one value of each row of the batch that is kept in an array, as it was judged: a column
// of t that steps read after the rows were written, or a column of a join.
type saved struct {
	Field  sqlText // of the record v_batch
	Expr   sqlText // in the judging statement
	alias  string  // t, or the join
	Column ident
	Cast   sqlText // back to the column's type, "" when the element has it
	Check  bool    // its type is not known here: it must not be an array
}

// saved lists what the judging statement keeps for the steps.
func (w *pageWriter) saved() []saved {
	var list []saved
	add := func(s saved) {
		if !slices.ContainsFunc(list, func(o saved) bool { return o.Field == s.Field }) {
			list = append(list, s)
		}
	}
	for _, s := range w.steps {
		for _, name := range w.columnsOf(s) {
			i := slices.IndexFunc(w.table.Columns, func(c catalog.Column) bool { return c.Name == name })
			add(saved{Field: sqlText(fmt.Sprintf("t_%d", i+1)), alias: "t"}.of(name, &w.table.Columns[i]))
		}
		for _, part := range s.reads {
			w.joinColumns(part, func(join int, column string) { add(w.savedJoin(join, column)) })
		}
	}
	return list
}

// of is the value of a column, of a type that is known where the catalog's column is.
func (s saved) of(name string, known *catalog.Column) saved {
	s.Column, s.Expr = ident(name), aliased(ident(s.alias), ident(name))
	if known != nil && !scalarTypes.MatchString(known.Type) {
		s.Expr, s.Cast = fragment("as text", s.Expr), sqlText(known.Type)
	}
	return s
}

// savedJoin keeps a column of a join. Fields are numbered by the order of joins.
func (w *pageWriter) savedJoin(join int, column string) saved {
	j := w.policy.Joins[join]
	var known *catalog.Column
	if j.Table != nil {
		if table := w.tables[j.Table.String()]; table != nil {
			known = table.Column(column)
		}
	}
	return saved{Field: sqlText(fmt.Sprintf("j%d_%s", join+1, Hash(column)[:6])), alias: j.Name, Check: j.Table == nil}.of(column, known)
}

// columnsOf lists the columns of t that a step reads from what was saved: none while the rows are
// still as they were judged.
func (w *pageWriter) columnsOf(s step) []string {
	if s.untouched {
		return nil
	}
	var names []string
	if s.Related == nil && (s.Update != nil || s.Delete != nil) {
		names = append(names, w.table.PrimaryKey...)
	}
	if readBatch(s.parts) || s.Related == nil && s.Archive != nil {
		names = append(names, columnNames(w.table)...)
	}
	alias := ""
	if s.Related != nil {
		alias = s.Related.As
	}
	for _, part := range s.reads {
		names = append(names, w.columnsRead(part.Parsed(), alias)...)
	}
	return names
}

// scalarTypes hold one plain value each. An array of others is kept as text: an array of arrays
// would have to be a rectangle, and an array of rows falls apart when it is unnested.
var scalarTypes = regexp.MustCompile(`^(bigint|integer|smallint|numeric|real|double precision|text|character varying|character|boolean|uuid|date|timestamp with(out)? time zone|time with(out)? time zone|interval|jsonb?|bytea|inet|cidr|oid|xid8|name|citext)(\(\d+(,\d+)?\))?$`)

// joinColumns calls found for every column of the policy's joins that a piece reads.
func (w *pageWriter) joinColumns(part policy.Part, found func(join int, column string)) {
	parsed := part.Parsed()
	for _, ref := range parsed.Columns {
		if len(ref.Fields) == 0 || ref.Depth > 0 && named(parsed.Tables, ref.Fields[0]) {
			continue
		}
		i := slices.IndexFunc(w.policy.Joins, func(j policy.Join) bool { return j.Name == ref.Fields[0] })
		switch {
		case i < 0:
		case len(ref.Fields) == 2:
			found(i, ref.Fields[1])
		case ref.Star || len(ref.Fields) == 1 && w.table.Column(ref.Fields[0]) == nil:
			w.refuse(part.Expr.At(ref.Offset), CodeExpression, fmt.Sprintf("a step cannot read join %q as a whole", ref.Fields[0]), "Name its columns one by one.")
		}
	}
}

func (w *pageWriter) deleteRows(s step, b batch) sqlText {
	if s.Related != nil {
		return stepText("step_delete_related", w.relatedRows(s, w.rowsOf(s, b, false)))
	}
	d := w.ownRows(s, b)
	if d["Direct"] == false {
		w.keys = append(w.keys, tableName(w.table))
	}
	// Where other steps write of the rows, all of them must go.
	d["All"] = s.Where == nil && len(w.policy.Then) > 1 && !slices.ContainsFunc(w.steps, w.countsCopies)
	return stepText("step_delete", d)
}

// ownRows is what templates of steps on the batch's own rows read. Direct are those that are still where they were locked.
func (w *pageWriter) ownRows(s step, b batch) fields {
	rows := w.rowsOf(s, b, false)
	return fields{"Schema": sqlText(w.schema()), "Policy": literal(w.policy.Name), "Table": b.table, "Rows": rows,
		"Key": identifiers(w.table.PrimaryKey), "Direct": rows.plain, "Where": append(slices.Clone(rows.Where), w.condition(s)...),
		"Passes": s.Where != nil}
}

// condition is a step's "where" on the batch's rows, nothing when it takes them all.
func (w *pageWriter) condition(s step) []sqlText {
	if s.Where == nil {
		return nil
	}
	return []sqlText{enclosed(w.bind(*s.Where))}
}

func (w *pageWriter) updateRows(s step, b batch) sqlText {
	name, table := "step_update", s.from
	var d fields
	apart := false
	if s.Related != nil {
		name, apart = "step_update_related", w.setsFromBatch(s)
		d = w.relatedRows(s, w.rowsOf(s, b, apart))
		if apart && len(table.PrimaryKey) == 0 {
			w.refuse(s.Position, codeNoKey, fmt.Sprintf("table %q has no key", tableName(table)),
				"Values that come from the policy's rows are brought to related rows by their key.")
		}
	} else {
		d = w.ownRows(s, b)
		apart = d["Direct"] == false
		d["Undo"], d["Number"], d["OnlyUpdate"] = len(s.Update.Undo) > 0, s.number, w.ownDelete == nil
		d["First"] = s.number-1 == slices.IndexFunc(w.policy.Then, func(s policy.Step) bool { return s.Update != nil && s.Related == nil })
		w.checkAssignments(s.Update.Undo, table)
	}
	set := w.setTexts(s, apart)
	from := slices.ContainsFunc(set, func(t setText) bool { return t.Inner != "" }) || s.Related == nil && apart
	if from {
		w.keys = append(w.keys, tableName(table))
	}
	d["Set"], d["From"] = set, from
	return stepText(name, d)
}

// setText is one column that an update writes.
type setText struct {
	Column ident
	Value  sqlText // as it stands in SET
	Inner  sqlText // computed in the sub-select, "" when Value is all
	Number int
	AsText bool // its type has no equality of its own that tells all values apart
	Target sqlText
}

// setTexts compiles the assignments of an update. Apart says that values which read the batch are computed beside the rows.
func (w *pageWriter) setTexts(s step, apart bool) []setText {
	w.checkAssignments(s.Update.Set, s.from)
	var texts []setText
	for i, a := range s.Update.Set {
		column := ident(a.Column)
		t := setText{Column: column, Number: i + 1, Value: w.bind(a.Value), Target: aliased(s.as, column)}
		if apart && (w.readsBatch(s, valueOf(a)) || s.as != "t" && mentions(string(s.as), valueOf(a)) && w.setsFromBatch(s)) {
			t.Inner, t.Value = t.Value, sqlText(fmt.Sprintf("batch.v%d", i+1))
		}
		if column := s.from.Column(a.Column); column != nil {
			t.AsText = !scalarTypes.MatchString(column.Type) || column.Type == "json" || column.Type == "citext"
		}
		texts = append(texts, t)
	}
	return texts
}

// setsFromBatch says whether any value of an update reads the batch.
func (w *pageWriter) setsFromBatch(s step) bool {
	return slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return w.readsBatch(s, valueOf(a)) })
}

// checkAssignments refuses columns that do not exist or that an update must not write.
func (w *pageWriter) checkAssignments(list []policy.Assignment, table *catalog.Table) {
	for _, a := range list {
		column := w.knownColumn(table, a.Column, a.Position)
		switch {
		case column == nil:
		case column.Generated:
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q of table %q is generated", a.Column, tableName(table)), "Set the columns that it is computed from.")
		case slices.Contains(table.PrimaryKey, a.Column):
			w.refuse(a.Position, codeStep, fmt.Sprintf("column %q is in the primary key of table %q", a.Column, tableName(table)), "A row keeps its key: batches, holds and the log name it by that.")
		case slices.ContainsFunc(table.Referenced, func(k catalog.ForeignKey) bool { return slices.Contains(k.RefColumns, a.Column) }):
			w.refuse(a.Position, codeStep, fmt.Sprintf("foreign keys refer to column %q of table %q", a.Column, tableName(table)), "Changing it would reach other tables.")
		}
	}
}

// statement is a step in the policy's own words, over the relation "batch".
func (w *pageWriter) statement(s step, b batch) sqlText {
	parsed := s.SQL.Statement()
	relation := fragment("batch relation", w.rowsOf(s, b, false))
	edits := append(w.tableEdits(*s.SQL, &parsed.Expr, policy.IsStatement),
		w.columnEdits(&parsed.Expr, func(ref pgparse.ColumnRef) (sqlText, bool) {
			if len(ref.Fields) != 2 || ref.Fields[0] != "run" || named(parsed.Tables, "run") {
				return "", false
			}
			return runValues[ref.Fields[1]][w.blank], true
		})...)
	var text sqlText
	if parsed.CTEs > 0 {
		text = spliced(*s.SQL, append(edits, pgparse.Edit{Offset: parsed.CTEs, Text: string(relation) + ", "}))
	} else {
		text = "WITH " + relation + "\n" + spliced(*s.SQL, edits)
	}
	name := literal("")
	if n := len(parsed.Writes); n > 0 && !parsed.Select {
		name = literal(w.writtenName(parsed.Writes[n-1].Table))
	}
	return stepText("step_sql", fields{"Schema": sqlText(w.schema()), "Statement": indented(string(text)), "Select": parsed.Select, "Name": name,
		"Batch": namesBatch(parsed.Tables)})
}

// writtenName is the table that a statement writes, as the snapshot knows it.
func (w *pageWriter) writtenName(ref pgparse.TableRef) string {
	if table := w.lookUp(ref); table != nil {
		return tableName(table)
	}
	return ref.Name
}

// dropTable is the step that drops the tables which the batch's rows name.
func (w *pageWriter) dropTable(s step, b batch) sqlText {
	return stepText("step_drop_table", fields{"Schema": sqlText(w.schema()), "Drop": sqlText(w.policy.Name + "_drop_table"),
		"Policy": literal(w.policy.Name), "Name": w.bind(*s.DropTable), "Rows": w.rowsOf(s, b, false)})
}

// dropFunctions is the function that may drop tables, none where no step asks for it. As that of
// partitions, it belongs to the migrating role, which acts for the tables' owner.
func (w *pageWriter) dropFunctions() []Object {
	if !w.policy.DropsTables() {
		return nil
	}
	relation := literal(quote.Qualified(w.table.Schema, w.table.Name))
	return []Object{w.function("drop_table", "oid", "drop_table", fields{"Relation": relation}).asMigrator()}
}
