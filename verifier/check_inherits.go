package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeInherits = register("V054", Reach, "statements of a policy go into a table that inherits")

// checkInherits: deletes and updates do not say ONLY, so that they go into partitions, which are rows of the
// table, and into tables that inherit from it, which nobody named.
func (v *inspection) checkInherits(context.Context, pgx.Tx) error {
	for _, p := range v.file.Policies {
		said := map[*reachTable]bool{}
		for _, e := range v.graph.effects(p) {
			if !e.named && !e.table.Partition && !said[e.table] && v.inheritsSince(e.table) {
				said[e.table] = true
				v.inherits(p, e)
			}
		}
	}
	return nil
}

// inheritsSince says whether the catalog snapshot lacks that the table inherits.
func (v *inspection) inheritsSince(t *reachTable) bool {
	known := v.knownTable(t)
	return known == nil || !slices.ContainsFunc(t.Above, func(above uint32) bool {
		return v.graph.tables[above] != nil && slices.Contains(known.Inherits, v.graph.tables[above].Name)
	})
}

func (v *inspection) inherits(p *policy.Policy, e reachEffect) {
	above := ""
	for _, oid := range e.table.Above {
		if v.graph.tables[oid] != nil {
			above = v.graph.tables[oid].SQL
		}
	}
	v.add(Finding{Code: codeInherits, Object: e.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("policy %q also goes into table %q", p.Name, e.table.Name),
		Detail:  fmt.Sprintf("It inherits from %q, whose statements go into it as well, and keys are not unique across the two. Take it out of there, and give it a policy of its own.", e.path),
		Hint:    fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", e.table.SQL, above)})
}
