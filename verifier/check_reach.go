package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeReach = register("V050", Reach, "deletes reach a table that nobody named")

func (v *inspection) reaches(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReach, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("deletes of policy %q reach table %q, which is not in \"cascades\"", p.Name, r.Name),
		Hint:    "Name the table under \"cascades\" if its rows may go, or change the foreign key."})
}

// way is the detail of findings on tables that deletes reach.
func (r reached) way() string {
	return fmt.Sprintf("The path is %s. Runs of the policy trip until it is gone.", r.Path)
}
