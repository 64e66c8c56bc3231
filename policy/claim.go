package policy

import "slices"

// checkClaim checks that the policy is one whose rows expire, and go without a trace, for a time that is known; and that
// set leaves key and clock alone.
func (r *reader) checkClaim(p *Policy) {
	clocks, ttl := p.DueClocks(), p.Claim.TTL
	if len(clocks) != 1 || len(p.DueRanks()) > 0 || clocks[0].Kind != "expires" || clocks[0].Column == "" || clocks[0].UpTo != nil {
		r.add("P043 policy", p.Claim.Position, nil)
		return
	}
	if len(ttl.Tiers) > 1 || len(ttl.Tiers) == 1 && (ttl.Tiers[0].When != nil || ttl.Tiers[0].Data != nil && ttl.Tiers[0].Data.Value != nil) {
		r.add("P043 ttl", ttl.Position, nil)
	}
	plain := func(s Step) bool {
		return s.Delete != nil && s.Related == nil && s.Where == nil && len(s.Delete.Cascades) == 0
	}
	if len(p.Then) != 1 || !plain(p.Then[0]) {
		r.add("P043 then", p.Claim.Position, nil)
	}
	for _, a := range p.Claim.Set {
		if a.Column == p.Claim.Key.Text || a.Column == clocks[0].Column {
			r.add("P043 set", a.Position, a.Column)
		}
	}
}

// check holds that the key stays, and is what a row that went is made anew by.
func (t *Touch) check(r *reader, _ mapping) {
	isKey := func(a Assignment) bool { return a.Column == t.Key.Text }
	if i := slices.IndexFunc(t.Set, isKey); i >= 0 {
		r.add("P044 set", t.Set[i].Position, t.Key)
	}
	if v := t.Revive; v != nil && len(v.Set) > 0 && t.Key.Text != "" && !slices.ContainsFunc(v.Set, isKey) {
		r.add("P044 revive", v.Set[0].Position, t)
	}
}

func (v *Revive) check(r *reader, m mapping) {
	if !m.has("emit") {
		m.refuse("P044 also", "also")
	}
}
