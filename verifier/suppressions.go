package verifier

import (
	"slices"

	"pgretain/internal/diag"
	"pgretain/internal/suppress"
)

// suppress takes findings out of the verdict that the policy file says to leave out, by the server's
// clock, and reports what suppressions are of no use.
func (v *inspection) suppress() {
	filter := suppress.New(v.file, "V", v.server.Now)
	for i := range v.report.Findings {
		f := &v.report.Findings[i]
		if f.Table == "" {
			f.Table = v.tableOf(f.Policy)
		}
		f.Suppressed = filter.Match(suppress.Subject{
			Check: f.Code, Policy: f.Policy, Table: f.Table, Object: f.Object, Certain: f.Severity != diag.Unknown,
		})
	}
	everything := v.sawAll()
	for _, e := range filter.Entries() {
		switch message, detail := e.Fault(everything && v.looked(e.Check)); {
		case message == "":
		case e.State == suppress.Holds:
			v.suppressionIdle(e, message)
		default:
			v.suppressionEnded(e, message, detail)
		}
	}
}

// sawAll is false where something could not be looked at: there may be findings then that nobody saw.
func (v *inspection) sawAll() bool {
	for _, f := range v.report.Findings {
		if f.Severity == diag.Unknown {
			return false
		}
	}
	return v.complete
}

// looked says whether the findings of a check would have been seen.
func (v *inspection) looked(code string) bool {
	if _, known := checks[code]; known && !slices.Contains(v.report.Checks, code) {
		return false
	}
	return v.opt.Counts || checks[code].Group != Conformance
}

// tableOf is the table of a finding's policy.
func (v *inspection) tableOf(name string) string {
	if p := v.policy(name); p != nil {
		return p.Table.String()
	}
	return ""
}

var codeSuppressionEnded = register("V095", Suppressions, "a suppression is past its end, or not yet in force")

// suppressionEnded changes no verdict: what the suppression was for counts again, if it is still there.
func (v *inspection) suppressionEnded(e *suppress.Entry, message, detail string) {
	v.add(Finding{Code: codeSuppressionEnded, Severity: Info, Policy: e.Policy, Object: e.Object, Position: e.Position, Message: message,
		Detail: detail, Hint: `Take it out of "suppress", or give it a day within a year and a reason that still holds.`})
}

var codeSuppressionIdle = register("V096", Suppressions, "a suppression matches nothing")

// suppressionIdle is said only where everything was looked at.
func (v *inspection) suppressionIdle(e *suppress.Entry, message string) {
	f := Finding{Code: codeSuppressionIdle, Severity: Info, Policy: e.Policy, Object: e.Object, Position: e.Position, Message: message,
		Detail: "What it is for has gone, or is about something else.", Hint: `Take it out of "suppress".`}
	if _, known := checks[e.Check]; !known {
		f.Detail = "This program has no such check."
	}
	v.add(f)
}
