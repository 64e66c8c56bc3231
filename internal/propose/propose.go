// Package propose writes the first policy file of a database: a proposal for each table that grows, which holds only once
// a person has uncommented it, and a reason for each other table. It is pure.
package propose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/catalog"
)

// file is what is found out about the tables of a snapshot.
type file struct {
	*catalog.Statistics
	tables map[string]*catalog.Table
	drafts []*draft // in the order of the snapshot, partitions left out
	byName map[string]*draft
	sized  bool     // sizes are known, and some table grows
	taken  []string // names of policies
}

// draft is a table, and what is proposed for it.
type draft struct {
	*catalog.Table
	growth     catalog.Growth
	partitions bool // the policy is about partitions
	referring  int  // tables with foreign keys to it
	clock      *clock
	others     []clock
	reason     string // why there is no policy for it, "" where there is one
	with       string // a table that its rows go with by foreign key
	part       bool   // rows go with those that they refer to, by a step
	reach
	Policy string
	Guards []guard
	Parts  []*related
}

// guard keeps rows that others refer to.
type guard struct{ Name, Condition string }

// related are rows of another table that go before the ones that they refer to.
type related struct {
	*draft
	Where string
}

func (d *draft) name() string { return d.Schema + "." + d.Name }

func newFile(snapshot *catalog.Snapshot, statistics *catalog.Statistics) *file {
	f := &file{Statistics: statistics, tables: map[string]*catalog.Table{}, byName: map[string]*draft{}}
	for _, t := range snapshot.Tables {
		f.tables[t.Schema+"."+t.Name] = t
	}
	for _, t := range snapshot.Tables {
		if (t.Kind == "table" || t.Kind == "partitioned") && t.PartitionOf == "" {
			d := f.draft(t)
			f.drafts, f.byName[d.name()] = append(f.drafts, d), d
			f.sized = f.sized || f.Database != "" && grows(d.growth)
		}
	}
	for _, d := range f.drafts {
		if i := slices.IndexFunc(exemptions, func(e exemption) bool { return e.applies(f, d) }); i >= 0 {
			d.reason = exemptions[i].reason
		}
	}
	for _, d := range f.proposed() {
		f.relate(d)
	}
	return f
}

// draft is what a table says of itself.
func (f *file) draft(t *catalog.Table) *draft {
	d := &draft{Table: t, growth: f.Tables[t.Schema+"."+t.Name]}
	d.reach = f.reachOf(d.name())
	var referring []string
	for _, key := range f.referring(d.name()) {
		if root := f.root(key.Table); root != d.name() {
			referring = with(referring, root)
		}
	}
	d.referring = len(referring)
	if list := clocksOf(t, f.Statistics); len(list) > 0 {
		d.clock, d.others = &list[0], list[1:]
	}
	if t.Strategy == "range" && len(t.KeyColumns) == 1 && len(referring) == 0 {
		if key := t.Column(t.KeyColumns[0]); key != nil && isTime(key.Type) {
			d.partitions, d.others = true, nil
			d.clock = &clock{clockRule{"old", nil, "age", window}, key, ""}
		}
	}
	return d
}

// proposed are the tables for which there is a policy.
func (f *file) proposed() []*draft {
	return slices.DeleteFunc(slices.Clone(f.drafts), func(d *draft) bool { return d.reason != "" })
}

// relate finds out what foreign keys do around a table, and what its policy says of them.
func (f *file) relate(d *draft) {
	d.Policy = f.unique(d)
	for _, by := range d.refuses {
		if part := f.referringDraft(by); f.isPart(by) {
			part.part = true
			d.Parts = append(d.Parts, &related{part, f.text("equal", f.hops(by)[0])})
		} else {
			d.guard(f, by)
		}
	}
	for _, by := range d.children {
		child := f.referringDraft(by)
		child.with = d.name()
		if child.reason == "" { // rows with a time of their own
			d.guard(f, by)
		}
	}
}

// referringDraft is the table at the end of a path.
func (f *file) referringDraft(by path) *draft { return f.byName[f.root(by.last().Table)] }

// isPart says whether the rows at the end of a path are parts of those that they refer to, and can go with them by a step.
func (f *file) isPart(by path) bool {
	d, key := f.referringDraft(by), by.last()
	optional := slices.ContainsFunc(key.Columns, func(name string) bool { c := d.Column(name); return c == nil || !c.NotNull })
	return len(by) == 1 && d.name() == key.Table && d.name() != key.RefTable && !optional && d.clock == nil && len(d.PrimaryKey) > 0 &&
		len(d.Children) == 0 && len(d.refuses) == 0 && d.referring < manyReferring && !keptTable.MatchString(snake(d.Name))
}

func (f *file) hasForeign(d *draft) bool {
	return slices.ContainsFunc(d.Children, func(name string) bool { return f.tables[name] != nil && f.tables[name].Kind == "foreign" })
}

// meetsRowSecurity says whether rows of the table, or of one that refers to it, may be hidden from the worker.
func (f *file) meetsRowSecurity(d *draft) bool {
	return d.RowSecurity || slices.ContainsFunc(slices.Concat(d.refuses, d.children), func(by path) bool { return f.referringDraft(by).RowSecurity })
}

func (d *draft) guard(f *file, by path) {
	g := guard{"", f.text("refers", f.hops(by))}
	if slices.ContainsFunc(d.Guards, func(o guard) bool { return o.Condition == g.Condition }) {
		return
	}
	base := shortened("has_"+plain(f.tables[by.last().Table].Name), "")
	for i := 1; g.Name == "" || slices.ContainsFunc(d.Guards, func(o guard) bool { return o.Name == g.Name }); i++ {
		g.Name = shortened(base, number(i))
	}
	d.Guards = append(d.Guards, g)
}

// unique is a name for a policy.
func (f *file) unique(d *draft) string {
	base := plain(d.Name)
	if slices.ContainsFunc(f.drafts, func(o *draft) bool { return o != d && plain(o.Name) == base }) {
		base = plain(d.Schema) + "_" + base
	}
	if base == "" || base[0] < 'a' || base[0] > 'z' {
		base = "t_" + base
	}
	for i := 1; ; i++ {
		name := shortened(base, number(i)+"_"+d.clock.suffix)
		if !slices.Contains(f.taken, name) {
			f.taken = append(f.taken, name)
			return name
		}
	}
}

// longest is how long a name of a policy or a guard may be.
const longest = 40

func shortened(name, ending string) string {
	return name[:min(len(name), longest-len(ending))] + ending
}

// number is "" for the first of a name.
func number(i int) string {
	if i == 1 {
		return ""
	}
	return fmt.Sprintf("_%d", i)
}

var odd = regexp.MustCompile(`[^a-z0-9]+`)

// plain is a name with nothing but small letters, digits and underscores.
func plain(name string) string { return strings.Trim(odd.ReplaceAllString(snake(name), "_"), "_") }

// childrenFirst lists policies, those of referring tables before those of the tables that they refer to.
func (f *file) childrenFirst() []string {
	var list []string
	seen := map[*draft]bool{}
	var visit func(*draft)
	visit = func(d *draft) {
		if seen[d] {
			return
		}
		seen[d] = true
		for _, key := range f.referring(d.name()) {
			visit(f.byName[f.root(key.Table)])
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

// exempt are the tables that no proposal is about, with the reasons.
func (f *file) exempt() []*draft {
	return slices.DeleteFunc(slices.Clone(f.drafts), func(d *draft) bool { return d.reason == "" || d.part })
}

// schemas are those of all tables.
func (f *file) schemas() []string {
	var list []string
	for _, d := range f.drafts {
		list = with(list, d.Schema)
	}
	return list
}

// owners are the roles whose code a batch may meet.
func (f *file) owners() []string {
	var list []string
	for _, d := range f.drafts {
		if d.reason == "" || d.part {
			list = append(list, d.growth.Owners...)
		}
	}
	for _, d := range f.proposed() {
		for _, by := range slices.Concat(d.refuses, d.children) {
			list = append(list, f.referringDraft(by).growth.Owners...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
