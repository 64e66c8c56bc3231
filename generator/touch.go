package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// touchData is what the template touch reads.
type touchData struct {
	applicationData
	Key        ident
	KeyLiteral literal
	KeyType    string
	KeyCast    string  // KeyType where it can be cast to without a length
	Order      []ident // makes the order of rows total, where the key alone does not
	Trim       bool    // the key is text
	Many       bool    // the rows are in several tables
	What       string
	Set        []columnValue
	Revive     *reviveData
}

// reviveData is how a row that is gone is made anew.
type reviveData struct {
	Table, As, KeyValue sqlText
	TableComment        string
	Set                 []columnValue
	Event               *literal
}

// columnValue is a column and what it is set to.
type columnValue struct {
	Column ident
	Value  sqlText
}

// touch is <policy>_touch.
func (w *work) touch(t *policy.Touch) []Object {
	key := w.touchKey(t)
	if key == nil || w.refuseNames(w.table, t.Position) {
		return nil
	}
	d := touchData{Key: ident(key.Name), KeyLiteral: literal(key.Name), KeyType: argumentType(key.Type), Trim: isText(key.Type)}
	d.KeyCast = castType(key.Type)
	d.Many = w.table.Kind == "partitioned"
	if !isUnique(w.table, key.Name) {
		d.Order = identifiers(w.table.PrimaryKey)
	}
	var names []string
	for _, a := range t.Set {
		if w.writableColumn(w.table, a.Column, a.Position) == nil {
			return nil
		}
		names = append(names, comment(a.Column))
		d.Set = append(d.Set, columnValue{ident(a.Column), enclosed(w.bind(a.Value))})
	}
	d.What = strings.Join(names, ", ")
	if t.Revive != nil {
		if d.Revive = w.revive(t, key); d.Revive == nil {
			return nil
		}
	}
	d.applicationData = w.applicationFunction("touch", d.KeyType+"[]", w.table)
	return []Object{w.calledBy(t.Grant, w.function(d.Signature, "touch", d))}
}

// touchKey needs not be unique where nothing is made anew, but an index must find its rows.
func (w *work) touchKey(t *policy.Touch) *catalog.Column {
	leads := slices.ContainsFunc(w.table.Indexes, func(i catalog.Index) bool {
		return i.Method == "btree" && i.Valid && i.Predicate == "" && len(i.Columns) > 0 && i.Columns[0] == t.Key.Text
	})
	if t.Revive == nil && leads {
		return w.writableColumn(w.table, t.Key.Text, t.Key.Position)
	}
	return w.uniqueKey(w.table, t.Key)
}

func isText(typ string) bool {
	base := argumentType(typ)
	return base == "text" || base == "character varying" || base == "character" || strings.HasSuffix(base, "citext")
}

// revive is nil when it was refused.
func (w *work) revive(t *policy.Touch, key *catalog.Column) *reviveData {
	from := w.relation(t.Revive.Table)
	if from == nil || w.refuseNames(from, t.Revive.Position) {
		return nil
	}
	d := &reviveData{Table: qualified(from), As: sqlText(ident(t.Revive.As).String()), TableComment: tableComment(from)}
	var given []string
	for _, a := range append(slices.Clone(t.Revive.Set), w.fresh(t)...) {
		if w.writableColumn(w.table, a.Column, a.Position) == nil {
			return nil
		}
		value := w.valueFrom(a.Value, from, t.Revive.As)
		if a.Column == key.Name {
			d.KeyValue = value
		}
		given = append(given, a.Column)
		d.Set = append(d.Set, columnValue{ident(a.Column), value})
	}
	if t.Revive.Emit != "" {
		event := literal(t.Revive.Emit)
		d.Event = &event
	}
	if w.refuseUnset(w.table, given, t.Revive.Position) {
		return nil
	}
	return d
}

// fresh are the columns of "set" that a row made anew gets as well: those that do not read the row
// that is gone, unless "revive" says otherwise.
func (w *work) fresh(t *policy.Touch) []policy.Assignment {
	return slices.DeleteFunc(slices.Clone(t.Set), func(a policy.Assignment) bool {
		set := slices.ContainsFunc(t.Revive.Set, func(b policy.Assignment) bool { return a.Column == b.Column })
		parsed, ok := w.parse(a.Value)
		return set || !ok || slices.ContainsFunc(parsed.parsed.Columns, func(ref pgparse.ColumnRef) bool {
			return len(ref.Fields) != 1 || ref.Fields[0] != "as_of"
		})
	})
}
