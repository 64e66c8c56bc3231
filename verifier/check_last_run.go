package verifier

import "fmt"

var codeLastRun = register("V046", Schedule, "the last run went wrong")

var stateWords = map[string]string{"failed": "failed", "tripped": "was tripped", "abandoned": "was abandoned"}

// lastRunWrong is for information after a single failure of a policy that succeeded in time before and will be
// tried again: a restart or a deadlock is nobody's night. A breaker waits for a person.
func (v *inspection) lastRunWrong(p jobPolicy, runs lastRuns, triedAgain bool) {
	f := Finding{Code: codeLastRun, Policy: p.name, Position: p.position, Detail: runs.Message,
		Message: fmt.Sprintf("the last run of %s (%d) %s", p, runs.ID, stateWords[runs.State]),
		Hint:    fmt.Sprintf("SELECT * FROM %s();", v.runtime("health"))}
	if triedAgain && runs.FailedInRow <= 1 && runs.State != "tripped" {
		f.Severity = Info
	}
	if runs.FailedInRow > 1 {
		f.Message += fmt.Sprintf(", as did %d before it", runs.FailedInRow-1)
	}
	v.add(f)
}
