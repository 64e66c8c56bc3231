package lint

import (
	"fmt"
	"regexp"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

var _ = register("L027", "a watermark that passes rows not committed yet", checkMarkBehind)

// checkMarkBehind speaks of a watermark that moves to the greatest value there is. Numbers are given out before rows
// are committed, so that a row with a lower one may come later, and is never worked off.
func checkMarkBehind(l *linter) {
	for _, p := range l.file.Policies {
		if p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if k := entry.Clock; k != nil && k.Watermark != nil && (k.UpTo == nil || greatest(p, k)) {
				l.warn(finding{at: k.Watermark.Position, policy: p.Name,
					message: fmt.Sprintf("the watermark of policy %q passes rows that commit later with lower values", p.Name),
					detail:  "It moves to the greatest value that is committed; a transaction still open may hold lower ones.",
					hint:    fmt.Sprintf("Stay behind open transactions: up_to: \"SELECT max(%s) FROM %s WHERE made_at < as_of - interval '1 hour'\", twice as long as they ever take.", k.Column, p.Table)})
			}
		}
	}
}

var plainMax = regexp.MustCompile(`(?i)^\s*select\s+(coalesce\s*\(\s*)?max\s*\([^()]*\)(\s*,\s*[^()]*\))?(\s*::\s*\w+)?(\s+(as\s+)?\w+)?\s+from\s`)

// greatest says whether "up_to" is the greatest value of the clock itself, with nothing taken off.
func greatest(p *policy.Policy, k *policy.Clock) bool {
	parsed, err := pgparse.Query(k.UpTo.SQL)
	if err != nil || len(parsed.Columns) != 1 || len(parsed.Tables) != 1 || !plainMax.MatchString(k.UpTo.SQL) {
		return false
	}
	table, column := parsed.Tables[0], parsed.Columns[0].Fields
	return table.Name == p.Table.Name && (table.Schema == p.Table.Schema || table.Schema == "") && column[len(column)-1] == k.Column
}
