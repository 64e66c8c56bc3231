package verifier

import (
	"fmt"
	"slices"

	"pgretain/generator"
	"pgretain/policy"
)

// covered is what the file says of tables, for the query that looks for the others.
type covered struct {
	named    []string // policies take or change their rows, or they are protected, or exempt
	reached  []string // by foreign keys of deletes
	deleted  []string // from where
	detached []string // their partitions become tables of their own, which a policy drops
	written  []string // by steps

	tables, sentences []string // which policies make a table grow, or name it and take nothing: the first use of each tells
}

func (v *inspection) covered() covered {
	c := covered{named: mapped(v.file.Protect, policy.Table.String), reached: []string{}, deleted: []string{}, detached: []string{}, written: []string{}}
	c.named = append(c.named, mapped(v.file.Coverage.Exempt, exempted)...)
	has := func(p *policy.Policy, which func(policy.Step) bool) bool { return slices.ContainsFunc(p.Then, which) }
	drops := slices.ContainsFunc(v.file.Policies, func(p *policy.Policy) bool {
		return has(p, func(s policy.Step) bool { return s.DropTable != nil })
	})
	for _, p := range v.file.Policies {
		for _, use := range p.Covers() {
			if use.Reached {
				c.reached = append(c.reached, use.Table.String())
			} else {
				c.named = append(c.named, use.Table.String())
			}
		}
		told := map[string]bool{}
		for i, use := range p.Uses() {
			table, sentence := use.Table.String(), ""
			if use.Access.Insert {
				c.written = append(c.written, table)
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
				c.tables, c.sentences = append(c.tables, table), append(c.sentences, sentence)
			}
		}
		for _, d := range p.Deletes() { // what refers to a partition keeps it
			c.deleted = append(c.deleted, d.Table.String())
		}
		if drops && p.Partitions && has(p, func(s policy.Step) bool { return s.Detach != nil }) {
			c.detached = append(c.detached, p.Table.String())
		}
	}
	return c
}

func exempted(e policy.Exemption) string { return e.Table.String() }

func nameText(n policy.Name) string { return n.Text }

// coveredSchemas are the schemas that are looked at, as what findings are about.
func (v *inspection) coveredSchemas() []generator.Object {
	return mapped(v.file.Coverage.Schemas, func(n policy.Name) generator.Object {
		return generator.Object{Name: n.Text, Position: n.Position}
	})
}

func (v *inspection) checkCoverage(r reading) error {
	c := v.covered()
	return v.finds(codeUncovered, v.coveredSchemas(), "uncovered", mapped(v.file.Coverage.Schemas, nameText), c.named, c.reached,
		c.deleted, c.detached, c.written, c.tables, c.sentences)(r)
}

// checkCoverageNames looks up the names under "coverage".
func (v *inspection) checkCoverageNames(r reading) error {
	c := v.file.Coverage
	about := append(v.coveredSchemas(), mapped(c.Exempt, func(e policy.Exemption) generator.Object {
		return generator.Object{Name: e.Table.String(), Position: e.Table.Position}
	})...)
	reasons := mapped(c.Exempt, func(e policy.Exemption) string { return e.Reason })
	return v.finds(codeCoverageName, about, "coverage_names", mapped(c.Schemas, nameText), mapped(c.Exempt, exempted), reasons)(r)
}
