package verifier

import (
	"fmt"

	"pgretain/internal/quote"
)

var codePaused = register("V012", Installed, "a policy is paused")

func (v *inspection) policyPaused(p pause) {
	what, argument := fmt.Sprintf("policy %q is paused", p.Policy), quote.Literal(p.Policy)
	if p.Policy == "*" {
		what, argument = "all policies are paused", ""
	}
	v.add(Finding{Code: codePaused, Policy: p.Policy, Position: v.position(p.Policy), Message: what,
		Detail: fmt.Sprintf("By %q at %s%s.", p.By, p.At, reason(p.Reason)),
		Hint:   fmt.Sprintf("SELECT %s(%s);", v.runtime("resume"), argument)})
}
