package catalog

import "slices"

// Graph maps "schema.name" to the tables of a snapshot, and follows partitions, inheritance and
// foreign keys.
type Graph map[string]*Table

// Graph returns the graph of the snapshot. If a name with dots can stand for two tables, the graph
// has the first.
func (s *Snapshot) Graph() Graph {
	g := make(Graph, len(s.Tables))
	for _, t := range slices.Backward(s.Tables) {
		g[t.String()] = t
	}
	return g
}

// LookUp finds a table by its name in SQL. If the name has no schema, LookUp searches the schemas
// of path. It returns nil if the snapshot lacks the table.
func (g Graph) LookUp(schema, name string, path []string) *Table {
	if schema != "" {
		path = []string{schema}
	}
	for _, schema := range path {
		if table := g[schema+"."+name]; table != nil {
			return table
		}
	}
	return nil
}

// Closure returns a name and all names that it finds from there by calling the function "next"
// repeatedly. The nearest names come first.
func (g Graph) Closure(name string, next func(*Table) []string) []string {
	names := []string{name}
	for i := 0; i < len(names); i++ {
		if table := g[names[i]]; table != nil {
			for _, name := range next(table) {
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Upwards returns a table and its ancestors in the partition tree, the nearest first.
func (g Graph) Upwards(name string) []string {
	return g.Closure(name, func(t *Table) []string { return []string{t.PartitionOf} })
}

// Root returns the name of the table under which holds are stored. For a partition, that is the
// root of the partition tree.
func (g Graph) Root(name string) string {
	names := g.Upwards(name)
	return names[len(names)-1]
}

// PartitionTree returns a table, its ancestors in the partition tree and its partitions. A foreign
// key to any of them may refer to its rows.
func (g Graph) PartitionTree(name string) []*Table {
	partitions := g.Closure(name, func(t *Table) []string {
		if t.Kind != "partitioned" {
			return nil
		}
		return t.Children
	})
	var list []*Table
	for _, name := range append(g.Upwards(name), partitions[1:]...) {
		if table := g[name]; table != nil {
			list = append(list, table)
		}
	}
	return list
}

// Descendants returns a table and all its partitions and inheritance children. For a partition it
// starts at the root of the partition tree.
func (g Graph) Descendants(name string) []string {
	return g.Closure(g.Root(name), func(t *Table) []string { return t.Children })
}

// KeysTo lists the foreign keys that may refer to rows of a table.
func (g Graph) KeysTo(name string) []ForeignKey {
	var keys []ForeignKey
	for _, t := range g.PartitionTree(name) {
		keys = append(keys, t.Referenced...)
	}
	return keys
}

// CascadePaths lists the paths of foreign keys along which deleting a row of a table changes other
// rows. A path ends where it would enter a table again.
func (g Graph) CascadePaths(name string) [][]ForeignKey {
	var paths [][]ForeignKey
	var walk func(string, []ForeignKey, []string)
	walk = func(from string, path []ForeignKey, seen []string) {
		for _, key := range g.KeysTo(from) {
			if key.OnDelete == "no action" || key.OnDelete == "restrict" {
				continue
			}
			next, root := append(slices.Clone(path), key), g.Root(key.Table)
			paths = append(paths, next)
			if key.OnDelete == "cascade" && !slices.Contains(seen, root) {
				walk(key.Table, next, append(slices.Clone(seen), root))
			}
		}
	}
	walk(name, nil, []string{g.Root(name)})
	return paths
}

// Cascade returns a table and the tables that ON DELETE CASCADE reaches from it, the nearest first.
// It follows a foreign key only if the function "through" returns true for the key's table.
func (g Graph) Cascade(name string, through func(table string) bool) []string {
	return g.Closure(name, func(t *Table) []string {
		var names []string
		for _, key := range t.Referenced {
			if key.OnDelete == "cascade" && through(key.Table) {
				names = append(names, key.Table)
			}
		}
		return names
	})
}
