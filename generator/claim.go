package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// claimData is what the templates claim, claim_keys, seen and seen_keys read.
type claimData struct {
	applicationData
	Key               ident
	KeyType, Type     string // of the key; of the clock's variables
	Columns, Defaults []ident
	Values            []sqlText // of Columns, without key and clock
	Now, Expires      sqlText   // now, and the end of the claim, in the clock's type; "" for an instant
	TTL               sqlText
	TTLText           string
	AtLeast, AtMost   sqlText
	Bounded           bool
	Expired           sqlText
	TableLiteral      literal
	PrimaryKey        []ident
}

// claim are the functions of a deduplication set: <policy>_claim and <policy>_seen, for one key and
// for many, and those of its cursor.
func (w *work) claim(c *policy.Claim) []Object {
	key := w.uniqueKey(w.table, c.Key)
	if !w.claimable(c) || key == nil || w.clocks[0] == nil || w.refuseNames(w.table, c.Position) {
		return nil
	}
	d, ok := w.claimData(c, key)
	if !ok {
		return nil
	}
	typ := d.KeyType
	objects := []Object{
		w.claimFunction(d, "claim", "claim_keys", typ+"[], interval"),
		w.claimFunction(d, "claim", "claim", typ+", interval"),
		w.claimFunction(d, "seen", "seen_keys", typ+"[]"),
		w.claimFunction(d, "seen", "seen", typ),
	}
	if c.Cursor != nil {
		objects = append(objects, w.cursorFunctions(c)...)
	}
	return objects
}

func (w *work) claimFunction(d claimData, suffix, template, arguments string) Object {
	d.applicationData = w.applicationFunction(suffix, arguments, w.table)
	return w.calledBy(w.policy.Claim.Grant, w.function(d.Signature, template, d))
}

// claimable refuses policies whose rows are more than entries that expire: a claim writes an
// expired entry over, and no step would see it go.
func (w *work) claimable(c *policy.Claim) bool {
	due := w.policy.Due
	plain := due != nil && len(due.Entries) == 1 && due.Entries[0].Beyond == nil && due.Entries[0].Clock != nil
	if !plain || due.Entries[0].Clock.Kind != "expires" || due.Entries[0].Clock.Column == "" || due.Entries[0].Clock.UpTo != nil {
		w.refuse(c.Position, codeApplication, "a claim ends when its entry expires: \"due\" must be one \"expires\" on a column",
			"Write due: {expires: {column: ...}}.")
		return false
	}
	if tier := c.TTL.Tiers[0]; tier.Never || tier.When != nil || tier.Data != nil && tier.Data.Value != nil {
		w.refuse(c.TTL.Position, codeApplication, "a time to live is an interval, not an expression", "Write ttl: 15 minutes, or {minutes: 15, at_least: 1}.")
		return false
	}
	then := w.policy.Then
	if len(then) != 1 || then[0].Related != nil || then[0].Where != nil || then[0].Delete == nil || len(then[0].Delete.Cascades) > 0 {
		w.refuse(c.Position, codeApplication, "a claim writes an expired entry over, which no step would see",
			"With claim, \"then\" is [delete] and nothing else.")
		return false
	}
	return true
}

func (w *work) claimData(c *policy.Claim, key *catalog.Column) (claimData, bool) {
	clock, column := w.clocks[0], w.table.Column(w.clocks[0].column)
	now, expires, ok := w.instants(c, clock, column)
	if !ok {
		return claimData{}, false
	}
	d := claimData{
		Key: ident(key.Name), KeyType: argumentType(key.Type), Type: clock.typ, Now: now, Expires: expires,
		Columns:      []ident{ident(key.Name), ident(column.Name)},
		TableLiteral: literal(tableName(w.table)), PrimaryKey: identifiers(w.table.PrimaryKey),
	}
	d.Expired = fragment(expiredName(clock), clock.comparison(nowName(now, w.asOf)))
	given := []string{key.Name, column.Name}
	for _, a := range c.Set {
		if w.writableColumn(w.table, a.Column, a.Position) == nil {
			return d, false
		} else if slices.Contains(given, a.Column) {
			w.refuse(a.Position, codeApplication, fmt.Sprintf("column %q is set already", a.Column), "Key and clock get their values from the call.")
			return d, false
		}
		given = append(given, a.Column)
		d.Columns, d.Values = append(d.Columns, ident(a.Column)), append(d.Values, w.instantOnly(a.Value))
	}
	d.Defaults = w.claimDefaults(given)
	w.ttl(&d, c)
	return d, !w.refuseUnset(w.table, given, c.Position)
}

func nowName(now, asOf sqlText) sqlText {
	if now == "" {
		return asOf
	}
	return "v_now"
}

func expiredName(k *clock) string {
	if k.source.NullsDue {
		return "older or unknown"
	}
	return "older"
}

// claimDefaults are the columns that go back to their defaults when an entry is taken over. The
// primary key stays, so that the row is the same one for those who refer to it.
func (w *work) claimDefaults(given []string) []ident {
	var defaults []ident
	for _, column := range w.table.Columns {
		if !column.Generated && !slices.Contains(given, column.Name) && !slices.Contains(w.table.PrimaryKey, column.Name) {
			defaults = append(defaults, ident(column.Name))
		}
	}
	return defaults
}

// ttl is the time to live that a claim has when the call does not say.
func (w *work) ttl(d *claimData, c *policy.Claim) {
	tier := c.TTL.Tiers[0]
	own := tier.Interval
	d.AtLeast, d.AtMost = "NULL", "NULL"
	if tier.Data != nil {
		own = *tier.Data.Else
		d.AtLeast, d.AtMost = intervalValue(tier.Data.AtLeast), intervalValue(tier.Data.AtMost)
		d.Bounded = tier.Data.AtLeast != nil || tier.Data.AtMost != nil
	}
	d.TTL, d.TTLText = intervalValue(&own), own.Text
	if d.AtLeast != "NULL" {
		d.TTL = fragment("ttl", struct {
			Schema               string
			Policy               literal
			Own, AtLeast, AtMost sqlText
		}{w.schema(), literal(w.policy.Name), d.TTL, d.AtLeast, d.AtMost})
		d.TTLText = "the policy's time to live"
	}
}

func intervalValue(i *policy.Interval) sqlText {
	if i == nil {
		return "NULL"
	}
	return fragment("interval", literal(i.Text))
}
