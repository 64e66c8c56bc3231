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

// sqlStep is one statement over the relation batch.
func (r *reader) sqlStep(f field, s scope) (*Expr, bool) {
	if !r.written(f, "an SQL statement over \"batch\"") {
		return nil, false
	}
	if _, ok := r.text(f); !ok {
		return nil, false
	}
	e, _ := r.raw(f)
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		r.sqlError(e, "statement", err)
		return nil, false
	}
	s.names = nil // any name before a dot may be one of its own tables
	r.names(e, &parsed.Expr, s)
	r.overBatch(e, parsed)
	return &e, true
}

// written holds that a step is not the bare name of its verb.
func (r *reader) written(f field, what string) bool {
	if f.value != nil && !isNull(f) {
		return true
	}
	r.add(codeMissing, r.at(f.key), fmt.Sprintf("%s needs %s", quoted(f.name()), what), "", "")
	return false
}

func isBatch(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" }

// overBatch holds that a statement reads the batch, and that what it changes has a schema: which
// tables may be changed is checked when the file is read.
func (r *reader) overBatch(e Expr, parsed *pgparse.Statement) {
	if slices.Contains(parsed.With, "batch") {
		r.add(codeReserved, e.At(parsed.CTEs), `name "batch" is reserved`, "It is the rows of the batch.", "Choose another name after WITH.")
	}
	if !slices.ContainsFunc(parsed.Tables, isBatch) {
		r.add(codeStatement, e.Position, `the statement does not read "batch"`, "It would do the same in every batch, whatever its rows are.", `Name the relation "batch": it holds the rows of the batch, with the table's columns.`)
	}
	for _, w := range parsed.Writes {
		switch {
		case isBatch(w.Table):
			r.add(codeStatement, e.At(w.Table.Offset), `"batch" cannot be changed`, "It is a list of the rows as they were judged.", "Change the policy's table.")
		case w.Table.Schema == "":
			r.add(codeStatement, e.At(w.Table.Offset), fmt.Sprintf("table %q needs its schema", w.Table.Name), "A table that a statement changes is named in full.", fmt.Sprintf("Write for example public.%s.", w.Table.Name))
		}
	}
}

// writes lists what a statement changes; the statement was checked when it was read.
func writes(e *Expr) []Use {
	if e == nil {
		return nil
	}
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return nil
	}
	var uses []Use
	for _, w := range parsed.Writes {
		t := Table{Schema: w.Table.Schema, Name: w.Table.Name, Position: e.At(w.Table.Offset)}
		if t.Schema != "" {
			uses = append(uses, Use{Table: t, Access: Access{Insert: w.Insert, Update: w.Update, Delete: w.Delete}})
		}
	}
	return uses
}

// afterDrop refuses a second end of a partition that is gone.
func (r *reader) afterDrop(steps []Step) {
	dropped := false
	for _, s := range steps {
		if dropped && (s.Drop != nil || s.Detach != nil) {
			r.add(codePartitions, s.Position, "the partition is dropped already", "Steps run in the order of the list.", `Write "drop" once, and "detach" before it.`)
		}
		dropped = dropped || s.Drop != nil
	}
}

// dropTable is an expression that names a table.
func (r *reader) dropTable(f field, s scope) (*Expr, bool) {
	if !r.written(f, "an expression that names a table") {
		return nil, false
	}
	if s.partitions {
		r.add(codePartitions, r.at(f.key), `"drop_table" is not allowed under "partitions_of"`, "It drops a table that a row names, never an attached one.", `Write "drop" for the partition itself.`)
	}
	e := r.expression(f, s)
	return e, e != nil
}

// partitionStep is detach or drop: a bare name.
func (r *reader) partitionStep(step *Step, f field, name string, s scope) bool {
	if f.value != nil && !isNull(f) {
		r.wrongKind(f, f.label(), "alone, without a value")
		return false
	}
	if !s.partitions {
		r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is allowed under \"partitions_of\" only", name), "The rows of this policy are rows of a table.", `Write "delete", or "drop_table" for a table that the row names.`)
		return false
	}
	if name == "detach" {
		step.Detach = &Detach{}
	} else {
		step.Drop = &Drop{}
	}
	return true
}

// guardNames are the names under keep, in order, without complaint.
func (r *reader) guardNames(f field) []string {
	if f.value == nil || resolve(f.value).Kind != yaml.MappingNode {
		return nil
	}
	quiet := &reader{path: r.path, lines: r.lines}
	m, _ := quiet.mapping(f, "", shape{})
	return m.order
}

// keep reads the guards: a condition is an expression, a rank a map. A rank reads the guards
// above it.
func (r *reader) keep(f field, s scope) []Guard {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"keep"`, shape{})
	var guards []Guard
	for i, name := range m.order {
		f := m.fields[name]
		r.named(f, name, "guard")
		g := Guard{Name: name, Position: r.at(f.key)}
		if resolve(f.value).Kind == yaml.MappingNode {
			s := s
			s.rank, s.guards, s.later = true, m.order[:i], m.order[i:]
			g.Rank = r.rank(f, s)
		} else {
			g.Condition = r.expression(f, s)
		}
		guards = append(guards, g)
	}
	return guards
}
