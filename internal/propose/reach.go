package propose

import (
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/quote"
)

// reach is what foreign keys do when rows of a table are deleted.
type reach struct {
	Cascades []string // tables whose rows go or change, as schema.name
	goes     []string // those whose rows go
	refuses  []path   // that end with NO ACTION or RESTRICT
	children []path   // that end with CASCADE
}

// path are foreign keys from rows of a table to rows that refer to them, step by step.
type path []catalog.ForeignKey

func (p path) last() catalog.ForeignKey { return p[len(p)-1] }

// reachOf follows the keys; each table is entered once, by the shortest path.
func (f *file) reachOf(name string) reach {
	var r reach
	type step struct {
		table string
		by    path
	}
	seen := []string{name}
	for todo := []step{{name, nil}}; len(todo) > 0; todo = todo[1:] {
		for _, key := range f.tables.KeysTo(todo[0].table) {
			by, root := append(slices.Clone(todo[0].by), key), f.tables.Root(key.Table)
			switch key.OnDelete {
			case "no action", "restrict":
				r.refuses = append(r.refuses, by)
				continue
			case "cascade":
				r.goes, r.children = with(r.goes, root), append(r.children, by)
				if !slices.Contains(seen, root) {
					seen = append(seen, root)
					todo = append(todo, step{root, by})
				}
			}
			r.Cascades = with(r.Cascades, root)
		}
	}
	// What goes as well refuses nothing.
	r.refuses = slices.DeleteFunc(r.refuses, func(p path) bool {
		referring := f.tables.Root(p.last().Table)
		return referring != f.tables.Root(p.last().RefTable) && slices.Contains(r.goes, referring)
	})
	slices.Sort(r.Cascades)
	return r
}

// end is the table at the end of a path.
func (f *file) end(by path) *draft { return f.byName[f.tables.Root(by.last().Table)] }

// isPart says whether rows that refer to others are parts of them, and can go with them by a step.
func (f *file) isPart(by path) bool {
	d, key := f.end(by), by.last()
	optional := func(name string) bool { c := d.Column(name); return c == nil || !c.NotNull }
	belongs := len(by) == 1 && d.String() == key.Table && d.String() != key.RefTable
	lives := len(d.Clocks) > 0 || d.kept() || slices.ContainsFunc(key.Columns, optional)
	plain := len(d.refuses) == 0 && len(d.referring) < manyReferring && len(d.PrimaryKey) > 0 && len(d.Children) == 0
	return belongs && !lives && plain
}

func (f *file) sqlName(name string) string {
	t := f.tables[name]
	return quote.Qualified(t.Schema, t.Name)
}

// with adds a name unless it is there.
func with(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
