package generator

import (
	"fmt"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// archiveTable is the table that an archive step writes to: as the snapshot has it, or as the step
// creates it; nil after an error.
func (w *work) archiveTable(s policy.Step, from *catalog.Table) *catalog.Table {
	name := s.Archive.Into.String()
	if table := w.tableNamed(name); table != nil {
		return w.keyed(table, s, from)
	}
	if !s.Archive.Create {
		return w.relation(s.Archive.Into)
	}
	table := &catalog.Table{Schema: s.Archive.Into.Schema, Name: s.Archive.Into.Name, Kind: "table"}
	if s.Archive.Document == "" {
		for _, column := range from.Columns {
			table.Columns = append(table.Columns, catalog.Column{Name: column.Name, Type: column.Type})
		}
		table.PrimaryKey = from.PrimaryKey
	} else {
		table.Columns = append(table.Columns, catalog.Column{Name: s.Archive.Document, Type: "jsonb"})
	}
	for _, a := range s.Archive.Set {
		if table.Column(a.Column) == nil {
			table.Columns = append(table.Columns, catalog.Column{Name: a.Column})
		}
	}
	return table
}

// keyed is an archive that an earlier migration made, by the unique index that it has for a key: the
// same as before the snapshot knew it.
func (w *work) keyed(table *catalog.Table, s policy.Step, from *catalog.Table) *catalog.Table {
	if !s.Archive.Create || s.Archive.Document != "" || len(table.PrimaryKey) > 0 || !w.history.Has(ID{KindArchive, tableName(table)}) {
		return table
	}
	copied := *table
	copied.PrimaryKey = from.PrimaryKey
	return &copied
}

// createdTables are the archives that no table is there for, or that an earlier migration made.
func (w *work) createdTables() []Object {
	var objects []Object
	for _, s := range w.steps() {
		if s.Archive == nil || !s.Archive.Create {
			continue
		}
		from := w.table
		if s.Related != nil {
			from = w.relation(s.Related.Table)
		}
		id := ID{KindArchive, s.Archive.Into.String()}
		if from == nil || w.tableNamed(s.Archive.Into.String()) != nil && !w.history.Has(id) {
			continue
		}
		object := w.createdTable(s, from)
		before, had := w.history.Object(id)
		if had && uncommented(before.SQL) != uncommented(object.SQL) && w.tableNamed(id.Name) == nil {
			w.refuse(s.Archive.Into.Position, codeStep, fmt.Sprintf("archive %q is there already, by an earlier migration, and not in the catalog snapshot", id.Name),
				"Run \"pgretain snapshot\", so that its columns can be compared with those that are wanted now.")
		}
		objects = append(objects, object)
	}
	return objects
}

func (w *work) createdTable(s step, from *catalog.Table) Object {
	saved := w.binder
	w.binder.inStep, w.binder.blank, w.binder.asOf = true, true, "NULL::timestamptz"
	w.enterHeaders(s)
	if s.Related != nil {
		w.enterRelated(s)
	}
	data := struct {
		Policy     string
		Into, From sqlText
		As         ident
		Columns    []ident
		Document   string
		Set        []valueText
		Key        []ident
		Index      ident
	}{Policy: w.policy.Name, Into: quotedTable(s.Archive.Into), From: qualified(from), As: s.alias(),
		Document: s.Archive.Document}
	if assigned(s.Archive.Set, data.Document) {
		data.Document = ""
	}
	for _, column := range from.Columns {
		if s.Archive.Document == "" && !assigned(s.Archive.Set, column.Name) {
			data.Columns = append(data.Columns, ident(column.Name))
		}
	}
	for _, a := range s.Archive.Set {
		value := w.valueOf(policy.Assignment{Column: a.Column, Value: a.Value}, "")
		typ := w.joinedType(a.Value.SQL)
		if typ != "" && s.Related == nil {
			value.Value = fragment("null of", sqlText(typ))
		}
		data.Set = append(data.Set, value)
		if typ == "" && w.readsJoins(s, a.Value) {
			w.refuse(a.Position, codeStep, fmt.Sprintf("the type of column %q cannot be told before there is a row", a.Column), "Create the archive yourself, or read the row only.")
		}
	}
	if s.Archive.Document == "" {
		data.Key = identifiers(from.PrimaryKey)
		data.Index = ident(indexName(s.Archive.Into.String(), strings.Join(from.PrimaryKey, ","), ""))
	}
	w.binder = saved
	name := s.Archive.Into.String()
	return Object{Kind: KindArchive, Name: name, As: AsMigrator, SQL: object("archive", data), Drop: object("archive_drop", data),
		Policy: w.policy.Name, Table: name, Position: s.Position}
}

// readsJoins says whether a value reads a join or a header, of which there is none at creation.
func (w *work) readsJoins(s step, e policy.Expr) bool {
	found := false
	w.joinColumns(e, func(int, string) { found = true })
	return found || len(w.headersRead(step{Step: policy.Step{Archive: &policy.Archive{Set: []policy.Assignment{{Value: e}}}}, number: s.number})) > 0
}

// uncommented is a text without its comments, to compare what it does.
func uncommented(sql string) string { return lineComment.ReplaceAllString(sql, "") }
