package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeReachProtect = register("V051", Reach, "deletes reach a protected table")

func (v *inspection) reachesProtected(p *policy.Policy, r reached) {
	v.add(Finding{Code: codeReachProtect, Object: r.Name, Policy: p.Name, Position: p.Position, Detail: r.way(),
		Message: fmt.Sprintf("deletes of policy %q reach protected table %q", p.Name, r.Name),
		Hint:    "Give the foreign key ON DELETE RESTRICT or NO ACTION, or keep the rows that are referenced."})
}
