package lint

import (
	"fmt"
)

var _ = register("L005", "a clock that is NULL in every row", checkClockNull)

// checkClockNull refuses a policy whose "where" lets through only rows without an instant, while rows
// without one are never due.
func checkClockNull(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if p.Due == nil || !r.possible(l.taken(p)...) {
			continue
		}
		for _, entry := range p.Due.Entries {
			k := entry.Clock
			if k == nil || k.NullsDue || k.Column == "" ||
				r.possible(append(l.taken(p), wish{c: isNull(k.Column), is: no})...) {
				continue
			}
			f := finding{at: k.ColumnPos, policy: p.Name,
				message: fmt.Sprintf("the clock %q is NULL in every row that policy %q may take", k.Column, p.Name),
				detail:  "A row without an instant is never due.",
				hint:    "Write \"nulls: due\" if it is to go, or repair \"where\" or the guards."}
			if len(p.Due.Entries) > 1 {
				l.warn(f) // the other entries of "any" may find rows
			} else {
				l.refuse(f)
			}
		}
	}
}
