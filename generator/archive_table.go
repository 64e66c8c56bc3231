package generator

import (
	"fmt"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// archiveTable is the table that an archive step writes to: as the snapshot has it, or as the step
// creates it; nil after an error.
func (w *work) archiveTable(s policy.Step, from *catalog.Table) *catalog.Table {
	name := s.Archive.Into.String()
	if table := w.snapshot.Table(name); table != nil {
		return table
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
		if from == nil || w.snapshot.Table(s.Archive.Into.String()) != nil && !w.history.Has(id) {
			continue
		}
		objects = append(objects, w.createdTable(s, from))
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
		Schema     ident
		Owner      string
		Index      ident
		Access     policy.Access
	}{Policy: w.policy.Name, Into: quotedTable(s.Archive.Into), From: qualified(from), As: s.alias(),
		Document: s.Archive.Document, Schema: ident(s.Archive.Into.Schema)}
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
	if roles := w.file.Install.Roles; !roles.None {
		data.Owner = quote.Ident(roles.Owner)
		data.Access = policy.Access{Insert: true, Update: s.Archive.Existing == "replace", Delete: true}
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
