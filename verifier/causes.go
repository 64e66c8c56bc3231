package verifier

import (
	"fmt"
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

// explains adds to a detail how many findings its finding explains, with their codes.
func explains(detail string, codes []diag.Code) string {
	return strings.TrimSpace(fmt.Sprintf("%s This explains %s (%s).", detail,
		counted(len(codes), "further finding", "further findings"), strings.Join(distinct(lists.Map(codes,
			diag.Code.String)), ", ")))
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
		one, names := list[0], []string{}
		schema, _ := v.tableParts(one.Object)
		one.Message = fmt.Sprintf("schema %q of the policy file does not exist", schema)
		for _, f := range list {
			names = append(names, f.Object)
			v.affected[one.Message] = append(v.affected[one.Message], f.Policy)
			v.reasons[one.Message] = append(v.reasons[one.Message], v.reasons[f.Message]...)
		}
		names = distinct(names)
		one.Object, one.Table = "schema "+schema, ""
		one.Detail = fmt.Sprintf("%s Missing tables: %s.", detail, strings.Join(names[:min(5, len(names))], ", "))
		if more := len(names) - 5; more > 0 {
			one.Detail = fmt.Sprintf("%s and %d more.", strings.TrimSuffix(one.Detail, "."), more)
		}
		v.report.Findings = append(slices.DeleteFunc(v.report.Findings, func(f Finding) bool {
			return slices.Contains(list, f)
		}), one)
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
			kept[i].Detail = explains(f.Detail, codes)
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
