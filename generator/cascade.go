package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// root is the name under which holds know a table: that of the top, for a partition.
func (c *compiler) root(name string) string {
	for t := c.tableNamed(name); t != nil && t.PartitionOf != ""; t = c.tableNamed(name) {
		name = t.PartitionOf
	}
	return name
}

// kin are a table, the partitioned ones above it and its partitions: a foreign key to any of them may lead
// to its rows.
func (c *compiler) kin(table *catalog.Table) []*catalog.Table {
	list := []*catalog.Table{table}
	for t := c.tableNamed(table.PartitionOf); t != nil; t = c.tableNamed(t.PartitionOf) {
		list = append([]*catalog.Table{t}, list...)
	}
	for i := slices.Index(list, table); i < len(list); i++ {
		if list[i].Kind != "partitioned" {
			continue
		}
		for _, name := range list[i].Children {
			if child := c.tableNamed(name); child != nil {
				list = append(list, child)
			}
		}
	}
	return list
}

// cascadesTo lists the foreign keys that change other rows when rows of a table are deleted. PostgreSQL has
// a copy of a key for each partition that it leads to; those that the table above has say nothing new.
func (c *compiler) cascadesTo(table *catalog.Table) []catalog.ForeignKey {
	var keys []catalog.ForeignKey
	for _, t := range c.kin(table) {
		for _, key := range t.Referenced {
			same := func(k catalog.ForeignKey) bool {
				return k.Table == key.Table && k.OnDelete == key.OnDelete && k.RefTable != key.RefTable &&
					slices.Equal(k.Columns, key.Columns) && slices.Equal(k.RefColumns, key.RefColumns) &&
					slices.Contains(c.above(key.RefTable), k.RefTable)
			}
			if (key.OnDelete == "cascade" || key.OnDelete == "set null" || key.OnDelete == "set default") && !slices.ContainsFunc(keys, same) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// above are the names of the tables that a table is a partition of.
func (c *compiler) above(name string) []string {
	var names []string
	for t := c.tableNamed(name); t != nil && t.PartitionOf != ""; t = c.tableNamed(t.PartitionOf) {
		names = append(names, t.PartitionOf)
	}
	return names
}

// cascadePaths lists the paths of foreign keys along which deleting a row of table changes other
// rows. A path ends where it would enter a table again.
func (c *compiler) cascadePaths(table *catalog.Table) [][]catalog.ForeignKey {
	var paths [][]catalog.ForeignKey
	var walk func(*catalog.Table, []catalog.ForeignKey, []string)
	walk = func(from *catalog.Table, path []catalog.ForeignKey, seen []string) {
		for _, key := range c.cascadesTo(from) {
			next := append(slices.Clone(path), key)
			paths = append(paths, next)
			root, referencing := c.root(key.Table), c.tableNamed(key.Table)
			if key.OnDelete == "cascade" && referencing != nil && !slices.Contains(seen, root) {
				walk(referencing, next, append(slices.Clone(seen), root))
			}
		}
	}
	walk(table, nil, []string{c.root(tableName(table))})
	return paths
}

// checkHeirs refuses related rows of a table from which others inherit: their keys are not unique across
// them, and a statement goes into all.
func (c *compiler) checkHeirs(step policy.Step) {
	if step.Related == nil || step.Delete == nil && step.Update == nil {
		return
	}
	table := c.tableNamed(step.Related.Table.String())
	if table != nil && table.Kind == "table" && len(table.Children) > 0 {
		c.refuse(step.Position, codeTableKind, fmt.Sprintf("%q has inheritance children (%s)", step.Related.Table, strings.Join(table.Children, ", ")),
			"A step on related rows goes into them as well, where keys are not unique. Take them out of there, or give each a step of its own.")
	}
}

func quotedTable(t policy.Table) sqlText { return sqlText(quote.Qualified(t.Schema, t.Name)) }
