package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeReach = register("V050", Reach, "foreign keys lead to a table that nobody named")

func (v *inspection) reaches(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReach, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("deletes of policy %q reach table %q, which is not in \"cascades\"", p.Name, r.Name),
		Hint:    "Name the table under \"cascades\" if its rows may go, or change the foreign key."})
}

func (v *inspection) updatesReach(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReach, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("updates of policy %q change table %q through a foreign key", p.Name, r.Name),
		Hint:    "Give the foreign key ON UPDATE NO ACTION or RESTRICT, or take the column out of the step."})
}

// way is the detail of findings on tables that foreign keys lead to.
func (r reached) way() string {
	return fmt.Sprintf("The path is %s. Runs of the policy trip until it is gone.", r.Path)
}
