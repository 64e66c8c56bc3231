package lint

import (
	"fmt"
	"slices"

	"pgretain/internal/calendar"
	"pgretain/policy"
)

var _ = register("L023", "two jobs that always start together on one table", checkBusy)

// checkBusy warns of a job whose every start falls on one of another job with the same table: one
// table has one run at a time, whatever the scope.
func checkBusy(l *linter) {
	seen := map[[2]*policy.Job]bool{}
	for _, policies := range l.allTables() {
		jobs := l.jobsOf(policies)
		for _, a := range jobs {
			for _, b := range jobs {
				if a == b || seen[[2]*policy.Job{a, b}] || !l.together(a, b) {
					continue
				}
				seen[[2]*policy.Job{a, b}], seen[[2]*policy.Job{b, a}] = true, true
				l.warn(finding{at: a.Position, job: a.Name,
					message: fmt.Sprintf("job %q always starts together with job %q, and both run policies of %q", a.Name, b.Name, policies[0].Table),
					detail:  fmt.Sprintf("A table has one run at a time, whatever the scope: the later one ends \"busy\". Job %q is in line %d.", b.Name, b.Position.Line),
					hint:    "Give one of them another minute."})
			}
		}
	}
}

// jobsOf lists the jobs that run any of some policies, in the order of the file.
func (l *linter) jobsOf(policies []*policy.Policy) []*policy.Job {
	var list []*policy.Job
	for _, p := range policies {
		for _, j := range l.jobs[p.Name] {
			if !slices.Contains(list, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// together says whether every start of a job is one of the other.
func (l *linter) together(a, b *policy.Job) bool { return calendar.Covers(l.ticksOf(b), l.ticksOf(a)) }

// ticksOf are those of a job, read once.
func (l *linter) ticksOf(j *policy.Job) calendar.Ticks {
	if t, ok := l.ticks[j]; ok {
		return t
	}
	l.ticks[j] = ticks(j.Schedules...)
	return l.ticks[j]
}
