package verifier

import (
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
)

// oneCause leaves one finding for each cause. Suppressed findings stay, and explain no other
// finding.
func (v *inspection) oneCause() {
	v.mergeSchemas()
	v.explainOrigins()
	v.explainRuns()
	v.nameTool()
}

// mergeSchemas makes one finding of all tables in a schema that does not exist. The query "tables"
// writes the same detail for all of them.
func (v *inspection) mergeSchemas() {
	merged := map[string][]Finding{}
	for _, f := range v.report.Findings {
		if f.Code == messages.CodeNoTable && f.Suppressed == nil && f.Detail != "" {
			merged[f.Detail] = append(merged[f.Detail], f)
		}
	}
	for detail, list := range merged {
		if len(list) < 2 {
			continue
		}
		first := list[0]
		schema, _ := v.tableParts(first.Object)
		tables := lists.Distinct(lists.Map(list, func(f Finding) string { return f.Object }))
		one := messages.NoTables(schema, detail, tables)
		one.Policy, one.Position, one.Severity, one.Hint = first.Policy, first.Position, first.Severity, first.Hint
		for _, f := range list {
			v.affected[one.Message] = append(v.affected[one.Message], f.Policy)
			v.reasons[one.Message] = append(v.reasons[one.Message], v.reasons[f.Message]...)
		}
		first.Diagnostic = one
		v.report.Findings = append(slices.DeleteFunc(v.report.Findings, func(f Finding) bool {
			return slices.Contains(list, f)
		}), first)
	}
}

// explainRuns removes findings on runs if another finding states why these runs failed or tripped.
// That finding counts them.
func (v *inspection) explainRuns() {
	explained := map[Finding][]diag.Code{} // codes of removed findings, by the finding on their cause
	kept := slices.DeleteFunc(slices.Clone(v.report.Findings), func(run Finding) bool {
		if run.Code != messages.CodeLastRun && run.Code != messages.CodeRefused || run.Suppressed != nil {
			return false
		}
		cause := slices.IndexFunc(v.report.Findings, func(f Finding) bool { return v.causes(f, run) })
		if cause >= 0 {
			f := v.report.Findings[cause]
			explained[f] = append(explained[f], run.Code)
		}
		return cause >= 0
	})
	for i, f := range kept {
		if codes := explained[f]; len(codes) > 0 {
			kept[i].Detail = messages.Explaining(f.Detail, codes)
		}
	}
	v.report.Findings = kept
}

// The method causes reports whether a finding states why a run of its policy failed or tripped. The
// detail of the finding on the run has the message of the run.
func (v *inspection) causes(f, run Finding) bool {
	if f.Severity != diag.Drift || f.Suppressed != nil ||
		f.Policy != run.Policy && !slices.Contains(v.affected[f.Message], run.Policy) {
		return false
	}
	reasons := v.reasons[f.Message]
	switch f.Code {
	case messages.CodeExpression:
		if _, refused, ok := strings.Cut(f.Message, " is refused: "); ok {
			reasons = []string{refused}
		}
	case messages.CodeTableRights:
		_, name, _ := strings.Cut(f.Object, ".")
		name, _, _ = strings.Cut(name, "(")
		for _, kind := range []string{"table", "view", "function", "sequence"} {
			reasons = append(reasons, "permission denied for "+kind+" "+name)
		}
	}
	return slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(run.Detail, reason) })
}
