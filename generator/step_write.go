package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// batchRows is the batch in a step's FROM clause, as the alias t, with joins and headers.
type batchRows struct {
	From  sqlText
	Where []sqlText
	plain bool // the relation is the table itself
}

// rowsOf returns the batch as a step's expressions read it. Before any step has written the rows,
// the expressions read the table. Afterwards they read saved values. The parameter "numbered" adds
// batch.n, the order of the rows.
func (w *policyCompiler) rowsOf(s step, numbered bool) batchRows {
	if w.inRange {
		return batchRows{"t", nil, true}
	}
	reads, read, columns := w.savedBy(s), []sqlText{}, map[ident][]savedColumn{}
	for _, v := range w.saved() {
		if v.alias == "t" && !s.untouched || slices.Contains(reads, v) {
			read, columns[v.alias] = append(read, v.Field), append(columns[v.alias], v)
		}
	}
	var rows []savedRow
	for _, name := range slices.Concat([]ident{"t"}, lists.Map(w.joins, func(j join) ident { return j.Name })) {
		if len(columns[name]) > 0 || name == "t" && !s.untouched {
			rows = append(rows, savedRow{name, columns[name]})
		}
	}
	if s.untouched && !numbered && len(rows)+len(s.headers) == 0 {
		conditions := []sqlText{"t.ctid = ANY (v_tids)"}
		if inSeveralTables(w.table) {
			conditions = append(conditions, fragment("same partitions", nil))
		}
		return batchRows{fragment("table as t", w.rowsFrom()), conditions, true}
	}
	headers := lists.Map(s.headers, func(h step) headerRows {
		return headerRows{ident(h.Insert.As), h.number, w.valueTexts(h.Insert.Per, "")}
	})
	return batchRows{fragment("batch rows", savedRows{w.rowsFrom(), inSeveralTables(w.table), s.untouched, numbered,
		read, rows, headers}), nil, false}
}

// savedRows are the rows of a batch as it saved them, for the template "batch rows".
type savedRows struct {
	Table    sqlText
	Many     bool // the rows are in several tables
	Live     bool // no step has written the rows, so they are read from their table
	Numbered bool
	Fields   []sqlText // fields of v_batch that the step reads
	Saved    []savedRow
	Headers  []headerRows
}

// savedRow is the saved row of t, or of a join.
type savedRow struct {
	Name    ident
	Columns []savedColumn
}

// headerRows are the new rows of an earlier step, as a relation that the step joins.
type headerRows struct {
	Name   ident
	Number int
	On     []valueText
}

// numbersRows reports whether a step needs the order of the rows of the batch. It needs the order
// for values of the newest row of a group, and for values that read the batch beside related rows.
func (w *policyCompiler) numbersRows(s step) bool {
	var list []policy.Assignment
	switch {
	case s.Insert != nil:
		in := s.Insert
		if len(in.Key)+len(in.Per) > 0 && w.fromRow(s, in.Set...) {
			return true
		}
		list = in.Assignments()
	case s.Update != nil:
		list = s.Update.Set
	case s.Archive != nil:
		list = s.Archive.Set
	case s.Emit != nil:
		list = s.Emit.Payload
	default:
		return false
	}
	return s.Related != nil && w.readsBatch(s, list)
}

// savedColumn is a value that a batch saves for each row in an array when it rechecks the row. It
// is a column of t that steps read after the rows were written, or a column of a join.
type savedColumn struct {
	Field  sqlText // field of the record v_batch
	Expr   sqlText // expression in the statement that rechecks the rows
	alias  ident   // t, or the join
	Column ident
	Cast   sqlText // cast back to the column's type; "" if the element has it
	Check  bool    // the type is unknown here; the template checks that it is no array
}

// saved returns the columns that a batch saves for its steps when it rechecks the rows.
func (w *policyCompiler) saved() []savedColumn {
	var list []savedColumn
	for _, s := range w.steps {
		for _, v := range w.savedBy(s) {
			list = lists.AppendUnique(list, v)
		}
	}
	return list
}

// savedBy returns the saved columns that a step reads. Columns of t are included only after a step
// has written the rows.
func (w *policyCompiler) savedBy(s step) []savedColumn {
	var own []string
	if !s.untouched && s.Related == nil && (s.Update != nil || s.Delete != nil) {
		own = append(own, w.table.PrimaryKey...)
	}
	if !s.untouched && (readBatch(s.expressions) || s.Related == nil && s.Archive != nil) {
		own = append(own, columnNames(w.table)...)
	}
	for _, part := range s.expressions {
		if !s.untouched {
			own = append(own, w.columnsRead(part.Expr.Parsed(), string(s.as))...)
		}
	}
	ofRow := lists.Map(own, func(name string) savedColumn { return w.columnSaved(-1, name) })
	return append(ofRow, w.joinsRead(s.expressions)...)
}

// joinsRead returns the columns of the policy's joins that the expressions read.
func (w *policyCompiler) joinsRead(parts []policy.SQLFragment) []savedColumn {
	var list []savedColumn
	for _, part := range parts {
		parsed := part.Expr.Parsed()
		for _, ref := range parsed.Columns {
			if len(ref.Fields) == 0 || ref.Depth > 0 && inFrom(parsed.Tables, ref.Fields[0]) {
				continue
			}
			i := slices.IndexFunc(w.policy.Joins, func(j policy.Join) bool { return j.Name == ref.Fields[0] })
			if i >= 0 && len(ref.Fields) == 2 {
				list = append(list, w.columnSaved(i, ref.Fields[1]))
			} else if i >= 0 && (ref.Star || w.table.Column(ref.Fields[0]) == nil) {
				w.fail(messages.WholeRowOfJoin(ref.Fields[0]), part.Expr.At(ref.Offset))
			}
		}
	}
	return list
}

// columnSaved returns a saved column of the join with this index; index -1 means t. Fields are
// numbered in the order of joins and of columns.
func (w *policyCompiler) columnSaved(join int, name string) savedColumn {
	s, table := savedColumn{alias: "t", Column: ident(name)}, w.table
	if join < 0 {
		s.Field = sqlText(fmt.Sprintf("t_%d", slices.Index(columnNames(table), name)+1))
	} else {
		j := w.policy.Joins[join]
		s.Field = sqlText(fmt.Sprintf("j%d_%s", join+1, Hash(name)[:6]))
		s.alias, s.Check = ident(j.Name), j.Table == nil
		table = w.aliases[j.Name]
	}
	s.Expr = aliased(s.alias, s.Column)
	if table != nil && table.Column(name) != nil && !isScalar(table.Column(name).Type) {
		s.Expr, s.Cast = fragment("as text", s.Expr), sqlText(table.Column(name).Type)
	}
	return s
}

// scalarTypes are types with one plain value. Arrays of other types are saved as text. An array of
// arrays would have to be rectangular, and unnest splits an array of rows into columns.
var scalarTypes = []string{
	"bigint", "integer", "smallint", "numeric", "real", "double precision", "text", "character varying", "character",
	"boolean", "uuid", "date", "timestamp with time zone", "timestamp without time zone", "time with time zone",
	"time without time zone", "interval", "json", "jsonb", "bytea", "inet", "cidr", "oid", "xid8", "name", "citext",
}

func isScalar(typ string) bool { return slices.Contains(scalarTypes, catalog.Unsized(typ)) }

// deleteStep is the data of the templates "step_delete" and "step_delete_related".
type deleteStep struct {
	stepRows
	All bool // an error if rows of the batch stay
}

func (w *policyCompiler) deleteRows(s step) sqlText {
	d := deleteStep{stepRows: w.stepRows(s)}
	if s.Related != nil {
		return stepText("step_delete_related", d)
	}
	// If other steps write from the rows, the step must delete all of them.
	d.All = s.Where == nil && len(w.policy.Then) > 1 && !slices.ContainsFunc(w.steps, w.countsCopies)
	return stepText("step_delete", d)
}

// updateStep is the data of the templates "step_update" and "step_update_related".
type updateStep struct {
	stepRows
	Set        []assignedText
	Undo       bool // the step stores what it writes, for restore()
	OnlyUpdate bool // no step deletes the rows
	First      bool // no step before it updates the rows
	Apart      bool // the values read rows of the batch
}

func (w *policyCompiler) updateRows(s step) sqlText {
	if s.Related == nil {
		d := updateStep{stepRows: w.stepRows(s), Undo: len(s.Update.Undo) > 0, OnlyUpdate: w.ownDelete == nil}
		w.checkAssignments(s.Update.Undo, s.from)
		d.Set = w.setTexts(s, !d.Direct)
		d.First = s.number-1 == slices.IndexFunc(w.policy.Then,
			func(s policy.Step) bool { return s.Update != nil && s.Related == nil })
		return stepText("step_update", d)
	}
	apart := w.numbersRows(s)
	if apart {
		w.keys = append(w.keys, tableName(s.from))
	}
	if apart && len(s.from.PrimaryKey) == 0 {
		w.fail(messages.RelatedWithoutKey(tableName(s.from)), s.Position)
	}
	d := updateStep{stepRows: w.stepRows(s), Apart: apart, Set: w.setTexts(s, apart)}
	return stepText("step_update_related", d)
}

// assignedText is a column with the value that an update gives it.
type assignedText struct {
	Column               ident
	Target, Value, Inner sqlText // Inner is a value that reads rows, for a sub-select
	Number               int
	AsText               bool // the type has no equality operator, or one that is not exact
}

// setTexts compiles the assignments of an update. If the parameter "apart" is true, values that
// read rows are in a sub-select.
func (w *policyCompiler) setTexts(s step, apart bool) []assignedText {
	w.checkAssignments(s.Update.Set, s.from)
	var texts []assignedText
	for i, a := range s.Update.Set {
		column, known := ident(a.Column), s.from.Column(a.Column)
		value, inner := w.bind(a.Value), sqlText("")
		if apart && w.fromRow(s, a) {
			value, inner = sqlText(fmt.Sprintf("batch.v%d", i+1)), value
		}
		asText := known != nil && (!isScalar(known.Type) || known.Type == "json" || known.Type == "citext")
		texts = append(texts, assignedText{column, aliased(s.as, column), value, inner, i + 1, asText})
	}
	return texts
}

// checkAssignments refuses columns that do not exist, and columns that an update must not write.
func (w *policyCompiler) checkAssignments(list []policy.Assignment, table *catalog.Table) {
	for _, a := range list {
		column := w.writable(table, a.Column, a.Position, messages.ByStep)
		switch {
		case column == nil || column.Generated:
		case slices.Contains(table.PrimaryKey, a.Column):
			w.fail(messages.SetsKeyColumn(tableName(table), a.Column), a.Position)
		case slices.ContainsFunc(table.Referenced, func(k catalog.ForeignKey) bool {
			return slices.Contains(k.RefColumns, a.Column)
		}):
			w.fail(messages.SetsReferencedColumn(tableName(table), a.Column), a.Position)
		}
	}
}

// statement renders a step that is the policy's own SQL, with the relation "batch".
func (w *policyCompiler) statement(s step) sqlText {
	parsed := s.SQL.Parsed()
	relation := fragment("batch relation", w.rowsOf(s, false))
	edits := append(w.tableEdits(*s.SQL, parsed, policy.IsStatement),
		w.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) {
			if len(ref.Fields) != 2 || ref.Fields[0] != "run" || inFrom(parsed.Tables, "run") {
				return "", false
			}
			return w.runValue(ref.Fields[1]), true
		})...)
	before, after := "WITH ", "\n"
	if parsed.CTEs > 0 {
		before, after = "", ", "
	}
	edits = append(edits, pgparse.Edit{Offset: parsed.CTEs, Text: before + string(relation) + after})
	text := w.spliced(*s.SQL, policy.IsStatement, edits)
	name := literal("")
	if n := len(parsed.Writes); n > 0 && !parsed.Select {
		written := parsed.Writes[n-1].Table
		if name = literal(written.Name); w.lookUp(written) != nil {
			name = literal(tableName(w.lookUp(written)))
		}
	}
	return stepText("step_sql", statementStep{sqlText(w.schema()), indented(text), parsed.Select, name,
		namesBatch(parsed.Tables)})
}

// statementStep is the data of the template "step_sql".
type statementStep struct {
	Schema, Statement sqlText
	Select            bool
	Name              literal // the table that the statement changes
	Batch             bool    // the statement reads the batch
}

func (w *policyCompiler) dropTable(s step) sqlText {
	return stepText("step_drop_table", dropStep{w.stepRows(s), w.bind(*s.DropTable)})
}

// dropStep is the data of the template "step_drop_table". Names is the name of a row's table.
type dropStep struct {
	stepRows
	Names sqlText
}

// valueText is the value of a column, or of a key of a JSON object. Existing names the fragment
// that updates an existing row; "" if the column is not updated.
type valueText struct {
	Column   ident
	Value    sqlText
	Existing sqlText
}

func (w *policyCompiler) valueTexts(list []policy.Assignment, existing sqlText) []valueText {
	return lists.Map(list, func(a policy.Assignment) valueText {
		return valueText{ident(a.Column), w.bind(a.Value), existing}
	})
}

// insertStep is the data of the template "step_insert", for insert, archive and emit.
type insertStep struct {
	stepRows
	// Pairs is true if the values read both the batch and related rows. Then each related row is
	// joined to the first row of the batch to which it belongs.
	Pairs                         bool
	Newer                         []sqlText // order of the rows, oldest first
	Into                          sqlText
	Columns                       []valueText
	Groups, Totals, Newest, Fixed []valueText // columns of a grouped insert
	Changes                       []valueText // columns that change in an existing row
	Override                      bool        // an identity column gets a value
	Conflict                      bool        // rows may exist already
	Target                        []ident     // the key that finds an existing row; nil for any key
	Copied                        bool        // the rows are counted as copies
	Header                        bool        // later steps read the new rows
	What, SQL                     sqlText     // the step in words, and its statement
}

func (w *policyCompiler) insertStep(s step) insertStep {
	d := insertStep{stepRows: w.stepRows(s), Pairs: s.Related != nil && w.numbersRows(s), Newer: []sqlText{"batch.n"}}
	if w.inRange {
		d.Newer = lists.Map(w.cursor(w.scans[0]), columnText.name)
	} else if s.Related != nil { // for several related rows of one row
		d.Newer = append(d.Newer, lists.Map(s.from.PrimaryKey,
			func(name string) sqlText { return aliased(s.as, ident(name)) })...)
	}
	return d
}

func (w *policyCompiler) insert(s step) sqlText {
	in, table := s.Insert, s.into
	all := in.Assignments()
	for _, a := range all {
		w.writable(table, a.Column, a.Position, messages.ByStep)
	}
	w.refuseMissing(table, lists.Map(all, assignedColumn), s.Position, messages.ByStep)
	grouped := len(in.Key)+len(in.Per) > 0
	d := w.insertStep(s)
	if !grouped {
		return w.plainInsert(d, "a row for each row", quotedTable(in.Into), w.valueTexts(in.Set, ""))
	}
	d.Totals = w.totals(in, table)
	for i, v := range w.valueTexts(in.Set, "excluded value") {
		if w.isAggregate(in.Set[i]) {
			d.Totals = append(d.Totals, v)
		} else if w.fromRow(s, in.Set[i]) {
			d.Newest = append(d.Newest, v)
		} else {
			d.Fixed = append(d.Fixed, v)
		}
	}
	d.Groups = w.valueTexts(slices.Concat(in.Key, in.Per), "")
	d.Into, d.Changes, d.Header = quotedTable(in.Into), slices.Concat(d.Totals, d.Newest, d.Fixed), in.As != ""
	if len(in.Key) > 0 {
		d.Conflict, d.Target = true, w.rollUp(s, table)
	}
	return w.inserted("a row for each group", "grouped insert", d)
}

// isAggregate reports whether a value of a grouped insert is an aggregate over the rows of a group.
func (w *policyCompiler) isAggregate(a policy.Assignment) bool {
	parsed := a.Value.Parsed()
	return !parsed.Subquery && calls(parsed, aggregates...)
}

// plainInsert renders an INSERT that adds one row for each row of the step. If the target contains
// the row already, the INSERT updates the columns whose field Existing is set.
func (w *policyCompiler) plainInsert(d insertStep, what, into sqlText, columns []valueText) sqlText {
	d.Into, d.Columns = into, columns
	d.Changes = slices.DeleteFunc(slices.Clone(columns), func(v valueText) bool { return v.Existing == "" })
	return w.inserted(what, "plain insert", d)
}

// inserted renders an INSERT. If the batch is one statement, the INSERT is a part of it. Otherwise
// it is a step of its own.
func (w *policyCompiler) inserted(what sqlText, statement string, d insertStep) sqlText {
	if d.What, d.SQL = what, fragment(statement, d); w.inRange {
		return d.SQL
	}
	return stepText("step_insert", d)
}

// emit renders an INSERT into the runtime's table of events.
func (w *policyCompiler) emit(s step) sqlText {
	constant := func(text string) sqlText { return sqlText(literal(text).String()) }
	payload := fragment("payload", w.valueTexts(s.Emit.Payload, ""))
	return w.plainInsert(w.insertStep(s), "an event for each row",
		fragment("event table", sqlText(w.schema())),
		[]valueText{{"run_id", "($1).run_id", ""}, {"policy", constant(w.policy.Name), ""},
			{"event", constant(s.Emit.Event), ""}, {"payload", payload, ""}})
}

// totals returns the columns that are added up over batches.
func (w *policyCompiler) totals(in *policy.Insert, table *catalog.Table) []valueText {
	list := w.valueTexts(in.Add, "added value")
	for i := range list {
		v := &list[i]
		if column := table.Column(string(v.Column)); column != nil &&
			slices.Contains(numberTypes, catalog.Unsized(column.Plain())) {
			if v.Existing = "added number"; !in.Add[i].Value.Parsed().CountsRows() {
				v.Value = fragment("or zero", v.Value)
			}
		}
	}
	return slices.Concat(list, w.valueTexts(in.Max, "greatest value"), w.valueTexts(in.Min, "least value"))
}

// rollUp returns the unique key by which a roll-up finds the existing row.
func (w *policyCompiler) rollUp(s step, table *catalog.Table) []ident {
	names := lists.Map(s.Insert.Key, assignedColumn)
	nulls := slices.ContainsFunc(uniqueOn(table, names),
		func(i catalog.Index) bool { return strings.HasSuffix(i.Definition, ") NULLS NOT DISTINCT") })
	for _, a := range s.Insert.Key {
		if column := table.Column(a.Column); column != nil && !column.NotNull && !nulls {
			w.fail(messages.NullInKey(tableName(table), a.Column), a.Position)
		}
	}
	if !hasUnique(table, names) {
		w.fail(messages.NoUniqueIndex(tableName(table), names, string(qualified(table)), quote.Idents(names)),
			s.Position)
	}
	return identifiers(names)
}

// hasUnique reports whether a table has a unique index on exactly these columns.
func hasUnique(table *catalog.Table, names []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(table.PrimaryKey)), slices.Sorted(slices.Values(names))) &&
		!table.Temporal() ||
		len(uniqueOn(table, names)) > 0
}

// uniqueOn returns a table's unique indexes on exactly these columns.
func uniqueOn(table *catalog.Table, names []string) []catalog.Index {
	wanted := slices.Sorted(slices.Values(names))
	return slices.DeleteFunc(slices.Clone(table.Indexes), func(i catalog.Index) bool {
		return !i.Unique || !i.Valid || i.Predicate != "" ||
			!slices.Equal(slices.Sorted(slices.Values(i.Columns)), wanted)
	})
}

func values(list []policy.Assignment) []policy.SQLFragment {
	return lists.Map(list, func(a policy.Assignment) policy.SQLFragment { return policy.SQLFragment{Expr: a.Value} })
}

func assignedColumn(a policy.Assignment) string { return a.Column }

func assigned(list []policy.Assignment, column string) bool {
	return slices.ContainsFunc(list, func(a policy.Assignment) bool { return a.Column == column })
}

// fromRow reports whether values read the rows of the step.
func (w *policyCompiler) fromRow(s step, list ...policy.Assignment) bool {
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

// refuseMissing refuses an INSERT without a value for a column that is NOT NULL and has no default.
func (c *compiler) refuseMissing(table *catalog.Table, given []string, at diag.Position, by messages.Writer) {
	for _, name := range missing(table, given) {
		c.fail(by.NoValue(tableName(table), name), at)
	}
}

// missing returns the columns that are NOT NULL, have no default and are not among those given.
func missing(table *catalog.Table, given []string) (names []string) {
	for _, column := range table.Columns {
		fills := !column.NotNull || column.Default != "" || column.Generated || column.Identity != ""
		if !fills && !slices.Contains(given, column.Name) {
			names = append(names, column.Name)
		}
	}
	return names
}
