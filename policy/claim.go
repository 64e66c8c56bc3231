package policy

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// check holds that the time to live does not depend on a row: there is none when that is evaluated.
func (c *Claim) check(r *reader, m mapping) {
	if ttl, ok := m.fields["ttl"]; ok && ttl.is(yaml.SequenceNode) {
		r.add(codeTiers, r.at(ttl.value), `"ttl" cannot be a list of tiers`, "There is no row yet when a key is claimed.", "Write one interval, or a map such as {minutes: 15, at_least: 1}.")
		c.TTL = Window{}
	}
}

// checkClaim checks that the policy is one whose rows expire, and that set leaves key and clock alone.
func (r *reader) checkClaim(p *Policy) {
	column := ""
	if entries := p.DueEntries(); len(entries) == 1 && entries[0].Beyond == nil && entries[0].Clock != nil && entries[0].Clock.Kind == "expires" {
		column = entries[0].Clock.Column
	}
	if column == "" {
		r.add(codeClaim, p.Claim.Position, `"claim" needs a policy that is due by "expires" on a column alone`, "A claim writes when the key expires into that column.", "Write due: {expires: {column: expires_at}}.")
		return
	}
	for _, a := range p.Claim.Set {
		if a.Column == p.Claim.Key.Text || a.Column == column {
			r.add(codeClaim, a.Position, fmt.Sprintf("\"set\" of a claim cannot name %q", a.Column), "The function writes the key and the clock itself.", "Remove it.")
		}
	}
}

func (c *Cursor) check(r *reader, _ mapping) {
	all := slices.Concat(c.Columns, c.With)
	if i := slices.IndexFunc(all, func(n Name) bool { return n.Text == c.Key.Text }); i >= 0 {
		r.add(codeRunTwice, all[i].Position, fmt.Sprintf("column %q is the cursor's key", c.Key.Text), "", "")
	}
}

// check holds that the key stays, and is what a row that went is made anew by.
func (t *Touch) check(r *reader, _ mapping) {
	isKey := func(a Assignment) bool { return a.Column == t.Key.Text }
	if i := slices.IndexFunc(t.Set, isKey); i >= 0 {
		r.add(codeTouch, t.Set[i].Position, fmt.Sprintf("\"set\" of a touch cannot name the key %q", t.Key.Text), "", "Set the columns that say when the row was used.")
	}
	if v := t.Revive; v != nil && len(v.Set) > 0 && t.Key.Text != "" && !slices.ContainsFunc(v.Set, isKey) {
		r.add(codeTouch, v.Set[0].Position, fmt.Sprintf("\"set\" of \"revive\" needs the key %q", t.Key.Text), "By its value the row of the other table is found.", fmt.Sprintf("Write {%s: %s.%s, ...}.", t.Key.Text, v.As, t.Key.Text))
	}
}

func (v *Revive) check(r *reader, m mapping) {
	if !m.has("emit") {
		m.refuse(codeTouch, `%q without "emit"`, "It says which rows that are there have the event, too.", "Add the event, or remove \"also\".", "also")
	}
}
