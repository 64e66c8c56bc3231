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
		f := Finding{Object: r.Name, Policy: p.Name, Position: p.Position, Detail: fmt.Sprintf("The path is %s. Runs of the policy trip until it is gone.", r.Path)}
		switch {
		case slices.Contains(protected, r.Name):
			f.Code = codeReachProtect
			f.Message = fmt.Sprintf("deletes of policy %q reach protected table %q", p.Name, r.Name)
			f.Hint = "Give the foreign key ON DELETE RESTRICT or NO ACTION, or keep the rows that are referenced."
		case !slices.Contains(allowed, r.Name):
			f.Code = codeReach
			f.Message = fmt.Sprintf("deletes of policy %q reach table %q, which is not in \"cascades\"", p.Name, r.Name)
			f.Hint = "Name the table under \"cascades\" if its rows may go, or change the foreign key."
		default:
			continue
		}
		v.add(f)
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
		v.add(Finding{Code: codeLostHold, Object: h.Table,
			Message: fmt.Sprintf("hold %d goes by column %q, which table %q lacks", h.ID, h.Column, h.Table),
			Detail:  fmt.Sprintf("It was placed for: %s. Policies that reach the table trip until it is gone.", h.Reason),
			Hint:    fmt.Sprintf("Hold the rows by the column's new name, then SELECT %s.release_hold(%d, 'why').", v.install.Schema, h.ID)})
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
