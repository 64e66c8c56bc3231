package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
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

var codeKeyOff = register("V059", Reach, "a foreign key is switched off")

// checkKeysOff: foreign keys are triggers, which a superuser can switch off, for a table or for a session.
func (v *inspection) checkKeysOff(ctx context.Context, tx pgx.Tx) error {
	for _, p := range v.file.Policies {
		for _, m := range v.graph.met(p) {
			if m.Off {
				v.keyOff(p, m)
			}
		}
	}
	settings, err := v.runnersSettings(ctx, tx, "session_replication_role")
	for _, s := range settings {
		if s.Value == "replica" {
			v.add(Finding{Code: codeKeyOff, Object: v.runner(), Position: v.install.Position,
				Message: fmt.Sprintf("sessions of role %q fire no triggers", v.runner()),
				Detail:  "Its session_replication_role is replica: foreign keys neither cascade nor refuse, and rows are left behind that refer to nothing.",
				Hint:    v.resetHint(s)})
		}
	}
	return err
}

func (v *inspection) keyOff(p *policy.Policy, m metKey) {
	consequence := "rows that refer to deleted ones stay, and refer to nothing"
	if m.OnDelete == "a" || m.OnDelete == "r" {
		consequence = "rows go although others refer to them"
	}
	referenced := v.graph.tables[m.Referenced]
	enable := make([]string, len(m.OffTriggers)) // by name: others of the table may be off for a reason
	for i, name := range m.OffTriggers {
		enable[i] = fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER %s;", referenced.SQL, name)
	}
	v.add(Finding{Code: codeKeyOff, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("foreign key %q of table %q is switched off, and policy %q deletes without it", m.Name, m.table.Name, p.Name),
		Detail:  fmt.Sprintf("A trigger of it on %q is disabled: %s. The key is ON DELETE %s. Once it is on again, look for rows of %q that refer to nothing.", referenced.Name, consequence, onDelete[m.OnDelete], m.table.Name),
		Hint:    strings.Join(enable, " ")})
}

var codeRowSecurity = register("V055", Reach, "row security stops the functions of a policy")

// secured is a table whose row security stands in the way of who reads it.
type secured struct {
	N               int
	Name, SQL, Role string
	Views           *string
	Forced          bool
	Owner           string
}

// secureReader is a policy or report whose functions read tables.
type secureReader struct {
	kind, name string
	position   diag.Position
	tables     []policy.Table
}

func (v *inspection) secureReaders() []secureReader {
	var list []secureReader
	for _, p := range v.file.Policies {
		list = append(list, secureReader{"policy", p.Name, p.Position, readTables(p.Uses(), p.Parts())})
	}
	for _, r := range v.file.Reports {
		list = append(list, secureReader{"report", r.Name, r.Position, readTables(nil, r.Parts())})
	}
	return list
}

// checkRowSecurity: the generated functions run with row_security = off, so that they fail where rows would be
// hidden from them. What foreign keys do is done as the table's owner, past any row security.
func (v *inspection) checkRowSecurity(ctx context.Context, tx pgx.Tx) error {
	schemas, names := []string{}, []string{}
	asked := map[policy.Table]int{}
	var readers [][]secureReader // by name that is asked for
	for _, reader := range v.secureReaders() {
		for _, t := range reader.tables {
			t = policy.Table{Schema: t.Schema, Name: t.Name}
			n, known := asked[t]
			if !known {
				n = len(names)
				asked[t] = n
				schemas, names, readers = append(schemas, t.Schema), append(names, t.Name), append(readers, nil)
			}
			readers[n] = append(readers[n], reader)
		}
	}
	rows, err := seen[secured](ctx, tx, v.query("reach_row_security"), schemas, names, v.install.SearchPath, v.worker())
	for _, r := range rows {
		for _, reader := range readers[r.N-1] {
			v.hidden(reader, r)
		}
	}
	return err
}

func (v *inspection) hidden(by secureReader, r secured) {
	through := ""
	if r.Views != nil {
		through = " through " + *r.Views
	}
	f := Finding{Code: codeRowSecurity, Object: r.Name, Policy: by.name, Position: by.position,
		Message: fmt.Sprintf("row security of table %q stops %s %q", r.Name, by.kind, by.name),
		Detail:  fmt.Sprintf("Its functions read the table%s as role %q, which row security is for: they fail (42501) instead of passing by rows that they cannot see.", through, r.Role),
		Hint:    fmt.Sprintf("ALTER ROLE %s BYPASSRLS;", sqlName(r.Role))}
	if r.Forced && r.Role == r.Owner {
		f.Detail += " It is forced on the table's owner, too."
		f.Hint = fmt.Sprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY; or %s", r.SQL, f.Hint)
	}
	v.add(f)
}

var codeIdentity = register("V058", Reach, "a published table has no replica identity that serves")

// unidentified is a published table whose rows PostgreSQL refuses to delete or update.
type unidentified struct {
	Table                     uint32
	Event, Publication, Wrong string
	PrimaryKey                bool
}

func (v *inspection) checkIdentities(ctx context.Context, tx pgx.Tx) error {
	var tables []uint32
	var events []string
	for _, p := range v.file.Policies {
		for _, e := range v.graph.effects(p) {
			if e.event != "INSERT" {
				tables, events = append(tables, e.table.OID), append(events, e.event)
			}
		}
	}
	rows, err := seen[unidentified](ctx, tx, v.query("reach_identity"), tables, events)
	type change struct {
		table uint32
		event string
	}
	found := map[change][]unidentified{}
	for _, r := range rows {
		c := change{r.Table, r.Event}
		found[c] = append(found[c], r)
	}
	for _, p := range v.file.Policies {
		for _, e := range v.graph.effects(p) {
			for _, r := range found[change{e.table.OID, e.event}] {
				v.notIdentified(p, e, r)
			}
		}
	}
	return err
}

func (v *inspection) notIdentified(p *policy.Policy, e reachEffect, r unidentified) {
	f := Finding{Code: codeIdentity, Object: e.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("policy %q cannot %s rows of published table %q", p.Name, lowerEvent[e.event], e.table.Name),
		Detail:  fmt.Sprintf("Publication %q publishes each %s, and the table has no replica identity: PostgreSQL refuses it (55000).", r.Publication, e.event),
		Hint:    fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY FULL;", e.table.SQL)}
	switch {
	case r.Wrong == "filter":
		f.Detail = fmt.Sprintf("Publication %q publishes each %s, and its WHERE reads columns that are not in the table's replica identity: PostgreSQL refuses it (42P10).", r.Publication, e.event)
	case r.Wrong == "columns":
		f.Detail = fmt.Sprintf("Publication %q publishes each %s, and its columns lack some of the table's replica identity: PostgreSQL refuses it (42P10).", r.Publication, e.event)
		f.Hint = "Name all columns of the replica identity in the publication, or publish all columns."
	case r.PrimaryKey:
		f.Hint = fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY DEFAULT;", e.table.SQL)
	}
	f.Detail += e.way()
	v.add(f)
}

var lowerEvent = map[string]string{"DELETE": "delete", "UPDATE": "update", "INSERT": "insert"}
