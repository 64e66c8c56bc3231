package verifier

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

func (v *inspection) reachGroups() []group {
	return append([]group{
		{about: "holds", codes: []string{codeUnfitHold}, check: v.checkUnfitHolds},
		{about: "what foreign keys reach", codes: []string{codeReach, codeReachProtect}, check: v.checkReach, policies: v.policyNames()},
	}, v.graphGroups()...)
}

func (v *inspection) checkReach(ctx context.Context, tx pgx.Tx) error {
	var names []string
	for _, p := range v.file.Policies {
		from, _ := deletes(p)
		names = append(append(names, from...), statementDeletes(p)...)
		for _, w := range p.Sets() {
			names = append(names, w.Table.String())
		}
	}
	f, err := v.readFollower(ctx, tx, distinct(names))
	if err != nil {
		return err
	}
	protected := map[string]bool{}
	for _, t := range v.file.Protect {
		protected[t.String()] = true
	}
	for _, p := range v.file.Policies {
		v.compareReach(p, f, protected)
	}
	return nil
}

// compareReach: what a statement of the policy's own words deletes may reach any table but a protected one.
func (v *inspection) compareReach(p *policy.Policy, f *follower, protected map[string]bool) {
	from, allowed := deletes(p)
	for _, r := range f.reached(from) {
		switch {
		case protected[r.Name]:
			v.reachesProtected(p, r)
		case !r.OnUpdate && !slices.Contains(allowed, r.Name):
			v.reaches(p, r)
		}
	}
	for _, r := range f.reached(statementDeletes(p)) {
		if protected[r.Name] {
			v.reachesProtected(p, r)
		}
	}
	v.compareUpdates(p, f, protected, allowed)
}

// compareUpdates: what foreign keys carry on from columns that steps set may reach tables that the policy speaks
// of; from those that statements of the policy's own words set, any but a protected one.
func (v *inspection) compareUpdates(p *policy.Policy, f *follower, protected map[string]bool, allowed []string) {
	sets := p.Sets()
	for _, r := range f.updated(sets) {
		if protected[r.Name] {
			v.updatesReachProtected(p, r)
		}
	}
	for _, t := range p.Changes() {
		allowed = append(allowed, t.String())
	}
	for _, r := range f.updated(slices.DeleteFunc(sets, func(w policy.Written) bool { return w.Worded })) {
		if !protected[r.Name] && !slices.Contains(allowed, r.Name) {
			v.updatesReach(p, r)
		}
	}
}

func statementDeletes(p *policy.Policy) []string {
	list := []string{}
	for _, t := range p.StatementDeletes() {
		list = append(list, t.String())
	}
	return list
}

// deletes are the tables that a policy's steps delete from, and those that foreign keys may reach
// from there. What refers to a partition keeps it.
func deletes(p *policy.Policy) (from, allowed []string) {
	for _, s := range p.Then {
		switch {
		case s.Delete == nil:
			continue
		case s.Related != nil:
			from = append(from, s.Related.Table.String())
		default:
			from = append(from, p.Table.String())
		}
		for _, t := range s.Delete.Cascades {
			allowed = append(allowed, t.String())
		}
	}
	return from, allowed
}
