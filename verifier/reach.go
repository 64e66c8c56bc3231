package verifier

import "pgretain/policy"

func (v *inspection) reachGroups() []group {
	return append([]group{
		{about: "holds", codes: []string{codeUnfitHold}, check: v.checkUnfitHolds},
		{about: "what policies rely on", codes: []string{codeUnexpected}, check: v.checkUnexpected, policies: v.policyNames()},
	}, v.graphGroups()...)
}

// deletes are the tables that a policy's steps delete from. What refers to a partition keeps it.
func deletes(p *policy.Policy) []string {
	var from []string
	for _, s := range p.Then {
		switch {
		case s.Delete == nil:
			continue
		case s.Related != nil:
			from = append(from, s.Related.Table.String())
		default:
			from = append(from, p.Table.String())
		}
	}
	return from
}
