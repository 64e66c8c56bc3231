package verifier

import (
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/policy"
)

// readMembers adds the instances of policies for each schema or shard to the file, to its jobs and
// to the wanted objects, as policies of their own. It leaves out instances whose pages are still to
// be created. No check reports their objects as orphans.
func (v *inspection) readMembers(r reading) error {
	// templates by policy, instances of shards by name
	templates, places := map[string]generator.Object{}, map[string]policy.Instance{}
	var asked []row
	for _, o := range v.objects(generator.KindEach) {
		_, table, _ := strings.Cut(o.Table, ".")
		templates[o.Name] = o
		var shards []string
		if o.Instances.Each.ShardsOf != "" {
			list, err := inspect.Instances(r.ctx, r.tx, o.Instances.Each, o.Name, table)
			if err != nil {
				return err
			}
			for _, place := range list {
				places[o.Name+policy.InstanceMark+place.Name], shards = place, append(shards, place.Name)
			}
		}
		asked = append(asked, row{"policy": o.Name, "pattern": o.Instances.Each.Schemas, "name": table,
			"hash": o.Instances.Hash(), "shards": shards})
	}
	type member struct {
		finding
		Member, State string
	}
	members := map[string][]string{} // names of instances by policy
	expanded := []*policy.Policy{}
	err := eachNamed(r, "members", func(m member) {
		if m.Message != "" {
			v.find(codeMember, nil, m.finding)
		}
		o, name := templates[m.Policy], m.Policy+policy.InstanceMark+m.Member
		switch m.State {
		case "bare":
			return
		case "unfit": // runs of this instance fail, and findings name it; nothing else of its policy can have its name
			p := *v.policies[m.Policy]
			p.Name, p.Table.Schema = name, m.Member
			v.policies[name], members[m.Policy] = &p, append(members[m.Policy], name)
			return
		}
		place, isShard := places[name]
		if !isShard {
			place = policy.Instance{Name: m.Member, Names: [][2]string{{o.Instances.Each.Name, m.Member}}}
		}
		if m.State != "made" { // the next run repairs it
			v.unsettled = append(v.unsettled, o.Instances.In(place)...)
		}
		if m.State == "gone" {
			return
		}
		p := v.policies[m.Policy].In(place)
		if m.State == "made" {
			v.wanted, expanded = append(v.wanted, o.Instances.In(place)...), append(expanded, p)
		}
		v.policies[name], members[m.Policy] = p, append(members[m.Policy], name)
	}, asked)
	if err == nil {
		v.expand(expanded, members)
	}
	return err
}

// expand replaces policies in the file by the names of their instances.
func (v *inspection) expand(expanded []*policy.Policy, members map[string][]string) {
	file := *v.file
	file.Policies = slices.DeleteFunc(slices.Clone(file.Policies),
		func(p *policy.Policy) bool { return file.EachOf(p) != nil })
	file.Policies = append(file.Policies, expanded...)
	file.Jobs = lists.Map(file.Jobs, func(j *policy.Job) *policy.Job {
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
}
