package verifier

import (
	"fmt"
	"slices"

	"pgretain/policy"
)

// checkArchives: a column that the rows have got since would go without a copy.
func (v *inspection) checkArchives(live map[string][]string) {
	for _, p := range v.file.Policies {
		for _, s := range p.Then {
			from := p.Table
			if s.Related != nil {
				from = s.Related.Table
			}
			if s.Archive == nil || s.Archive.Document != "" || p.Partitions && s.Related == nil {
				continue
			}
			rows, archive := live[from.String()], live[s.Archive.Into.String()]
			if rows == nil || archive == nil {
				continue // a finding of its own
			}
			v.compareArchive(p, s, from, slices.DeleteFunc(slices.Clone(rows), func(column string) bool {
				return slices.Contains(archive, column) || slices.ContainsFunc(s.Archive.Set, func(a policy.Assignment) bool { return a.Column == column })
			}))
		}
	}
}

func (v *inspection) compareArchive(p *policy.Policy, s policy.Step, from policy.Table, missing []string) {
	for _, column := range missing {
		v.add(Finding{Code: codeNotCopied, Object: s.Archive.Into.String() + "." + column, Policy: p.Name, Position: s.Archive.Into.Position,
			Message: fmt.Sprintf("archive %q of policy %q has no column %q of table %q", s.Archive.Into, p.Name, column, from),
			Detail:  "Rows go without a copy of it.",
			Hint:    `Add the column to the archive, or name it under "set"; then run "pgretain snapshot" and "pgretain generate".`})
	}
}
