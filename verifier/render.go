package verifier

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Text writes the findings for people, under a heading for each group: in it first what decides the
// verdict, then by position. The last line counts and says the verdict. Suppressed findings are
// counted only.
func (r *Report) Text(w io.Writer, colour bool) error { return r.text(w, colour, false) }

// TextAll is Text with the suppressed findings.
func (r *Report) TextAll(w io.Writer, colour bool) error { return r.text(w, colour, true) }

func (r *Report) text(w io.Writer, colour, all bool) error {
	out := bufio.NewWriter(w)
	for _, g := range Groups() {
		findings := r.of(g, all)
		if len(findings) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s\n\n", diag.Bold("== "+string(g)+": "+counts(findings), colour))
		list := diag.List{}
		for _, f := range findings {
			list = append(list, f.shown())
		}
		if err := list.Render(out, nil, colour); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

// of are the findings of a group, in the order of their text.
func (r *Report) of(g Group, all bool) []Finding {
	var list []Finding
	for _, f := range r.Findings {
		if checks[f.Code].Group == g && (all || f.Suppressed == nil) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.weight(), b.weight()) })
	return list
}

var severities = []diag.Severity{diag.Drift, diag.Unknown, diag.Info, diag.Suppressed}

// weight orders findings by what they do to the verdict.
func (f Finding) weight() int { return slices.Index(severities, f.shown().Severity) }

// shown is the finding as the text has it.
func (f Finding) shown() diag.Diagnostic { return f.neutral().Shown() }

// counts says how many findings of each severity a list has: "2 drift, 1 info".
func counts(list []Finding) string {
	var parts []string
	for _, severity := range severities {
		n := 0
		for _, f := range list {
			if f.shown().Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	return strings.Join(parts, ", ")
}

// Summary is the last line of the text.
func (r *Report) Summary() string {
	suppressed := ""
	if n := r.Suppressed(); n > 0 {
		suppressed = fmt.Sprintf(", %d suppressed", n)
	}
	return fmt.Sprintf("Found %d drift, %d unknown, %d info%s in %s (%s, %s%s). Verdict: %s", r.Count(diag.Drift), r.Count(diag.Unknown),
		r.Count(diag.Info), suppressed, plural(r.Objects, "object"), policies(r.Policies), r.File, r.some(), r.Verdict())
}

// some says so where not all checks were made.
func (r *Report) some() string {
	if len(r.Checks) == len(checks) {
		return ""
	}
	return fmt.Sprintf(", %d of %d checks", len(r.Checks), len(checks))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func policies(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}

func (f Finding) diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Position: f.Position, Severity: f.Severity, Code: f.Code, Message: f.Message, Want: f.Want, Got: f.Got,
		Detail: f.Detail, Hint: f.Hint, Policy: f.Policy, Table: f.Table, Object: f.Object}
}

// sort orders the findings by position and code, and drops repetitions.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Want, b.Want), cmp.Compare(a.Got, b.Got),
		)
	})
	r.Findings = slices.Compact(r.Findings)
}
