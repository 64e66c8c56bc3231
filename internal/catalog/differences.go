package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Difference is one fact of a table that is another one now. Want is what the snapshot has, Got what
// the table has; either is "" where there is nothing.
type Difference struct{ What, Want, Got string }

// Differences compares a table of a snapshot with what it is now. Partitions that come and go are no
// difference, and neither is the order of columns.
func Differences(want, got *Table) []Difference {
	var list []Difference
	add := func(what, want, got string) {
		if want != got {
			list = append(list, Difference{what, want, got})
		}
	}
	add("kind", want.Kind, got.Kind)
	add("partition of", want.PartitionOf, got.PartitionOf)
	add("inherits", strings.Join(want.Inherits, ", "), strings.Join(got.Inherits, ", "))
	if want.Kind != "partitioned" {
		add("children", strings.Join(want.Children, ", "), strings.Join(got.Children, ", "))
	}
	add("partitioned by", partitioning(want), partitioning(got))
	list = append(list, named("column ", columns(want), columns(got))...)
	add("primary key", strings.Join(want.PrimaryKey, ", "), strings.Join(got.PrimaryKey, ", "))
	list = append(list, named("index ", indexes(want), indexes(got))...)
	list = append(list, named("foreign key ", foreignKeys(want.ForeignKeys), foreignKeys(got.ForeignKeys))...)
	list = append(list, named("foreign key ", foreignKeys(want.Referenced), foreignKeys(got.Referenced))...)
	list = append(list, named("trigger ", triggers(want), triggers(got))...)
	add("distribution", want.Distribution.String(), got.Distribution.String())
	add("row security", onOff(want.RowSecurity), onOff(got.RowSecurity))
	return list
}

// fact is a named part of a table, in words.
type fact struct{ name, text string }

// named compares parts by their names: what the snapshot has first, then what is new.
func named(what string, want, got []fact) []Difference {
	var list []Difference
	for _, w := range want {
		i := slices.IndexFunc(got, func(g fact) bool { return g.name == w.name })
		if i < 0 {
			list = append(list, Difference{what + w.name, w.text, ""})
		} else if got[i].text != w.text {
			list = append(list, Difference{what + w.name, w.text, got[i].text})
		}
	}
	for _, g := range got {
		if !slices.ContainsFunc(want, func(w fact) bool { return w.name == g.name }) {
			list = append(list, Difference{what + g.name, "", g.text})
		}
	}
	return list
}

func columns(t *Table) []fact {
	var list []fact
	for _, c := range t.Columns {
		words := []string{c.Type}
		if c.Base != "" {
			words = append(words, "OVER "+c.Base)
		}
		if c.Collation != "" {
			words = append(words, "COLLATE "+c.Collation)
		}
		if c.Operators != "" {
			words = append(words, "OPERATORS OF "+c.Operators)
		}
		if c.NotNull {
			words = append(words, "NOT NULL")
		}
		switch {
		case c.Virtual:
			words = append(words, "VIRTUAL AS "+c.Default)
		case c.Generated:
			words = append(words, "GENERATED AS "+c.Default)
		case c.Identity != "":
			words = append(words, "IDENTITY "+c.Identity)
		case c.Default != "":
			words = append(words, "DEFAULT "+c.Default)
		}
		list = append(list, fact{c.Name, strings.Join(words, " ")})
	}
	return list
}

func indexes(t *Table) []fact {
	var list []fact
	for _, i := range t.Indexes {
		text := i.Definition
		if !i.Valid {
			text += " (invalid)"
		}
		list = append(list, fact{i.Name, text})
	}
	return list
}

// foreignKeys go by name and table: a name is one table's own.
func foreignKeys(keys []ForeignKey) []fact {
	var list []fact
	for _, k := range keys {
		text := fmt.Sprintf("%s (%s) to %s (%s) on delete %s", k.Table, strings.Join(k.Columns, ", "), k.RefTable, strings.Join(k.RefColumns, ", "), k.OnDelete)
		if k.Deferrable {
			text += ", deferrable"
		}
		list = append(list, fact{k.Name + " of " + k.Table, text})
	}
	return list
}

func triggers(t *Table) []fact {
	var list []fact
	for _, g := range t.Triggers {
		list = append(list, fact{g.Name, g.Definition})
	}
	return list
}

func partitioning(t *Table) string {
	if t.Strategy == "" {
		return ""
	}
	return t.Strategy + " (" + strings.Join(t.KeyColumns, ", ") + ")"
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
