package verifier

import (
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
	policies := lists.Map(v.file.Policies, func(p *policy.Policy) row {
		facts := row{"policy": p.Name, "covers": lists.Map(p.Covers(), use), "uses": lists.Map(p.Uses(), use),
			"deletes": lists.Map(p.Deletes(), func(d policy.Effect) string { return d.Table.String() })}
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			facts["parts"] = p.Table.String() // detached partitions are tables until another step drops them
		}
		return facts
	})
	named := append(lists.Map(v.file.Protect, policy.Table.String), lists.Map(v.file.Coverage.Exempt, exempted)...)
	return v.finds(messages.CodeUncovered, v.coveredSchemas(), "uncovered",
		lists.Map(v.file.Coverage.Schemas, nameText), named, policies)(r)
}

func exempted(e policy.Exemption) string { return e.Table.String() }

func nameText(n policy.Name) string { return n.Text }

// coveredSchemas returns the schemas to check, as subjects of findings.
func (v *inspection) coveredSchemas() []generator.Object {
	return lists.Map(v.file.Coverage.Schemas, func(n policy.Name) generator.Object {
		return generator.Object{Name: n.Text, Position: n.Position}
	})
}

// checkCoverageNames checks that the names under "coverage" exist.
func (v *inspection) checkCoverageNames(r reading) error {
	c := v.file.Coverage
	about := append(v.coveredSchemas(), lists.Map(c.Exempt, func(e policy.Exemption) generator.Object {
		return generator.Object{Name: e.Table.String(), Position: e.Table.Position}
	})...)
	reasons := lists.Map(c.Exempt, func(e policy.Exemption) string { return e.Reason })
	return v.finds(messages.CodeCoverageName, about, "coverage_names", lists.Map(c.Schemas, nameText),
		lists.Map(c.Exempt, exempted), reasons)(r)
}
