package policy

import (
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
)

// generatedRelation matches the names of relations in generated statements. If an expression reads
// a table of such a name without a schema, PostgreSQL would read the generated relation instead.
var generatedRelation = regexp.MustCompile(`^(boundary|part|judged|taken|(places|step)_.*)$`)

// scope says which names a piece of SQL may use.
type scope struct {
	names  []string // names allowed before a dot: t, joins, aliases of steps; nil allows any name
	rank   bool     // the SQL may read keep.<guard>
	guards []string // guards that the SQL may read

	run       bool // the SQL may read run.id and run.reason
	rowless   bool // there is no row, so the only name without a dot is as_of
	condition bool // the SQL must be of type boolean
	// for a query that a run reads at its start: its name in messages; "" for other SQL
	once string
}

// withName returns the scope with one more name that is allowed before a dot.
func (s scope) withName(name string) scope {
	s.names = append(slices.Clone(s.names), name)
	return s
}

// checkUnused reports a name that is already in use in the scope.
func (r *reader) checkUnused(at diag.Position, name string, s scope) {
	if slices.Contains(s.names, name) && name != "t" {
		r.add(messages.NameUsed(name), at)
	}
}

// checkSQL checks what one piece of SQL refers to.
func (r *reader) checkSQL(e *Expr, kind string, s scope) {
	parsed := e.parsed
	if s.once != "" {
		r.checkOnce(e, parsed, s)
	}
	if kind != IsExpression {
		s.names = nil // any name before a dot may be one of the query's own tables
	}
	s.rowless = s.rowless && kind != IsQuery
	r.checkWords(e, parsed)
	for _, table := range parsed.Tables {
		if slices.Contains(messages.Reserved, table.Alias) {
			r.add(messages.ReservedAlias(table.Alias), e.At(table.Offset))
		}
		if table.Schema == "" && generatedRelation.MatchString(table.Name) {
			r.add(messages.ReservedRelation(table.Name), e.At(table.Offset))
		}
	}
	for _, column := range parsed.Columns {
		r.checkColumn(e.At(column.Offset), column, s)
	}
}

// checkWords refuses SQL whose result depends on the moment, the session or the call.
func (r *reader) checkWords(e *Expr, parsed *pgparse.Expr) {
	if word := parsed.Clock; word.Text != "" {
		r.add(messages.ReadsClock(word.Text), e.At(word.Offset))
	}
	if word := parsed.Session; word.Text != "" {
		called := strings.HasPrefix(strings.TrimLeft(e.SQL[word.Offset+len(word.Text):], " "), "(")
		r.add(messages.ReadsSession(word.Text, called), e.At(word.Offset))
	}
	if word := parsed.Parameter; word.Text != "" {
		r.add(messages.Parameter, e.At(word.Offset))
	}
}

// checkOnce refuses a column of the row in a query that is read at the start of the run. At that
// time the run has read no row.
func (r *reader) checkOnce(e *Expr, parsed *pgparse.Expr, s scope) {
	// Names of the query's own tables.
	own := lists.Map(parsed.Tables, pgparse.TableRef.Qualifier)
	for _, c := range parsed.Columns {
		qualified := len(c.Fields) > 1 || c.Star && len(c.Fields) == 1
		if qualified && slices.Contains(s.names, c.Fields[0]) && !slices.Contains(own, c.Fields[0]) {
			r.add(messages.OnceNamesRow(s.once, c.Fields[0], s.once == onceJoin), e.At(c.Offset))
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
			r.add(messages.ColumnWithoutRow(qualifier, strings.Join(s.names, "")), at)
		}
	case qualifier == "keep":
		r.checkGuardName(at, strings.Join(column.Fields[1:], "."), s)
	case qualifier == "run" && len(column.Fields) == 2 && (column.Fields[1] == "id" || column.Fields[1] == "reason"):
		if !s.run {
			r.add(messages.RunOutsideStep(column.Fields[1]), at)
		}
	case qualifier == "run" || column.Depth == 0 && s.names != nil && !slices.Contains(s.names, qualifier):
		known := slices.Clone(s.names)
		if s.run {
			known = append(known, "run.id", "run.reason")
		}
		r.add(messages.UnknownName(qualifier, known, s.names), at)
	}
}

// checkGuardName checks the name in keep.<name>.
func (r *reader) checkGuardName(at diag.Position, name string, s scope) {
	switch {
	case !s.rank:
		r.add(messages.KeepOutsideRank(name), at)
	case slices.Contains(s.guards, name) || name == "hold":
	default:
		r.add(messages.GuardNotAbove(name, append(slices.Clone(s.guards), "hold")), at)
	}
}
