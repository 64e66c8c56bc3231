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

func (w *pageWriter) archive(s step, b batch) sqlText {
	from, into := s.from, w.archiveTable(s)
	if into == nil {
		return ""
	}
	d := w.insertFrom(s, b, false, s.Archive.Set)
	d.What, d.Into, d.Copied = "a copy of each", quotedTable(s.Archive.Into), w.countsCopies(s)
	if name := s.Archive.Document; name == "" {
		w.checkNames(s.Step, from, into)
		w.copyColumns(&d, s, from, into)
	} else if !assigned(s.Archive.Set, name) { // the whole row in one column
		d.Columns, d.Values = []ident{ident(name)}, []sqlText{fragment("whole row", s.as)}
	}
	w.plainValues(&d, s.Archive.Set)
	w.checkArchive(s.Step, d.Columns, into)
	d.Conflict = w.conflict(s.Step, into, d.Columns)
	if s.Archive.Document == "" || !s.untouched && s.Related == nil {
		// The table must have no column but those that are copied; rows copied as they are take later columns along.
		w.wholes = append(w.wholes, tableName(from))
	}
	d.Override = slices.ContainsFunc(d.Columns, func(name ident) bool {
		column := into.Column(string(name))
		return column != nil && column.Identity == "always"
	})
	return inserted("step_insert", "plain insert", d, b)
}

// checkNames refuses names under "columns" that the tables do not have, and a column that would hold two of the row.
func (w *pageWriter) checkNames(s policy.Step, from, into *catalog.Table) {
	for _, c := range s.Archive.Columns {
		w.knownColumn(into, c.Name, c.Position)
		known := w.knownColumn(from, c.From.Text, c.From.Position) != nil && c.From.Text != c.Name
		if known && from.Column(c.Name) != nil && s.Archive.NameOf(c.Name) == c.Name {
			w.refuse(c.Position, codeStep, fmt.Sprintf("column %q of archive %q would hold the columns %q and %q", c.Name, s.Archive.Into, c.Name, c.From.Text),
				fmt.Sprintf("Say under \"columns\" also where %q goes.", c.Name))
		}
	}
}

// copyColumns copies the columns of the row. One that the archive cannot hold is refused, not left behind.
func (w *pageWriter) copyColumns(d *insertData, s step, from, into *catalog.Table) {
	for _, column := range from.Columns {
		name, at := s.Archive.NameOf(column.Name), s.Position
		target := into.Column(name)
		if i := slices.IndexFunc(s.Archive.Columns, func(c policy.Renamed) bool { return c.Name == name }); i >= 0 {
			at = s.Archive.Columns[i].Position
		}
		switch {
		case assigned(s.Archive.Set, name), target != nil && target.Generated && column.Generated:
		case target == nil && name != column.Name: // refused by its name
		case target == nil:
			w.refuse(s.Position, codeStep, fmt.Sprintf("archive %q has no column %q for what table %q has", s.Archive.Into, name, tableName(from)),
				"Add the column there, say under \"columns\" which other one holds it, or keep the whole row as a document: archive: {document: ...}.")
		case target.Generated:
			w.refuse(at, codeStep, fmt.Sprintf("column %q of archive %q is generated, and does not hold what table %q has", name, s.Archive.Into, tableName(from)),
				"Name another column for it under \"columns\", or drop the expression there.")
		case narrows(column.Plain(), target.Plain()):
			hint := fmt.Sprintf("Give the archive's column the type %s", column.Type)
			if name == column.Name {
				hint += fmt.Sprintf(", or round on purpose, as in set: {%s: \"%s::%s\"}", name, name, target.Type)
			}
			w.refuse(at, codeNarrow, fmt.Sprintf("column %q of archive %q has type %s, and does not hold all values of type %s", name, s.Archive.Into, target.Type, column.Type), hint+".")
		default:
			d.Columns = append(d.Columns, ident(name))
			d.Values = append(d.Values, aliased(s.as, ident(column.Name)))
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

// countsCopies says whether as many rows must be deleted as a step copies: own rows, under the same condition as the delete.
func (w *pageWriter) countsCopies(s step) bool {
	if s.Archive == nil || s.Related != nil || s.Archive.Existing == "keep" || w.ownDelete == nil {
		return false
	}
	a, b := s.Where, w.ownDelete.Where
	return a == nil && b == nil || a != nil && b != nil && a.SQL == b.SQL
}

// archiveTable is the table that an archive step writes to: as the snapshot has it, or as the step
// creates it; nil after an error.
func (w *pageWriter) archiveTable(s step) *catalog.Table {
	from, table := s.from, w.tables[s.target]
	switch {
	case !s.Archive.Create:
		return w.relation(s.Archive.Into)
	case from == nil:
		return nil
	case table != nil && s.Archive.Document == "" && len(table.PrimaryKey) == 0 && w.history.Has(ID{KindArchive, tableName(table)}):
		// One that an earlier migration made, by the unique index that it has for a key: as before the snapshot knew it.
		copied := *table
		copied.PrimaryKey = each(from.PrimaryKey, s.Archive.NameOf)
		return &copied
	case table != nil:
		return table
	}
	table = &catalog.Table{Schema: s.Archive.Into.Schema, Name: s.Archive.Into.Name, Kind: "table"}
	if s.Archive.Document == "" {
		table.Columns = each(from.Columns, func(c catalog.Column) catalog.Column {
			return catalog.Column{Name: s.Archive.NameOf(c.Name), Type: c.Type}
		})
		table.PrimaryKey = each(from.PrimaryKey, s.Archive.NameOf)
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
	for _, s := range w.steps {
		if s.Archive == nil || !s.Archive.Create {
			continue
		}
		id := ID{KindArchive, s.target}
		live := w.tables[id.Name]
		if s.from == nil || live != nil && !w.history.Has(id) {
			continue
		}
		object := w.createdTable(s)
		before, had := w.history.Object(id)
		if had && live == nil && lineComment.ReplaceAllString(before.SQL, "") != lineComment.ReplaceAllString(object.SQL, "") {
			w.refuse(s.Archive.Into.Position, codeStep, fmt.Sprintf("archive %q is there already, by an earlier migration, and not in the catalog snapshot", id.Name),
				"Run \"pgretain snapshot\", so that its columns can be compared with those that are wanted now.")
		}
		objects = append(objects, object)
	}
	return objects
}

func (w *pageWriter) createdTable(s step) Object {
	defer w.restored()()
	w.binder.blank, w.binder.asOf = true, "NULL::timestamptz"
	w.enter(s)
	from, name, whole := s.from, s.target, s.Archive.Document == ""
	var columns []valueText
	var key []string
	for _, column := range from.Columns {
		if as := s.Archive.NameOf(column.Name); whole && !assigned(s.Archive.Set, as) {
			value := valueText{Value: aliased(s.as, ident(column.Name))}
			if as != column.Name {
				value.Column = ident(as)
			}
			columns = append(columns, value)
		}
	}
	if whole {
		key = each(from.PrimaryKey, s.Archive.NameOf)
	}
	document := sqlText(s.Archive.Document)
	if assigned(s.Archive.Set, s.Archive.Document) {
		document = ""
	}
	data := fields{
		"Policy": sqlText(w.policy.Name), "Into": quotedTable(s.Archive.Into), "From": qualified(from), "As": s.as,
		"Columns": columns, "Document": document, "Set": w.emptyValues(s), "Key": identifiers(key),
		"Index": ident(indexName(name, strings.Join(key, ","), "")),
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
		reads := s.readsHeader(valueOf(a))
		w.joinColumns(valueOf(a), func(int, string) { reads = true })
		if typ == "" && reads { // there is no row of a join or a header at creation
			w.refuse(a.Position, codeStep, fmt.Sprintf("the type of column %q cannot be told before there is a row", a.Column), "Create the archive yourself, or read the row only.")
		}
	}
	return list
}

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
