package verifier

import (
	"fmt"
	"strings"
)

var codeNotYet = register("V048", Schedule, "a job has not run yet")

func (v *inspection) notYet(j job) {
	v.add(Finding{Code: codeNotYet, Severity: Info, Object: j.name, Position: j.position, Message: fmt.Sprintf("job %q has not run yet", j.name),
		Detail: strings.TrimSpace(v.failure(j.name))})
}
