package lint

import (
	"fmt"
)

var _ = register("L020", "a policy with a time that no job runs", checkNoJob)

// checkNoJob warns of a policy whose rows become due by themselves while no job looks at them. One
// without "due" may be there to be run by hand.
func checkNoJob(l *linter) {
	if len(l.file.Jobs) == 0 {
		return
	}
	run := map[string]bool{}
	for _, j := range l.file.Jobs {
		for _, name := range j.Run {
			run[name.Name] = true
		}
	}
	for _, p := range l.file.Policies {
		if p.Due != nil && !run[p.Name] {
			l.warn(finding{at: p.Position, policy: p.Name,
				message: fmt.Sprintf("no job runs policy %q", p.Name),
				detail:  "Its rows become due, and stay until somebody calls it.",
				hint:    "Name it under \"run\" of a job."})
		}
	}
}
