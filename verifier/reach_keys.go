package verifier

import (
	"fmt"
	"maps"
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

// checkKeysOff: foreign keys are triggers, which a superuser can switch off, for a table or for a session.
func (v *inspection) checkKeysOff(r reading) error {
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			if m.Off {
				v.keyOff(p, m)
			}
		}
	}
	return each(r, "session_settings", func(s sessionSetting) {
		if s.Value == "replica" {
			v.add(message{Code: codeKeyOff, Object: v.runner(), Position: v.install.Position, Hint: s.Reset,
				Message: fmt.Sprintf("sessions of role %q fire no triggers", v.runner()),
				Detail:  "Its session_replication_role is replica: foreign keys neither cascade nor refuse, and rows are left behind that refer to nothing."})
		}
	}, v.runner(), []string{"session_replication_role"})
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

// smallTable is how many bytes are read as fast as an index.
const smallTable = 16 * 8192

// keyIndex is an index that may find the rows of a foreign key, in one of its tables; Index is "" for none.
type keyIndex struct {
	Key, Table       uint32
	Name, SQL, Index string
	Whole            bool // begins with all columns of the key
	Predicate        string
}

// unindexed are the tables of a key, its partitions each by itself, in which no index finds its rows.
type unindexed struct {
	tables      []keyIndex
	partly      string // an index that finds them by some of the columns
	bytes, rows int64  // rows are -1 where the statistics do not know
	of          int    // how many tables there are
}

// checkReferencingIndexes: every deleted row looks for rows that refer to it, whatever the key then does.
func (v *inspection) checkReferencingIndexes(r reading) error {
	columns, keys := map[uint32][]string{}, map[uint32]*unindexed{}
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			columns[m.OID], keys[m.OID] = m.Columns, &unindexed{}
		}
	}
	rows, err := collectRows[keyIndex](r, "reach_indexes", slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return err
	}
	for len(rows) > 0 { // in the order of keys and tables
		first := rows[0]
		end := slices.IndexFunc(rows, func(i keyIndex) bool { return i.Key != first.Key || i.Table != first.Table })
		if end < 0 {
			end = len(rows)
		}
		helping := slices.DeleteFunc(slices.Clone(rows[:end]), func(i keyIndex) bool {
			return i.Index == "" || !onlyNotNull(i.Predicate, columns[i.Key])
		})
		u := keys[first.Key]
		if u.of++; !slices.ContainsFunc(helping, func(i keyIndex) bool { return i.Whole }) {
			u.tables, u.partly = append(u.tables, first), ""
			if len(helping) > 0 {
				u.partly = helping[len(helping)-1].Index
			}
		}
		rows = rows[end:]
	}
	if err := measure(r, keys); err != nil {
		return err
	}
	for _, p := range v.graph.policies {
		for _, m := range p.met {
			if u := keys[m.OID]; u.bytes > smallTable && !m.Off {
				v.rowsAreSought(p, m, u)
			}
		}
	}
	return nil
}

// onlyNotNull says whether an index predicate follows from an equality with the columns of the key.
func onlyNotNull(predicate string, columns []string) bool {
	for _, c := range columns {
		predicate = strings.ReplaceAll(predicate, "("+c+" IS NOT NULL)", "")
	}
	return strings.Trim(strings.ReplaceAll(predicate, "AND", ""), "() ") == ""
}

func measure(r reading, keys map[uint32]*unindexed) error {
	type size struct {
		Table       uint32
		Bytes, Rows int64
	}
	var tables []uint32
	for _, u := range keys {
		tables = append(tables, mapped(u.tables, func(i keyIndex) uint32 { return i.Table })...)
	}
	sizes := map[uint32]size{}
	err := each(r, "reach_sizes", func(s size) { sizes[s.Table] = s }, tables)
	for _, u := range keys {
		for _, t := range u.tables {
			u.bytes += sizes[t.Table].Bytes
			if rows := sizes[t.Table].Rows; rows < 0 || u.rows < 0 {
				u.rows = -1
			} else {
				u.rows += rows
			}
		}
	}
	return err
}

func (v *inspection) rowsAreSought(p *policyReach, m metKey, u *unindexed) {
	columns, rows := strings.Join(m.Columns, ", "), ""
	if u.rows >= 0 {
		rows = fmt.Sprintf("about %s, ", plural(u.rows, "row"))
	}
	f := message{Code: codeReferencingIndex, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("deletes of policy %q look for rows of table %q without an index", p.Name, m.table.Name),
		Detail:  fmt.Sprintf("For each row that goes, foreign key %q (%s) makes PostgreSQL read all of it, %s%s.", m.Name, columns, rows, byteSize(u.bytes)),
		Hint:    u.repair(m.table, columns)}
	if u.of > len(u.tables) {
		f.Detail += fmt.Sprintf(" It is so for %d of %d partitions, %q for one.", len(u.tables), u.of, u.tables[0].Name)
	}
	if own := v.graph.byName[p.Table.String()]; len(own) > 0 && m.Referenced == own[0].OID {
		f.Detail += fmt.Sprintf(" A batch of %d rows reads %s.", p.Batch.Usual(), byteSize(u.bytes*int64(p.Batch.Usual())))
	}
	f.Detail += fmt.Sprintf(" The path is %s -> %s.", m.path, m.table.Name)
	if u.partly != "" {
		f.Severity = Info
		f.Message = fmt.Sprintf("deletes of policy %q look for rows of table %q with an index that finds too many", p.Name, m.table.Name)
		f.Detail = fmt.Sprintf("Foreign key %q goes by (%s); index %q has some of that. How many rows it finds is in the data.", m.Name, columns, u.partly)
	}
	v.add(f)
}

// repair is what builds the index. None can be built CONCURRENTLY on a partitioned table at once.
func (u *unindexed) repair(of *reachTable, columns string) string {
	build := func(t keyIndex) string {
		return fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", t.SQL, columns)
	}
	if of.Kind != "p" {
		return build(u.tables[0])
	}
	statements := mapped(u.tables[:min(len(u.tables), 3)], build)
	if more := len(u.tables) - len(statements); more > 0 {
		statements = append(statements, fmt.Sprintf("and so on for %d more.", more))
	}
	return fmt.Sprintf("%s When all have one, CREATE INDEX ON %s (%s); for later partitions.", strings.Join(statements, " "), of.SQL, columns)
}

// byteSize is a number of bytes for people.
func byteSize(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	value := float64(n)
	for value >= 1024 && len(units) > 1 {
		value, units = value/1024, units[1:]
	}
	return fmt.Sprintf("%.4g %s", value, units[0])
}
