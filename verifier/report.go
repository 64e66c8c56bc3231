package verifier

import (
	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// Info is the severity of a finding that is worth knowing and no drift.
const Info = diag.Info

// Verdict is what a report says of the whole.
type Verdict string

// The verdicts. Drift wins over Unknown.
const (
	Conforms Verdict = "conforms"
	Drift    Verdict = "drift"
	Unknown  Verdict = "unknown"
)

// Finding is one thing that is not as the policy file wants it, or that could not be seen.
type Finding struct {
	Code     string
	Group    Group         // of its check
	Severity diag.Severity // diag.Drift, diag.Unknown or Info
	Kind     generator.Kind
	Object   string        // the object's name, "" for a finding about something else
	Table    string        // "schema.name" of the table that it is about; without it that of the policy
	Policy   string        // the policy or job that it is about, "" for the runtime
	Position diag.Position // of that policy or job, or of the name in question
	Want     string        // the wanted value where there is a short one
	Got      string
	Message  string
	Detail   string
	Hint     string // what to do: SQL whose statements end in ";", a command for the shell, or a sentence

	Suppressed *policy.Suppression // by which the policy file takes it out of the verdict
}

// Report is what Verify found, sorted by position and code.
type Report struct {
	File     string
	Objects  int // wanted objects
	Policies int
	Checks   []string // codes of those that were made
	Findings []Finding
}

// Count is the number of findings of a severity, suppressed ones left out.
func (r *Report) Count(severity diag.Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == severity && f.Suppressed == nil {
			n++
		}
	}
	return n
}

// Suppressed is the number of findings that the policy file takes out of the verdict.
func (r *Report) Suppressed() int {
	n := 0
	for _, f := range r.Findings {
		if f.Suppressed != nil {
			n++
		}
	}
	return n
}

// Verdict sums the findings up.
func (r *Report) Verdict() Verdict {
	switch {
	case r.Count(diag.Drift) > 0:
		return Drift
	case r.Count(diag.Unknown) > 0:
		return Unknown
	}
	return Conforms
}

// ExitCode is 0 when the database conforms and 1 otherwise; a verification that could not run has
// no report, and its exit code is 2.
func (r *Report) ExitCode() int {
	if r.Verdict() == Conforms {
		return 0
	}
	return 1
}
