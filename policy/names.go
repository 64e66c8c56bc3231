package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
)

// generatedRelation is one of generated statements that an expression could mean instead of a table.
var generatedRelation = regexp.MustCompile(`^(boundary|part|judged|taken|(places|step)_.*)$`)

// scope says what names a piece of SQL may put before a dot and whether it may read keep.
type scope struct {
	names  []string // t, joins, aliases of steps; nil: any
	rank   bool     // may read keep.<guard>
	guards []string // those that it may read
	later  []string // guards that come too late

	run       bool   // may read run.id and run.reason
	rowless   bool   // there is no row: no name stands alone but as_of
	condition bool   // what is read has to be a boolean
	once      string // what a query is, for messages, that is read when the run starts
}

func (s scope) with(name string) scope {
	s.names = append(slices.Clone(s.names), name)
	return s
}

// checkUnused holds that a name means one thing in an expression.
func (r *reader) checkUnused(at diag.Position, name string, s scope) {
	if slices.Contains(s.names, name) && name != "t" {
		r.add(codeSameName, at, fmt.Sprintf("name %q is taken already", name), "It is the name of a join, a related row or an inserted row above.", "Choose another name.")
	}
}

// checkSQL checks what one piece of SQL refers to.
func (r *reader) checkSQL(e *Expr, kind string, s scope) {
	parsed := Part{Expr: *e, Kind: kind}.Parsed()
	if s.once != "" {
		r.checkOnce(e, parsed, s)
	}
	if kind != IsExpression {
		s.names = nil // any name before a dot may be one of its own tables
	}
	s.rowless = s.rowless && kind != IsQuery
	r.checkWords(e, parsed)
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
		r.checkColumn(e.At(column.Offset), column, s)
	}
}

// checkWords refuses what another instant, session or call would answer otherwise.
func (r *reader) checkWords(e *Expr, parsed *pgparse.Expr) {
	if word := parsed.Clock; word.Text != "" {
		hint := "Write as_of, the instant of the run."
		if word.Text[0] == '\'' {
			hint = fmt.Sprintf("Write as_of, the instant of the run, or %s::text where it is a text.", word.Text)
		}
		r.add(codeClock, e.At(word.Offset), fmt.Sprintf("clock %q is not allowed in an expression", word.Text),
			"It would be another instant than the one that the run is judged by.", hint)
	}
	if word := parsed.Session; word.Text != "" {
		hint := fmt.Sprintf("Write a column of that name as t.%q.", word.Text)
		switch {
		case word.Text[0] == '@':
			hint = "Say what its left side is: to_tsvector('english', body), or a column with its type, search::tsvector."
		case strings.HasPrefix(strings.TrimLeft(e.SQL[word.Offset+len(word.Text):], " "), "("):
			hint = "Give it the configuration as its first argument, as in to_tsvector('english', body)."
		}
		r.add(codeClock, e.At(word.Offset), fmt.Sprintf("%q goes by the session that asks, not by the row", word.Text),
			"A run would judge rows otherwise than a preview.", hint)
	}
	if word := parsed.Parameter; word.Text != "" {
		r.add(codeParameter, e.At(word.Offset), "a parameter is not allowed in an expression", "", "Write the value, or as_of, run.id or run.reason.")
	}
}

// checkOnce holds that a query which is read at the start of the run, when there is no row yet, does not name one.
func (r *reader) checkOnce(e *Expr, parsed *pgparse.Expr, s scope) {
	// The names by which its own tables are known in it.
	own := lists.Map(parsed.Tables, func(t pgparse.TableRef) string { return cmp.Or(t.Alias, t.Name) })
	hint := "Compare with the row in \"where\", or write the query alone, as text."
	if s.once != onceJoin {
		hint = "Name the query's own tables only."
	}
	for _, c := range parsed.Columns {
		if len(c.Fields) > 0 && (len(c.Fields) > 1 || c.Star) && slices.Contains(s.names, c.Fields[0]) && !slices.Contains(own, c.Fields[0]) {
			r.add(codeJoinReadsRow, e.At(c.Offset), fmt.Sprintf("%s cannot name %q", s.once, c.Fields[0]), "It is read at the start of the run, before any row is looked at.", hint)
		}
	}
}

func (r *reader) checkColumn(at diag.Position, column pgparse.ColumnRef, s scope) {
	if len(column.Fields) == 0 {
		return
	}
	qualifier := column.Fields[0]
	switch {
	case len(column.Fields) == 1 && !column.Star:
		if s.rowless && column.Depth == 0 && qualifier != "as_of" {
			hint := "Write a constant, or as_of; a text needs SQL's own quotes."
			if len(s.names) > 0 && s.names[0] != "" {
				hint = fmt.Sprintf("Write %s.%s for the column of the other table.", s.names[0], qualifier)
			}
			r.add(codeRowless, at, fmt.Sprintf("column %q is not known here", qualifier), "There is no row yet when this is evaluated.", hint)
		}
	case qualifier == "keep":
		r.checkGuardName(at, strings.Join(column.Fields[1:], "."), s)
	case qualifier == "run" && len(column.Fields) == 2 && (column.Fields[1] == "id" || column.Fields[1] == "reason"):
		if !s.run {
			r.add(codeRunOutside, at, fmt.Sprintf("run.%s is not allowed here", column.Fields[1]), "Only steps know the run: conditions give the same answer in a preview.", "")
		}
	case qualifier == "run" || column.Depth == 0 && s.names != nil && !slices.Contains(s.names, qualifier):
		known := slices.Clone(s.names)
		if s.run {
			known = append(known, "run.id", "run.reason")
		}
		detail := ""
		if len(known) > 0 {
			detail = "Known here: " + strings.Join(known, ", ") + "."
		}
		r.add(codeQualifier, at, fmt.Sprintf("unknown name %q before a dot", qualifier), detail, DidYouMean(qualifier, s.names))
	}
}

// checkGuardName checks keep.<name>.
func (r *reader) checkGuardName(at diag.Position, name string, s scope) {
	switch {
	case !s.rank:
		r.add(codeGuardOutside, at, fmt.Sprintf("keep.%s is not allowed here", name), "", "Only per, order and among of a rank read the verdicts of guards.")
	case slices.Contains(s.guards, name) || name == "hold":
	case slices.Contains(s.later, name):
		r.add(codeUnknownGuard, at, fmt.Sprintf("guard %q is defined later", name), "", fmt.Sprintf("Move %q up: a rank reads the guards above it.", name))
	default:
		r.add(codeUnknownGuard, at, fmt.Sprintf("unknown guard %q", name), "", DidYouMean(name, append(slices.Clone(s.guards), "hold")))
	}
}
