package verifier

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/report"
	"pgretain/internal/suppress"
)

// Info is the severity of a finding that is useful to know but not drift.
const Info = diag.Info

// Verdict is the result of a whole report.
type Verdict string

// These are the verdicts. Drift takes precedence over Unknown.
const (
	Conforms Verdict = "conforms"
	Drift    Verdict = "drift"
	Unknown  Verdict = "unknown"
)

// Finding is one difference between the database and the policy file, or one thing that the
// verifier could not see.
//
// Object is the object's name. Table is the table that the finding is about, as "schema.name"; if
// there is none, it is the policy's table. Policy is the policy or job; it is empty for the
// runtime. Position is the position of the policy or job in the file, or of the name that is wrong.
type Finding = report.Finding

// message is the content of a finding.
type message = diag.Diagnostic

// Report is what Verify found, sorted by position and code.
type Report struct {
	report.Log
	Objects  int // number of wanted objects
	Policies int
	Checks   []diag.Code // the checks that were made
}

// Verdict returns the verdict over all findings. Info and undecided tables do not change it.
func (r *Report) Verdict() Verdict {
	switch {
	case r.Count(diag.Drift) > 0:
		return Drift
	case r.Count(diag.Unknown) > 0:
		return Unknown
	}
	return Conforms
}

// ExitCode returns 0 if the database conforms and 1 otherwise. If the verification could not run
// there is no report, and the exit code is 2.
func (r *Report) ExitCode() int {
	if r.Verdict() == Conforms {
		return 0
	}
	return 1
}

// Text writes the findings for people, under a heading for each group. Within a group, the findings
// are sorted by their effect on the verdict, then by position. The last line has the counts and the
// verdict. Suppressed findings are only counted, unless all is set.
func (r *Report) Text(w io.Writer, colour, all bool) error {
	out := bufio.NewWriter(w)
	for _, g := range messages.Groups() {
		var list diag.List
		numbers := map[diag.Severity]int{}
		for _, f := range r.Findings {
			if f.Group == string(g) && (all || f.Suppressed == nil) {
				list = append(list, f.Shown())
				numbers[f.Shown().Severity]++
			}
		}
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b message) int {
			return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
		})
		var counts []string
		for _, severity := range severities {
			if n := numbers[severity]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, severity))
			}
		}
		fmt.Fprintf(out, "%s\n\n", diag.Bold("== "+string(g)+": "+strings.Join(counts, ", "), colour))
		if err := list.Render(out, nil, colour); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

// severities are in the order of their effect on the verdict.
var severities = []diag.Severity{diag.Drift, diag.Unknown, diag.Undecided, diag.Info, diag.Suppressed}

// Summary returns the last line of the text.
func (r *Report) Summary() string {
	undecided, suppressed, some := "", "", ""
	if n := r.Count(diag.Undecided); n > 0 {
		undecided = fmt.Sprintf(", %d undecided", n)
	}
	if n := r.Suppressed(); n > 0 {
		suppressed = fmt.Sprintf(", %d suppressed", n)
	}
	if total := len(Selection{}.Codes()); len(r.Checks) < total {
		some = fmt.Sprintf(", %d of %d checks", len(r.Checks), total)
	}
	return fmt.Sprintf("Found %d drift, %d unknown%s, %d info%s in %s (%s, %s%s). Verdict: %s", r.Count(diag.Drift),
		r.Count(diag.Unknown), undecided, r.Count(diag.Info), suppressed,
		messages.Number(r.Objects, "object", "objects"), messages.Number(r.Policies, "policy", "policies"), r.File,
		some, r.Verdict())
}

// sort sorts the findings by position and code, and removes duplicates.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(diag.Compare(a.Diagnostic, b.Diagnostic), cmp.Compare(a.Want, b.Want), cmp.Compare(a.Got, b.Got))
	})
	r.Findings = slices.Compact(r.Findings)
}

// JSON writes the report as one JSON object, in version 1 of the format that docs/verify.md
// describes.
func (r *Report) JSON(w io.Writer) error {
	members := []any{"version", 1, "verdict", r.Verdict(), "file", r.File, "objects", r.Objects, "policies", r.Policies,
		"drift", r.Count(diag.Drift), "unknown", r.Count(diag.Unknown), "undecided", r.Count(diag.Undecided),
		"info", r.Count(diag.Info), "suppressed", r.Suppressed()}
	made := func(code diag.Code) bool { return slices.Contains(r.Checks, code) }
	if leftOut := slices.DeleteFunc(Selection{}.Codes(), made); len(leftOut) > 0 {
		members = append(members, "left_out", leftOut)
	}
	object, err := report.Object(append(members, "findings", r.Findings)...)
	if err != nil {
		return err
	}
	return report.WriteJSON(w, object)
}

// suppress marks the findings that the policy file suppresses, so that they do not change the
// verdict. The server's time decides whether a suppression has ended. If it has ended, its findings
// count again. A suppression that has ended or that matches no finding is reported as Info.
func (v *inspection) suppress() {
	filter := suppress.New(v.file, "V", v.server.Now)
	everything := v.complete // false if checks were left out
	for i := range v.report.Findings {
		f := &v.report.Findings[i]
		if p := v.policies[f.Policy]; f.Table == "" && p != nil {
			f.Table = p.Table.String()
		}
		f.Suppressed = filter.Match(f.Diagnostic)
		everything = everything && f.Severity != diag.Unknown
	}
	for _, e := range filter {
		check := diag.Find(e.Check)
		looked := (!e.Known() || slices.Contains(v.report.Checks, check)) &&
			(v.opt.Counts || check.Group() != messages.Conformance)
		if f, wrong := e.Fault(messages.VerifySuppressions, everything && looked); wrong {
			f.Severity, f.Policy, f.Object = Info, e.Policy, e.Object
			v.add(f)
		}
	}
}
