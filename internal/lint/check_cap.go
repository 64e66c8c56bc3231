package lint

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/policy"
)

var _ = register("L013", "a cap below what is kept", checkCap)

// checkCap warns of a guard that spares more rows of a group than the cap leaves.
func checkCap(l *linter) {
	for _, p := range l.file.Policies {
		for _, limit := range ranks(p) {
			for _, g := range p.Keep {
				if g.Rank != nil && g.Rank.Count == nil && limit.Count == nil && g.Rank.First > limit.First && g.Rank.WithTies == limit.WithTies && sameOrder(g.Rank, limit) {
					l.warn(finding{at: limit.Position, policy: p.Name,
						message: fmt.Sprintf("the cap of %d is below what guard %q keeps, the first %d", limit.First, g.Name, g.Rank.First),
						detail:  "Both count the same rows in the same order, so that the guard alone decides.",
						hint:    "Make the cap the greater number, or remove one of the two."})
				}
			}
			l.checkCapOfOthers(p, limit)
		}
	}
}

// checkCapOfOthers looks for a policy of the same table whose guard keeps more than a cap without
// conditions leaves.
func (l *linter) checkCapOfOthers(p *policy.Policy, limit *policy.Rank) {
	if p.Where != nil || guarded(p) || len(p.Due.Entries) > 1 || p.Due.Entries[0].Clock != nil || !deletes(p) || !l.runsWhole(p) || limit.Count != nil || limit.WithTies {
		return
	}
	for _, other := range l.file.Policies {
		if other == p || other.Where != nil || len(other.Keep) == 0 || other.Table.String() != p.Table.String() {
			continue
		}
		for _, g := range other.Keep {
			if g.Rank != nil && g.Rank.Count == nil && g.Rank.First >= limit.First && sameOrder(g.Rank, limit) {
				l.warn(finding{at: g.Position, policy: other.Name,
					message: fmt.Sprintf("guard %q keeps the first %d, and policy %q leaves no more than %d", g.Name, g.Rank.First, p.Name, limit.First),
					detail:  fmt.Sprintf("Policy %q takes no row once the other one has run. ", other.Name) + place(p),
					hint:    "Make the guard the smaller number, or remove one of the two policies."})
			}
		}
	}
}

// ranks are the caps of a policy: those that no clock narrows.
func ranks(p *policy.Policy) []*policy.Rank {
	var list []*policy.Rank
	if p.Due != nil && !p.Partitions {
		for _, entry := range p.Due.Entries {
			if entry.Beyond != nil {
				list = append(list, entry.Beyond)
			}
		}
	}
	return list
}

// sameOrder says whether two ranks number the same rows in the same way.
func sameOrder(a, b *policy.Rank) bool {
	if len(a.Per) != len(b.Per) || len(a.Order) != len(b.Order) || text(a.Among) != text(b.Among) {
		return false
	}
	for i := range a.Order {
		x, y := a.Order[i], b.Order[i]
		if bare(x.Expr) != bare(y.Expr) || x.Descending != y.Descending || x.NullsFirst != y.NullsFirst {
			return false
		}
	}
	for _, x := range a.Per {
		if !slices.ContainsFunc(b.Per, func(y policy.Expr) bool { return bare(x) == bare(y) }) {
			return false
		}
	}
	return true
}

func text(e *policy.Expr) string {
	if e == nil {
		return ""
	}
	return e.SQL
}

// bare is an expression without the alias of the row.
func bare(e policy.Expr) string { return strings.TrimPrefix(strings.TrimSpace(e.SQL), "t.") }
