package verifier

import (
	"fmt"
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
		known := v.knownTable(table)
		lists := known != nil && known.Strategy == "list" // then the rows are a level deeper
		if declared == table.OID || lists && slices.Contains(v.graph.tables[declared].Above, table.OID) {
			return true
		}
	}
	return slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Drop != nil })
}

// knownTable is a table as the catalog snapshot has it, nil where nobody knows.
func (v *inspection) knownTable(t *reachTable) *catalog.Table {
	if v.opt.Snapshot == nil || t == nil {
		return nil
	}
	return v.opt.Snapshot.Table(t.Name)
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
	table := m.table.Name
	f := message{Code: codeBlocked, Object: table, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("rows of table %q keep rows that are due in policy %q", table, p.Name),
		Detail: fmt.Sprintf("Foreign key %q is ON DELETE %s. Rows that are referred to are refused (23503), and more than 100 of them fail a run. The path is %s -> %s.",
			m.Name, m.OnDelete, m.path, table),
		Hint: fmt.Sprintf("Write a step that deletes the rows of %q first, or a guard that keeps what they refer to; then run \"pgretain snapshot\" and \"pgretain generate\".", table)}
	newer := " The key is newer than the catalog snapshot."
	if len(m.Strict) > 0 {
		columns := strings.Join(m.Strict, ", ")
		f.Detail = fmt.Sprintf("Foreign key %q is ON DELETE %s, and would set (%s) to NULL, which is NOT NULL. Rows that are referred to are refused (23502), and more than 100 of them fail a run. The path is %s -> %s.",
			m.Name, m.OnDelete, columns, m.path, table)
		f.Hint = fmt.Sprintf("Give the foreign key another action, or let (%s) of %q be NULL.", columns, table)
		newer = " That is newer than the catalog snapshot."
	}
	if p.Partitions {
		f.Message = fmt.Sprintf("rows of table %q keep partitions that are due in policy %q", table, p.Name)
		f.Detail = fmt.Sprintf("Foreign key %q refers to %q. Partitions that are referred to are refused (23503), whatever the key says of deletes.", m.Name, m.path)
	}
	if v.isNew(m) {
		f.Detail += newer
	} else {
		f.Severity = Info
	}
	v.add(f)
}

// isNew says whether a key refuses since the catalog snapshot: it has come, or got another action, or a column that it
// sets to NULL has become NOT NULL. Without a snapshot, or where that lacks the table, nobody knows; but a partition
// that it lacks is new, and so are its own keys.
func (v *inspection) isNew(m metKey) bool {
	declared := v.graph.tables[m.Declared]
	if declared == nil || v.opt.Snapshot == nil {
		return false
	}
	referenced := v.knownTable(declared)
	if referenced == nil {
		return declared.Partition
	}
	known := slices.ContainsFunc(referenced.Referenced, func(k catalog.ForeignKey) bool {
		return k.Name == m.Name && k.Table == m.table.Name && strings.EqualFold(k.OnDelete, m.OnDelete)
	})
	referencing := v.knownTable(m.table)
	return !known || referencing != nil && slices.ContainsFunc(referencing.Columns, func(c catalog.Column) bool {
		return !c.NotNull && slices.Contains(m.Strict, c.Name)
	})
}

// checkKeysOff: foreign keys are triggers, which a superuser can switch off for a table; for sessions, checkSessions looks.
func (v *inspection) checkKeysOff(reading) error {
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			if m.Off {
				v.keyOff(p, m)
			}
		}
	}
	return nil
}

func (v *inspection) keyOff(p *policyReach, m metKey) {
	consequence := "rows that refer to deleted ones stay, and refer to nothing"
	if m.keeps() {
		consequence = "rows go although others refer to them"
	}
	referenced := v.graph.tables[m.Referenced]
	enable := mapped(m.OffTriggers, func(name string) string { // by name: others of the table may be off for a reason
		return fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER %s;", referenced.SQL, name)
	})
	v.add(message{Code: codeKeyOff, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("foreign key %q of table %q is switched off, and policy %q deletes without it", m.Name, m.table.Name, p.Name),
		Detail:  fmt.Sprintf("A trigger of it on %q is disabled: %s. The key is ON DELETE %s. Once it is on again, look for rows of %q that refer to nothing.", referenced.Name, consequence, m.OnDelete, m.table.Name),
		Hint:    strings.Join(enable, " ")})
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
