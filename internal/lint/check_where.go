package lint

import (
	"fmt"
)

var _ = register("L001", "a where that is never true", checkWhere)

// checkWhere refuses a policy that is about no row.
func checkWhere(l *linter) {
	for _, p := range l.file.Policies {
		if p.Where == nil || len(l.slips(p.Where)) > 0 || l.rowOf(p).possible(l.wanted(p)...) {
			continue
		}
		l.refuse(finding{at: p.Where.Position, policy: p.Name,
			message: fmt.Sprintf("no row can meet the \"where\" of policy %q", p.Name),
			detail:  "Its conditions exclude each other, or what the catalog snapshot says of a column.",
			hint:    "Take one of them out, or join them by OR."})
	}
}
