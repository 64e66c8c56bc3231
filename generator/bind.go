package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// sqlText is SQL that may stand in a template as it is: something the project wrote, or an
// expression of the policy that was parsed.
type sqlText string

// ident is a name from outside; it prints itself in quotes.
type ident string

func (i ident) String() string { return quote.Ident(string(i)) }

// literal is a text value; it prints itself in quotes.
type literal string

func (l literal) String() string { return quote.Literal(string(l)) }

// binder turns the expressions of one policy into SQL that means the same in every place where
// it is generated: names of the row's columns are tied to the alias t, as_of to a variable.
type binder struct {
	policy  *policy.Policy
	table   *catalog.Table
	diags   *diag.List
	asOf    sqlText                             // what as_of is called where the expression goes
	verdict func(guard string) (sqlText, error) // what keep.<name> means; nil: refused
	blank   bool                                // there is no run: its values are NULL
	batch   sqlText                             // the batch's rows as a relation; "" where there is none
	inStep  bool                                // run.id and run.reason may be read
	aliases map[string]*catalog.Table           // whose columns are known, by what they are called here
	scalars []scalarJoin                        // joins that are read as sub-selects, latest last
	content sqlText                             // what the relation "partition" stands for, "" for nothing
	instead func(pgparse.TableRef) sqlText      // what a table is read as, "" for itself; nil: all are themselves
	schema  func(pgparse.TableRef) string       // of a table that is named without one, "" where nobody knows
}

// bound is an expression with what the generator needs to know of it.
type bound struct {
	parsed *pgparse.Expr
	source policy.Expr
}

// parse reads an expression again; it was checked when the file was read, so that a mistake here
// is one of position only.
func (b *binder) parse(e policy.Expr) (bound, bool) {
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		b.refuse(e.Position, codeExpression, err.Error(), "")
		return bound{}, false
	}
	return bound{parsed, e}, b.onOneLine(e)
}

// onOneLine refuses a text that would be another one on one line.
func (b *binder) onOneLine(e policy.Expr) bool {
	offset := pgparse.BreakInside(e.SQL)
	if offset >= 0 {
		b.refuse(e.At(offset), codeExpression, "a line break inside quotes", `Write it as E'...\n...'.`)
	}
	return offset < 0
}

func (b *binder) refuse(at diag.Position, code, message, hint string) {
	b.diags.Add(diag.Diagnostic{Position: at, Code: code, Message: message, Hint: hint})
}

// bind ties an expression's names.
func (b *binder) bind(e policy.Expr) sqlText {
	expr, ok := b.parse(e)
	if !ok {
		return "NULL"
	}
	return sqlText(smooth(pgparse.Splice(flat(e.SQL), b.edits(expr))))
}

func (b *binder) edits(expr bound) []pgparse.Edit {
	edits := append(b.batchEdits(expr), b.partitionEdits(expr.source, expr.parsed)...)
	edits = append(edits, b.insteadEdits(expr)...)
	edits = append(edits, b.schemaEdits(expr.parsed)...)
	for _, ref := range expr.parsed.Columns {
		if ref.Depth > 0 && len(ref.Fields) > 1 && named(expr.parsed.Tables, ref.Fields[0]) {
			continue // of a sub-select's own table
		}
		edit, ok := b.edit(expr.source, ref)
		if ok {
			edits = append(edits, edit)
		}
	}
	return edits
}

func (b *binder) edit(e policy.Expr, ref pgparse.ColumnRef) (pgparse.Edit, bool) {
	first, rest := firstField(ref), len(ref.Fields)
	switch {
	case rest == 1 && !ref.Star && first == "as_of":
		return pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: string(b.asOf)}, true
	case first == "keep" && rest == 2:
		return b.keepEdit(e, ref)
	case first == "run" && rest == 2 && b.inStep:
		return b.runEdit(e, ref)
	case first == "run" && rest == 2:
		b.refuse(e.At(ref.Offset), codeExpression, "\"run\" cannot be read here",
			"Only steps know the run; conditions must give the same answer in preview.")
	case first == "t" && rest == 2 && !ref.Star && b.table.Column(ref.Fields[1]) == nil:
		b.refuse(e.At(ref.Offset), codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(b.table), ref.Fields[1]), didYouMean(ref.Fields[1], columnNames(b.table)))
	case rest == 1 && !ref.Star && ref.Depth == 0:
		return b.columnEdit(e, ref)
	case rest == 2 && !ref.Star:
		b.checkAlias(e, ref)
		return b.scalarEdit(e, ref)
	}
	return pgparse.Edit{}, false
}

// columnEdit ties a bare name outside every sub-select: it is a column of the row, even where a
// joined table has one of that name.
func (b *binder) columnEdit(e policy.Expr, ref pgparse.ColumnRef) (pgparse.Edit, bool) {
	name := ref.Fields[0]
	if b.table.Column(name) == nil {
		b.refuse(e.At(ref.Offset), codeNoColumn,
			fmt.Sprintf("table %q has no column %q", tableName(b.table), name),
			didYouMean(name, columnNames(b.table)))
		return pgparse.Edit{}, false
	}
	return pgparse.Edit{Offset: ref.Offset, Text: "t."}, true
}

func (b *binder) keepEdit(e policy.Expr, ref pgparse.ColumnRef) (pgparse.Edit, bool) {
	if b.verdict == nil {
		b.refuse(e.At(ref.Offset), codeExpression, "\"keep\" cannot be read here",
			"Only a rank's order and among may read what guards say.")
		return pgparse.Edit{}, false
	}
	text, err := b.verdict(ref.Fields[1])
	if err != nil {
		b.refuse(e.At(ref.Offset), codeExpression, err.Error(), "")
		return pgparse.Edit{}, false
	}
	return pgparse.Edit{Offset: ref.Offset, Length: qualifiedLength(e.SQL[ref.Offset:]), Text: string(enclosed(text))}, true
}

// nameLength is the length of the first name in sql, quotes included.
func nameLength(sql string) int {
	if !strings.HasPrefix(sql, `"`) {
		return len(sql) - len(strings.TrimLeftFunc(sql, isNameRune))
	}
	for i := 1; i < len(sql); i++ {
		if sql[i] != '"' {
			continue
		}
		if i+1 < len(sql) && sql[i+1] == '"' {
			i++
			continue
		}
		return i + 1
	}
	return len(sql)
}

// qualifiedLength is the length of "a.b" at the start of sql, spaces around the dot included.
func qualifiedLength(sql string) int {
	n := nameLength(sql)
	dot := strings.IndexByte(sql[n:], '.')
	second := n + dot + 1
	second += len(sql[second:]) - len(strings.TrimLeft(sql[second:], " \t\n"))
	return second + nameLength(sql[second:])
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || r >= 0x80 ||
		r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// oneLine puts an expression on one line, so that no migration tool reads a line of it as its own
// markers.
func oneLine(sql string) string { return smooth(flat(sql)) }

func tableName(t *catalog.Table) string { return t.Schema + "." + t.Name }

func columnNames(t *catalog.Table) []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// ownColumnsOnly says whether an expression reads nothing but the row's own columns and calls
// nothing that could: only then may it be judged in the statement that deletes, because other
// tables would be read as they were before a lock was waited for.
func ownColumnsOnly(e *pgparse.Expr) bool {
	if e.Subquery {
		return false
	}
	for _, ref := range e.Columns {
		if len(ref.Fields) > 1 && ref.Fields[0] != "t" {
			return false
		}
	}
	return harmlessOnly(e)
}

func harmlessOnly(e *pgparse.Expr) bool {
	return !slices.ContainsFunc(e.Functions, func(name string) bool { return !slices.Contains(harmless, name) })
}

// harmless are functions of pg_catalog that read no table.
var harmless = []string{
	"count", "max", "min", "sum", "bool_and", "bool_or", "abs", "btrim", "ceil", "char_length", "date_part", "date_trunc", "extract", "floor", "jsonb_typeof",
	"left", "length", "lower", "ltrim", "make_interval", "mod", "position", "replace", "right", "round",
	"rtrim", "split_part", "starts_with", "substring", "timezone", "to_timestamp", "trim", "upper",
}

func firstField(ref pgparse.ColumnRef) string {
	if len(ref.Fields) == 0 {
		return ""
	}
	return ref.Fields[0]
}
