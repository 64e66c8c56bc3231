package lint

import (
	"fmt"
	"regexp"

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

var _ = register("L017", "a policy that another one leaves nothing for", checkOvertaken)

// checkOvertaken warns of a policy whose rows another one has deleted at a younger age.
func checkOvertaken(l *linter) {
	for _, policies := range l.tables() {
		l.overtaken(clockedPolicies(policies))
	}
}

func (l *linter) overtaken(policies []clocked) {
	for _, first := range policies {
		if !deletes(first.Policy) || first.unlimited || guarded(first.Policy) || len(first.Joins) > 0 || first.clock.UpTo != nil ||
			!l.runsWhole(first.Policy) {
			continue
		}
		for _, second := range policies {
			if second.Policy == first.Policy || !second.sameClock(first) || second.clock.NullsDue && !first.clock.NullsDue ||
				!longer(second.shortest, first.longest) || !l.within(second, first) {
				continue
			}
			l.warn(finding{at: second.clock.Window.Position, policy: second.Name,
				message: fmt.Sprintf("policy %q finds nothing: policy %q deletes its rows earlier", second.Name, first.Name),
				detail: fmt.Sprintf("Both go by %q; by %s the rows are gone, and this window is %s. ", first.clock.Column,
					first.longest.Text, second.shortest.Text) + place(first.Policy),
				hint: "Give the other policy a \"where\" or a guard that leaves these rows, or remove one of the two."})
		}
	}
}

// within says whether every row that one policy is about is one of the other's.
func (l *linter) within(second, first clocked) bool {
	r := l.rowOf(second.Policy)
	return r.possible(l.wanted(second.Policy)...) &&
		!r.possible(append(l.wanted(second.Policy), wish{c: l.condition(first.Where), is: no | null})...)
}

var _ = register("L015", "an archive that keeps its rows no longer than the table", checkArchives)

// checkArchives warns of an archive whose own policy takes the rows by the clock that they bring along,
// and at the same age or earlier: they go as soon as they arrive.
func checkArchives(l *linter) {
	policies := clockedPolicies(l.file.Policies)
	for _, from := range policies {
		for _, s := range from.Then {
			if s.Archive == nil || s.Related != nil {
				continue
			}
			for _, archive := range policies {
				if archive.Table.String() != s.Archive.Into.String() || guarded(archive.Policy) || archive.Where != nil || archive.unlimited || archive.clock.UpTo != nil ||
					!bringsClock(from, s.Archive, archive) || !notLonger(archive.longest, from.shortest) {
					continue
				}
				l.warn(finding{at: archive.clock.Window.Position, policy: archive.Name,
					message: fmt.Sprintf("policy %q takes rows of the archive %q as soon as they arrive", archive.Name, archive.Table),
					detail: fmt.Sprintf("They bring %q along, by which they are older than %s when policy %q archives them. ", archive.clock.Column,
						from.shortest.Text, from.Name) + place(from.Policy),
					hint: "Make the window of the archive longer, or let it run from the day of archiving: set: {archived_at: as_of}."})
			}
		}
	}
}

// bringsClock says whether the archive's clock is the one that the rows were archived by.
func bringsClock(from clocked, a *policy.Archive, archive clocked) bool {
	if from.clock.Encoding.Kind != archive.clock.Encoding.Kind {
		return false
	}
	for _, set := range a.Set {
		if set.Column == archive.clock.Column {
			return bare(set.Value) == from.clock.Column
		}
	}
	return a.Document == "" && archive.clock.Column == from.clock.Column
}

var _ = register("L027", "a watermark that passes rows not committed yet", checkMarkBehind)

// checkMarkBehind speaks of a watermark that moves to the greatest value there is. Numbers are given out before rows
// are committed, so that a row with a lower one may come later, and is never worked off.
func checkMarkBehind(l *linter) {
	for _, p := range l.file.Policies {
		if p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if k := entry.Clock; k != nil && k.Watermark != nil && (k.UpTo == nil || greatest(p, k)) {
				l.warn(finding{at: k.Watermark.Position, policy: p.Name,
					message: fmt.Sprintf("the watermark of policy %q passes rows that commit later with lower values", p.Name),
					detail:  "It moves to the greatest value that is committed; a transaction still open may hold lower ones.",
					hint:    fmt.Sprintf("Stay behind open transactions: up_to: \"SELECT max(%s) FROM %s WHERE made_at < as_of - interval '1 hour'\", twice as long as they ever take.", k.Column, p.Table)})
			}
		}
	}
}

var plainMax = regexp.MustCompile(`(?i)^\s*select\s+(coalesce\s*\(\s*)?max\s*\([^()]*\)(\s*,\s*[^()]*\))?(\s*::\s*\w+)?(\s+(as\s+)?\w+)?\s+from\s`)

// greatest says whether "up_to" is the greatest value of the clock itself, with nothing taken off.
func greatest(p *policy.Policy, k *policy.Clock) bool {
	parsed, err := pgparse.Query(k.UpTo.SQL)
	if err != nil || len(parsed.Columns) != 1 || len(parsed.Tables) != 1 || !plainMax.MatchString(k.UpTo.SQL) {
		return false
	}
	table, column := parsed.Tables[0], parsed.Columns[0].Fields
	return table.Name == p.Table.Name && (table.Schema == p.Table.Schema || table.Schema == "") && column[len(column)-1] == k.Column
}

var _ = register("L006", "a step that never acts", checkSteps)

// checkSteps warns of a step whose "where" no row of a batch meets.
func checkSteps(l *linter) {
	for _, p := range l.file.Policies {
		r := l.rowOf(p)
		if !r.possible(l.taken(p)...) {
			continue
		}
		for _, s := range p.Then {
			if s.Where == nil || len(l.slips(s.Where)) > 0 ||
				r.possible(append(l.taken(p), wish{c: l.condition(s.Where), is: yes})...) {
				continue
			}
			l.warn(finding{at: s.Where.Position, policy: p.Name,
				message: fmt.Sprintf("this step of policy %q never acts", p.Name),
				detail:  "No row that \"where\" and the guards let through meets its condition; steps read the row as it was when it was judged.",
				hint:    "Repair the condition, or remove the step."})
		}
	}
}
