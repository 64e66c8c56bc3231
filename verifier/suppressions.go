package verifier

import (
	"slices"

	"pgretain/internal/diag"
	"pgretain/internal/suppress"
)

// suppress takes findings out of the verdict that the policy file says to leave out, by the server's
// clock, and reports what suppressions are of no use. That changes no verdict: what a suppression was for counts
// again, if it is still there.
func (v *inspection) suppress() {
	filter := suppress.New(v.file, "V", v.server.Now)
	everything := v.complete // false where there may be findings that nobody saw
	for i := range v.report.Findings {
		f := &v.report.Findings[i]
		if p := v.policies[f.Policy]; f.Table == "" && p != nil {
			f.Table = p.Table.String()
		}
		f.Suppressed = filter.Match(suppress.Subject{
			Check: f.Code, Policy: f.Policy, Table: f.Table, Object: f.Object, Certain: f.Severity != diag.Unknown,
		})
		everything = everything && f.Severity != diag.Unknown
	}
	for _, e := range filter.Entries() {
		check, known := checks[e.Check]
		looked := (!known || slices.Contains(v.report.Checks, e.Check)) && (v.opt.Counts || check.Group != Conformance)
		f := message{Code: codeSuppressionEnded, Severity: Info, Policy: e.Policy, Object: e.Object, Position: e.Position,
			Hint: `Take it out of "suppress", or give it a day within a year and a reason that still holds.`}
		f.Message, f.Detail = e.Fault(everything && looked)
		if e.State == suppress.Holds {
			f.Code, f.Hint = codeSuppressionIdle, `Take it out of "suppress".`
			f.Detail = "What it is for has gone, or is about something else."
			if !known {
				f.Detail = "This program has no such check."
			}
		}
		if f.Message != "" {
			v.add(f)
		}
	}
}
