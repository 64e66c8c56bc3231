package policy

import (
	"errors"
	"fmt"
	"regexp"
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

var word = regexp.MustCompile(`^[\pL\pN_."$]+`)

// raw is the SQL of a scalar: text is an expression, null, true, false and numbers are SQL's.
func (r *reader) raw(f field) (Expr, bool) {
	const wanted = "an SQL expression"
	node, ok := r.kind(f, yaml.ScalarNode, wanted)
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
		return e, r.number(node)
	}
	return e, true
}

var sqlNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// number refuses what YAML and SQL read differently.
func (r *reader) number(node *yaml.Node) bool {
	if sqlNumber.MatchString(node.Value) {
		return true
	}
	r.add(codeNumber, r.at(node), fmt.Sprintf("%q is not a plain number", node.Value), "", "Write decimal digits, or quote the value to make it an SQL expression.")
	return false
}

// expression reads and checks one SQL expression.
func (r *reader) expression(f field, s scope) *Expr {
	e, ok := r.raw(f)
	if !ok {
		return nil
	}
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		r.sqlError(e, "expression", err)
		return nil
	}
	r.names(e, parsed, s)
	return &e
}

// query reads and checks one SELECT.
func (r *reader) query(f field, s scope) (*Expr, *pgparse.Expr) {
	if _, ok := r.text(f); !ok {
		return nil, nil
	}
	e, _ := r.raw(f)
	parsed, err := pgparse.Query(e.SQL)
	if err != nil {
		r.sqlError(e, "query", err)
		return nil, nil
	}
	// Within a query any name before a dot may be one of its own tables.
	s.names, s.rowless = nil, false
	r.names(e, parsed, s)
	return &e, parsed
}

func (r *reader) sqlError(e Expr, what string, err error) {
	at := e.Position
	var place *pgparse.Error
	if errors.As(err, &place) {
		at = e.At(place.Offset)
	}
	r.add(codeExpression, at, fmt.Sprintf("invalid SQL %s: %s", what, err), "", sqlHint(what, err.Error()))
}

func sqlHint(what, message string) string {
	switch {
	case strings.Contains(message, "comment"):
		return "Write it as a YAML comment."
	case what == "statement" && strings.Contains(message, "one SELECT"):
		return "Write each statement as a step of its own."
	case what == "query" && (strings.Contains(message, "this is not") || strings.Contains(message, "syntax error")):
		return "Write SELECT and what it reads."
	case strings.Contains(message, "semicolon"), strings.Contains(message, "this is not"):
		return "Write what could stand between parentheses, and nothing else."
	}
	return ""
}
