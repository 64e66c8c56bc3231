package policy

import (
	"fmt"
	"slices"
	"strings"
)

// scopes checks that every policy of a job can be narrowed by the columns that the job gives.
func (r *reader) scopes(f *File) {
	for _, j := range f.Jobs {
		for _, a := range j.Scope {
			for _, ref := range j.Run {
				if p := f.policy(ref.Name); p != nil && !p.scopedBy(a.Column) {
					r.add(codeScope, a.Position, fmt.Sprintf("policy %q of job %q has no scope %q", p.Name, j.Name, a.Column), p.scopeDetail(),
						fmt.Sprintf("Add \"scope: [%s]\" to the policy, or take the policy out of the job.", a.Column))
				}
			}
		}
	}
}

// noScope refuses a scope beside a watermark, which has one value for all rows.
func (r *reader) noScope(p *Policy, f field) {
	for _, e := range p.dueEntries() {
		if len(p.Scope) > 0 && e.Clock != nil && e.Clock.Watermark != nil {
			r.add(codeConflict, r.at(f.key), `"scope" and "watermark" exclude each other`,
				"A run that takes one scope would move the watermark past the rows of the others, which nobody would work off.",
				"Write a policy for each value: a condition in \"where\", and a row of the watermark's table.")
		}
	}
}

func (f *File) policy(name string) *Policy {
	for _, p := range f.Policies {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (p *Policy) scopedBy(column string) bool {
	return slices.ContainsFunc(p.Scope, func(n Name) bool { return n.Text == column })
}

func (p *Policy) scopeDetail() string {
	if len(p.Scope) == 0 {
		return ""
	}
	var names []string
	for _, n := range p.Scope {
		names = append(names, n.Text)
	}
	return "Its scope: " + strings.Join(names, ", ") + "."
}

// jobScope is a map of columns to literals.
func (r *reader) jobScope(f field) []Assignment {
	if f.value == nil {
		return nil
	}
	r.notEmpty(f)
	m, _ := r.mapping(f, `"scope"`, shape{})
	var list []Assignment
	for _, key := range m.order {
		f := m.fields[key]
		column := r.columnName(field{value: f.key})
		if e := r.literal(f); e != nil && column != "" {
			list = append(list, Assignment{Column: column, Value: *e, Position: r.at(f.key)})
		}
	}
	return r.distinct(list)
}
