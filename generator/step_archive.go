package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

func init() {
	stepKinds = append(stepKinds, stepKind{
		verb: "archive", copies: true, is: func(s policy.Step) bool { return s.Archive != nil },
		target: func(_ *pageWriter, s policy.Step) string { return s.Archive.Into.String() }, render: (*pageWriter).archive,
	})
}

func (w *pageWriter) archive(s step, b batch) sqlText {
	from := w.sourceTable(s)
	into := w.archiveTable(s, from)
	if into == nil {
		return ""
	}
	d := w.insertFrom(s, b, false, s.Archive.Set)
	d.Into, d.Copied = quotedTable(s.Archive.Into), w.copyCounter(s)
	if name := s.Archive.Document; name == "" {
		w.copyColumns(&d, s, from, into)
	} else if !assigned(s.Archive.Set, name) { // the whole row in one column
		d.Columns, d.Values = []ident{ident(name)}, []sqlText{fragment("whole row", s.alias())}
	}
	w.plainValues(&d, s.Archive.Set)
	w.checkArchive(s.Step, d.Columns, into)
	d.Conflict = w.conflict(s.Step, into, d.Columns)
	if s.Archive.Document == "" || !s.untouched && s.Related == nil {
		// The table must have no column but those that are copied; rows copied as they are take later columns along.
		w.known = append(w.known, reliance{tableName(from), true})
	}
	d.Override = slices.ContainsFunc(d.Columns, func(name ident) bool {
		column := into.Column(string(name))
		return column != nil && column.Identity == "always"
	})
	return inserted("step_insert", "plain insert", d, b)
}

// reliance is a table whose rows a step finds again by their key, or copies by their columns.
type reliance struct {
	table string
	whole bool
}

// copyColumns copies the columns of equal names. One that the archive lacks is refused, not left behind.
func (w *pageWriter) copyColumns(d *insertData, s step, from, into *catalog.Table) {
	for _, column := range from.Columns {
		target := into.Column(column.Name)
		switch {
		case assigned(s.Archive.Set, column.Name), target != nil && target.Generated:
		case target == nil:
			w.refuse(s.Position, codeStep, fmt.Sprintf("archive %q has no column %q for what table %q has", s.Archive.Into, column.Name, tableName(from)),
				"Add the column there, or keep the whole row as a document: archive: {document: ...}.")
		case narrows(column.Plain(), target.Plain()):
			w.refuse(s.Position, codeNarrow, fmt.Sprintf("column %q of archive %q has type %s, and does not hold all values of type %s", column.Name, s.Archive.Into, target.Type, column.Type),
				fmt.Sprintf("Give the archive's column the type %s, or round on purpose, as in set: {%s: \"%s::%s\"}.", column.Type, column.Name, column.Name, target.Type))
		default:
			d.Columns = append(d.Columns, ident(column.Name))
			d.Values = append(d.Values, aliased(s.alias(), ident(column.Name)))
		}
	}
}

func (w *pageWriter) checkArchive(s policy.Step, columns []ident, into *catalog.Table) {
	for _, a := range s.Archive.Set {
		w.knownColumn(into, a.Column, a.Position)
	}
	if name := s.Archive.Document; name != "" && into.Column(name) == nil {
		w.refuse(s.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q for the document", tableName(into), name), policy.DidYouMean(name, columnNames(into)))
	}
	w.checkMissing(s, each(columns, func(name ident) string { return string(name) }), into)
}

// conflict says what becomes of a row that the archive holds already.
func (w *pageWriter) conflict(s policy.Step, into *catalog.Table, columns []ident) conflictText {
	switch s.Archive.Existing {
	case "keep":
		return conflictText{Do: "nothing"}
	case "replace":
		c := conflictText{Do: "update", Target: identifiers(into.PrimaryKey)}
		c.Set = slices.DeleteFunc(slices.Clone(columns), func(name ident) bool { return slices.Contains(into.PrimaryKey, string(name)) })
		if len(c.Target) == 0 || len(c.Set) == 0 || into.Temporal() {
			w.refuse(s.Position, codeStep, fmt.Sprintf("archive %q has no primary key to find the row that it replaces", s.Archive.Into), "Add one that goes by equality, or choose another value for \"existing\".")
		}
		return c
	}
	return conflictText{}
}

// keepsOrReplaces says whether an archive keeps, or writes over, a row that it holds already.
func keepsOrReplaces(a *policy.Archive) bool { return a.Existing == "keep" || a.Existing == "replace" }

// copyCounter is the variable that counts the copies of own rows which must be as many as are
// deleted: those under the same condition as the delete.
func (w *pageWriter) copyCounter(s step) sqlText {
	if s.Related != nil || s.Archive.Existing == "keep" || w.ownDelete == nil {
		return ""
	}
	if a, b := s.Where, w.ownDelete.Where; (a == nil) != (b == nil) || a != nil && a.SQL != b.SQL {
		return ""
	}
	return "v_copied"
}

// copies says whether copied rows are compared with deleted ones.
func (w *pageWriter) copies() bool {
	return slices.ContainsFunc(w.steps(), func(s step) bool { return s.Archive != nil && w.copyCounter(s) != "" })
}

// archiveTable is the table that an archive step writes to: as the snapshot has it, or as the step
// creates it; nil after an error.
func (w *pageWriter) archiveTable(s step, from *catalog.Table) *catalog.Table {
	table := w.tables[s.Archive.Into.String()]
	switch {
	case !s.Archive.Create:
		return w.relation(s.Archive.Into)
	case from == nil:
		return nil
	case table != nil && s.Archive.Document == "" && len(table.PrimaryKey) == 0 && w.history.Has(ID{KindArchive, tableName(table)}):
		// One that an earlier migration made, by the unique index that it has for a key: as before the snapshot knew it.
		copied := *table
		copied.PrimaryKey = from.PrimaryKey
		return &copied
	case table != nil:
		return table
	}
	table = &catalog.Table{Schema: s.Archive.Into.Schema, Name: s.Archive.Into.Name, Kind: "table"}
	if s.Archive.Document == "" {
		table.Columns = each(from.Columns, func(c catalog.Column) catalog.Column { return catalog.Column{Name: c.Name, Type: c.Type} })
		table.PrimaryKey = from.PrimaryKey
	} else {
		table.Columns = []catalog.Column{{Name: s.Archive.Document, Type: "jsonb"}}
	}
	for _, a := range s.Archive.Set {
		if table.Column(a.Column) == nil {
			table.Columns = append(table.Columns, catalog.Column{Name: a.Column})
		}
	}
	return table
}

// createdTables are the archives that no table is there for, or that an earlier migration made.
func (w *pageWriter) createdTables() []Object {
	var objects []Object
	for _, s := range w.steps() {
		if s.Archive == nil || !s.Archive.Create {
			continue
		}
		from := w.sourceTable(s)
		id := ID{KindArchive, s.Archive.Into.String()}
		live := w.tables[id.Name]
		if from == nil || live != nil && !w.history.Has(id) {
			continue
		}
		object := w.createdTable(s, from)
		before, had := w.history.Object(id)
		if had && uncommented(before.SQL) != uncommented(object.SQL) && live == nil {
			w.refuse(s.Archive.Into.Position, codeStep, fmt.Sprintf("archive %q is there already, by an earlier migration, and not in the catalog snapshot", id.Name),
				"Run \"pgretain snapshot\", so that its columns can be compared with those that are wanted now.")
		}
		objects = append(objects, object)
	}
	return objects
}

func (w *pageWriter) createdTable(s step, from *catalog.Table) Object {
	defer w.restored()()
	w.binder.inStep, w.binder.blank, w.binder.asOf = true, true, "NULL::timestamptz"
	w.enterHeaders(s)
	if s.Related != nil {
		w.enterRelated(s)
	}
	name, whole := s.Archive.Into.String(), s.Archive.Document == ""
	var columns, key []ident
	for _, column := range from.Columns {
		if whole && !assigned(s.Archive.Set, column.Name) {
			columns = append(columns, ident(column.Name))
		}
	}
	if whole {
		key = identifiers(from.PrimaryKey)
	}
	document := sqlText(s.Archive.Document)
	if assigned(s.Archive.Set, s.Archive.Document) {
		document = ""
	}
	data := fields{
		"Policy": sqlText(w.policy.Name), "Into": quotedTable(s.Archive.Into), "From": qualified(from), "As": s.alias(),
		"Columns": columns, "Document": document, "Set": w.emptyValues(s), "Key": key,
		"Index": ident(indexName(name, strings.Join(from.PrimaryKey, ","), "")),
	}
	return Object{Kind: KindArchive, Name: name, As: AsMigrator, SQL: object("archive", data), Drop: object("archive_drop", data),
		Policy: w.policy.Name, Table: name, Position: s.Position}
}

// emptyValues are the values of "set" where there is no row: what their types are taken from.
func (w *pageWriter) emptyValues(s step) []valueText {
	var list []valueText
	for _, a := range s.Archive.Set {
		value, typ := w.existing("")(a), w.joinedType(a.Value.SQL)
		if typ != "" && s.Related == nil {
			value.Value = fragment("null of", sqlText(typ))
		}
		list = append(list, value)
		only := policy.Step{Archive: &policy.Archive{Set: []policy.Assignment{a}}}
		reads := len(w.headersRead(step{Step: only, number: s.number})) > 0
		w.joinColumns(a.Value, func(int, string) { reads = true })
		if typ == "" && reads { // there is no row of a join or a header at creation
			w.refuse(a.Position, codeStep, fmt.Sprintf("the type of column %q cannot be told before there is a row", a.Column), "Create the archive yourself, or read the row only.")
		}
	}
	return list
}

// uncommented is a text without its comments, to compare what it does.
func uncommented(sql string) string { return lineComment.ReplaceAllString(sql, "") }

// A written type is what format_type makes of one: a name, and the last number that stands in parentheses, -1 for none.
type writtenType struct {
	name   string
	digits int
}

var lastDigits = regexp.MustCompile(`\((?:-?\d+,)?(-?\d+)\)`)

func writtenTypeOf(text string) writtenType {
	t := writtenType{strings.TrimRight(text, "[]"), -1}
	if m := lastDigits.FindStringSubmatch(t.name); m != nil {
		t.digits, _ = strconv.Atoi(m[1])
		t.name = lastDigits.ReplaceAllString(t.name, "")
	}
	return t
}

// narrows says whether an assignment to a column of type to changes some values of type from without an error: numbers
// and times are rounded, zones and the ends of names dropped. What raises an error instead is not narrow, nor are types
// of which nothing is known here. https://www.postgresql.org/docs/current/typeconv-query.html
func narrows(from, to string) bool {
	a, b := writtenTypeOf(from), writtenTypeOf(to)
	switch {
	case strings.HasPrefix(a.name, "interval") && strings.HasPrefix(b.name, "interval"):
		return from != to && b != (writtenType{"interval", -1})
	case a.name == "numeric" && b.name == "numeric", slices.Contains(times, a.name) && slices.Contains(times, b.name):
		if b.digits >= 0 && (a.digits < 0 || a.digits > b.digits) {
			return true
		}
	}
	return slices.Contains(narrower[a.name], b.name)
}

var times = []string{"timestamp with time zone", "timestamp without time zone", "time with time zone", "time without time zone"}

// narrower lists for each type the other types that do not hold all its values, and to which it is assigned without an
// error.
var narrower = map[string][]string{
	"integer":                     {"real"},
	"bigint":                      {"real", "double precision"},
	"numeric":                     {"smallint", "integer", "bigint", "real", "double precision"},
	"real":                        {"smallint", "integer", "bigint", "numeric"},
	"double precision":            {"smallint", "integer", "bigint", "numeric", "real"},
	"timestamp with time zone":    {"timestamp without time zone", "date", "time with time zone", "time without time zone"},
	"timestamp without time zone": {"date", "time without time zone"},
	"time with time zone":         {"time without time zone"},
	"interval":                    {"time without time zone"},
	"text":                        {"character", "name", `"char"`},
	"character varying":           {"character", "name", `"char"`},
	"character":                   {"name", `"char"`},
}
