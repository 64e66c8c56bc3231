package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgretain/policy"
)

// reachTable is a table that a policy names, one below it, or one that refers to it by foreign keys.
type reachTable struct {
	OID       uint32
	Name, SQL string // schema.name, and as SQL writes it
	Partition bool
	Above     []uint32
}

// reachKey is a foreign key, as it was declared, to one table. Declared is the table that it names;
// Referenced may be a partition of that.
type reachKey struct {
	OID                         uint32
	Name                        string
	Table, Referenced, Declared uint32
	OnDelete                    string   // "NO ACTION", "RESTRICT", "CASCADE", "SET NULL", "SET DEFAULT"
	Deferred                    bool     // checked at the end of the transaction
	Off                         bool     // its trigger is switched off
	OffTriggers                 []string // these, as SQL writes them
	Strict                      []string // columns that it would set to NULL, and that are NOT NULL
}

// keeps says whether the action by itself lets no referenced row go.
func (k *reachKey) keeps() bool { return k.OnDelete == "NO ACTION" || k.OnDelete == "RESTRICT" }

// reachGraph is what deletes of all policies may meet: read once, and walked for each policy.
type reachGraph struct {
	tables   map[uint32]*reachTable
	byName   map[string][]*reachTable
	below    map[uint32][]*reachTable
	keys     map[uint32][]*reachKey // by the table that they refer to
	policies []*policyReach
	concerns *policy.Concerns
}

// policyReach is what statements of a policy have to do with.
type policyReach struct {
	*policy.Policy
	*walk
}

// reachProbes are about what deletes meet. There are none where that could not be read, which is said.
func (v *inspection) reachProbes() []probe {
	if v.graph == nil {
		return nil
	}
	all := v.policyNames()
	return []probe{
		{about: "indexes on the referencing side of foreign keys", codes: []string{codeReferencingIndex}, policies: all, check: v.checkReferencingIndexes},
		{about: "foreign keys that keep rows", codes: []string{codeBlocked}, policies: all, check: v.checkBlocked},
		{about: "triggers of the application", codes: []string{codeTrigger}, policies: all, check: v.checkTriggers},
		{about: "replica identities", codes: []string{codeIdentity}, policies: all, check: v.checkIdentities},
		{about: "foreign keys that are switched off", codes: []string{codeKeyOff}, policies: all, check: v.checkKeysOff},
	}
}

func (v *inspection) readGraph(r reading) error {
	var names []string // outside of expressions
	for _, p := range v.file.Policies {
		names = append(names, mapped(p.Uses(), func(use policy.Use) string { return use.Table.String() })...)
	}
	g := &reachGraph{map[uint32]*reachTable{}, map[string][]*reachTable{}, map[uint32][]*reachTable{}, map[uint32][]*reachKey{}, nil, v.file.Concerns()}
	err := each(r, "reach_tables", func(t reachTable) {
		g.tables[t.OID] = &t
		g.byName[t.Name] = append(g.byName[t.Name], &t)
		for _, above := range t.Above {
			g.below[above] = append(g.below[above], &t)
		}
	}, distinct(names))
	if err != nil {
		return err
	}
	err = each(r, "reach_keys", func(k reachKey) {
		if g.tables[k.Table] != nil { // else it came meanwhile
			g.keys[k.Referenced] = append(g.keys[k.Referenced], &k)
		}
	}, g.oids())
	if err != nil {
		return err
	}
	g.policies = mapped(v.file.Policies, g.reachOf)
	v.graph = g
	return nil
}

func (g *reachGraph) oids() []uint32 { return slices.Sorted(maps.Keys(g.tables)) }

// reachEffect is a table whose rows statements of a policy change, by DELETE, UPDATE or INSERT.
type reachEffect struct {
	table *reachTable
	event string
	named bool   // a statement names the table; otherwise it is below one that does
	path  string // how foreign keys lead there
}

// way is the path, for the end of a detail, where foreign keys lead to the table.
func (e reachEffect) way() string {
	if !strings.Contains(e.path, " -> ") {
		return ""
	}
	return fmt.Sprintf(" The path is %s.", e.path)
}

// metKey is a foreign key that deleted rows have to do with.
type metKey struct {
	reachKey
	table *reachTable // that refers
	path  string      // ends with the table that it refers to
}

// walk is what statements do, to any depth.
type walk struct {
	graph   *reachGraph
	effects []reachEffect // each table and event once
	met     []metKey      // each key once
	next    []reachEffect // deletes whose keys are still to be followed
}

// deleting walks from a table.
func (g *reachGraph) deleting(from *reachTable) *walk {
	return (&walk{graph: g}).delete(from)
}

// delete goes on with deletes from a table.
func (w *walk) delete(from *reachTable) *walk {
	w.take(reachEffect{from, "DELETE", true, from.Name}, true)
	for len(w.next) > 0 {
		e := w.next[0]
		w.next = w.next[1:]
		for _, key := range w.graph.keys[e.table.OID] {
			w.follow(e, key)
		}
	}
	return w
}

// find is the place of an effect on a table, -1 for none.
func (w *walk) find(table *reachTable, event string) int {
	return slices.IndexFunc(w.effects, func(e reachEffect) bool { return e.table == table && e.event == event })
}

// take notes an effect on a table and on what is below it: partitions, and where a statement of ours
// does not say ONLY, also tables that inherit.
func (w *walk) take(e reachEffect, children bool) {
	if i := w.find(e.table, e.event); i >= 0 {
		w.effects[i].named = w.effects[i].named || e.named
		return
	}
	w.effects = append(w.effects, e)
	if e.event == "DELETE" {
		w.next = append(w.next, e)
	}
	for _, below := range w.graph.below[e.table.OID] {
		if below.Partition || children {
			w.take(reachEffect{below, e.event, false, e.path}, children)
		}
	}
}

// follow notes a key, and what it does where that is more than to refuse.
func (w *walk) follow(e reachEffect, key *reachKey) {
	if i := slices.IndexFunc(w.met, func(m metKey) bool { return m.OID == key.OID }); i >= 0 {
		w.met[i].Off = w.met[i].Off || key.Off // each partition has its own triggers
		return
	}
	path := e.path
	if key.Declared == e.table.OID && !e.named {
		path += " -> " + e.table.Name
	}
	table := w.graph.tables[key.Table]
	w.met = append(w.met, metKey{*key, table, path})
	path = fmt.Sprintf("%s -> %s (%s)", path, table.Name, key.Name)
	switch {
	case key.Off || key.keeps() || len(key.Strict) > 0:
	case key.OnDelete == "CASCADE":
		w.take(reachEffect{table, "DELETE", true, path}, false)
	default:
		w.take(reachEffect{table, "UPDATE", true, path}, false)
	}
}

// deletion is a table that a step of a policy deletes from.
type deletion struct {
	table *reachTable
	step  int
}

func (g *reachGraph) deletions(p *policy.Policy) []deletion {
	var list []deletion
	for _, d := range p.Deletes() {
		for _, table := range g.byName[d.Table.String()] {
			list = append(list, deletion{table, d.Step})
		}
	}
	return list
}

// reachOf walks for a policy.
func (g *reachGraph) reachOf(p *policy.Policy) *policyReach {
	all := &walk{graph: g}
	for _, d := range g.deletions(p) {
		all.delete(d.table)
	}
	for _, use := range p.Uses() {
		for _, table := range g.byName[use.Table.String()] {
			if use.Access.Update {
				all.take(reachEffect{table, "UPDATE", true, table.Name}, true)
			}
			if use.Access.Insert {
				all.take(reachEffect{table, "INSERT", true, table.Name}, false)
			}
		}
	}
	return &policyReach{p, all}
}
