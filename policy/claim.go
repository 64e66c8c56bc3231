package policy

import (
	"pgretain/internal/messages"
	"slices"
)

// checkClaim checks that the policy is due by "expires". It also checks that "set" changes neither
// the key nor the clock.
func (r *reader) checkClaim(p *Policy) {
	column := ""
	if clocks := p.DueClocks(); len(clocks) == 1 && len(p.DueRanks()) == 0 && clocks[0].Kind == "expires" &&
		clocks[0].UpTo == nil {
		column = clocks[0].Column
	}
	if column == "" {
		r.add(messages.ClaimWithoutExpiry, p.Claim.Position)
		return
	}
	for _, a := range p.Claim.Set {
		if a.Column == p.Claim.Key.Text || a.Column == column {
			r.add(messages.ClaimSetsOwn(a.Column), a.Position)
		}
	}
}

// check checks that "set" does not change the key, and that "revive" sets the key.
func (t *Touch) check(r *reader, _ mapping) {
	isKey := func(a Assignment) bool { return a.Column == t.Key.Text }
	if i := slices.IndexFunc(t.Set, isKey); i >= 0 {
		r.add(messages.TouchSetsKey(t.Key.Text), t.Set[i].Position)
	}
	if v := t.Revive; v != nil && len(v.Set) > 0 && t.Key.Text != "" && !slices.ContainsFunc(v.Set, isKey) {
		r.add(messages.ReviveNeedsKey(t.Key.Text, v.As), v.Set[0].Position)
	}
}

func (v *Revive) check(r *reader, m mapping) {
	if !m.has("emit") {
		m.refuse(messages.AlsoNeedsEmit, "also")
	}
}
