package catalog

import "slices"

// Graph has the tables of a snapshot by "schema.name", and follows partitions, inheritance and foreign keys.
type Graph map[string]*Table

// Graph is that of the snapshot; of two tables that a name with dots may stand for it has the first.
func (s *Snapshot) Graph() Graph {
	g := make(Graph, len(s.Tables))
	for _, t := range slices.Backward(s.Tables) {
		g[t.String()] = t
	}
	return g
}

// LookUp finds a table that SQL names, along a search path where it gives no schema; nil when the snapshot has none.
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

// Closure are a table's name and all names that next leads to from it, step by step, the nearest first.
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

// Upwards are a table and the partitioned ones above it, the nearest first.
func (g Graph) Upwards(name string) []string {
	return g.Closure(name, func(t *Table) []string { return []string{t.PartitionOf} })
}

// Root is the name under which holds know a table: that of the top, for a partition.
func (g Graph) Root(name string) string {
	names := g.Upwards(name)
	return names[len(names)-1]
}

// Kin are a table, the partitioned ones above it and its partitions: a foreign key to any of them may lead
// to its rows.
func (g Graph) Kin(name string) []*Table {
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

// Family are a table, or the root that it is a partition of, and all tables below.
func (g Graph) Family(name string) []string {
	return g.Closure(g.Root(name), func(t *Table) []string { return t.Children })
}

// KeysTo lists the foreign keys that lead to rows of a table.
func (g Graph) KeysTo(name string) []ForeignKey {
	var keys []ForeignKey
	for _, t := range g.Kin(name) {
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

// Cascade are a table and those that ON DELETE CASCADE leads to from it, the nearest first, as far as through says so.
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
