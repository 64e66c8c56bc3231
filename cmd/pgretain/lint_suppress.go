package main

import (
	"regexp"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/suppress"
)

// The codes of suppressions in lint; those of verify are V095 and V096.
var (
	codeSuppressionEnded = diag.Register("L095", "a suppression is past its end, or not yet in force")
	codeSuppressionIdle  = diag.Register("L096", "a suppression matches nothing")
)

// useless warns of suppressions that are of no use: of the verifier's only where their day or their code
// says so.
func (l *linted) useless() diag.List {
	var list diag.List
	for _, e := range l.filter.Entries() {
		message, detail := e.Fault(l.looked(e.Check))
		d := diag.Diagnostic{Position: e.Position, Severity: diag.Warning, Code: codeSuppressionEnded, Message: message, Detail: detail,
			Hint: `Take it out of "suppress", or give it a day within a year and a reason that still holds.`}
		switch {
		case diag.Title(e.Check) == "":
			d.Message, d.Detail = "the suppression of "+e.Check+" matches nothing", "This program has no such check."
			fallthrough
		case message != "" && e.State == suppress.Holds:
			d.Code, d.Hint = codeSuppressionIdle, `Take it out of "suppress".`
		case message == "":
			continue
		}
		list.Add(d)
	}
	return list
}

// looked says whether the findings of a check would have been seen: those from L050 on are the
// rehearsal's, and without a snapshot or with errors not everything was looked at.
func (l *linted) looked(code string) bool {
	switch {
	case !strings.HasPrefix(code, "L") || l.project == nil || !l.project.compiled || l.failed():
		return false
	case code >= "L050":
		return l.report != nil
	}
	return true
}

var topLevel = regexp.MustCompile(`^["'A-Za-z_]`)

// place says which policy or report a message is about, and of which table, where it does not say so itself.
func (p *project) place(d diag.Diagnostic) diag.Diagnostic {
	if d.Policy == "" && d.Position.File == p.file.Path {
		d.Policy = p.namedAt(d.Position.Line)
	}
	for _, policy := range p.file.Policies {
		if d.Table == "" && policy.Name == d.Policy {
			d.Table = policy.Table.String()
		}
	}
	return d
}

// namedAt is the last policy or report that begins at or above a line, as long as no line between begins
// another part of the file.
func (p *project) namedAt(line int) string {
	names := map[int]string{}
	for _, policy := range p.file.Policies {
		names[policy.Position.Line] = policy.Name
	}
	for _, report := range p.file.Reports {
		names[report.Position.Line] = report.Name
	}
	lines := strings.Split(string(p.sources[p.file.Path]), "\n")
	for n := min(line, len(lines)); n > 0 && !topLevel.MatchString(lines[n-1]); n-- {
		if names[n] != "" {
			return names[n]
		}
	}
	return ""
}
