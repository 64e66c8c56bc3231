package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// cursorData is what the templates advance and cursor read.
type cursorData struct {
	applicationData
	Key            ident
	KeyType        string
	Position, With []positionColumn
	Columns        []positionColumn // both
}

// positionColumn is one column of a cursor's position.
type positionColumn struct {
	Number int
	Name   ident
	Type   string
}

// cursorFunctions are <policy>_advance and <policy>_cursor.
func (w *work) cursorFunctions(c *policy.Claim) []Object {
	table := w.relation(c.Cursor.Table)
	if table == nil || !w.writable(c.Cursor, table) || w.refuseNames(table, c.Cursor.Position) {
		return nil
	}
	key := w.uniqueKey(table, c.Cursor.Key)
	if key == nil {
		return nil
	}
	d := cursorData{Key: ident(key.Name), KeyType: argumentType(key.Type)}
	given, types := []string{key.Name}, d.KeyType
	for i, name := range slices.Concat(c.Cursor.Columns, c.Cursor.With) {
		column := w.writableColumn(table, name.Text, name.Position)
		if column == nil {
			return nil
		}
		if slices.Contains(given, name.Text) {
			w.refuse(name.Position, codeApplication, fmt.Sprintf("column %q is part of the cursor twice", name.Text), "")
			return nil
		}
		given, types = append(given, name.Text), types+", "+argumentType(column.Type)
		d.Columns = append(d.Columns, positionColumn{i + 1, ident(name.Text), argumentType(column.Type)})
	}
	d.Position, d.With = d.Columns[:len(c.Cursor.Columns)], d.Columns[len(c.Cursor.Columns):]
	if w.refuseUnset(table, given, c.Cursor.Position) {
		return nil
	}
	return []Object{
		w.cursorFunction(d, "advance", types, table),
		w.cursorFunction(d, "cursor", d.KeyType, table),
	}
}

func (w *work) cursorFunction(d cursorData, template, arguments string, table *catalog.Table) Object {
	d.applicationData = w.applicationFunction(template, arguments, table)
	return w.calledBy(w.policy.Claim.Grant, w.function(d.Signature, template, d))
}

func (w *work) writable(c *policy.Cursor, table *catalog.Table) bool {
	if table.Kind != "table" && table.Kind != "partitioned" {
		w.refuse(c.Table.Position, codeTableKind, fmt.Sprintf("%q is a %s, not a table", c.Table, table.Kind), "Name the table that holds the rows.")
		return false
	}
	return true
}
