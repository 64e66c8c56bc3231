package catalog

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Property names a property of a table: what it is, and the name of the column, index, foreign key
// or trigger that it belongs to. Of is the table that has the foreign key.
type Property struct{ Kind, Name, Of string }

// String returns the property in words.
func (p Property) String() string {
	words := strings.TrimSpace(p.Kind + " " + p.Name)
	if p.Of != "" {
		words += " of " + p.Of
	}
	return words
}

// Difference is a property of a table that was changed. Want is the value in the snapshot, Got the
// current value, both in words. Either is "" if the property is missing there.
type Difference struct {
	Property
	Want, Got string
}

// fact is a property with its value, and with the value in words.
type fact struct {
	Property
	value any
	words string
}

// Differences compares a table of a snapshot with its current state, field by field. It ignores
// added and removed partitions and the order of columns.
func Differences(want, got *Table) (list []Difference) {
	before, after := want.facts(), got.facts()
	for _, w := range before {
		g := factOf(after, w.Property)
		if !reflect.DeepEqual(w.value, g.value) && !(w.Kind == "children" && want.Kind == "partitioned") {
			list = append(list, Difference{w.Property, w.words, g.words})
		}
	}
	for _, g := range after {
		if factOf(before, g.Property).value == nil {
			list = append(list, Difference{Property: g.Property, Got: g.words})
		}
	}
	return list
}

// factOf returns the fact about a property. If there is none, it returns an empty fact.
func factOf(facts []fact, of Property) fact {
	if i := slices.IndexFunc(facts, func(f fact) bool { return f.Property == of }); i >= 0 {
		return facts[i]
	}
	return fact{}
}

// facts lists the properties of a table. No value is nil.
func (t *Table) facts() (list []fact) {
	add := func(what Property, value any, words ...string) {
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		list = append(list, fact{what, value, strings.Join(words, " ")})
	}
	names := func(list []string) string { return strings.Join(list, ", ") }
	addNames := func(kind string, list []string) {
		add(Property{Kind: kind}, append([]string{}, list...), names(list))
	}
	add(Property{Kind: "kind"}, t.Kind, t.Kind)
	add(Property{Kind: "partition of"}, t.PartitionOf, t.PartitionOf)
	addNames("inherits", t.Inherits)
	addNames("children", t.Children)
	add(Property{Kind: "partitioned by"}, append([]string{t.Strategy}, t.KeyColumns...), t.Strategy,
		textIf(t.Strategy != "", "("+names(t.KeyColumns)+")"))
	for _, c := range t.Columns {
		value := cmp.Or(textIf(c.Virtual, "VIRTUAL AS"), textIf(c.Generated, "GENERATED AS"),
			textIf(c.Default != "", "DEFAULT"))
		words := []string{c.Type, textIf(c.Base != "", "OVER "+c.Base),
			textIf(c.Collation != "", "COLLATE "+c.Collation),
			textIf(c.Operators != "", "OPERATORS OF "+c.Operators), textIf(c.NotNull, "NOT NULL"), value, c.Default,
			textIf(c.Identity != "", "IDENTITY "+c.Identity)}
		c.Labels, c.Values = nil, nil // lint alone reads these
		add(Property{Kind: "column", Name: c.Name}, c, words...)
	}
	addNames("primary key", t.PrimaryKey)
	for _, i := range t.Indexes {
		add(Property{Kind: "index", Name: i.Name}, Index{Definition: i.Definition, Valid: i.Valid}, i.Definition,
			textIf(!i.Valid, "(invalid)"))
	}
	for _, k := range t.Referenced { // the name of a foreign key is unique in its own table only
		add(Property{"foreign key", k.Name, k.Table}, k, k.Table, "("+names(k.Columns)+") to",
			k.RefTable, "("+names(k.RefColumns)+") on delete", k.OnDelete+textIf(k.Deferrable, ", deferrable"))
	}
	for _, g := range t.Triggers {
		add(Property{Kind: "trigger", Name: g.Name}, g.Definition, g.Definition)
	}
	add(Property{Kind: "distribution"}, *cmp.Or(t.Distribution, &Distribution{}), t.Distribution.String())
	add(Property{Kind: "row security"}, t.RowSecurity, cmp.Or(textIf(t.RowSecurity, "on"), "off"))
	return list
}

// textIf returns text if condition is true, otherwise "".
func textIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}
