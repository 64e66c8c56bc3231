package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// binder turns the expressions of one policy into SQL that means the same in every place where
// it is generated: names of the row's columns are tied to the alias t, as_of to a variable.
type binder struct {
	*compiler
	policy      *policy.Policy
	table       *catalog.Table
	asOf        sqlText                    // what as_of is called where the expression goes
	verdict     func(guard string) sqlText // what keep.<name> means
	blank       bool                       // there is no run: its values are NULL
	batch       sqlText                    // the batch's rows as a relation; "" where there is none
	aliases     map[string]*catalog.Table  // whose columns are known, by what they are called here
	scalars     []join                     // joins that are read as sub-selects, latest last
	content     sqlText                    // what the relation "partition" stands for, "" for nothing
	partitioned *partitioned               // the table whose partitions the rows are, nil for rows
	deleted     []string                   // tables that steps before delete from: what is left of them is read
}

// restored puts the binder back as it is now: defer w.restored()().
func (b *binder) restored() func() {
	before := *b
	return func() { *b = before }
}

// parse reads an expression again.
func (b *binder) parse(e policy.Expr) *pgparse.Expr { return policy.Part{Expr: e}.Parsed() }

func (b *binder) bind(e policy.Expr) sqlText {
	parsed := b.parse(e)
	columns := b.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) { return b.meaning(e, parsed, ref) })
	return spliced(e, append(b.tableEdits(e, parsed, policy.IsExpression), columns...))
}

// optional is an expression in parentheses, "" where there is none.
func (b *binder) optional(e *policy.Expr) sqlText {
	if e == nil {
		return ""
	}
	return enclosed(b.bind(*e))
}

// bindQuery replaces as_of and joins in a query; its other names are its own or, where it may read the row, t's.
func (b *binder) bindQuery(e policy.Expr, ofTheRow bool) sqlText {
	parsed := policy.Part{Expr: e, Kind: policy.IsQuery}.Parsed()
	columns := b.columnEdits(parsed, func(ref pgparse.ColumnRef) (sqlText, bool) {
		if ofTheRow && b.ofTheRow(e, ref) {
			return b.rowColumn(e, ref), true
		} else if len(ref.Fields) != 2 || ref.Star || named(parsed.Tables, ref.Fields[0]) {
			return "", false
		}
		return b.scalar(ref)
	})
	return spliced(e, append(b.tableEdits(e, parsed, policy.IsQuery), columns...))
}

// valueFrom is an expression that may read as_of and the columns of a table called alias; nil: of none.
func (b *binder) valueFrom(e policy.Expr, from *catalog.Table, alias string) sqlText {
	return enclosed(spliced(e, b.columnEdits(b.parse(e), func(ref pgparse.ColumnRef) (sqlText, bool) {
		if from != nil && len(ref.Fields) == 2 && ref.Fields[0] == alias && !ref.Star {
			b.knownColumn(from, ref.Fields[1], e.At(ref.Offset))
		}
		return "", false
	})))
}

func spliced(e policy.Expr, edits []pgparse.Edit) sqlText {
	return sqlText(strings.TrimSpace(pgparse.Splice(e.SQL, edits)))
}

// columnEdits replaces as_of and the names that meaning gives another text.
func (b *binder) columnEdits(parsed *pgparse.Expr, meaning func(pgparse.ColumnRef) (sqlText, bool)) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, ref := range parsed.Columns {
		text, replaced := b.asOf, isAsOf(ref)
		if !replaced && len(ref.Fields) > 0 {
			text, replaced = meaning(ref)
		}
		if replaced {
			edits = append(edits, nameEdit(parsed.SQL, ref.Offset, len(ref.Fields) > 1, text))
		}
	}
	return edits
}

// nameEdit replaces the name at an offset, which may be qualified.
func nameEdit(sql string, offset int, qualified bool, text sqlText) pgparse.Edit {
	pattern := oneName
	if qualified {
		pattern = twoNames
	}
	return pgparse.Edit{Offset: offset, Length: len(pattern.FindString(sql[offset:])), Text: string(text)}
}

func isAsOf(ref pgparse.ColumnRef) bool {
	return len(ref.Fields) == 1 && !ref.Star && ref.Fields[0] == "as_of"
}

// tableEdits puts in the places of tables what they are read as: the batch's rows, what a partition holds, a substitute.
// Others get the schema that they are named without: a table of their name that comes later, in a schema before, is
// another one. Of queries and statements only some are replaced.
func (b *binder) tableEdits(e policy.Expr, parsed *pgparse.Expr, kind string) []pgparse.Edit {
	var edits []pgparse.Edit
	for _, t := range parsed.Tables {
		text, alias, isBatch := sqlText(""), quote.Ident(t.Name), t.Schema == "" && t.Name == "batch"
		switch {
		case isBatch && kind != policy.IsExpression:
			continue
		case isBatch && b.batch == "":
			b.refuse(e.At(t.Offset), CodeExpression, "\"batch\" cannot be read here", "Read it in a step: only steps have the rows of the batch.")
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
		default: // what PostgreSQL brings along comes before all schemas
			if table := b.lookUp(t); t.Schema == "" && table != nil && !strings.HasPrefix(t.Name, "pg_") {
				edits = append(edits, pgparse.Edit{Offset: t.Offset, Text: quote.Ident(table.Schema) + "."})
			}
			continue
		}
		if t.Alias == "" {
			text += " " + sqlText(alias)
		}
		edits = append(edits, nameEdit(parsed.SQL, t.Offset, t.Schema != "", text))
	}
	return edits
}

// plainRead says whether a table in a FROM clause could as well be a sub-select.
func plainRead(e *pgparse.Expr, t pgparse.TableRef) bool {
	before := strings.ToLower(strings.TrimRight(e.SQL[:t.Offset], " \t\n"))
	return !strings.HasSuffix(before, "only") && !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 0 && slices.Contains(systemColumns, ref.Fields[len(ref.Fields)-1]) || len(ref.Fields) > 2
	})
}

// meaning is what stands in the place of a name; false where the name stays.
func (b *binder) meaning(e policy.Expr, parsed *pgparse.Expr, ref pgparse.ColumnRef) (sqlText, bool) {
	first, parts := ref.Fields[0], len(ref.Fields)
	switch {
	case ref.Depth > 0 && parts > 1 && named(parsed.Tables, first): // of a sub-select's own table
	case first == "keep" && parts == 2:
		return enclosed(b.verdict(ref.Fields[1])), true
	case first == "run" && parts == 2:
		return runValues[ref.Fields[1]][b.blank], true
	case ref.Star:
	case first == "t" && parts == 2 && b.table.Column(ref.Fields[1]) == nil:
		b.knownColumn(b.table, ref.Fields[1], e.At(ref.Offset))
	case parts == 1 && ref.Depth == 0:
		// A bare name outside every sub-select is a column of the row, even where a joined table has one of that name.
		if b.knownColumn(b.table, first, e.At(ref.Offset)) != nil {
			return b.rowColumn(e, ref), true
		}
	case b.ofTheRow(e, ref):
		return b.rowColumn(e, ref), true
	case parts == 2:
		if table := b.aliases[first]; table != nil && !slices.Contains(systemColumns, ref.Fields[1]) {
			b.knownColumn(table, ref.Fields[1], e.At(ref.Offset))
		}
		return b.scalar(ref)
	}
	return "", false
}

// rowColumn is a bare name as a column of the row.
func (b *binder) rowColumn(e policy.Expr, ref pgparse.ColumnRef) sqlText {
	return sqlText("t." + oneName.FindString(e.SQL[ref.Offset:]))
}

// ofTheRow says whether a bare name in a sub-select is a column of the row, since no table there has one: it stays so where
// a table gets one later. Where something else stands beside them it cannot be told, and is refused.
func (b *binder) ofTheRow(e policy.Expr, ref pgparse.ColumnRef) bool {
	if len(ref.Fields) != 1 || ref.Star || b.table.Column(ref.Fields[0]) == nil ||
		slices.ContainsFunc(ref.Beside, func(t pgparse.TableRef) bool {
			table := b.lookUp(t)
			return table == nil || table.Column(ref.Fields[0]) != nil
		}) {
		return false
	}
	if ref.Derived {
		b.refuse(e.At(ref.Offset), CodeExpression, fmt.Sprintf("column %q is ambiguous: the row and the sub-select may both have it", ref.Fields[0]),
			fmt.Sprintf("For the row's column write t.%s, for another one its alias and a dot. Rename it if it is an output column.", ref.Fields[0]))
	}
	return !ref.Derived
}

// runValues are run.id and run.reason, which steps read: in a batch, and (true) where there is no run.
var runValues = map[string]map[bool]sqlText{
	"id":     {false: "($1).run_id", true: "NULL::bigint"},
	"reason": {false: "($1).reason", true: "NULL::text"},
}

// scalar is the sub-select that is read in the place of a join's column where no FROM clause has the join, and so that a
// second row is PostgreSQL's own error.
func (b *binder) scalar(ref pgparse.ColumnRef) (sqlText, bool) {
	for _, j := range slices.Backward(b.scalars) {
		if string(j.Name) == ref.Fields[0] {
			return fragment("scalar join", fields{"Join": j, "Column": ident(ref.Fields[1])}), true
		}
	}
	return "", false
}

// knownColumn finds a column that the policy names, and refuses one that is not there.
func (c *compiler) knownColumn(table *catalog.Table, name string, at diag.Position) *catalog.Column {
	column := table.Column(name)
	if column == nil {
		hint := policy.DidYouMean(name, columnNames(table))
		if hint == "" && table.Kind == "partitions" {
			hint = "Write one of schema, name, parent, lower and upper. To read the rows of a partition, write a sub-select: FROM partition."
		}
		c.refuse(at, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(table), name), hint)
	}
	return column
}

// needOperators refuses a column whose type has operators that what is generated would not find: PostgreSQL would take those of
// another type, by which other values are equal.
func (c *compiler) needOperators(column *catalog.Column, at diag.Position) {
	if path := c.file.Install.SearchPath; column.Operators != "" && !slices.Contains(path, column.Operators) {
		c.refuse(at, CodeExpression, fmt.Sprintf("operators of type %s of column %q are in schema %q, which is not in search_path", column.Plain(), column.Name, column.Operators),
			fmt.Sprintf(`Write install: {search_path: [%s]}, and run "pgretain snapshot".`, strings.Join(append(slices.Clone(path), column.Operators), ", ")))
	}
}

// named reports whether a table has a name in its FROM clause.
func named(tables []pgparse.TableRef, name string) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool {
		return t.Alias == name || t.Alias == "" && t.Name == name
	})
}

// namesBatch says whether SQL reads the relation "batch".
func namesBatch(tables []pgparse.TableRef) bool {
	return slices.ContainsFunc(tables, func(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" })
}

// systemColumns are those that every table has.
// https://www.postgresql.org/docs/current/ddl-system-columns.html
var systemColumns = []string{"ctid", "tableoid", "xmin", "xmax", "cmin", "cmax"}

// sqlName is a name as SQL writes it, quotes included.
const sqlName = `(?:"(?:[^"]|"")*"|[\w$\x{80}-\x{10FFFF}]+)`

var (
	oneName  = regexp.MustCompile(`^` + sqlName)
	twoNames = regexp.MustCompile(`^` + sqlName + `\s*\.\s*` + sqlName)
)

// ownColumnsOnly says whether an expression reads nothing but the row's own columns and calls
// nothing that could: only then may it be judged in the statement that deletes, because other
// tables would be read as they were before a lock was waited for.
func ownColumnsOnly(e *pgparse.Expr) bool { return readsOnly(e, "t") && harmlessOnly(e) }

// readsOnly says whether an expression has no sub-select and reads columns of relations of these names, or bare ones.
func readsOnly(e *pgparse.Expr, names ...string) bool {
	return !e.Subquery && !slices.ContainsFunc(e.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 1 && !slices.Contains(names, ref.Fields[0])
	})
}

func (b *binder) readsOwnColumns(e policy.Expr) bool { return ownColumnsOnly(b.parse(e)) }

func harmlessOnly(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(e.Calls, func(c pgparse.Call) bool {
		return c.Schema != "" && c.Schema != "pg_catalog" || !slices.Contains(harmless, c.Name)
	})
}

// calls says whether an expression calls a function of one of some names.
func calls(e *pgparse.Expr, names ...string) bool {
	return slices.ContainsFunc(e.Calls, func(c pgparse.Call) bool { return slices.Contains(names, c.Name) })
}

// harmless are functions of pg_catalog that read no table.
var harmless = []string{
	"count", "max", "min", "sum", "bool_and", "bool_or", "abs", "btrim", "ceil", "char_length", "date_part", "date_trunc",
	"extract", "floor", "jsonb_typeof", "left", "length", "lower", "ltrim", "make_interval", "mod", "position", "replace",
	"right", "round", "rtrim", "split_part", "starts_with", "substring", "timezone", "to_timestamp", "trim", "upper",
}
