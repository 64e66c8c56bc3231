package policy

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

var jobShape = shape{keys: []string{"schedule", "run", "strict", "scope", "description"}}

func (r *reader) jobs(f field) []*Job {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, `"jobs"`, shape{})
	var jobs []*Job
	for _, name := range m.order {
		if j := r.job(m.fields[name], name); j != nil {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

func (r *reader) job(f field, name string) *Job {
	r.named(f, name, "job")
	m, ok := r.mapping(f, fmt.Sprintf("job %q", name), jobShape)
	if !ok {
		return nil
	}
	j := &Job{Name: name, Position: r.at(f.key), Description: r.description(m)}
	if schedule, ok := m.require("schedule"); ok {
		j.Schedules = r.schedules(schedule)
	}
	if run, ok := m.require("run"); ok {
		j.Run = r.runList(run, m.what)
	}
	j.Strict = r.boolean(m.fields["strict"])
	j.Scope = r.jobScope(m.fields["scope"])
	return j
}

func (r *reader) schedules(f field) []Schedule {
	items := []field{{key: f.key, value: f.value}}
	if resolve(f.value).Kind == yaml.SequenceNode {
		items = r.list(f)
		if len(items) == 0 {
			r.add(codeMissing, r.at(f.key), `"schedule" is empty`, "", `Write a schedule, for example "*/5 * * * *".`)
		}
	}
	var schedules []Schedule
	for _, item := range items {
		s, ok := r.schedule(item)
		if !ok {
			continue
		}
		if slices.ContainsFunc(schedules, func(o Schedule) bool { return o.Text == s.Text }) {
			r.add(codeRunTwice, s.Position, fmt.Sprintf("schedule %q is already listed", s.Text), "", "")
		}
		schedules = append(schedules, s)
	}
	return schedules
}

func (r *reader) runList(f field, what string) []Reference {
	items := r.list(f)
	if len(items) == 0 && resolve(f.value).Kind == yaml.SequenceNode {
		r.add(codeMissing, r.at(f.key), what+" runs no policy", "", "List the names of policies and reports, in order.")
	}
	var run []Reference
	for _, item := range items {
		if name, ok := r.text(item); ok {
			run = append(run, Reference{Name: name, Position: r.at(item.value)})
		}
	}
	return run
}
