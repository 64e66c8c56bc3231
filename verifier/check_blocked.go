package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

var codeBlocked = register("V053", Reach, "a foreign key keeps rows that are due")

// checkBlocked: NO ACTION and RESTRICT refuse to delete what is referred to, and so do SET NULL and SET DEFAULT that
// would write NULL into a column that is NOT NULL, and any key to a partition that is to go. A key that the catalog
// snapshot knows is a choice, and worth knowing.
func (v *inspection) checkBlocked(context.Context, pgx.Tx) error {
	for _, p := range v.file.Policies {
		if slices.ContainsFunc(p.Then, func(s policy.Step) bool { return s.Detach != nil || s.Drop != nil }) {
			v.partitionsBlocked(p)
		}
		for _, d := range v.graph.deletions(p) {
			w := v.graph.deleting(d.table)
			for _, m := range w.met {
				if m.refuses() && !m.Off && !w.deletes(m.table) && !v.seenTo(p, d.step, m) {
					v.blocks(p, m)
				}
			}
		}
	}
	return nil
}

// deletes says whether the walk takes rows of a table itself.
func (w *walk) deletes(t *reachTable) bool {
	return slices.ContainsFunc(w.effects, func(e reachEffect) bool { return e.table == t && e.event == "DELETE" })
}

func (v *inspection) partitionsBlocked(p *policy.Policy) {
	for _, table := range v.graph.byName[p.Table.String()] {
		for _, m := range v.graph.deleting(table).met {
			// Only keys to the table itself or to its partitions matter: nothing cascades.
			if v.graph.isBelow(m.Referenced, table) && !m.Off && v.staysAway(p, m.Declared) && !v.seenTo(p, len(p.Then), m) {
				v.blocks(p, m)
			}
		}
	}
}

// staysAway says whether a key to a table keeps partitions of the policy: one to a table above them always
// does, one to a partition itself goes with it when it is detached, and stops a drop.
func (v *inspection) staysAway(p *policy.Policy, declared uint32) bool {
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

// seenTo says whether the policy file speaks of the rows that refer.
func (v *inspection) seenTo(p *policy.Policy, step int, m metKey) bool {
	return v.graph.concerns.About(v.graph.names(m.table), p, step, m.Deferred && m.OnDelete == "a")
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
	f := Finding{Code: codeBlocked, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("rows of table %q keep rows that are due in policy %q", m.table.Name, p.Name),
		Detail: fmt.Sprintf("Foreign key %q is ON DELETE %s. Rows that are referred to are refused (23503), and more than 100 of them fail a run. The path is %s -> %s.",
			m.Name, onDelete[m.OnDelete], m.path, m.table.Name),
		Hint: fmt.Sprintf("Write a step that deletes the rows of %q first, or a guard that keeps what they refer to; then run \"pgretain snapshot\" and \"pgretain generate\".", m.table.Name)}
	if len(m.Strict) > 0 {
		columns := strings.Join(m.Strict, ", ")
		f.Detail = fmt.Sprintf("Foreign key %q is ON DELETE %s, and would set (%s) to NULL, which is NOT NULL. Rows that are referred to are refused (23502), and more than 100 of them fail a run. The path is %s -> %s.",
			m.Name, onDelete[m.OnDelete], columns, m.path, m.table.Name)
		f.Hint = fmt.Sprintf("Give the foreign key another action, or let (%s) of %q be NULL.", columns, m.table.Name)
	}
	if p.Partitions {
		f.Message = fmt.Sprintf("rows of table %q keep partitions that are due in policy %q", m.table.Name, p.Name)
		f.Detail = fmt.Sprintf("Foreign key %q refers to %q. Partitions that are referred to are refused (23503), whatever the key says of deletes.", m.Name, m.path)
	}
	if !v.isNew(m) {
		f.Severity = Info
	} else {
		f.Detail += " " + newer(m)
	}
	v.add(f)
}

// isNew says whether a key refuses since the catalog snapshot: it has come, or got another action, or a column of it
// has become NOT NULL. Without a snapshot, or where that lacks the table, nobody knows; but a partition that it lacks
// is new, and so are its own keys.
func (v *inspection) isNew(m metKey) bool {
	declared := v.graph.tables[m.Declared]
	if declared == nil || v.opt.Snapshot == nil {
		return false
	}
	known := v.knownTable(declared)
	if known == nil {
		return declared.Partition
	}
	return !slices.ContainsFunc(known.Referenced, func(k catalog.ForeignKey) bool {
		return k.Name == m.Name && k.Table == m.table.Name && strings.EqualFold(k.OnDelete, onDelete[m.OnDelete])
	}) || v.newlyStrict(m)
}

// newlyStrict says whether a column that a key sets to NULL could be so when the catalog snapshot was written.
func (v *inspection) newlyStrict(m metKey) bool {
	known := v.knownTable(m.table)
	return known != nil && slices.ContainsFunc(known.Columns, func(c catalog.Column) bool {
		return !c.NotNull && slices.Contains(m.Strict, c.Name)
	})
}

func newer(m metKey) string {
	if len(m.Strict) > 0 {
		return "That is newer than the catalog snapshot."
	}
	return "The key is newer than the catalog snapshot."
}
