package verifier

import (
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// readInstances finds the instances of policies for each schema or shard. It adds each instance as
// a policy to the file, to the jobs of the file and to the wanted objects. It leaves out an
// instance whose functions must still be created. No check reports the objects of such an instance
// as orphans.
func (v *inspection) readInstances(r reading) error {
	// templates maps the name of a policy to its object. shardInstances maps the name of an
	// instance to the instance.
	templates, shardInstances := map[string]generator.Object{}, map[string]policy.Instance{}
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
			for _, instance := range list {
				shardInstances[o.Name+policy.InstanceMark+instance.Name] = instance
				shards = append(shards, instance.Name)
			}
		}
		asked = append(asked, row{"policy": o.Name, "pattern": o.Instances.Each.Schemas, "name": table,
			"hash": o.Instances.Hash, "shards": shards})
	}
	names := map[string][]string{} // names of instances by policy
	expanded := []*policy.Policy{}
	err := eachFact(r, "members", func(m messages.Instance) {
		if finding, ok := messages.UnsettledInstance(m); ok {
			v.add(finding)
		}
		o, name := templates[m.Policy], m.Policy+policy.InstanceMark+m.Member
		switch m.State {
		case "bare":
			return
		case "unfit": // runs of this instance fail; findings use its name
			p := *v.policies[m.Policy]
			p.Name, p.Table.Schema = name, m.Member
			v.policies[name], names[m.Policy] = &p, append(names[m.Policy], name)
			return
		}
		instance, isShard := shardInstances[name]
		if !isShard {
			instance = policy.Instance{Name: m.Member, Schema: m.Member}
		}
		if m.State != "made" { // the next run repairs it
			v.unsettled = append(v.unsettled, o.Instances.In(instance)...)
		}
		if m.State == "gone" {
			return
		}
		p := v.policies[m.Policy].In(o.Instances.Each, instance)
		if m.State == "made" {
			v.wanted, expanded = append(v.wanted, o.Instances.In(instance)...), append(expanded, p)
		}
		v.policies[name], names[m.Policy] = p, append(names[m.Policy], name)
	}, asked)
	if err == nil {
		v.expand(expanded, names)
	}
	return err
}

// expand replaces the policies for several schemas or shards by their instances, also in jobs. The
// parameter "instances" maps the name of such a policy to the names of its instances.
func (v *inspection) expand(expanded []*policy.Policy, instances map[string][]string) {
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
			for _, name := range instances[run.Text] {
				job.Run = append(job.Run, policy.Name{Text: name, Position: run.Position})
			}
		}
		return &job
	})
	v.file = &file
}
