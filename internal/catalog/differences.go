package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Difference is a property of a table that was changed. Want is the value in the snapshot, Got the
// current value. Either is "" if the property is missing there.
type Difference struct{ What, Want, Got string }

// Differences compares a table of a snapshot with its current state. It ignores added and removed
// partitions and the order of columns.
func Differences(want, got *Table) []Difference {
	var list []Difference
	before, after := want.facts(), got.facts()
	for _, w := range before {
		w.Got = factOf(after, w.What).Want
		if w.Want != w.Got && !slices.Contains(list, w) && !(w.What == "children" && want.Kind == "partitioned") {
			list = append(list, w)
		}
	}
	for _, g := range after {
		if d := (Difference{What: g.What, Got: g.Want}); factOf(before, g.What).What == "" &&
			!slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// factOf returns the fact with a given name. If there is none, it returns an empty fact.
func factOf(facts []Difference, what string) Difference {
	if i := slices.IndexFunc(facts, func(f Difference) bool { return f.What == what }); i >= 0 {
		return facts[i]
	}
	return Difference{}
}

// facts lists the properties of a table as texts, each in the field Want.
func (t *Table) facts() (list []Difference) {
	add := func(what string, words ...string) {
		words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
		list = append(list, Difference{What: what, Want: strings.Join(words, " ")})
	}
	names := func(list []string) string { return strings.Join(list, ", ") }
	add("kind", t.Kind)
	add("partition of", t.PartitionOf)
	add("inherits", names(t.Inherits))
	add("children", names(t.Children))
	add("partitioned by", t.Strategy, textIf(t.Strategy != "", "("+names(t.KeyColumns)+")"))
	for _, c := range t.Columns {
		value := cmp.Or(textIf(c.Virtual, "VIRTUAL AS"), textIf(c.Generated, "GENERATED AS"),
			textIf(c.Default != "", "DEFAULT"))
		add("column "+c.Name, c.Type, textIf(c.Base != "", "OVER "+c.Base),
			textIf(c.Collation != "", "COLLATE "+c.Collation),
			textIf(c.Operators != "", "OPERATORS OF "+c.Operators), textIf(c.NotNull, "NOT NULL"), value, c.Default,
			textIf(c.Identity != "", "IDENTITY "+c.Identity))
	}
	add("primary key", names(t.PrimaryKey))
	for _, i := range t.Indexes {
		add("index "+i.Name, i.Definition, textIf(!i.Valid, "(invalid)"))
	}
	for _, k := range t.Referenced { // the name of a foreign key is unique in its own table only
		add("foreign key "+k.Name+" of "+k.Table, k.Table, "("+names(k.Columns)+") to",
			k.RefTable, "("+names(k.RefColumns)+") on delete", k.OnDelete+textIf(k.Deferrable, ", deferrable"))
	}
	for _, g := range t.Triggers {
		add("trigger "+g.Name, g.Definition)
	}
	add("distribution", t.Distribution.String())
	add("row security", cmp.Or(textIf(t.RowSecurity, "on"), "off"))
	return list
}

// textIf returns text if condition is true, otherwise "".
func textIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}
