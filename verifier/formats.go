package verifier

import (
	"io"
	"slices"

	"pgretain/internal/diag"
	"pgretain/internal/report"
)

// Log is the report for machines. Version is that of the program; root is the directory that files are
// named from.
func (r *Report) Log(version, root string) report.Log {
	log := report.Log{Verb: "verify", Version: version, File: r.File, Root: root, Findings: []report.Finding{}}
	for _, f := range r.Findings {
		log.Findings = append(log.Findings, f.neutral())
	}
	return log
}

// neutral is the finding in the form that lint has too.
func (f Finding) neutral() report.Finding {
	return report.Finding{Diagnostic: f.diagnostic(), Group: string(f.Group), Kind: string(f.Kind), Suppressed: f.Suppressed}
}

// jsonReport is version 1 of the form that docs/verify.md describes.
type jsonReport struct {
	Version    int              `json:"version"`
	Verdict    Verdict          `json:"verdict"`
	File       string           `json:"file"`
	Objects    int              `json:"objects"`
	Policies   int              `json:"policies"`
	Drift      int              `json:"drift"`
	Unknown    int              `json:"unknown"`
	Info       int              `json:"info"`
	Suppressed int              `json:"suppressed"`
	LeftOut    []string         `json:"left_out,omitempty"`
	Findings   []report.Finding `json:"findings"`
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	return report.WriteJSON(w, jsonReport{Version: 1, Verdict: r.Verdict(), File: r.File, Objects: r.Objects, Policies: r.Policies,
		Drift: r.Count(diag.Drift), Unknown: r.Count(diag.Unknown), Info: r.Count(diag.Info), Suppressed: r.Suppressed(),
		LeftOut: r.leftOut(), Findings: r.Log("", "").Findings})
}

// leftOut are the checks that were not asked for.
func (r *Report) leftOut() []string {
	var list []string
	for _, c := range Checks() {
		if !slices.Contains(r.Checks, c.Code) {
			list = append(list, c.Code)
		}
	}
	return list
}
