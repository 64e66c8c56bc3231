package verifier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Text writes the findings, a blank line between them, and the verdict as the last line.
func (r *Report) Text(w io.Writer, colour bool) error {
	if err := r.diagnostics().Render(w, nil, colour); err != nil {
		return err
	}
	if len(r.Findings) > 0 {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, r.Summary())
	return err
}

// Summary is the last line of the text.
func (r *Report) Summary() string {
	if r.Verdict() == Conforms {
		return fmt.Sprintf("%s, %s%s: conforms.", plural(r.Objects, "object"), policies(r.Policies), r.some())
	}
	return fmt.Sprintf("Found %d drift, %d unknown in %s (%s, %s%s). Verdict: %s", r.Count(diag.Drift),
		r.Count(diag.Unknown), plural(r.Objects, "object"), policies(r.Policies), r.File, r.some(), r.Verdict())
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
	return diag.Diagnostic{Position: f.Position, Severity: f.Severity, Code: f.Code, Message: f.Message, Detail: f.detail(), Hint: f.Hint}
}

// detail adds what is wanted and what is there.
func (f Finding) detail() string {
	var parts []string
	if f.Want != "" || f.Got != "" {
		parts = append(parts, fmt.Sprintf("Wanted %s, found %s.", orNothing(f.Want), orNothing(f.Got)))
	}
	if f.Detail != "" {
		parts = append(parts, f.Detail)
	}
	return strings.Join(parts, " ")
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func (r *Report) diagnostics() diag.List {
	list := make(diag.List, len(r.Findings))
	for i, f := range r.Findings {
		list[i] = f.diagnostic()
	}
	return list
}

// sort orders the findings as their text is read, and drops repetitions.
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

// jsonReport is version 1 of the form that docs/verify.md describes.
type jsonReport struct {
	Version  int           `json:"version"`
	Verdict  Verdict       `json:"verdict"`
	File     string        `json:"file"`
	Objects  int           `json:"objects"`
	Policies int           `json:"policies"`
	Drift    int           `json:"drift"`
	Unknown  int           `json:"unknown"`
	Findings []jsonFinding `json:"findings"`
}

type jsonFinding struct {
	Code     string        `json:"code"`
	Severity diag.Severity `json:"severity"`
	Kind     string        `json:"kind,omitempty"`
	Object   string        `json:"object,omitempty"`
	Policy   string        `json:"policy,omitempty"`
	File     string        `json:"file,omitempty"`
	Line     int           `json:"line,omitempty"`
	Column   int           `json:"column,omitempty"`
	Want     string        `json:"want,omitempty"`
	Got      string        `json:"got,omitempty"`
	Message  string        `json:"message"`
	Detail   string        `json:"detail,omitempty"`
	Hint     string        `json:"hint,omitempty"`
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	report := jsonReport{Version: 1, Verdict: r.Verdict(), File: r.File, Objects: r.Objects, Policies: r.Policies,
		Drift: r.Count(diag.Drift), Unknown: r.Count(diag.Unknown), Findings: []jsonFinding{}}
	for _, f := range r.Findings {
		report.Findings = append(report.Findings, jsonFinding{
			Code: f.Code, Severity: f.Severity, Kind: string(f.Kind), Object: f.Object, Policy: f.Policy,
			File: f.Position.File, Line: f.Position.Line, Column: f.Position.Column,
			Want: f.Want, Got: f.Got, Message: f.Message, Detail: f.Detail, Hint: f.Hint,
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
