package verifier

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeReferencingIndex = register("V026", Indexes, "no index finds the rows that refer to deleted ones")

// smallTable is how many bytes are read as fast as an index.
const smallTable = 16 * 8192

// keyIndex is an index that may find the rows of a foreign key, in one of its tables.
type keyIndex struct {
	Key, Table       uint32
	Name, SQL, Index string
	Whole            bool // begins with all columns of the key
	Predicate        string
}

type reachSize struct {
	Table       uint32
	Bytes, Rows int64
}

// unfound are the tables of a key, its partitions each by itself, in which no index finds its rows.
type unfound struct {
	tables      []keyIndex
	partly      string // an index that finds them by some of the columns
	bytes, rows int64
	of          int // how many tables there are
}

// checkReferencingIndexes: every deleted row looks for rows that refer to it, whatever the key then does.
func (v *inspection) checkReferencingIndexes(ctx context.Context, tx pgx.Tx) error {
	keys := map[uint32]*unfound{}
	var met []uint32
	for _, p := range v.file.Policies {
		for _, m := range v.graph.met(p) {
			met = append(met, m.OID)
		}
	}
	slices.Sort(met)
	met = slices.Compact(met)
	rows, err := seen[keyIndex](ctx, tx, v.query("reach_indexes"), met)
	if err != nil {
		return err
	}
	for _, key := range met {
		keys[key] = v.unfound(key, rows)
	}
	if err := v.measure(ctx, tx, keys); err != nil {
		return err
	}
	for _, p := range v.file.Policies {
		for _, m := range v.graph.met(p) {
			if u := keys[m.OID]; u != nil && u.bytes > smallTable && !m.Off {
				v.rowsAreSought(p, m, u)
			}
		}
	}
	return nil
}

// unfound collects the tables without an index that serves.
func (v *inspection) unfound(key uint32, rows []keyIndex) *unfound {
	u := &unfound{}
	first, _ := slices.BinarySearchFunc(rows, key, func(r keyIndex, key uint32) int { return int(int64(r.Key) - int64(key)) })
	columns := v.graph.known[key].Columns
	for i := first; i < len(rows) && rows[i].Key == key; {
		end := i
		served := false
		partly := ""
		for ; end < len(rows) && rows[end].Key == key && rows[end].Table == rows[i].Table; end++ {
			r := rows[end]
			helps := r.Index != "" && onlyNotNull(r.Predicate, columns)
			served = served || helps && r.Whole
			if helps {
				partly = r.Index
			}
		}
		u.of++
		if !served {
			u.tables = append(u.tables, rows[i])
			u.partly = partly
		}
		i = end
	}
	return u
}

// onlyNotNull says whether an index predicate follows from an equality with the columns of the key.
func onlyNotNull(predicate string, columns []string) bool {
	for _, c := range columns {
		predicate = strings.ReplaceAll(predicate, "("+c+" IS NOT NULL)", "")
	}
	return strings.Trim(strings.ReplaceAll(predicate, "AND", ""), "() ") == ""
}

func (v *inspection) measure(ctx context.Context, tx pgx.Tx, keys map[uint32]*unfound) error {
	var tables []uint32
	for _, u := range keys {
		for _, t := range u.tables {
			tables = append(tables, t.Table)
		}
	}
	rows, err := seen[reachSize](ctx, tx, v.query("reach_sizes"), tables)
	sizes := map[uint32]reachSize{}
	for _, r := range rows {
		sizes[r.Table] = r
	}
	for _, u := range keys {
		for _, t := range u.tables {
			u.bytes += sizes[t.Table].Bytes
			u.rows += sizes[t.Table].Rows
			if sizes[t.Table].Rows < 0 {
				u.rows = -1 << 40 // unknown, whatever is added
			}
		}
	}
	return err
}

func (v *inspection) rowsAreSought(p *policy.Policy, m metKey, u *unfound) {
	f := Finding{Code: codeReferencingIndex, Object: m.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("deletes of policy %q look for rows of table %q without an index", p.Name, m.table.Name),
		Detail:  fmt.Sprintf("For each row that goes, foreign key %q (%s) makes PostgreSQL read %s.", m.Name, strings.Join(m.Columns, ", "), u.size()),
		Hint:    u.repair(m)}
	if u.of > len(u.tables) {
		f.Detail += fmt.Sprintf(" It is so for %d of %d partitions, %q for one.", len(u.tables), u.of, u.tables[0].Name)
	}
	if m.Referenced == v.graph.own(p) {
		f.Detail += fmt.Sprintf(" A batch of %d rows reads %s.", p.Batch.Usual(), byteSize(u.bytes*int64(p.Batch.Usual())))
	}
	f.Detail += fmt.Sprintf(" The path is %s -> %s.", m.path, m.table.Name)
	if u.partly != "" {
		f.Severity = Info
		f.Message = fmt.Sprintf("deletes of policy %q look for rows of table %q with an index that finds too many", p.Name, m.table.Name)
		f.Detail = fmt.Sprintf("Foreign key %q goes by (%s); index %q has some of that. How many rows it finds is in the data.", m.Name, strings.Join(m.Columns, ", "), u.partly)
	}
	v.add(f)
}

// own is the table of a policy, 0 where there is none.
func (g *reachGraph) own(p *policy.Policy) uint32 {
	for _, t := range g.byName[p.Table.String()] {
		return t.OID
	}
	return 0
}

func (u *unfound) size() string {
	if u.rows < 0 {
		return fmt.Sprintf("all of it, %s", byteSize(u.bytes))
	}
	return fmt.Sprintf("all of it, about %s, %s", plural(int(u.rows), "row"), byteSize(u.bytes))
}

// repair is what builds the index. None can be built CONCURRENTLY on a partitioned table at once.
func (u *unfound) repair(m metKey) string {
	list := strings.Join(m.Columns, ", ")
	if m.table.Kind != "p" {
		return fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", u.tables[0].SQL, list)
	}
	var statements []string
	for _, t := range u.tables[:min(len(u.tables), 3)] {
		statements = append(statements, fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", t.SQL, list))
	}
	if more := len(u.tables) - len(statements); more > 0 {
		statements = append(statements, fmt.Sprintf("and so on for %d more.", more))
	}
	return fmt.Sprintf("%s When all have one, CREATE INDEX ON %s (%s); for later partitions.", strings.Join(statements, " "), m.table.SQL, list)
}

// byteSize is a number of bytes for people.
func byteSize(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return fmt.Sprintf("%.4g %s", value, units[unit])
}
