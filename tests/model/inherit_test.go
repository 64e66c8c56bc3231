package model

import "slices"

// inherit gives some tables one or two levels of inheritance parents. The parents have no rows of
// their own.
func (a *author) inherit() {
	f := a.tableSet
	for _, t := range []*table{f.item, f.child} {
		if t.partition != "" || !a.oneIn(2) {
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
		if a.oneIn(2) {
			top := *above
			top.name, above.above = t.name+" top", &top
		}
	}
}

// withAncestors returns a table and the tables that it inherits from.
func (t *table) withAncestors() []*table {
	all := []*table{t}
	for t.above != nil {
		t = t.above
		all = append(all, t)
	}
	return all
}

// appliesTo reports whether a hold covers rows of t. The hold is on t or on a table that t inherits
// from.
func (h hold) appliesTo(t *table) bool { return slices.Contains(t.withAncestors(), h.table) }
