package generator

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// previewInserted is what the fragment of an insert reads. Keys are the unique keys by which a row may be
// there already; Existing is the verb for those.
type previewInserted struct {
	previewRows
	Into     sqlText
	Values   []previewValue
	Keys     [][]previewValue
	Distinct bool // one row for each group
	Existing literal
}

type previewValue struct {
	Column ident
	Value  sqlText
	Type   sqlText
}

func (w *work) previewInsert(s step, v previewRows) previewInserted {
	d := previewInserted{previewRows: v, Existing: "refused"}
	d.Verb = "insert"
	switch {
	case s.Emit != nil:
		return d
	case s.Archive != nil:
		w.previewArchive(s, &d)
	case len(s.Insert.Key)+len(s.Insert.Per) > 0:
		into := w.intoTable(s.Insert.Into)
		list := slices.Concat(s.Insert.Key, s.Insert.Per)
		d.Into, d.Distinct, d.Existing = quotedTable(s.Insert.Into), true, "update"
		d.Values = w.previewValues(list, into)
		if len(s.Insert.Key) > 0 {
			d.Keys = [][]previewValue{d.Values}
		}
		if len(s.Insert.Add)+len(s.Insert.Max)+len(s.Insert.Min)+len(s.Insert.Set) == 0 {
			d.Existing = "kept"
		}
	default:
		into := w.intoTable(s.Insert.Into)
		d.Into, d.Values = quotedTable(s.Insert.Into), w.previewValues(s.Insert.Set, into)
		d.keysOf(into)
	}
	return d
}

func (w *work) previewValues(list []policy.Assignment, into *catalog.Table) []previewValue {
	var texts []previewValue
	for _, a := range list {
		v := previewValue{Column: ident(a.Column), Value: enclosed(w.bind(a.Value))}
		if into != nil && into.Column(a.Column) != nil {
			v.Type = sqlText(into.Column(a.Column).Type)
		}
		texts = append(texts, v)
	}
	return texts
}

// previewArchive tells what is in the archive already from what would be added.
func (w *work) previewArchive(s step, d *previewInserted) {
	from := w.table
	if s.Related != nil {
		from = w.relation(s.Related.Table)
	}
	into := w.archiveTable(s.Step, from)
	if into == nil {
		return
	}
	d.Verb, d.Into = "archive", quotedTable(s.Archive.Into)
	d.Values = w.previewValues(s.Archive.Set, into)
	if s.Archive.Document == "" {
		for _, column := range from.Columns {
			if target := into.Column(column.Name); target != nil && !target.Generated && !assigned(s.Archive.Set, column.Name) {
				d.Values = append(d.Values, previewValue{ident(column.Name),
					fragment("aliased column", struct{ Alias, Column ident }{s.alias(), ident(column.Name)}), sqlText(target.Type)})
			}
		}
	}
	switch s.Archive.Existing {
	case "keep":
		d.Existing, d.Distinct = "kept", true
	case "replace":
		d.Existing = "update"
	}
	d.keysOf(into)
	d.Distinct = d.Distinct && len(d.Keys) > 0
}

// keysOf finds the unique keys whose columns all get values, and leaves out the other values.
func (d *previewInserted) keysOf(into *catalog.Table) {
	if into == nil {
		return
	}
	lists := [][]string{into.PrimaryKey}
	for _, i := range into.Indexes { // that of an archive which a migration made is its key already
		if i.Unique && !i.Primary && i.Valid && i.Predicate == "" && !slices.Equal(i.Columns, into.PrimaryKey) {
			lists = append(lists, i.Columns)
		}
	}
	read := map[ident]bool{}
	for _, columns := range lists {
		var key []previewValue
		for _, name := range columns {
			if i := slices.IndexFunc(d.Values, func(v previewValue) bool { return string(v.Column) == name }); i >= 0 {
				key = append(key, d.Values[i])
			}
		}
		if len(key) == 0 || len(key) < len(columns) {
			continue
		}
		d.Keys = append(d.Keys, key)
		for _, v := range key {
			read[v.Column] = true
		}
	}
	d.Values = slices.DeleteFunc(d.Values, func(v previewValue) bool { return !read[v.Column] })
}
