package policy

import (
	"fmt"
	"slices"
)

var (
	touchShape  = shape{keys: []string{"key", "set", "revive", "grant"}}
	reviveShape = shape{keys: []string{"table", "as", "set", "emit"}}
)

// touch reads what the touch function sets on the rows with given keys.
func (r *reader) touch(f field) *Touch {
	if f.value == nil {
		return nil
	}
	m, ok := r.mapping(f, `"touch"`, touchShape)
	if !ok {
		return nil
	}
	t := &Touch{Position: r.at(f.key)}
	if key, ok := m.require("key"); ok {
		t.Key = r.column1(key)
	}
	if set, ok := m.require("set"); ok {
		t.Set = r.filled(set, scope{names: []string{"t"}})
	}
	for _, a := range t.Set {
		if a.Column == t.Key.Text {
			r.add(codeTouch, a.Position, fmt.Sprintf("\"set\" of a touch cannot name the key %q", a.Column), "", "Set the columns that say when the row was used.")
		}
	}
	if revive, ok := m.fields["revive"]; ok {
		t.Revive = r.revive(revive, t)
	}
	t.Grant = r.grants(m.fields["grant"])
	return t
}

// revive reads how a row that went is made anew from another table's.
func (r *reader) revive(f field, t *Touch) *Revive {
	m, ok := r.mapping(f, `"revive"`, reviveShape)
	if !ok {
		return nil
	}
	v := &Revive{Position: r.at(f.key)}
	if table, ok := m.require("table"); ok {
		v.Table, _ = r.table(table)
	}
	if as, ok := m.require("as"); ok {
		v.As = r.alias(as, scope{})
	}
	set, ok := m.require("set")
	if ok {
		v.Set = r.filled(set, scope{names: []string{v.As}, rowless: true})
	}
	if ok && t.Key.Text != "" && !slices.ContainsFunc(v.Set, func(a Assignment) bool { return a.Column == t.Key.Text }) {
		r.add(codeTouch, r.at(set.key), fmt.Sprintf("\"set\" of \"revive\" needs the key %q", t.Key.Text), "By its value the row of the other table is found.", fmt.Sprintf("Write {%s: %s.%s, ...}.", t.Key.Text, v.As, t.Key.Text))
	}
	if emit, ok := m.fields["emit"]; ok {
		v.Emit = r.eventName(emit)
	}
	return v
}
