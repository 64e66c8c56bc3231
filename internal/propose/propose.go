// Package propose writes the first policy file of a database: a proposal for each table that grows, which holds only
// once a person has uncommented it, and a reason for each other table. It is pure.
package propose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// file is what is found out about the tables of a snapshot.
type file struct {
	*catalog.Statistics
	tables catalog.Graph
	drafts []*draft // in the order of the snapshot, without partitions
	byName map[string]*draft
	sized  bool     // sizes are known, and some table grows
	names  []string // of policies
}

// draft is a table, and what is said of it.
type draft struct {
	*catalog.Table
	reach
	Growth     catalog.Growth
	Clocks     []clock  // the best first
	unfit      []string // why other columns with names of clocks are none
	Partitions bool     // the policy is about partitions
	referring  []string // tables with foreign keys to it

	reason string // why there is no policy for it, "" where there is one
	related
}

// related is what follows from the other proposals.
type related struct {
	with   string // the table that its rows go with, by foreign key
	part   bool   // they go with those that they refer to, by a step
	Policy string
	Guards []guard
	Parts  []part
	Keeps  []string // tables whose rows keep those that they refer to
}

// guard keeps rows that others refer to.
type guard struct{ Name, Condition string }

// part are rows of another table that go before the ones that they refer to.
type part struct {
	*draft
	Where string
}

func newFile(snapshot *catalog.Snapshot, statistics *catalog.Statistics) *file {
	f := &file{Statistics: statistics, tables: snapshot.Graph(), byName: map[string]*draft{}}
	for _, t := range snapshot.Tables {
		if (t.Kind == "table" || t.Kind == "partitioned") && t.PartitionOf == "" {
			d := f.draft(t)
			f.drafts, f.byName[d.String()] = append(f.drafts, d), d
			f.sized = f.sized || f.Database != "" && d.grows()
		}
	}
	for _, d := range f.drafts {
		if i := slices.IndexFunc(exemptions, func(e exemption) bool { return e.applies(f, d) }); i >= 0 {
			d.reason = exemptions[i].reason
		}
	}
	return f
}

// draft is what a table says of itself.
func (f *file) draft(t *catalog.Table) *draft {
	d := &draft{Table: t, Growth: f.Tables[t.String()]}
	d.Clocks, d.unfit = clocksOf(t, f.Statistics)
	d.reach = f.reachOf(d.String())
	for _, key := range f.tables.KeysTo(d.String()) {
		if root := f.tables.Root(key.Table); root != d.String() {
			d.referring = with(d.referring, root)
		}
	}
	if t.Strategy == "range" && len(t.KeyColumns) == 1 && len(d.referring) == 0 {
		if key := t.Column(t.KeyColumns[0]); key != nil && isTime(key.Plain()) {
			d.Partitions, d.Clocks = true, []clock{{clockRule{"old", nil, "age", window}, key, "", catalog.Range{}}}
		}
	}
	return d
}

// proposed are the tables for which there is a policy.
func (f *file) proposed() []*draft {
	return slices.DeleteFunc(slices.Clone(f.drafts), func(d *draft) bool { return d.reason != "" })
}

// relateAll begins anew with the proposals that there are.
func (f *file) relateAll() {
	f.names = nil
	for _, d := range f.drafts {
		d.related = related{}
	}
	for _, d := range f.proposed() {
		f.relate(d)
	}
}

// relate says what a policy does about the foreign keys around its table.
func (f *file) relate(d *draft) {
	base := plain(d.Name)
	if slices.ContainsFunc(f.drafts, func(o *draft) bool { return o != d && plain(o.Name) == base }) {
		base = plain(d.Schema) + "_" + base
	}
	d.Policy = unique(f.names, base, "_"+d.Clocks[0].suffix)
	f.names = append(f.names, d.Policy)
	for _, by := range d.refuses {
		if f.isPart(by) {
			child := f.end(by)
			child.part = true
			d.Parts = append(d.Parts, part{child, f.text("equal", by)})
		} else {
			f.keep(d, by)
		}
	}
	for _, by := range d.children {
		child := f.end(by)
		child.with = d.String()
		if child.reason == "" { // its rows have a time of their own
			f.keep(d, by)
		}
	}
}

// keep adds a guard: rows stay while others refer to them, by a path of keys.
func (f *file) keep(d *draft, by path) {
	names, child := lists.Map(d.Guards, func(g guard) string { return g.Name }), f.end(by)
	d.Keeps = with(d.Keeps, child.String())
	d.Guards = append(d.Guards, guard{unique(names, "has_"+plain(child.Name), ""), f.text("refers", by)})
}

// longest is how long a name of a policy or a guard may be.
const longest = 40

// unique is a name that is not taken yet.
func unique(taken []string, base, suffix string) string {
	if base == "" || base[0] < 'a' || base[0] > 'z' {
		base = "t_" + base
	}
	for n, ending := 2, suffix; ; n, ending = n+1, fmt.Sprintf("_%d%s", n, suffix) {
		if name := base[:min(len(base), longest-len(ending))] + ending; !slices.Contains(taken, name) {
			return name
		}
	}
}

var odd = regexp.MustCompile(`[^a-z0-9]+`)

// plain is a name with nothing but small letters, digits and underscores.
func plain(name string) string { return strings.Trim(odd.ReplaceAllString(snake(name), "_"), "_") }

// childrenFirst lists policies, those of referring tables before those of the tables that they refer to.
func (f *file) childrenFirst() (list []string) {
	seen := map[*draft]bool{}
	var visit func(*draft)
	visit = func(d *draft) {
		if seen[d] {
			return
		}
		seen[d] = true
		for _, name := range d.referring {
			visit(f.byName[name])
		}
		if d.reason == "" {
			list = append(list, d.Policy)
		}
	}
	for _, d := range f.drafts {
		visit(d)
	}
	return list
}

// exempt returns the tables that no proposal is about, if a policy file may hold their names. What inherits from a table
// counts with it.
func (f *file) exempt() []*draft {
	named := func(d *draft) bool {
		return d.reason == "" || d.part || len(d.Inherits) > 0 || diag.HiddenIn(d.String()) >= 0
	}
	return slices.DeleteFunc(slices.Clone(f.drafts), named)
}

// schemas returns the schemas of the tables, without those whose names no policy file may hold.
func (f *file) schemas() (list []string) {
	for _, d := range f.drafts {
		if len(d.Inherits) == 0 && diag.HiddenIn(d.Schema) < 0 {
			list = with(list, d.Schema)
		}
	}
	return list
}

// owners are the roles whose code a batch may meet: of the tables of proposals, and of those that refer to them.
func (f *file) owners() (list []string) {
	for _, d := range f.proposed() {
		refusing := lists.Map(d.refuses, func(by path) string { return f.end(by).String() })
		for _, name := range slices.Concat([]string{d.String()}, d.Cascades, refusing) {
			list = append(list, f.Tables[name].Owners...)
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return diag.HiddenIn(name) >= 0 })
}

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
