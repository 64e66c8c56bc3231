package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// binder translates the expressions of one policy into SQL that has the same meaning wherever it is
// generated. It qualifies columns of the row with the alias t and replaces as_of by a variable.
type binder struct {
	*compiler
	inputs
	policy      *policy.Policy
	table       *catalog.Table
	verdict     func(guard string) sqlText // returns the SQL of keep.<guard>
	batch       sqlText                    // relation with the rows of the batch; "" if there is none
	aliases     map[string]*catalog.Table  // tables by alias, if their columns are known
	scalars     []join                     // joins that are read as sub-selects, latest last
	content     sqlText                    // SQL that replaces the relation "partition"; "" if there is none
	partitioned *partitioned               // the table of a policy on partitions, nil for a policy on rows
	deleted     []string                   // tables from which earlier steps delete; their deleted rows are not read
	runtime     string                     // schema in which the policy's own SQL finds the runtime
}

// parse returns the parsed expression. The reader of the file has parsed it before.
func (b *binder) bind(e policy.Expr) sqlText {
	parsed := e.Parsed()
	columns := b.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) { return b.meaning(e, parsed, ref) })
	return b.spliced(e, policy.IsExpression, append(b.tableEdits(e, parsed, policy.IsExpression), columns...))
}

// optional returns the translated expression in parentheses; "" if e is nil.
func (b *binder) optional(e *policy.Expr) sqlText {
	if e == nil {
		return ""
	}
	return enclosed(b.bind(*e))
}

// bindQuery replaces as_of and columns of joins in a query. With ofTheRow, the query may also read
// columns of t.
func (b *binder) bindQuery(e policy.Expr, ofTheRow bool) sqlText {
	parsed := e.Parsed()
	columns := b.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) {
		if ofTheRow && b.isRowColumn(e, ref) {
			return b.rowColumn(e, ref), true
		} else if len(ref.Fields) != 2 || ref.Star || inFrom(parsed.Tables, ref.Fields[0]) {
			return "", false
		}
		return b.scalar(ref)
	})
	return b.spliced(e, policy.IsQuery, append(b.tableEdits(e, parsed, policy.IsQuery), columns...))
}

// valueFrom translates an expression that may read as_of and the columns of one table. The
// parameter "from" is that table, and "alias" is its name in the expression. If "from" is nil, the
// expression may read as_of only.
func (b *binder) valueFrom(e policy.Expr, from *catalog.Table, alias string) sqlText {
	columns := b.columnEdits(e.Parsed(), func(ref pgparse.ColumnRef) (sqlText, bool) {
		if from != nil && len(ref.Fields) == 2 && ref.Fields[0] == alias && !ref.Star {
			b.knownColumn(from, ref.Fields[1], e.At(ref.Offset))
		}
		return "", false
	})
	return enclosed(b.spliced(e, policy.IsExpression, columns))
}

// spliced applies edits to a text of the policy. In a trial it also replaces the name of the
// runtime's schema.
func (b *binder) spliced(e policy.Expr, kind string, edits []pgparse.Edit) sqlText {
	// Few texts contain the name, and only these must be parsed.
	contains := strings.Contains(strings.ToLower(e.SQL), strings.ToLower(b.runtimeName))
	if b.runtime != b.runtimeName && contains {
		prefix := pgparse.AsStatement
		if kind == policy.IsExpression {
			prefix = pgparse.AsExpression
		}
		// There is no error, because the reader of the file has parsed the text.
		names, _ := pgparse.SchemaEdits(prefix, e.SQL, b.runtimeName, quote.Ident(b.runtime))
		edits = append(edits, names...)
	}
	return sqlText(strings.TrimSpace(pgparse.Splice(e.SQL, edits)))
}

// columnEdits returns the edits that replace names in an expression. It replaces as_of, and each
// name for which the function "meaning" returns a text.
func (b *binder) columnEdits(parsed *pgparse.Expr, meaning func(pgparse.ColumnRef) (sqlText, bool)) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, ref := range parsed.Columns {
		text, replaced := b.asOf, isAsOf(ref)
		if !replaced && len(ref.Fields) > 0 {
			text, replaced = meaning(ref)
		}
		if replaced {
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: ref.Length, Text: string(text)})
		}
	}
	return edits
}

func isAsOf(ref pgparse.ColumnRef) bool {
	return len(ref.Fields) == 1 && !ref.Star && ref.Fields[0] == "as_of"
}

// tableEdits returns the edits that replace table names. In expressions it replaces "batch" and the
// tables that earlier steps delete from. In expressions and queries it replaces "partition". It
// adds the schema to other unqualified names. So a table of the same name that is created later in
// another schema of the search path cannot take its place.
func (b *binder) tableEdits(e policy.Expr, parsed *pgparse.Expr, kind string) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, t := range parsed.Tables {
		text, alias, isBatch := sqlText(""), quote.Ident(t.Name), t.Schema == "" && t.Name == "batch"
		switch {
		case isBatch && kind != policy.IsExpression:
			continue
		case isBatch && b.batch == "":
			b.fail(messages.BatchOutsideStep, e.At(t.Offset))
			continue
		case isBatch:
			text = b.batch
		case b.content != "" && isPartition(t):
			if kind == policy.IsStatement {
				continue
			}
			text, alias = b.content, `AS "partition"`
		case b.lookUp(t) != nil && slices.Contains(b.deleted, tableName(b.lookUp(t))) && plainRead(parsed, t):
			if kind != policy.IsExpression {
				continue
			}
			text = sqlText(ident("rest of " + tableName(b.lookUp(t))).String())
		case b.ofShards(t) && t.Alias == "": // a table of a shard has another name
			text = sqlText(quote.Qualified(t.Schema, t.Name))
		default: // pg_catalog comes before all schemas of the search path
			if table := b.lookUp(t); t.Schema == "" && table != nil && !strings.HasPrefix(t.Name, "pg_") {
				edits = append(edits, pgparse.Edit{Offset: t.Offset, Text: quote.Ident(table.Schema) + "."})
			}
			continue
		}
		if t.Alias == "" {
			text += " " + sqlText(alias)
		}
		edits = append(edits, pgparse.Edit{Offset: t.Offset, Length: t.Length, Text: string(text)})
	}
	return edits
}

// ofShards reports whether the policy has an instance for each shard of the table.
func (b *binder) ofShards(t pgparse.TableRef) bool {
	e := b.file.EachOf(b.policy)
	return e != nil && e.ShardsOf != "" && t.Schema == e.Name
}

// plainRead reports whether a sub-select could replace a table in a FROM clause.
func plainRead(e *pgparse.Expr, t pgparse.TableRef) bool {
	return !t.Only && !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 0 && slices.Contains(systemColumns, ref.Fields[len(ref.Fields)-1]) ||
			len(ref.Fields) > 2
	})
}

// meaning returns the text that replaces a name; false if the name stays.
func (b *binder) meaning(e policy.Expr, parsed *pgparse.Expr, ref pgparse.ColumnRef) (sqlText, bool) {
	first, parts := ref.Fields[0], len(ref.Fields)
	switch {
	case ref.Depth > 0 && parts > 1 && inFrom(parsed.Tables, first): // the name belongs to a table of the sub-select
	case first == "keep" && parts == 2:
		return enclosed(b.verdict(ref.Fields[1])), true
	case first == "run" && parts == 2:
		return b.runValue(ref.Fields[1]), true
	case ref.Star:
	case first == "t" && parts == 2 && b.table.Column(ref.Fields[1]) == nil:
		b.knownColumn(b.table, ref.Fields[1], e.At(ref.Offset))
	case parts == 1 && ref.Depth == 0:
		// A bare name outside every sub-select is a column of the row, even if a joined table has a
		// column of the same name.
		if b.knownColumn(b.table, first, e.At(ref.Offset)) != nil {
			return b.rowColumn(e, ref), true
		}
	case b.isRowColumn(e, ref):
		return b.rowColumn(e, ref), true
	case parts == 2:
		if table := b.aliases[first]; table != nil && !slices.Contains(systemColumns, ref.Fields[1]) {
			b.knownColumn(table, ref.Fields[1], e.At(ref.Offset))
		}
		return b.scalar(ref)
	}
	return "", false
}

// rowColumn returns a bare name, qualified as a column of the row.
func (b *binder) rowColumn(e policy.Expr, ref pgparse.ColumnRef) sqlText {
	return sqlText("t." + e.SQL[ref.Offset:ref.Offset+ref.Length])
}

// isRowColumn reports whether a bare name in a sub-select is a column of the row, because no table
// there has such a column. The generated SQL qualifies the name, so a column that such a table gets
// later does not change its meaning. If the sub-select reads anything else than tables, isRowColumn
// refuses the name, because its meaning is uncertain.
func (b *binder) isRowColumn(e policy.Expr, ref pgparse.ColumnRef) bool {
	if len(ref.Fields) != 1 || ref.Star || b.table.Column(ref.Fields[0]) == nil ||
		slices.ContainsFunc(ref.Beside, func(t pgparse.TableRef) bool {
			table := b.lookUp(t)
			return table == nil || table.Column(ref.Fields[0]) != nil
		}) {
		return false
	}
	if ref.Derived {
		b.fail(messages.AmbiguousColumn(ref.Fields[0]), e.At(ref.Offset))
	}
	return !ref.Derived
}

// joinColumn is a column of a join.
type joinColumn struct {
	Join   join
	Column ident
}

// scalar returns a sub-select that replaces the column of a join where the FROM clause lacks the
// join. PostgreSQL raises an error if the join has a second row.
func (b *binder) scalar(ref pgparse.ColumnRef) (sqlText, bool) {
	for _, j := range slices.Backward(b.scalars) {
		if string(j.Name) == ref.Fields[0] {
			return fragment("scalar join", joinColumn{j, ident(ref.Fields[1])}), true
		}
	}
	return "", false
}

// knownColumn returns a column that the policy names. If the table lacks the column, it reports an
// error and returns nil.
func (c *compiler) knownColumn(table *catalog.Table, name string, at diag.Position) *catalog.Column {
	column := table.Column(name)
	if column == nil {
		c.fail(messages.UnknownColumn(tableName(table), name, columnNames(table), table.Kind == "partitions"), at)
	}
	return column
}

// checkOperators refuses a column if the operators of its type are not in the search path.
// PostgreSQL would use the operators of another type, which compare values differently.
func (c *compiler) checkOperators(column *catalog.Column, at diag.Position) {
	if path := c.file.Install.SearchPath; column.Operators != "" && !slices.Contains(path, column.Operators) {
		c.fail(messages.OperatorsOutsidePath(column.Name, column.Plain(), column.Operators, path), at)
	}
}

// inFrom reports whether one of the tables has this name in its FROM clause: its alias, or its own
// name.
func inFrom(tables []pgparse.TableRef, name string) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool {
		return t.Alias == name || t.Alias == "" && t.Name == name
	})
}

// namesBatch reports whether SQL reads the relation "batch".
func namesBatch(tables []pgparse.TableRef) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" })
}

// systemColumns are the columns that every table has.
// https://www.postgresql.org/docs/current/ddl-system-columns.html
var systemColumns = []string{"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"}

// ownColumnsOnly reports whether an expression reads only columns of the row and calls only
// functions that read no table. Only such an expression may be checked in the statement that
// deletes. If that statement waits for a lock, it still sees other tables in their state before the
// wait.
func ownColumnsOnly(e *pgparse.Expr) bool { return readsOnly(e, "t") && harmlessOnly(e) }

// readsOnly reports whether an expression has no sub-select and reads only two kinds of columns:
// unqualified columns, and columns of the named relations.
func readsOnly(e *pgparse.Expr, names ...string) bool {
	return !e.Subquery && !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 1 && !slices.Contains(names, ref.Fields[0])
	})
}

func (b *binder) readsOwnColumns(e policy.Expr) bool { return ownColumnsOnly(e.Parsed()) }

func harmlessOnly(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(e.Calls, func(c pgparse.Call) bool {
		return c.Schema != "" && c.Schema != "pg_catalog" || !slices.Contains(harmless, c.Name)
	})
}

// calls reports whether an expression calls a function with one of these names.
func calls(e *pgparse.Expr, names ...string) bool {
	return slices.ContainsFunc(e.Calls, func(c pgparse.Call) bool { return slices.Contains(names, c.Name) })
}

// harmless are functions of pg_catalog that read no table.
var harmless = []string{
	"count", "max", "min", "sum", "bool_and", "bool_or", "abs", "btrim", "ceil", "char_length", "date_part",
	"date_trunc", "extract", "floor", "jsonb_typeof", "left", "length", "lower", "ltrim", "make_interval", "mod",
	"position", "replace", "right", "round", "rtrim", "split_part", "starts_with", "substring", "timezone",
	"to_timestamp", "trim", "upper",
}
