package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeReachProtect = register("V051", Reach, "foreign keys lead to a protected table")

func (v *inspection) reachesProtected(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReachProtect, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("deletes of policy %q reach protected table %q", p.Name, r.Name),
		Hint:    "Give the foreign key ON DELETE RESTRICT or NO ACTION, or keep the rows that are referenced."})
}

func (v *inspection) updatesReachProtected(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReachProtect, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("updates of policy %q change protected table %q through a foreign key", p.Name, r.Name),
		Hint:    "Give the foreign key ON UPDATE NO ACTION or RESTRICT, or take the column out of the step."})
}
