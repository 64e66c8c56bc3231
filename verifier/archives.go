package verifier

import (
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
			for _, column := range rows {
				if !slices.Contains(archive, column) && !slices.ContainsFunc(s.Archive.Set, func(a policy.Assignment) bool { return a.Column == column }) {
					v.notCopied(p, s, from, column)
				}
			}
		}
	}
}
