package lint

import (
	"fmt"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L019", "two policies that set a column to and fro", checkFights)

// checkFights warns of two policies each of which makes rows due for the other by setting one column.
func checkFights(l *linter) {
	for _, policies := range l.tables() {
		l.fights(policies)
	}
}

func (l *linter) fights(policies []*policy.Policy) {
	for i, a := range policies {
		for _, b := range policies[i+1:] {
			if column := l.fight(a, b); column != "" {
				l.warn(finding{at: b.Position, policy: b.Name,
					message: fmt.Sprintf("policies %q and %q set %q to and fro", a.Name, b.Name, column),
					detail:  "What one of them sets makes the row due for the other, which sets it back. " + place(a),
					hint:    "Let one of them ask for more, so that a row is due for one of the two at most."})
			}
		}
	}
}

// fight is the column that two policies set to and fro for certain, else "".
func (l *linter) fight(a, b *policy.Policy) string {
	one, ok := onlyUpdate(a)
	other, alsoOK := onlyUpdate(b)
	r := l.rowOf(a)
	if !ok || !alsoOK || !l.plain(a) || !l.plain(b) || !l.hands(r, a, one, b) || !l.hands(r, b, other, a) {
		return ""
	}
	for _, x := range one.Update.Set {
		for _, y := range other.Update.Set {
			p, q := assigned(l.condition(&x.Value), x.Column), assigned(l.condition(&y.Value), y.Column)
			if x.Column == y.Column && p != nil && q != nil && !r.possible(wish{c: p, is: yes}, wish{c: q, is: yes}) {
				return x.Column
			}
		}
	}
	return ""
}

// plain says whether all that decides on the rows of a policy is understood, and no clock is set.
func (l *linter) plain(p *policy.Policy) bool {
	understood := p.Where != nil && !guarded(p)
	walk(l.condition(p.Where), func(c *pgparse.Condition) { understood = understood && c.Form != pgparse.Opaque })
	return understood
}

// hands says whether a row that one policy has changed may be due for the other only then.
func (l *linter) hands(r *row, from *policy.Policy, s policy.Step, to *policy.Policy) bool {
	after, set, ok := l.leaves(from, s)
	if !ok || !r.possible(l.wanted(from)...) {
		return false
	}
	_, _, ok = l.leaves(to, s) // it leaves the other's clock as it is, too
	wishes := append(l.wanted(from), set...)
	wishes = append(wishes, wish{l.condition(to.Where), yes, after})
	return ok && r.possible(wishes...) && !r.possible(append(l.wanted(from), l.wanted(to)...)...)
}
