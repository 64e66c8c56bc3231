package policy

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// At returns the position of the character at a byte offset of the expression. The position extends
// to the end of the word. If the file has the expression with escapes or on several lines, At
// returns the position of the whole expression.
func (e Expr) At(offset int) diag.Position {
	if !e.exact() || offset < 0 || offset > len(e.SQL) {
		return e.Position
	}
	at := e.Position
	at.Column += utf8.RuneCountInString(e.SQL[:offset])
	at.Width = max(utf8.RuneCountInString(wordAt(e.SQL[offset:])), 1)
	return at
}

// exact reports whether the file holds the text character by character, in one line.
func (e Expr) exact() bool { return e.Position.Width == utf8.RuneCountInString(e.SQL) }

// wordAt returns the word at the beginning of a text. A word may contain dots and double quotes.
func wordAt(text string) string {
	ends := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(`_."$`, r)
	}
	if end := strings.IndexFunc(text, ends); end >= 0 {
		return text[:end]
	}
	return text
}

// sqlNumber matches numbers that YAML and SQL read alike.
var sqlNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// raw reads the SQL of a scalar. Text is an expression; null, true, false and numbers become SQL
// literals. raw joins the SQL into one line, so that no migration tool reads a line of it as a
// marker.
func (r *reader) raw(f field) Expr {
	node := r.kindOf(f, f.label(), yaml.ScalarNode, "an SQL expression")
	e := Expr{SQL: node.Value, Position: r.content(node)}
	switch node.Tag {
	case "!!null":
		e.SQL = "NULL"
	case "!!bool":
		e.SQL = strings.ToLower(node.Value)
	case "!!timestamp":
		r.fail(messages.DateNotExpression(f.label(), node.Value), r.at(node))
	case "!!int", "!!float":
		if !sqlNumber.MatchString(node.Value) { // YAML and SQL read this number differently
			r.fail(messages.NotNumber(node.Value), r.at(node))
		}
	}
	if offset := pgparse.BreakInside(e.SQL); offset >= 0 {
		r.fail(messages.BreakInSQL, e.At(offset))
	}
	if line := quote.OneLine(e.SQL); line != e.SQL {
		e.SQL, e.Position.Width = line, 1 // this width marks the position as not exact: see exact
	}
	return e
}

// sql reads a query, a statement or an expression. Kind "literal" is a constant, and kind "default"
// is a column's default. The names in the SQL are checked after the whole policy was read.
func (r *reader) sql(f field, kind string) Expr {
	grammar := IsExpression
	if kind == IsQuery || kind == IsStatement {
		grammar = kind
		r.text(f)
	}
	e := r.raw(f)
	result := r.parse(piece{e.SQL, grammar})
	e.parsed = result.expr
	parsed := e.parsed
	switch {
	case result.err != nil && kind == "literal":
		r.fail(messages.NotLiteral(e.SQL, sqlText(e.SQL)), e.Position)
	case result.err != nil:
		r.sqlError(e, grammar, result.err)
	case kind == "literal":
		r.literal(f, e, parsed)
	// The default of a column may read the clock, because it is evaluated when a row is written. No
	// other expression may.
	case kind == "default" && (len(parsed.Columns) > 0 || parsed.Subquery || parsed.Parameter.Text != ""):
		r.fail(messages.InvalidDefault, e.Position)
	}
	return e
}

func (r *reader) sqlError(e Expr, kind string, err error) {
	at := e.Position
	if place, ok := errors.AsType[*pgparse.Error](err); ok {
		at = e.At(place.Offset)
	}
	r.fail(messages.InvalidSQL(kind, err.Error()), at)
}

// sqlText returns a text in SQL quotes, as it stands between double quotes of YAML.
func sqlText(text string) string {
	quoted := strconv.Quote(quote.Literal(text))
	return quoted[1 : len(quoted)-1]
}

// literal checks that a value is a number, true, false, or a text in SQL quotes.
func (r *reader) literal(f field, e Expr, parsed *pgparse.Expr) {
	switch {
	case isNull(f):
		r.fail(messages.LiteralNull(f.label()), e.Position)
	case !parsed.Literal:
		quoted := ""
		if len(parsed.Columns) > 0 && len(parsed.Calls) == 0 && !parsed.Subquery {
			quoted = sqlText(e.SQL)
		}
		r.fail(messages.NotLiteral(e.SQL, quoted), e.Position)
	}
}

// order reads an ORDER BY list. An item has its own position if the file holds the list character
// by character.
func (r *reader) order(f field) (whole Expr, items []OrderItem) {
	r.text(f)
	whole = r.raw(f)
	parsed := r.parse(piece{whole.SQL, isOrder})
	if parsed.err != nil {
		r.sqlError(whole, isOrder, parsed.err)
	}
	for _, item := range parsed.items {
		e := Expr{SQL: item.Expr.SQL, Position: whole.Position, parsed: item.Expr}
		if whole.exact() {
			e.Position.Column += utf8.RuneCountInString(whole.SQL[:item.Offset])
			e.Position.Width = utf8.RuneCountInString(e.SQL)
		}
		items = append(items, OrderItem{Expr: e, Descending: item.Descending, NullsFirst: item.NullsFirst})
	}
	return whole, items
}

// assignments reads a map from columns, or from payload keys, to expressions.
func (r *reader) assignments(f field, kind string) (list []Assignment) {
	m := r.mapping(f, quoted(f.name()), nil)
	for _, key := range m.order {
		f := m.fields[key]
		a := Assignment{Column: key, Position: r.at(f.key)}
		known := r.try(func() {
			if kind == "payload" {
				r.checkRule("payload key", "", f, key, a.Position)
			} else {
				a.Column = r.word(field{value: f.key}, "column")
			}
		})
		if r.value(f, &a.Value, kind) && known {
			list = append(list, a)
		}
	}
	return r.reportRepeated(messages.ColumnTwice, list) // two spellings of a key may name the same column
}

// reportRepeated reports every column that is named a second time, and returns the list without
// these columns.
func (r *reader) reportRepeated(fault func(column string, first diag.Position) diag.Diagnostic, list []Assignment) (
	first []Assignment) {
	for _, a := range list {
		if i := slices.IndexFunc(first, func(b Assignment) bool { return a.Column == b.Column }); i >= 0 {
			r.add(fault(a.Column, first[i].Position), a.Position)
		} else {
			first = append(first, a)
		}
	}
	return first
}
