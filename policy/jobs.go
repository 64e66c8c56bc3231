package policy

import (
	"slices"

	"pgretain/internal/calendar"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

func (report *Report) check(r *reader, _ mapping) {
	v := visitor{sql: r.checkSQL}
	v.fragment(&report.Query, IsQuery, scope{})
	v.expr(report.Alert, scope{names: []string{"report"}})
}

// Schedules lists the schedules of the jobs that pg_cron runs. If the parameter "cron" is true, it
// lists the jobs in pg_cron's own database. Otherwise it lists the jobs in the database of the
// tables.
func (f *File) Schedules(cron bool) (list []Schedule) {
	if f.Install.Scheduler != "pg_cron" || cron != f.Install.CronElsewhere() {
		return nil
	}
	for _, job := range f.Jobs {
		for _, s := range job.Schedules {
			s.Text = calendar.Spread(s.Text, job.Name)
			list = append(list, s)
		}
	}
	return list
}

// Runnable lists what a job may run. Policies and reports share one set of names.
func (f *File) Runnable() []string {
	policies := lists.Map(f.Policies, func(p *Policy) string { return p.Name })
	return append(policies, lists.Map(f.Reports, func(r *Report) string { return r.Name })...)
}

// Policy returns the policy with the name. It returns nil if there is none.
func (f *File) Policy(name string) *Policy {
	if i := slices.IndexFunc(f.Policies, func(p *Policy) bool { return p.Name == name }); i >= 0 {
		return f.Policies[i]
	}
	return nil
}

// checkJobs checks that jobs run policies and reports of the file, and that no policy and report
// share a name. It also checks that the scope of a job fits every policy that it runs.
func (r *reader) checkJobs(f *File) {
	for _, report := range f.Reports {
		if p := f.Policy(report.Name); p != nil {
			r.add(messages.ReportNamedLikePolicy(p.Name, p.Position), report.Position)
		}
	}
	known := f.Runnable()
	for _, j := range f.Jobs {
		for _, ref := range j.Run {
			if !slices.Contains(known, ref.Text) {
				r.add(messages.UnknownRun(j.Name, ref.Text, known), ref.Position)
			}
			// an empty name means that the policy could not be read
			if p := f.Policy(ref.Text); p != nil && p.Table.Name != "" {
				r.checkScope(j, p)
			}
		}
	}
}

func (r *reader) checkScope(j *Job, p *Policy) {
	for _, a := range j.Scope {
		if !slices.ContainsFunc(p.Scope, func(n Name) bool { return n.Text == a.Column }) {
			r.add(messages.NoScope(p.Name, j.Name, a.Column, lists.Map(p.Scope, Name.String)), a.Position)
		}
	}
}
