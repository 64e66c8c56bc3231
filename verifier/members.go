package verifier

import (
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/policy"
)

// readMembers puts the members of policies that are for each schema into the file, its jobs and the wanted objects, as
// policies of their own. Those whose pages are still to be made are in neither; nobody takes what they have for orphans.
func (v *inspection) readMembers(r reading) error {
	templates := v.objects(generator.KindEach)
	patterns := mapped(templates, func(o generator.Object) string { return o.Members.Each.Schemas })
	tables := mapped(templates, func(o generator.Object) string { _, name, _ := strings.Cut(o.Table, "."); return name })
	hashes := mapped(templates, func(o generator.Object) string { return o.Members.Hash() })
	type member struct{ Policy, Schema, State string }
	members := map[string][]string{} // names, by policy
	expanded := []*policy.Policy{}
	err := each(r, "members", func(m member) {
		o := templates[slices.IndexFunc(templates, func(o generator.Object) bool { return o.Name == m.Policy })]
		name := m.Policy + policy.MemberMark + m.Schema
		if v.noteMember(o, m.Schema, m.State) {
			v.unsettled = append(v.unsettled, o.Members.In(m.Schema)...)
		}
		p := v.policies[m.Policy].In(o.Members.Each, m.Schema)
		if m.State == "made" {
			v.wanted, expanded = append(v.wanted, o.Members.In(m.Schema)...), append(expanded, p)
		}
		if m.State != "bare" && m.State != "gone" { // its runs tell what keeps a page from being made
			v.policies[name], members[m.Policy] = p, append(members[m.Policy], name)
		}
	}, mapped(templates, objectName), patterns, tables, hashes)
	if err != nil {
		return err
	}
	file := *v.file
	file.Policies = slices.DeleteFunc(slices.Clone(file.Policies), func(p *policy.Policy) bool { return file.EachOf(p) != nil })
	file.Policies = append(file.Policies, expanded...)
	file.Jobs = mapped(file.Jobs, func(j *policy.Job) *policy.Job {
		job := *j
		job.Run = nil
		for _, run := range j.Run {
			if p := v.policies[run.Name]; p == nil || v.file.EachOf(p) == nil {
				job.Run = append(job.Run, run)
			}
			for _, name := range members[run.Name] {
				job.Run = append(job.Run, policy.Reference{Name: name, Position: run.Position})
			}
		}
		return &job
	})
	v.file = &file
	return nil
}

// noteMember finds what a run will mend, or somebody must. It says whether the page is still to be made, or dropped.
func (v *inspection) noteMember(o generator.Object, schema, state string) bool {
	f := message{Code: codeMember, Policy: o.Policy, Position: o.Position, Object: o.Name + policy.MemberMark + schema}
	switch state {
	case "new", "gone":
		f.Severity = Info
	case "bare", "unfit":
	default:
		return state == "other"
	}
	_, table, _ := strings.Cut(o.Table, ".")
	v.say(f, "page "+state, words{"Each": o.Name, "Schema": schema, "Table": table})
	return f.Severity == Info
}
