package verifier

import (
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/policy"
)

// readMembers puts the members of policies that are for each schema or shard into the file, its jobs and the wanted objects,
// as policies of their own. Those whose pages are still to be made are in neither; nobody takes what they have for orphans.
func (v *inspection) readMembers(r reading) error {
	templates := v.objects(generator.KindEach)
	tables := mapped(templates, func(o generator.Object) string { _, name, _ := strings.Cut(o.Table, "."); return name })
	hashes := mapped(templates, func(o generator.Object) string { return o.Members.Hash() })
	patterns := mapped(templates, func(o generator.Object) string { return o.Members.Each.Schemas })
	var policies, shards []string // a pair for each shard
	names := map[string][][2]string{}
	for i, o := range templates {
		if o.Members.Each.ShardsOf == "" {
			continue
		}
		places, err := inspect.Places(r.ctx, r.tx, o.Members.Each, o.Name, tables[i])
		if err != nil {
			return err
		}
		for _, place := range places {
			policies, shards = append(policies, o.Name), append(shards, place.Name)
			names[o.Name+policy.MemberMark+place.Name] = place.Names
		}
	}
	type member struct{ Policy, Place, State string }
	members := map[string][]string{} // names, by policy
	expanded := []*policy.Policy{}
	err := each(r, "members", func(m member) {
		o := templates[slices.IndexFunc(templates, func(o generator.Object) bool { return o.Name == m.Policy })]
		name := m.Policy + policy.MemberMark + m.Place
		place := policy.Place{Name: m.Place, Names: names[name]}
		if place.Names == nil {
			place.Names = [][2]string{{o.Members.Each.Name, m.Place}}
		}
		if v.noteMember(o, m.Place, m.State) {
			v.unsettled = append(v.unsettled, o.Members.In(place)...)
		}
		p := v.policies[m.Policy].In(place)
		if m.State == "made" {
			v.wanted, expanded = append(v.wanted, o.Members.In(place)...), append(expanded, p)
		}
		if m.State != "bare" && m.State != "gone" { // its runs tell what keeps a page from being made
			v.policies[name], members[m.Policy] = p, append(members[m.Policy], name)
		}
	}, mapped(templates, objectName), patterns, tables, hashes, policies, shards)
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
			if p := v.policies[run.Text]; p == nil || v.file.EachOf(p) == nil {
				job.Run = append(job.Run, run)
			}
			for _, name := range members[run.Text] {
				job.Run = append(job.Run, policy.Name{Text: name, Position: run.Position})
			}
		}
		return &job
	})
	v.file = &file
	return nil
}

// noteMember finds what a run will mend, or somebody must. It says whether the page is still to be made, or dropped.
func (v *inspection) noteMember(o generator.Object, place, state string) bool {
	f := message{Code: codeMember, Policy: o.Policy, Position: o.Position, Object: o.Name + policy.MemberMark + place}
	switch state {
	case "new", "gone":
		f.Severity = Info
	case "bare", "unfit":
	default:
		return state == "other"
	}
	_, table, _ := strings.Cut(o.Table, ".")
	v.say(f, "page "+state, words{"Each": o.Name, "Schema": place, "Table": table, "Shard": o.Members.Each.ShardsOf != ""})
	return f.Severity == Info
}
