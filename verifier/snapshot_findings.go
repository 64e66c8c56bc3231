package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
)

var codeSnapshot = register("V033", Tables, "a table is not as the catalog snapshot has it")

// snapshotOld: what is generated would be the same. A table that another check complains of is not
// worth it.
func (v *inspection) snapshotOld(c changed) {
	if slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Object == c.name() && (f.isReach() || f.Code == codeCoverageName) }) {
		return
	}
	f := c.finding()
	f.Severity = Info
	f.Detail = strings.TrimSpace(f.Detail + " Nothing that is generated depends on it.")
	v.add(f)
}

// snapshotUntrue: something else would be generated, or the policy refused. Where a check of the
// tables or of reach has found the reason, that says it better.
func (v *inspection) snapshotUntrue(c changed, e effect) {
	policies := v.concerned(e)
	if len(e.errors) > 0 && !slices.ContainsFunc(policies, func(p *policy.Policy) bool { return !v.explained(p) }) {
		return
	}
	f := c.finding()
	if len(policies) > 0 {
		f.Policy, f.Position = policies[0].Name, policies[0].Table.Position
	}
	var said []string
	for _, d := range e.errors {
		said = append(said, fmt.Sprintf("Policy %q would be refused at %s: %s [%s].", v.nameAt(d.Position), d.Position, d.Message, d.Code))
	}
	if len(e.changes) > 0 {
		said = append(said, "For the table as it is, other objects would be generated: "+someOf(e.changes)+".")
		f.Hint = `Run "pgretain snapshot", "pgretain generate" and "pgretain migrate up".`
	} else {
		f.Hint = `Change the table back or the policy, then run "pgretain snapshot" and "pgretain generate".`
	}
	f.Detail = strings.TrimSpace(f.Detail + " " + shortened(said, 4))
	v.add(f)
}

// nameAt is the name of the policy at a position, "" for none.
func (v *inspection) nameAt(at diag.Position) string {
	if p := v.policyAt(at); p != nil {
		return p.Name
	}
	return ""
}

// explained says whether another check has found why a policy does not fit its tables.
func (v *inspection) explained(p *policy.Policy) bool {
	return v.found(p, codeNoTable, codeNoColumn, codeNotCopied) ||
		slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Policy == p.Name && f.isReach() })
}

// isReach: what deletes meet has the tables as they are for its reason.
func (f Finding) isReach() bool { return checks[f.Code].Group == Reach && f.Severity != diag.Unknown }

// found says whether checks have found something about a policy.
func (v *inspection) found(p *policy.Policy, codes ...string) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool { return f.Policy == p.Name && slices.Contains(codes, f.Code) })
}

// finding has what differs: one fact as want and got, several in words.
func (c changed) finding() Finding {
	f := Finding{Code: codeSnapshot, Object: c.name(), Message: fmt.Sprintf("table %q is not as the catalog snapshot has it", c.name()),
		Hint: `Run "pgretain snapshot" and check the file in.`}
	if len(c.facts) == 1 {
		f.Message += ": " + c.facts[0].What
		f.Want, f.Got = c.facts[0].Want, c.facts[0].Got
		return f
	}
	var facts []string
	for _, d := range c.facts {
		facts = append(facts, inWords(d))
	}
	f.Detail = shortened(facts, 8)
	return f
}

func inWords(d catalog.Difference) string {
	switch {
	case d.Want == "":
		return fmt.Sprintf("New %s: %s.", d.What, d.Got)
	case d.Got == "":
		return fmt.Sprintf("No %s any more: %s.", d.What, d.Want)
	}
	return fmt.Sprintf("Another %s: wanted %s, found %s.", d.What, d.Want, d.Got)
}

// someOf names the first of the objects that would be others.
func someOf(changes []string) string {
	if len(changes) <= 2 {
		return strings.Join(changes, "; ")
	}
	return strings.Join(changes[:2], "; ") + " and others"
}

// shortened is a list in one line, cut off where it is too long to read.
func shortened(list []string, most int) string {
	separator := " "
	if len(list) > 0 && !strings.HasSuffix(list[0], ".") {
		separator = "; "
	}
	if len(list) <= most {
		return strings.Join(list, separator)
	}
	return strings.Join(list[:most], separator) + separator + fmt.Sprintf("and %d more", len(list)-most)
}
