package verifier

import (
	"fmt"
	"slices"

	"pgretain/generator"
	"pgretain/internal/lists"
	"pgretain/policy"
)

// checkCoverage looks for tables that the file says nothing of, but what the first use of each tells.
func (v *inspection) checkCoverage(r reading) error {
	named := append(lists.Map(v.file.Protect, policy.Table.String), lists.Map(v.file.Coverage.Exempt, exempted)...)
	reached, deleted, detached, written := []string{}, []string{}, []string{}, []string{}
	var tables, sentences []string
	has := func(p *policy.Policy, which func(policy.Step) bool) bool { return slices.ContainsFunc(p.Then, which) }
	drops := slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool {
		return has(p, func(s policy.Step) bool { return s.DropTable != nil })
	})
	for _, p := range v.file.Policies {
		for _, use := range p.Covers() {
			if use.Reached {
				reached = append(reached, use.Table.String())
			} else {
				named = append(named, use.Table.String())
			}
		}
		told := map[string]bool{}
		for i, use := range p.Uses() {
			table, sentence := use.Table.String(), ""
			if use.Access.Insert {
				written = append(written, table)
			}
			switch {
			case i == 0:
				sentence = fmt.Sprintf("Policy %q is about it, and leaves its rows as they are.", p.Name)
			case use.Access.Insert:
				sentence = fmt.Sprintf("Policy %q writes to it.", p.Name)
			case use.Reached:
				sentence = fmt.Sprintf("Policy %q has it under \"cascades\", but no foreign key of it deletes rows.", p.Name)
			}
			if sentence != "" && !told[table] {
				told[table] = true
				tables, sentences = append(tables, table), append(sentences, sentence)
			}
		}
		for _, d := range p.Deletes() { // what refers to a partition keeps it
			deleted = append(deleted, d.Table.String())
		}
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			detached = append(detached, p.Table.String()) // partitions become tables of their own, which a policy drops
		}
	}
	return v.finds(codeUncovered, v.coveredSchemas(), "uncovered", lists.Map(v.file.Coverage.Schemas, nameText), named, reached,
		deleted, detached, written, tables, sentences)(r)
}

func exempted(e policy.Exemption) string { return e.Table.String() }

func nameText(n policy.Name) string { return n.Text }

// coveredSchemas are the schemas that are looked at, as what findings are about.
func (v *inspection) coveredSchemas() []generator.Object {
	return lists.Map(v.file.Coverage.Schemas, func(n policy.Name) generator.Object {
		return generator.Object{Name: n.Text, Position: n.Position}
	})
}

// checkCoverageNames looks up the names under "coverage".
func (v *inspection) checkCoverageNames(r reading) error {
	c := v.file.Coverage
	about := append(v.coveredSchemas(), lists.Map(c.Exempt, func(e policy.Exemption) generator.Object {
		return generator.Object{Name: e.Table.String(), Position: e.Table.Position}
	})...)
	reasons := lists.Map(c.Exempt, func(e policy.Exemption) string { return e.Reason })
	return v.finds(codeCoverageName, about, "coverage_names", lists.Map(c.Schemas, nameText), lists.Map(c.Exempt, exempted), reasons)(r)
}
