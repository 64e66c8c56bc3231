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

var word = regexp.MustCompile(`^[\pL\pN_."$]+`)

// scope says what names an expression may put before a dot and whether it may read keep.
type scope struct {
	names  []string // t, joins, aliases of steps; nil: any
	rank   bool     // may read keep.<guard>
	guards []string // those that it may read
	later  []string // guards that come too late

	run        bool // may read run.id and run.reason
	rowless    bool // there is no row: no name stands alone but as_of
	partitions bool // the rows are partitions
	table      Table
}

func (s scope) with(name string) scope {
	s.names = append(slices.Clone(s.names), name)
	return s
}

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

// names checks what a parsed expression refers to.
func (r *reader) names(e Expr, parsed *pgparse.Expr, s scope) {
	if parsed.TimeFunction != "" {
		r.add(codeClock, e.At(parsed.TimeFunctionOffset), fmt.Sprintf("clock %q is not allowed in an expression", parsed.TimeFunction),
			"It would be another instant than the one that the run is judged by.", "Write as_of, the instant of the run.")
	}
	if parsed.Parameter {
		r.add(codeParameter, e.At(parsed.ParameterOffset), "a parameter is not allowed in an expression", "", "Write the value, or as_of, run.id or run.reason.")
	}
	for _, table := range parsed.Tables {
		if slices.Contains(reserved, table.Alias) {
			r.add(codeReserved, e.At(table.Offset), fmt.Sprintf("alias %q is reserved", table.Alias), "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another alias.")
		}
	}
	for _, column := range parsed.Columns {
		r.column(e, column, s)
	}
}

func (r *reader) column(e Expr, column pgparse.ColumnRef, s scope) {
	if len(column.Fields) < 1 {
		return
	}
	qualifier := column.Fields[0]
	if len(column.Fields) == 1 && !column.Star {
		if s.rowless && column.Depth == 0 && qualifier != "as_of" {
			r.add(codeRowless, e.At(column.Offset), fmt.Sprintf("column %q is not known here", qualifier), "There is no row yet when this is evaluated.", rowlessHint(s, qualifier))
		}
		return
	}
	switch {
	case qualifier == "keep":
		r.verdict(e, column, s)
	case qualifier == "run" && len(column.Fields) == 2 && slices.Contains([]string{"id", "reason"}, column.Fields[1]):
		if !s.run {
			r.add(codeRunOutside, e.At(column.Offset), fmt.Sprintf("run.%s is not allowed here", column.Fields[1]), "Only steps know the run: conditions give the same answer in a preview.", "")
		}
	case qualifier != "run" && (column.Depth > 0 || s.names == nil || slices.Contains(s.names, qualifier)):
	default:
		r.add(codeQualifier, e.At(column.Offset), fmt.Sprintf("unknown name %q before a dot", qualifier), s.known(), didYouMean(qualifier, s.names))
	}
}

// known lists what may stand before a dot.
func (s scope) known() string {
	known := slices.Clone(s.names)
	if s.run {
		known = append(known, "run.id", "run.reason")
	}
	if len(known) == 0 {
		return ""
	}
	return "Known here: " + strings.Join(known, ", ") + "."
}

func rowlessHint(s scope, column string) string {
	if len(s.names) > 0 && s.names[0] != "" {
		return fmt.Sprintf("Write %s.%s for the column of the other table.", s.names[0], column)
	}
	return "Write a constant, or as_of; a text needs SQL's own quotes."
}

// verdict checks keep.<guard>.
func (r *reader) verdict(e Expr, column pgparse.ColumnRef, s scope) {
	name, at := strings.Join(column.Fields[1:], "."), e.At(column.Offset)
	switch {
	case !s.rank:
		r.add(codeGuardOutside, at, fmt.Sprintf("keep.%s is not allowed here", name), "", "Only per, order and among of a rank read the verdicts of guards.")
	case slices.Contains(s.guards, name) || name == "hold":
	case slices.Contains(s.later, name):
		r.add(codeUnknownGuard, at, fmt.Sprintf("guard %q is defined later", name), "", fmt.Sprintf("Move %q up: a rank reads the guards above it.", name))
	default:
		r.add(codeUnknownGuard, at, fmt.Sprintf("unknown guard %q", name), "", didYouMean(name, append(slices.Clone(s.guards), "hold")))
	}
}
