package policy

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

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

// names checks what a parsed expression refers to.
func (r *reader) names(e Expr, parsed *pgparse.Expr, s scope) {
	if parsed.TimeFunction != "" {
		r.add(codeClock, e.At(parsed.TimeFunctionOffset), fmt.Sprintf("clock %q is not allowed in an expression", parsed.TimeFunction),
			"It would be another instant than the one that the run is judged by.", "Write as_of, the instant of the run.")
	}
	if parsed.Session != "" {
		hint := fmt.Sprintf("Write a column of that name as t.%q.", parsed.Session)
		if strings.HasPrefix(strings.TrimLeft(e.SQL[parsed.SessionOffset+len(parsed.Session):], " "), "(") {
			hint = "Give it the configuration as its first argument, as in to_tsvector('english', body)."
		}
		r.add(codeClock, e.At(parsed.SessionOffset), fmt.Sprintf("%q goes by the session that asks, not by the row", parsed.Session),
			"A run would judge rows otherwise than a preview.", hint)
	}
	if parsed.Parameter {
		r.add(codeParameter, e.At(parsed.ParameterOffset), "a parameter is not allowed in an expression", "", "Write the value, or as_of, run.id or run.reason.")
	}
	for _, table := range parsed.Tables {
		if slices.Contains(reserved, table.Alias) {
			r.add(codeReserved, e.At(table.Offset), fmt.Sprintf("alias %q is reserved", table.Alias), "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another alias.")
		}
		if table.Schema == "" && generatedRelation.MatchString(table.Name) {
			r.add(codeReserved, e.At(table.Offset), fmt.Sprintf("name %q is reserved without a schema", table.Name),
				"What is generated has a relation of this name.", "Write the table with its schema.")
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
