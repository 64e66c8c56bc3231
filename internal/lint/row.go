package lint

import (
	"strings"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// row is what the snapshot knows of a policy's rows, and of those that are joined to them.
type row struct {
	table  *catalog.Table            // nil where there is no snapshot
	joined map[string]*catalog.Table // by the name of the join
}

// rowOf is the row of a policy, looked up once.
func (l *linter) rowOf(p *policy.Policy) *row {
	if l.rows[p] == nil {
		l.rows[p] = l.newRow(p)
	}
	return l.rows[p]
}

func (l *linter) newRow(p *policy.Policy) *row {
	r := &row{joined: map[string]*catalog.Table{}}
	if l.snapshot == nil || p.Partitions {
		return r
	}
	r.table = l.snapshot.Table(p.Table.String())
	for _, j := range p.Joins {
		if j.Table != nil {
			r.joined[j.Name] = l.snapshot.Table(j.Table.String())
		}
	}
	return r
}

// column finds "name" or "join.name"; nil where it is not known.
func (r *row) column(name string) *catalog.Column {
	table := r.table
	if alias, rest, ok := strings.Cut(name, "."); ok {
		table, name = r.joined[alias], rest
	}
	if table == nil {
		return nil
	}
	return table.Column(name)
}

// notNull says whether a column of the row has a value in every row; one of a join may be missing.
func (r *row) notNull(name string) bool {
	if strings.Contains(name, ".") {
		return false
	}
	column := r.column(name)
	return column != nil && column.NotNull
}

// nullable says whether the snapshot lets a column of the row be NULL.
func (r *row) nullable(name string) bool {
	column := r.column(name)
	return column != nil && !column.NotNull && !strings.Contains(name, ".")
}

// kind says what literals mean beside a column, perhaps under a cast.
func (r *row) kind(name, cast string) kind {
	typ := strings.ToLower(cast)
	if typ == "" {
		column := r.column(name)
		if column == nil {
			return unclear
		}
		typ = column.Type
	}
	base, _, _ := strings.Cut(typ, "(")
	if k, ok := kinds[strings.TrimSpace(base)]; ok {
		return k
	}
	if cast == "" && !builtIn(base) {
		return labels
	}
	return unclear
}

var kinds = map[string]kind{
	"text": letters, "character varying": letters, "varchar": letters, "character": letters, "bpchar": letters, "name": letters,
	"citext": letters, "public.citext": letters, "boolean": booleans, "bool": booleans, "smallint": numbers, "integer": numbers,
	"bigint": numbers, "numeric": numbers, "real": numbers, "double precision": numbers,
}

// builtIn says whether format_type printed a type of pg_catalog: those of others are qualified, except
// where their schema is in the path, and snapshots are taken with none.
func builtIn(typ string) bool { return !strings.Contains(typ, ".") }
