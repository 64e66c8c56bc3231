package policy

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
)

func (j *Job) check(r *reader, m mapping) {
	if schedule, ok := m.require("schedule"); ok {
		r.schedules(j, schedule)
	}
	if run, ok := m.fields["run"]; ok && run.is(yaml.SequenceNode) && len(resolve(run.value).Content) == 0 {
		r.add(codeMissing, r.at(run.key), m.what+" runs no policy", "", "List the names of policies and reports, in order.")
	}
}

func (ref *Reference) read(r *reader, f field) (ok bool) {
	ref.Name, ok = r.text(f)
	ref.Position = r.at(f.value)
	return ok
}

// schedules reads one schedule or a list of them.
func (r *reader) schedules(j *Job, f field) {
	items := []field{{key: f.key, value: f.value}}
	if f.is(yaml.SequenceNode) {
		items = r.list(f)
		if len(items) == 0 {
			r.add(codeMissing, r.at(f.key), `"schedule" is empty`, "", `Write a schedule, for example "*/5 * * * *".`)
		}
	}
	for _, item := range items {
		text, ok := r.text(item)
		if !ok {
			continue
		}
		s := Schedule{Text: strings.Join(strings.Fields(text), " "), Position: r.at(item.value)}
		if fault := calendar.Fault(s.Text); fault != "" {
			r.add(codeSchedule, s.Position, fmt.Sprintf("invalid schedule %q", text), fault,
				`Write five fields (minute, hour, day of the month, month, day of the week), a word such as @hourly or @reboot, or "30 seconds".`)
			continue
		}
		if slices.ContainsFunc(j.Schedules, func(o Schedule) bool { return o.Text == s.Text }) {
			r.add(codeRunTwice, s.Position, fmt.Sprintf("schedule %q is already listed", s.Text), "", "")
		}
		j.Schedules = append(j.Schedules, s)
	}
}

func (report *Report) check(r *reader, _ mapping) {
	v := visitor{sql: r.checkSQL}
	v.piece(&report.Query, IsQuery, scope{})
	v.expr(report.Alert, scope{names: []string{"report"}})
}

// Schedules are those of all jobs, where pg_cron has them: in its own database (cron) or in that of the tables.
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

// Runnable lists what a job may run: policies and reports share one set of names.
func (f *File) Runnable() []string {
	var names []string
	for _, p := range f.Policies {
		names = append(names, p.Name)
	}
	for _, report := range f.Reports {
		names = append(names, report.Name)
	}
	return names
}

func (f *File) policy(name string) *Policy {
	if i := slices.IndexFunc(f.Policies, func(p *Policy) bool { return p.Name == name }); i >= 0 {
		return f.Policies[i]
	}
	return nil
}

// checkJobs checks that jobs run policies and reports of the file, each once, that a name is one of the two, and that
// every policy of a job can be narrowed by the columns that the job gives.
func (r *reader) checkJobs(f *File) {
	for _, report := range f.Reports {
		if p := f.policy(report.Name); p != nil {
			r.add(codeSameName, report.Position, fmt.Sprintf("%q is the name of a policy already", report.Name), fmt.Sprintf("The policy is at %s; jobs run both by name.", p.Position), "Choose another name.")
		}
	}
	known := f.Runnable()
	for _, j := range f.Jobs {
		first := map[string]diag.Position{}
		for _, ref := range j.Run {
			if !slices.Contains(known, ref.Name) {
				r.add(codeUnknownPolicy, ref.Position, fmt.Sprintf("job %q runs an unknown policy or report %q", j.Name, ref.Name), "", DidYouMean(ref.Name, known))
			}
			if at, ok := first[ref.Name]; ok {
				r.add(codeRunTwice, ref.Position, fmt.Sprintf("job %q already runs %q", j.Name, ref.Name), fmt.Sprintf("The first place is %s.", at), "")
				continue
			}
			first[ref.Name] = ref.Position
			if p := f.policy(ref.Name); p != nil {
				r.checkScope(j, p)
			}
		}
	}
}

func (r *reader) checkScope(j *Job, p *Policy) {
	var names []string
	for _, n := range p.Scope {
		names = append(names, n.Text)
	}
	detail := ""
	if len(names) > 0 {
		detail = "Its scope: " + strings.Join(names, ", ") + "."
	}
	for _, a := range j.Scope {
		if !slices.Contains(names, a.Column) {
			r.add(codeScope, a.Position, fmt.Sprintf("policy %q of job %q has no scope %q", p.Name, j.Name, a.Column), detail,
				fmt.Sprintf("Add \"scope: [%s]\" to the policy, or take the policy out of the job.", a.Column))
		}
	}
}
