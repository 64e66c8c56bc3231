package lint

import (
	"fmt"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
)

var _ = register("L033", "a where that no index can hold", checkZone)

// checkZone warns of a comparison of two columns that depends on the time zone of the session. It would
// have its place in the predicate of the index that is built for the policy, and cannot stand there.
func checkZone(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil {
			continue
		}
		walk(l.condition(p.Where), func(c *pgparse.Condition) {
			left, right := table.Column(c.Left.Column), table.Column(c.Right.Column)
			if left == nil || right == nil || !catalog.ZoneDecides(*left, *right) {
				return
			}
			l.warn(finding{at: p.Where.At(c.Offset), policy: p.Name,
				message: fmt.Sprintf("no index can hold the comparison of %q and %q", left.Name, right.Name),
				detail: fmt.Sprintf("One is of type %q, the other of type %q, and which is earlier depends on the time zone. "+
					"The index of the policy is built without \"where\", and runs look at more rows.", left.Type, right.Type),
				hint: "Give both columns one type."})
		})
	}
}
