package verifier

import (
	"cmp"
	"slices"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// checkCoverage reports tables that the policy file does not mention.
func (v *inspection) checkCoverage(r reading) error {
	has := func(p *policy.Policy, which func(policy.Step) bool) bool { return slices.ContainsFunc(p.Then, which) }
	drops := slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool {
		return has(p, func(s policy.Step) bool { return s.DropTable != nil })
	})
	use := func(u policy.Effect) row {
		return row{"name": u.Table.String(), "inserts": u.Access.Insert, "reached": u.Reached}
	}
	byName := slices.SortedFunc(slices.Values(v.file.Policies), func(a, b *policy.Policy) int {
		return cmp.Compare(a.Name, b.Name)
	})
	named := map[string][]string{} // sentences about the policies that name a table, from the first use of each
	for _, p := range byName {
		told := map[string]bool{}
		for i, u := range p.Uses() {
			if table := u.Table.String(); !told[table] && (i == 0 || u.Access.Insert || u.Reached) {
				told[table] = true
				named[table] = append(named[table], messages.NamedBy(p.Name, i == 0, u.Access.Insert))
			}
		}
	}
	policies := lists.Map(v.file.Policies, func(p *policy.Policy) row {
		facts := row{"policy": p.Name, "covers": lists.Map(p.Covers(), use), "uses": lists.Map(p.Uses(), use),
			"deletes": lists.Map(p.Deletes(), func(d policy.Effect) string { return d.Table.String() })}
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			facts["parts"] = p.Table.String() // detached partitions are tables until another step drops them
		}
		return facts
	})
	decided := append(lists.Map(v.file.Protect, policy.Table.String), lists.Map(v.file.Coverage.Exempt, exempted)...)
	schemas := v.file.Coverage.Schemas
	uncovered, err := collectNamed[messages.UncoveredTable](r, "uncovered", lists.Map(schemas, policy.Name.String),
		decided, policies)
	for _, t := range uncovered {
		f := messages.Uncovered(t, named[t.Name])
		f.Position = schemas[t.N-1].Position
		v.add(f)
	}
	return err
}

func exempted(e policy.Exemption) string { return e.Table.String() }

// checkCoverageNames checks that the names under "coverage" exist.
func (v *inspection) checkCoverageNames(r reading) error {
	c := v.file.Coverage
	type name struct {
		N       int
		Useless string // why the exemption is not needed; "" if the name does not exist
	}
	names, err := collectNamed[name](r, "coverage_names", lists.Map(c.Schemas, policy.Name.String),
		lists.Map(c.Exempt, exempted))
	for _, live := range names {
		if live.N <= len(c.Schemas) {
			schema := c.Schemas[live.N-1]
			v.about(generator.Object{Name: schema.Text, Position: schema.Position}, messages.NoSchema(schema.Text))
			continue
		}
		table := c.Exempt[live.N-1-len(c.Schemas)]
		v.about(generator.Object{Name: table.Table.String(), Position: table.Table.Position},
			messages.Exemption(table.Table.String(), live.Useless, table.Reason))
	}
	return err
}
