package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var codeApplication = diag.Register("P070", "function for applications cannot be generated")

// application lists the functions that a policy generates for applications.
func (w *work) application() []Object {
	var objects []Object
	if w.policy.Claim != nil {
		objects = append(objects, w.claim(w.policy.Claim)...)
	}
	if w.policy.Touch != nil {
		objects = append(objects, w.touch(w.policy.Touch)...)
	}
	return objects
}

// applicationData is what all their templates read.
type applicationData struct {
	Schema, Function, Signature, Policy string
	PolicyLiteral, Zone                 literal
	SearchPath                          []ident
	Table                               sqlText
	TableComment                        string
}

// applicationFunction begins a function <policy>_<suffix>(arguments) on a table.
func (w *work) applicationFunction(suffix, arguments string, table *catalog.Table) applicationData {
	name := w.policy.Name + "_" + suffix
	return applicationData{
		Schema: w.schema(), Function: name, Signature: name + "(" + arguments + ")", Policy: w.policy.Name,
		PolicyLiteral: literal(w.policy.Name),
		Zone:          literal(w.file.Install.TimeZone), SearchPath: w.searchPath(),
		Table: qualified(table), TableComment: tableComment(table),
	}
}

// calledBy lets the roles of "grant", and operators, call a function for applications.
func (w *work) calledBy(grant []policy.Name, o Object) Object {
	o.As, o.Grants = AsWorker, w.callers(grant)
	return o
}

// callersByWord are the roles of "grant", by the last word of the names of the functions that they may call; who
// may call what without it is retention._close's business.
func (w *work) callersByWord() map[string][]string {
	callers := map[string][]string{}
	add := func(grant []policy.Name, words ...string) {
		for _, word := range words {
			if len(grant) > 0 {
				callers[word] = names(grant)
			}
		}
	}
	if c := w.policy.Claim; c != nil {
		add(c.Grant, "claim", "seen")
		if c.Cursor != nil {
			add(c.Grant, "advance", "cursor")
		}
	}
	if w.policy.Touch != nil {
		add(w.policy.Touch.Grant, "touch")
	}
	return callers
}

func tableComment(table *catalog.Table) string { return comment(tableName(table)) }

// callers are the roles that may call a function for applications: those of "grant", and operators.
func (w *work) callers(grant []policy.Name) []string {
	var roles []string
	in := w.file.Install.Roles
	if !in.None {
		roles = append(roles, in.Operator)
	}
	for _, name := range grant {
		roles = append(roles, name.Text)
		if in.None || !slices.Contains([]string{in.Owner, in.Worker, in.Runner, in.Operator, in.Viewer}, name.Text) {
			w.granted = append(w.granted, name)
		}
	}
	return roles
}

// applicationNames are variables of these functions, beside generatedNames.
var applicationNames = []string{"p_key", "p_keys", "p_ttl", "p_id", "v_now", "v_until", "v_expires", "v_free", "v_won", "v_key"}

var numberedName = regexp.MustCompile(`^p_[0-9]+$`)

// refuseNames refuses a table with a column that a function's variable is called like.
func (w *work) refuseNames(table *catalog.Table, at diag.Position) bool {
	for _, column := range table.Columns {
		if isGeneratedName(column.Name) || slices.Contains(applicationNames, column.Name) || numberedName.MatchString(column.Name) {
			w.refuse(at, codeReservedName,
				fmt.Sprintf("column %q of table %q has the name of a variable of the generated function", column.Name, tableName(table)), "")
			return true
		}
	}
	return false
}

// writableColumn looks up a column that a function writes.
func (w *work) writableColumn(table *catalog.Table, name string, at diag.Position) *catalog.Column {
	column := table.Column(name)
	switch {
	case column == nil:
		w.refuse(at, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(table), name), didYouMean(name, columnNames(table)))
	case column.Generated:
		w.refuse(at, codeApplication, fmt.Sprintf("column %q of table %q is generated", name, tableName(table)), "Name one that can be written.")
		return nil
	}
	return column
}

// uniqueKey is the column by which a function finds one row: it must be unique by itself.
func (w *work) uniqueKey(table *catalog.Table, key policy.Name) *catalog.Column {
	column := w.writableColumn(table, key.Text, key.Position)
	switch {
	case column == nil:
		return nil
	case strings.HasSuffix(column.Type, "[]"):
		w.refuse(key.Position, codeApplication, fmt.Sprintf("key %q is an array", key.Text), "A call with many keys could not be told from one with one key.")
		return nil
	case !isUnique(table, key.Text):
		w.refuse(key.Position, codeApplication, fmt.Sprintf("no unique index on column %q of table %q alone", key.Text, tableName(table)),
			fmt.Sprintf("Make it the primary key, or CREATE UNIQUE INDEX ON %s (%s), without WHERE.", qualified(table), ident(key.Text)))
		return nil
	}
	return column
}

func isUnique(table *catalog.Table, column string) bool {
	return slices.Equal(table.PrimaryKey, []string{column}) || slices.ContainsFunc(table.Indexes, func(i catalog.Index) bool {
		return i.Unique && i.Valid && i.Predicate == "" && slices.Equal(i.Columns, []string{column})
	})
}

// refuseUnset refuses to insert into a table with a column that must have a value and gets none.
func (w *work) refuseUnset(table *catalog.Table, given []string, at diag.Position) bool {
	for _, column := range table.Columns {
		if column.NotNull && column.Default == "" && !column.Generated && column.Identity == "" && !slices.Contains(given, column.Name) {
			w.refuse(at, codeApplication, fmt.Sprintf("column %q of table %q is NOT NULL, has no default and is not set", column.Name, tableName(table)),
				"Give it a default, or a value in \"set\".")
			return true
		}
	}
	return false
}

// instantOnly is an expression that may read as_of and nothing of a row.
func (w *work) instantOnly(e policy.Expr) sqlText { return w.valueFrom(e, nil, "") }

// valueFrom is an expression that may read as_of and the columns of a table called alias.
func (w *work) valueFrom(e policy.Expr, from *catalog.Table, alias string) sqlText {
	parsed, ok := w.parse(e)
	if !ok {
		return "NULL"
	}
	var edits []pgparse.Edit
	for _, ref := range parsed.parsed.Columns {
		switch {
		case len(ref.Fields) == 1 && ref.Fields[0] == "as_of":
			edits = append(edits, pgparse.Edit{Offset: ref.Offset, Length: nameLength(e.SQL[ref.Offset:]), Text: string(w.asOf)})
		case from != nil && len(ref.Fields) == 2 && ref.Fields[0] == alias && !ref.Star:
			if from.Column(ref.Fields[1]) == nil {
				w.refuse(e.At(ref.Offset), codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(from), ref.Fields[1]), didYouMean(ref.Fields[1], columnNames(from)))
			}
		case ref.Depth == 0:
			w.refuse(e.At(ref.Offset), codeExpression, fmt.Sprintf("%q cannot be read here: the row is not there yet", strings.Join(ref.Fields, ".")), "")
		}
	}
	return enclosed(sqlText(smooth(pgparse.Splice(flat(e.SQL), edits))))
}

var typeModifier = regexp.MustCompile(`\([0-9, -]+\)`)

// argumentType is a column's type as a function's argument has it: without length or precision.
func argumentType(typ string) string {
	if strings.Contains(typ, `"`) {
		return typ
	}
	return strings.Join(strings.Fields(typeModifier.ReplaceAllString(typ, "")), " ")
}

// castType is a type to cast to: "character" alone would be one character.
func castType(typ string) string {
	if base := argumentType(typ); base != "character" {
		return base
	}
	return "bpchar"
}
