// Package report writes what verify and lint found for machines: JSON, SARIF and the commands of
// GitHub's workflows.
package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// Finding is one thing that verify or lint has to say.
type Finding struct {
	diag.Diagnostic
	Group      string // of checks, "" in lint
	Kind       string // of the object
	Suppressed *policy.Suppression
}

// Shown is the finding as a text has it.
func (f Finding) Shown() diag.Diagnostic {
	d := f.Diagnostic
	if s := f.Suppressed; s != nil {
		d.Severity = diag.Suppressed
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s Suppressed until %s: %s", d.Detail, s.Until, s.Reason))
	}
	return d
}

// Log is what one run of a verb found.
type Log struct {
	Verb     string // "verify" or "lint"
	Version  string // of this program
	File     string // the policy file, which stands in for what has no place
	Root     string // the directory of the checkout, which files are named from
	Findings []Finding
}

// Count is the number of findings of a severity, suppressed ones left out.
func (l Log) Count(severity diag.Severity) int {
	n := 0
	for _, f := range l.Findings {
		if f.Severity == severity && f.Suppressed == nil {
			n++
		}
	}
	return n
}

// Suppressed is the number of findings that the policy file takes out.
func (l Log) Suppressed() int {
	n := 0
	for _, f := range l.Findings {
		if f.Suppressed != nil {
			n++
		}
	}
	return n
}

// place is where a finding is shown: the beginning of the policy file if it has none.
func (l Log) place(p diag.Position) diag.Position {
	if p.File == "" {
		p = diag.Position{File: l.File}
	}
	p.Line, p.Column, p.Width = max(p.Line, 1), max(p.Column, 1), max(p.Width, 1)
	return p
}

// path names a file from the root, with slashes; a file elsewhere keeps its name.
func (l Log) path(file string) string {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	relative, err := filepath.Rel(l.Root, absolute)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(relative)
}
