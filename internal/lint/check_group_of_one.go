package lint

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L014", "a rank in groups of one row", checkGroups)

// checkGroups speaks of a rank whose groups hold one row each, because they are those of a key: the row
// always has the first place.
func checkGroups(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil {
			continue
		}
		for _, rank := range ranks(p) {
			if key := keyOf(table, rank); key != "" {
				f := finding{at: rank.Position, policy: p.Name,
					message: fmt.Sprintf("each group of this rank has one row: %s is a key", key),
					detail:  "The row has the first place, so that none comes after it and none is due.",
					hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."}
				if len(p.Due.Entries) > 1 {
					l.warn(f) // the other entries of "any" may find rows
				} else {
					l.refuse(f)
				}
			}
		}
		for _, g := range p.Keep {
			if key := keyOf(table, g.Rank); key != "" && g.Rank.Among == nil {
				l.refuse(finding{at: g.Rank.Position, policy: p.Name,
					message: fmt.Sprintf("guard %q spares every row: %s is a key, so that each group has one row", g.Name, key),
					detail:  "The row has the first place.",
					hint:    "Write under \"per\" what the rows of a group have in common, and nothing else."})
			}
		}
	}
}

// keyOf is a key of the table whose columns are all among those of "per", "" for none.
func keyOf(table *catalog.Table, rank *policy.Rank) string {
	if rank == nil || rank.Count != nil {
		return ""
	}
	var per []string
	for _, e := range rank.Per {
		if parts, err := pgparse.Name(bare(e)); err == nil && len(parts) == 1 {
			per = append(per, parts[0])
		}
	}
	for _, index := range table.Indexes {
		if index.Unique && index.Valid && index.Predicate == "" && !slices.ContainsFunc(index.Columns, func(name string) bool {
			column := table.Column(name)
			return !slices.Contains(per, name) || column == nil || !column.NotNull
		}) {
			return strings.Join(index.Columns, ", ")
		}
	}
	return ""
}
