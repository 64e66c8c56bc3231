package verifier

import (
	"fmt"

	"pgretain/internal/diag"
)

var codeNoClock = register("V061", Conformance, "rows have no clock and never go")

// noClock is for information, since a row without an instant is not due unless the policy says so. Where the
// column has a default nobody left it out: somebody wrote NULL, and whether that is meant the policy
// file can say.
func (v *inspection) noClock(a asked, rows int64) {
	p, clock := a.policy, "no clock"
	if a.clock.Column != "" {
		clock = fmt.Sprintf("no %q", a.clock.Column)
	}
	f := Finding{Code: codeNoClock, Severity: Info, Policy: p.Name, Position: a.clock.Position, Object: p.Table.String(),
		Message: fmt.Sprintf("%s of table %q %s %s and never go under policy %q", counted(rows), p.Table, verb(rows, "has", "have"), clock, p.Name),
		Detail:  `A row without an instant is not due; the policy file does not say whether that is meant.`,
		Hint:    `Write "nulls: keep" in the policy if they are to stay, "nulls: due" if they are to go; or give them an instant, and the column NOT NULL.`}
	if a.column.Default != "" {
		f.Severity = diag.Drift
		f.Detail = fmt.Sprintf("The column has the default %s, so that somebody wrote NULL there; the policy file does not say whether that is meant.", a.column.Default)
	}
	v.add(f)
}

// counted is a number of rows that were counted up to the limit.
func counted(rows int64) string {
	if rows >= countLimit {
		return fmt.Sprintf("%d rows or more", rows)
	}
	return plural(int(rows), "row")
}

func verb(n int64, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
