package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

const maxName = 40 // leaves room in PostgreSQL's 63 bytes for what generated names add

var (
	ownName    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	systemName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	// relations of generated statements that an expression could mean instead of a table.
	generatedRelation = regexp.MustCompile(`^(boundary|part|judged|taken|(places|step)_.*)$`)
	// reserved names have a meaning in expressions; hold is the guard that is always there, passed what a step leaves.
	reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}
)

// named checks a name that the file defines: of a policy, guard, join, job or alias.
func (r *reader) named(f field, name, what string) {
	at := r.at(f.value)
	if f.key != nil && f.key.Value == name {
		at = r.at(f.key)
	}
	switch {
	case slices.Contains(reserved, name):
		r.add(codeReserved, at, fmt.Sprintf("%s name %q is reserved", what, name), "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another name.")
	case !ownName.MatchString(name):
		r.add(codeName, at, fmt.Sprintf("invalid %s name %q", what, name), "", "Use lower-case letters, digits and underscores, and begin with a letter.")
	case len(name) > maxName:
		r.add(codeName, at, fmt.Sprintf("%s name %q is too long", what, name), "", fmt.Sprintf("Use at most %d characters.", maxName))
	}
}

// system checks the name of a role or schema of the install.
func (r *reader) system(f field, fallback string) string {
	if f.value == nil {
		return fallback
	}
	name, ok := r.text(f)
	if !ok {
		return fallback
	}
	if !systemName.MatchString(name) || len(name) > 50 {
		r.add(codeName, r.at(f.value), fmt.Sprintf("invalid %s name %q", f.name(), name), "", "Use at most 50 lower-case letters, digits and underscores, and begin with a letter.")
	} else if strings.HasPrefix(name, "pg_") || slices.Contains([]string{"public", "none", "cron", "information_schema"}, name) {
		r.add(codeReserved, r.at(f.value), fmt.Sprintf("%s name %q is reserved", f.name(), name), "", "Choose another name.")
	}
	return name
}

// identifier reads a name by SQL's rules, of at most max parts.
func (r *reader) identifier(f field, what string, max int) ([]string, bool) {
	text, ok := r.text(f)
	if !ok {
		return nil, false
	}
	parts, err := pgparse.Name(text)
	if err == nil && len(parts) <= max {
		return parts, true
	}
	detail := ""
	if err != nil && strings.Contains(err.Error(), "63 bytes") {
		detail = "A name has at most 63 bytes."
	}
	r.add(codeIdentifier, r.at(f.value), fmt.Sprintf("%q is not the name of %s", text, what), detail,
		"Write it as in SQL; a name with capitals, spaces or a reserved word goes in double quotes, within the YAML text.")
	return nil, false
}

// table reads schema.name or name, which is in schema public.
func (r *reader) table(f field) (Table, bool) {
	parts, ok := r.identifier(f, "a table", 2)
	if !ok {
		return Table{}, false
	}
	if len(parts) == 1 {
		parts = []string{"public", parts[0]}
	}
	return Table{Schema: parts[0], Name: parts[1], Position: r.at(f.value)}, true
}

func (r *reader) tables(f field) []Table {
	var tables []Table
	for _, item := range r.list(f) {
		t, ok := r.table(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(tables, t.same) {
			r.add(codeRunTwice, t.Position, fmt.Sprintf("table %q is already listed in %q", t, f.name()), "", "")
		}
		tables = append(tables, t)
	}
	return tables
}

// same compares names, not places.
func (t Table) same(other Table) bool { return t.Schema == other.Schema && t.Name == other.Name }

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

// didYouMean is a hint with the nearest of the known names, or "".
func didYouMean(name string, known []string) string {
	best, distance := "", min(2+len(name)/4, len(name))
	for _, candidate := range known {
		if d := levenshtein.Distance(name, candidate, nil); d < distance {
			best, distance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("Did you mean %q?", best)
}

// notYet reports a construct that the language has and this version does not.
func (r *reader) notYet(at diag.Position, construct, instead string) {
	r.add(codeNotYet, at, "construct "+construct+" is not supported yet", "", instead)
}
