package policy

import (
	"fmt"
	"slices"

	"pgretain/internal/diag"
)

var (
	claimShape  = shape{keys: []string{"key", "ttl", "set", "cursor", "grant"}}
	cursorShape = shape{keys: []string{"table", "key", "position", "with"}}
)

// claim reads what makes the policy a deduplication set. There is no row when its expressions are
// evaluated.
func (r *reader) claim(f field, p *Policy) *Claim {
	if f.value == nil {
		return nil
	}
	m, ok := r.mapping(f, `"claim"`, claimShape)
	if !ok {
		return nil
	}
	c := &Claim{Position: r.at(f.key)}
	if key, ok := m.require("key"); ok {
		c.Key = r.column1(key)
	}
	if ttl, ok := m.require("ttl"); ok {
		c.TTL = r.timeToLive(ttl)
	}
	c.Set = r.assignments(m.fields["set"], scope{names: []string{}, rowless: true})
	if cursor, ok := m.fields["cursor"]; ok {
		c.Cursor = r.cursor(cursor)
	}
	c.Grant = r.grants(m.fields["grant"])
	r.claimed(c, p)
	return c
}

// timeToLive is a window without tiers.
func (r *reader) timeToLive(f field) Window {
	if kindName(f.value) == "a list" {
		r.add(codeTiers, r.at(f.value), `"ttl" cannot be a list of tiers`, "There is no row yet when a key is claimed.", "Write one interval, or a map such as {minutes: 15, at_least: 1}.")
		return Window{}
	}
	return r.window(f, false, scope{names: []string{}, rowless: true})
}

// claimed checks that the policy is one whose rows expire, and that set leaves key and clock alone.
func (r *reader) claimed(c *Claim, p *Policy) {
	var clock *Clock
	if p.Due != nil && len(p.Due.Entries) == 1 && p.Due.Entries[0].Beyond == nil {
		clock = p.Due.Entries[0].Clock
	}
	if clock == nil || clock.Kind != "expires" || clock.Column == "" {
		r.add(codeClaim, c.Position, `"claim" needs a policy that is due by "expires" on a column alone`, "A claim writes when the key expires into that column.", "Write due: {expires: {column: expires_at}}.")
		return
	}
	for _, a := range c.Set {
		if a.Column == c.Key.Text || a.Column == clock.Column {
			r.add(codeClaim, a.Position, fmt.Sprintf("\"set\" of a claim cannot name %q", a.Column), "The function writes the key and the clock itself.", "Remove it.")
		}
	}
}

func (r *reader) cursor(f field) *Cursor {
	m, ok := r.mapping(f, `"cursor"`, cursorShape)
	if !ok {
		return nil
	}
	c := &Cursor{Position: r.at(f.key)}
	if table, ok := m.require("table"); ok {
		c.Table, _ = r.table(table)
	}
	if key, ok := m.require("key"); ok {
		c.Key = r.column1(key)
	}
	if position, ok := m.require("position"); ok {
		r.notEmpty(position)
		c.Columns = r.columns(position)
	}
	if with, ok := m.fields["with"]; ok {
		r.notEmpty(with)
		c.With = r.columns(with)
	}
	all := slices.Concat(c.Columns, c.With)
	if i := slices.IndexFunc(all, func(n Name) bool { return n.Text == c.Key.Text }); i >= 0 {
		r.add(codeRunTwice, all[i].Position, fmt.Sprintf("column %q is the cursor's key", c.Key.Text), "", "")
	}
	return c
}

// column1 is one column of a table.
func (r *reader) column1(f field) Name { return Name{r.columnName(f), r.at(f.value)} }

// columns is a list of columns, each once.
func (r *reader) columns(f field) []Name {
	return r.distinctNames(f, "column", func(item field) string { return r.columnName(item) })
}

// grants is a list of roles.
func (r *reader) grants(f field) []Name {
	return r.distinctNames(f, "role", func(item field) string {
		parts, ok := r.identifier(item, "a role", 1)
		if !ok {
			return ""
		}
		if parts[0] == "public" || parts[0] == "none" {
			r.add(codeReserved, r.at(item.value), fmt.Sprintf("role %q is reserved", parts[0]), "", "Name the roles that may call the function.")
		}
		return parts[0]
	})
}

// triggers is a list of triggers, by their names alone: a table's copies on its partitions have the same.
func (r *reader) triggers(f field) []Name {
	return r.distinctNames(f, "trigger", func(item field) string {
		parts, ok := r.identifier(item, "a trigger", 1)
		if !ok {
			return ""
		}
		return parts[0]
	})
}

func (r *reader) distinctNames(f field, what string, read func(field) string) []Name {
	var names []Name
	for _, item := range r.list(f) {
		name := Name{read(item), r.at(item.value)}
		if name.Text == "" {
			continue
		}
		if slices.ContainsFunc(names, func(n Name) bool { return n.Text == name.Text }) {
			r.listed(name.Position, what, name.Text, f.name())
			continue
		}
		names = append(names, name)
	}
	return names
}

func (r *reader) listed(at diag.Position, what, name, list string) {
	r.add(codeRunTwice, at, fmt.Sprintf("%s %q is already listed in %q", what, name, list), "", "")
}

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
