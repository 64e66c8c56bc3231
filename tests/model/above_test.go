package model

import "slices"

// inherit gives tables others that they inherit from, in one or two steps. Those have no rows of
// their own.
func (a *author) inherit() {
	f := a.family
	for _, t := range []*table{f.item, f.child} {
		if t.partition != "" || !a.in(2) {
			continue
		}
		roles := slices.Clone(t.key)
		if t == f.item {
			roles = append(roles, a.col("n"), a.col("kind"))
		} else {
			roles = append(roles, "n")
		}
		above := &table{name: t.name + " above", key: t.key}
		for _, c := range t.columns {
			if slices.Contains(roles, c.name) {
				above.columns = append(above.columns, c)
			}
		}
		t.above = above
		if a.in(2) {
			top := *above
			top.name, above.above = t.name+" top", &top
		}
	}
}

// lineage are a table and those that it inherits from.
func (t *table) lineage() []*table {
	all := []*table{t}
	for t.above != nil {
		t = t.above
		all = append(all, t)
	}
	return all
}

// concerns is whether a hold speaks of the rows of a table: it is on the table, or on one that this
// inherits from.
func (h hold) concerns(t *table) bool { return slices.Contains(t.lineage(), h.table) }
