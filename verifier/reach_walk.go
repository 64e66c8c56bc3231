package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/policy"
)

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
	*reachKey
	table *reachTable // that refers
	path  string      // ends with the table that it refers to
}

// walk is what deleting rows of one table does, to any depth.
type walk struct {
	graph   *reachGraph
	effects []reachEffect
	met     []metKey
	next    []reachEffect // deletes whose keys are still to be followed
}

// deleting walks from a table; walks are shared by policies.
func (g *reachGraph) deleting(from *reachTable) *walk {
	if w := g.walks[from.OID]; w != nil {
		return w
	}
	w := &walk{graph: g}
	g.walks[from.OID] = w
	w.take(reachEffect{from, "DELETE", true, from.Name}, true)
	for len(w.next) > 0 {
		e := w.next[0]
		w.next = w.next[1:]
		for _, key := range g.keys[e.table.OID] {
			w.follow(e, key)
		}
	}
	return w
}

// take notes an effect on a table and on what is below it: partitions, and where a statement of ours
// does not say ONLY, also tables that inherit.
func (w *walk) take(e reachEffect, children bool) {
	if slices.ContainsFunc(w.effects, func(known reachEffect) bool { return known.table == e.table && known.event == e.event }) {
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
	path := e.path
	if key.Declared == e.table.OID && !e.named {
		path += " -> " + e.table.Name
	}
	table := w.graph.tables[key.Table]
	if i := slices.IndexFunc(w.met, func(m metKey) bool { return m.OID == key.OID }); i < 0 {
		copied := *key
		w.met = append(w.met, metKey{&copied, table, path})
	} else {
		w.met[i].Off = w.met[i].Off || key.Off // each partition has its own triggers
		return
	}
	path = fmt.Sprintf("%s -> %s (%s)", path, table.Name, key.Name)
	switch {
	case key.Off || len(key.Strict) > 0:
	case key.OnDelete == "c":
		w.take(reachEffect{table, "DELETE", true, path}, false)
	case key.OnDelete == "n" || key.OnDelete == "d":
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

// met lists the keys that deletes of a policy have to do with, each once.
func (g *reachGraph) met(p *policy.Policy) []metKey {
	var list []metKey
	for _, d := range g.deletions(p) {
		for _, m := range g.deleting(d.table).met {
			if !slices.ContainsFunc(list, func(known metKey) bool { return known.OID == m.OID }) {
				list = append(list, m)
			}
		}
	}
	return list
}

// effects lists what the statements of a policy change, each table and event once.
func (g *reachGraph) effects(p *policy.Policy) []reachEffect {
	var all walk
	all.graph = g
	for _, d := range g.deletions(p) {
		for _, e := range g.deleting(d.table).effects {
			all.note(e)
		}
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
	return all.effects
}

func (w *walk) note(e reachEffect) {
	for i, known := range w.effects {
		if known.table == e.table && known.event == e.event {
			w.effects[i].named = known.named || e.named
			return
		}
	}
	w.effects = append(w.effects, e)
}
