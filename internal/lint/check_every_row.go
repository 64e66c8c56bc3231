package lint

import (
	"fmt"

	"pgretain/internal/pgparse"
)

var _ = register("L026", "a policy of all rows that its breaker stops", checkEveryRow)

// checkEveryRow warns of a policy that takes all rows of its table: the share that the breaker allows is
// less than all.
func checkEveryRow(l *linter) {
	for _, p := range l.file.Policies {
		if p.Due != nil || p.Partitions || guarded(p) || p.Budget.Rows > 0 || p.Breaker.Fraction >= 1 || !deletes(p) {
			continue
		}
		if c := l.condition(p.Where); c != nil && c.Form == pgparse.Fixed && valueOf(c.Values[0]) == yes {
			l.warn(finding{at: p.Where.Position, policy: p.Name,
				message: fmt.Sprintf("policy %q takes every row, and its breaker trips at %g %% of them", p.Name, p.Breaker.Fraction*100),
				detail:  "The share counts in tables of more than 10000 rows.",
				hint:    "Write \"breaker: {fraction: 100%}\" if the table is to be emptied."})
		}
	}
}
