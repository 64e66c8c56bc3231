package verifier

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// checkBlocked: NO ACTION and RESTRICT refuse to delete what is referred to, and so do SET NULL and SET DEFAULT that
// would write NULL into a column that is NOT NULL, and any key to a partition that is to go. A key that the catalog
// snapshot knows is a choice, and worth knowing.
func (v *inspection) checkBlocked(reading) error {
	for _, p := range v.file.Policies {
		if slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Detach != nil || s.Drop != nil }) {
			v.partitionsBlocked(p)
		}
		for _, d := range v.graph.deletions(p) {
			w := v.graph.deleting(d.table)
			for _, m := range w.met {
				refuses := m.keeps() || len(m.Strict) > 0
				if refuses && !m.Off && w.find(m.table, "DELETE") < 0 && !v.clearedBy(p, d.step, m) {
					v.blocks(p, m)
				}
			}
		}
	}
	return nil
}

func (v *inspection) partitionsBlocked(p *policy.Policy) {
	for _, table := range v.graph.byName[p.Table.String()] {
		for _, m := range v.graph.deleting(table).met {
			// Only keys to the table itself or to its partitions matter: nothing cascades.
			if v.graph.isBelow(m.Referenced, table) && !m.Off && v.keepsPartitions(p, m.Declared) && !v.clearedBy(p, len(p.Then), m) {
				v.blocks(p, m)
			}
		}
	}
}

// keepsPartitions says whether a key to a table keeps partitions of the policy: one to a table above them always
// does, one to a partition itself goes with it when it is detached, and stops a drop.
func (v *inspection) keepsPartitions(p *policy.Policy, declared uint32) bool {
	for _, table := range v.graph.byName[p.Table.String()] {
		known := v.opt.Snapshot.Table(table.Name)
		lists := known != nil && known.Strategy == "list" // then the rows are a level deeper
		if declared == table.OID || lists && slices.Contains(v.graph.tables[declared].Above, table.OID) {
			return true
		}
	}
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Drop != nil })
}

// isBelow says whether a table is another one or a partition of it, to any depth.
func (g *reachGraph) isBelow(oid uint32, table *reachTable) bool {
	return oid == table.OID || slices.ContainsFunc(g.below[table.OID], func(b *reachTable) bool { return g.isBelow(oid, b) })
}

// clearedBy says whether the policy file speaks of the rows that refer.
func (v *inspection) clearedBy(p *policy.Policy, step int, m metKey) bool {
	return v.graph.concerns.About(v.graph.names(m.table), p, step, m.Deferred && m.OnDelete == "NO ACTION")
}

// names are that of a table and those of all above it.
func (g *reachGraph) names(t *reachTable) []string {
	list := []string{t.Name}
	for _, above := range t.Above {
		if g.tables[above] != nil {
			list = append(list, g.names(g.tables[above])...)
		}
	}
	return list
}

func (v *inspection) blocks(p *policy.Policy, m metKey) {
	f := message{Code: codeBlocked, Object: m.table.Name, Policy: p.Name, Position: p.Position}
	isNew := v.isNew(m)
	if !isNew {
		f.Severity = Info
	}
	v.say(f, "key keeps", words{"Key": m.reachKey, "Path": m.path, "Partitions": p.Partitions, "New": isNew})
}

// isNew says whether a key refuses since the catalog snapshot: it has come, or got another action, or a column that it
// sets to NULL has become NOT NULL. Without a snapshot, or where that lacks the table, nobody knows; but a partition
// that it lacks is new, and so are its own keys.
func (v *inspection) isNew(m metKey) bool {
	declared := v.graph.tables[m.Declared]
	if declared == nil || v.opt.Snapshot == nil {
		return false
	}
	referenced := v.opt.Snapshot.Table(declared.Name)
	if referenced == nil {
		return declared.Partition
	}
	known := slices.ContainsFunc(referenced.Referenced, func(k catalog.ForeignKey) bool {
		return k.Name == m.Name && k.Table == m.table.Name && strings.EqualFold(k.OnDelete, m.OnDelete)
	})
	referencing := v.opt.Snapshot.Table(m.table.Name)
	return !known || referencing != nil && slices.ContainsFunc(referencing.Columns, func(c catalog.Column) bool {
		return !c.NotNull && slices.Contains(m.Strict, c.Name)
	})
}

// checkKeysOff: foreign keys are triggers, which a superuser can switch off for a table; for sessions, checkSessions looks.
func (v *inspection) checkKeysOff(reading) error {
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			if m.Off {
				v.say(message{Code: codeKeyOff, Object: m.table.Name, Policy: p.Name, Position: p.Position}, "key off",
					words{"Key": m.reachKey, "Keeps": m.keeps(), "Referenced": v.graph.tables[m.Referenced]})
			}
		}
	}
	return nil
}

// checkReferencingIndexes: every deleted row looks for rows that refer to it, whatever the key then does.
func (v *inspection) checkReferencingIndexes(r reading) error {
	var keys []uint32
	var policies, paths []string
	var batches []int
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			if m.Off {
				continue
			}
			batch := 0
			if own := v.graph.byName[p.Table.String()]; len(own) > 0 && m.Referenced == own[0].OID {
				batch = p.Batch.Usual()
			}
			keys, policies, paths, batches = append(keys, m.OID), append(policies, p.Name), append(paths, m.path), append(batches, batch)
		}
	}
	return v.finds(codeReferencingIndex, nil, "reach_indexes", keys, policies, paths, batches)(r)
}
