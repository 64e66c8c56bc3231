package policy

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

// At is the place of the character at byte offset of the expression, underlined to the end of its
// word. Where the file does not hold the text character by character (escapes, several lines),
// it is the place where the expression begins.
func (e Expr) At(offset int) diag.Position {
	if !e.exact() || offset < 0 || offset > len(e.SQL) {
		return e.Position
	}
	at := e.Position
	at.Column += utf8.RuneCountInString(e.SQL[:offset])
	at.Width = max(utf8.RuneCountInString(word.FindString(e.SQL[offset:])), 1)
	return at
}

// exact says whether the file holds the text character by character, in one line.
func (e Expr) exact() bool { return e.Position.Width == utf8.RuneCountInString(e.SQL) }

var (
	word      = regexp.MustCompile(`^[\pL\pN_."$]+`)
	sqlNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

var lineBreak = regexp.MustCompile(`[ \t]*[\r\n][ \t\r\n]*`)

// raw is the SQL of a scalar: text is an expression, null, true, false and numbers are SQL's. It is one line, so that no
// migration tool reads a line of it as its own markers.
func (r *reader) raw(f field) (Expr, bool) {
	node, ok := r.kindOf(f, f.label(), yaml.ScalarNode, "an SQL expression")
	if !ok {
		return Expr{}, false
	}
	e := Expr{SQL: node.Value, Position: r.content(node)}
	switch node.Tag {
	case "!!null":
		e.SQL = "NULL"
	case "!!bool":
		e.SQL = strings.ToLower(node.Value)
	case "!!timestamp":
		r.add(codeKind, r.at(node), f.label()+" must be an SQL expression, not a date", "", fmt.Sprintf(`Quote it for SQL as well: "'%s'".`, node.Value))
		return e, false
	case "!!int", "!!float":
		if !sqlNumber.MatchString(node.Value) { // YAML and SQL read it differently
			r.add(codeNumber, r.at(node), fmt.Sprintf("%q is not a plain number", node.Value), "", "Write decimal digits, or quote the value to make it an SQL expression.")
			return e, false
		}
	}
	if offset := pgparse.BreakInside(e.SQL); offset >= 0 {
		r.add(codeExpression, e.At(offset), "a line break inside quotes", "", `Write it as E'...\n...'.`)
		return e, false
	}
	if line := lineBreak.ReplaceAllString(e.SQL, " "); line != e.SQL {
		e.SQL, e.Position.Width = line, 1 // see exact
	}
	return e, true
}

// sql reads a piece of SQL: a query or statement, or an expression, of which "literal" is a value that is written
// out and "default" that of a column. What it names is checked when the whole policy has been read.
func (r *reader) sql(f field, kind string) (Expr, bool) {
	if kind == IsQuery || kind == IsStatement {
		if _, ok := r.text(f); !ok {
			return Expr{}, false
		}
		e, _, ok := r.parsed(f, kind)
		return e, ok
	}
	e, parsed, ok := r.parsed(f, IsExpression)
	if ok && kind == "literal" {
		ok = r.isLiteral(f, e, parsed)
	}
	// A default may read the clock, unlike all other expressions: it is the table's, and its value is taken when a
	// row is written.
	if ok && kind == "default" && (len(parsed.Columns) > 0 || parsed.Subquery || parsed.Parameter.Text != "") {
		r.add(codeType, e.Position, "a default cannot name columns, queries or parameters", "", "Write a constant or a function, for example now().")
	}
	return e, ok
}

func (r *reader) parsed(f field, kind string) (Expr, *pgparse.Expr, bool) {
	e, ok := r.raw(f)
	if !ok {
		return e, nil, false
	}
	parsed, err := Part{e, kind}.Parse()
	if err != nil {
		r.sqlError(e, kind, err)
	}
	return e, parsed, err == nil
}

func (r *reader) sqlError(e Expr, kind string, err error) {
	at := e.Position
	if place, ok := errors.AsType[*pgparse.Error](err); ok {
		at = e.At(place.Offset)
	}
	message, hint := err.Error(), ""
	switch {
	case strings.Contains(message, "comment"):
		hint = "Write it as a YAML comment."
	case kind == IsStatement && strings.Contains(message, "one SELECT"):
		hint = "Write each statement as a step of its own."
	case kind == IsQuery && (strings.Contains(message, "this is not") || strings.Contains(message, "syntax error")):
		hint = "Write SELECT and what it reads."
	case strings.Contains(message, "semicolon"), strings.Contains(message, "this is not"):
		hint = "Write what could stand between parentheses, and nothing else."
	}
	r.add(codeExpression, at, fmt.Sprintf("invalid SQL %s: %s", kind, message), "", hint)
}

// isLiteral holds that a value is a number, true, false, or a text in SQL's own quotes.
func (r *reader) isLiteral(f field, e Expr, parsed *pgparse.Expr) bool {
	switch {
	case isNull(f):
		r.add(codeLiteral, e.Position, f.label()+" cannot be null", "NULL equals nothing.", "Write a value.")
		return false
	case !parsed.Literal:
		hint := "Write the value itself."
		if len(parsed.Columns) == 1 && len(parsed.Calls) == 0 && !parsed.Subquery {
			hint = "A text needs SQL's own quotes: \"'" + e.SQL + "'\"."
		}
		r.add(codeLiteral, e.Position, quoted(e.SQL)+" is not a literal", "A number, true, false, or a text in SQL's quotes is one.", hint)
		return false
	}
	return true
}

// order reads an ORDER BY list. An item has a place of its own where the whole has one for every character.
func (r *reader) order(f field) (whole Expr, items []OrderItem) {
	if _, ok := r.text(f); !ok {
		return Expr{}, nil
	}
	whole, ok := r.raw(f)
	if !ok {
		return Expr{}, nil
	}
	parsed, err := pgparse.Order(whole.SQL)
	if err != nil {
		r.sqlError(whole, "order", err)
		return Expr{}, nil
	}
	for _, item := range parsed {
		e := Expr{SQL: item.SQL, Position: whole.Position}
		if whole.exact() {
			e.Position.Column += utf8.RuneCountInString(whole.SQL[:item.Offset])
			e.Position.Width = utf8.RuneCountInString(item.SQL)
		}
		items = append(items, OrderItem{Expr: e, Descending: item.Descending, NullsFirst: item.NullsFirst})
	}
	return whole, items
}

// assignments is a map of columns, or of the keys of a payload, to expressions.
func (r *reader) assignments(f field, kind string) []Assignment {
	m, _ := r.mapping(f, quoted(f.name()), nil)
	var list []Assignment
	for _, key := range m.order {
		f, known := m.fields[key], true
		a := Assignment{Column: key, Position: r.at(f.key)}
		if kind != "payload" {
			a.Column, known = r.identifier(field{value: f.key}, "column")
		} else if !payloadKey.MatchString(key) || len(key) > 63 {
			r.add(codeName, a.Position, fmt.Sprintf("invalid payload key %q", key), "", "Use at most 63 letters, digits, underscores, dots and hyphens, and begin with a letter.")
		}
		value, ok := r.sql(f, kind)
		if !ok || !known {
			continue
		}
		a.Value = value
		// Two keys may name one column, in two spellings.
		if i := slices.IndexFunc(list, func(b Assignment) bool { return a.Column == b.Column }); i >= 0 {
			r.twice(a, list[i])
			continue
		}
		list = append(list, a)
	}
	return list
}

func (r *reader) twice(a, first Assignment) {
	r.add(codeDuplicate, a.Position, fmt.Sprintf("column %q has a value already", a.Column), fmt.Sprintf("The first one is at %s.", first.Position), "")
}
