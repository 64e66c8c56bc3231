// Package propose writes the first policy file of a database. It proposes a policy for each table
// that grows, as a comment, and gives a reason for every other table. A proposal is in force once a
// person has uncommented it. The package reads no database and no files.
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

// file holds what is known about the tables of a snapshot.
type file struct {
	*catalog.Statistics
	tables catalog.Graph
	drafts []*draft // in the order of the snapshot, without partitions
	byName map[string]*draft
	sized  bool     // sizes are known, and some table grows
	names  []string // names of policies
}

// draft is a table with the proposal for it.
type draft struct {
	*catalog.Table
	reach
	Growth     catalog.Growth
	Clocks     []clock  // the best clock first
	unfit      []string // reasons why columns with the names of clocks are no clocks
	Partitions bool     // the policy takes partitions
	referring  []string // tables with foreign keys to this table
	Secured    bool     // row security is on, here or in a table that refers to this table
	Kind       kind     // kind of the table
	State      state    // column that says which rows are finished; its Column may be nil
	Work       bool     // rows are work that may be unfinished

	reason string // why the table has no policy, "" if it has one
	related
}

// related holds data about a table that depends on the proposals for other tables.
type related struct {
	with   string // table whose deletes also delete the rows of this table, by a foreign key
	part   bool   // a step deletes the rows together with the rows to which they refer
	Policy string
	Guards []guard
	Parts  []part
	Keeps  []string // tables whose rows keep the rows to which they refer
}

// guard keeps rows to which other rows refer.
type guard struct{ Name, Condition string }

// part is a step that deletes rows of another table before the rows to which they refer.
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

// draft returns the draft of a table, without regard to other tables.
func (f *file) draft(t *catalog.Table) *draft {
	d := &draft{Table: t, Growth: f.Tables[t.String()], Kind: kindOf(t), State: stateOf(t)}
	d.Work = d.Kind.Is == queueKind.Is || d.State.Column != nil && !d.Kind.appends()
	rules := clockRules
	if d.Work {
		rules = workRules
	}
	d.Clocks, d.unfit = clocksOf(t, rules, f.Statistics)
	d.reach = f.reachOf(d.String())
	for _, key := range f.tables.KeysTo(d.String()) {
		if root := f.tables.Root(key.Table); root != d.String() {
			d.referring = lists.AppendUnique(d.referring, root)
		}
	}
	if t.Strategy == "range" && len(t.KeyColumns) == 1 && len(d.referring) == 0 && !d.Work {
		if key := t.Column(t.KeyColumns[0]); key != nil && isTime(key.Plain()) {
			d.Partitions, d.Clocks = true, []clock{{oldRule, key, "", catalog.Range{}}}
		}
	}
	return d
}

// proposed lists the tables with a policy.
func (f *file) proposed() []*draft {
	return slices.DeleteFunc(slices.Clone(f.drafts), func(d *draft) bool { return d.reason != "" })
}

// relateAll computes the relations of all proposals again.
func (f *file) relateAll() {
	f.names = nil
	for _, d := range f.drafts {
		d.related = related{}
	}
	for _, d := range f.proposed() {
		f.relate(d)
	}
}

// relate decides what a policy does about the foreign keys from and to its table.
func (f *file) relate(d *draft) {
	base := plain(d.Name)
	if slices.ContainsFunc(f.drafts, func(o *draft) bool { return o != d && plain(o.Name) == base }) {
		base = plain(d.Schema) + "_" + base
	}
	suffix := d.Clock().suffix
	if d.Condition() != "" {
		suffix = finishedRule.suffix
	}
	d.Policy = unique(f.names, base, "_"+suffix)
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
		if child.reason == "" { // the rows of the child table have a clock themselves
			f.keep(d, by)
		}
	}
}

// keep adds a guard that keeps rows while other rows refer to them, along a path of foreign keys.
func (f *file) keep(d *draft, by path) {
	names, child := lists.Map(d.Guards, func(g guard) string { return g.Name }), f.end(by)
	d.Keeps = lists.AppendUnique(d.Keeps, child.String())
	d.Guards = append(d.Guards, guard{unique(names, "has_"+plain(child.Name), ""), f.text("refers", by)})
}

// longest is the maximum length of the name of a policy or guard, in bytes.
const longest = 40

// unique returns a name that is not in the list "taken".
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

// plain returns a name of lower-case letters, digits and underscores.
func plain(name string) string { return strings.Trim(odd.ReplaceAllString(snake(name), "_"), "_") }

// childrenFirst lists the policies. The policy of a referring table comes before the policy of the
// referenced table.
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

// exempt lists the tables without a proposal whose names a policy file can contain. Inheritance
// children belong to their parent.
func (f *file) exempt() []*draft {
	named := func(d *draft) bool {
		return d.reason == "" || d.part || len(d.Inherits) > 0 || diag.HiddenIn(d.String()) >= 0
	}
	return slices.DeleteFunc(slices.Clone(f.drafts), named)
}

// schemas lists the schemas of the tables, without those whose names a policy file cannot contain.
func (f *file) schemas() (list []string) {
	for _, d := range f.drafts {
		if len(d.Inherits) == 0 && diag.HiddenIn(d.Schema) < 0 {
			list = lists.AppendUnique(list, d.Schema)
		}
	}
	return list
}

// owners lists the roles whose code may be executed in batches. These roles own a table that has a
// proposal, or a table that refers to such a table. The owner of schema public can create functions
// that expressions mean, because the file has public in its search path.
func (f *file) owners() (list []string) {
	if len(f.proposed()) > 0 {
		list = slices.Clone(f.PublicOwner)
	}
	for _, d := range f.proposed() {
		refusing := lists.Map(d.refuses, func(by path) string { return f.end(by).String() })
		for _, name := range slices.Concat([]string{d.String()}, d.Cascades, refusing) {
			list = append(list, f.Tables[name].Owners...)
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(name string) bool { return diag.HiddenIn(name) >= 0 })
}

// reach says what foreign keys do when rows of a table are deleted.
type reach struct {
	Cascades []string // "schema.name" of tables whose rows are deleted or changed
	goes     []string // tables whose rows are deleted
	refuses  []path   // paths that end with NO ACTION or RESTRICT
	children []path   // paths that end with CASCADE
}

// path is a list of foreign keys that leads from rows of a table to rows that refer to them.
type path []catalog.ForeignKey

func (p path) last() catalog.ForeignKey { return p[len(p)-1] }

// reachOf follows the foreign keys. It enters each table once, by the shortest path.
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
				r.goes, r.children = lists.AppendUnique(r.goes, root), append(r.children, by)
				if !slices.Contains(seen, root) {
					seen = append(seen, root)
					todo = append(todo, step{root, by})
				}
			}
			r.Cascades = lists.AppendUnique(r.Cascades, root)
		}
	}
	// A row that is deleted as well does not prevent the deletion.
	r.refuses = slices.DeleteFunc(r.refuses, func(p path) bool {
		referring := f.tables.Root(p.last().Table)
		return referring != f.tables.Root(p.last().RefTable) && slices.Contains(r.goes, referring)
	})
	slices.Sort(r.Cascades)
	return r
}

// end returns the table at the end of a path.
func (f *file) end(by path) *draft { return f.byName[f.tables.Root(by.last().Table)] }

// isPart reports whether referring rows are parts of the rows to which they refer, so that the
// policy can delete both.
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
