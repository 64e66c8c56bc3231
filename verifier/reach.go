package verifier

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

// reached is a table that deletes change through foreign keys.
type reached struct{ Name, Path string }

func (v *inspection) reachGroups() []group {
	groups := []group{{"holds by a column", v.checkLostHolds}}
	for _, p := range v.file.Policies {
		groups = append(groups, group{fmt.Sprintf("what deletes of policy %q reach", p.Name), func(ctx context.Context, tx pgx.Tx) error {
			return v.checkReach(ctx, tx, p)
		}})
	}
	return groups
}

func (v *inspection) checkReach(ctx context.Context, tx pgx.Tx, p *policy.Policy) error {
	var protected []string
	for _, t := range v.file.Protect {
		protected = append(protected, t.String())
	}
	from, allowed := deletes(p)
	rows, err := many[reached](ctx, tx, v.query("reach"), from)
	if err != nil {
		return err
	}
	// What a statement of the policy's own words deletes may reach any table but a protected one.
	worded, err := many[reached](ctx, tx, v.query("reach"), statementDeletes(p))
	for _, r := range worded {
		if slices.Contains(protected, r.Name) {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		switch {
		case slices.Contains(protected, r.Name):
			v.reachesProtected(p, r)
		case !slices.Contains(allowed, r.Name):
			v.reaches(p, r)
		}
	}
	return err
}

// lostHold is a hold that no row can meet any more.
type lostHold struct {
	ID                    int64
	Table, Column, Reason string
}

func (v *inspection) checkLostHolds(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[lostHold](ctx, tx, v.query("lost_holds"))
	for _, h := range rows {
		v.holdLost(h)
	}
	return err
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
