package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeRule = register("V057", Reach, "a rule rewrites the statements of a policy")

type rewriteRule struct {
	Table      uint32
	Name       string
	Event      string
	Instead    bool
	Definition string
}

// checkRules: a rule counts where a statement names its table, that of a foreign key too; rules of
// partitions and children do not.
func (v *inspection) checkRules(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[rewriteRule](ctx, tx, v.query("reach_rules"), v.graph.oids())
	if len(rows) == 0 {
		return err
	}
	rules := map[uint32][]rewriteRule{}
	for _, r := range rows {
		rules[r.Table] = append(rules[r.Table], r)
	}
	for _, p := range v.file.Policies {
		for _, e := range v.graph.effects(p) {
			for _, r := range rules[e.table.OID] {
				if e.named && e.event == r.Event {
					v.rewritten(p, e, r)
				}
			}
		}
	}
	return err
}

func (v *inspection) rewritten(p *policy.Policy, e reachEffect, r rewriteRule) {
	f := Finding{Code: codeRule, Object: e.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("rule %q on table %q changes what policy %q does", r.Name, e.table.Name, p.Name),
		Detail:  fmt.Sprintf("%s: PostgreSQL does that as well, for rows that it looks for once more and that may have gone, and refuses statements with WITH. Write a trigger instead.", r.Definition),
		Hint:    fmt.Sprintf("DROP RULE %s ON %s;", sqlName(r.Name), e.table.SQL)}
	if r.Instead {
		f.Detail = fmt.Sprintf("%s: it takes the place of what the policy says. Rows that are due stay, or something else happens to them. Write a trigger instead.", r.Definition)
	}
	f.Detail += e.way()
	v.add(f)
}
