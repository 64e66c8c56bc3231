// Package report writes findings of verify and lint for machines: JSON, SARIF and workflow commands
// of GitHub.
package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// Finding is one finding of verify or lint.
type Finding struct {
	diag.Diagnostic
	Group      string // group of the check, "" in lint
	Kind       string // kind of the object
	Suppressed *policy.Suppression
}

// Shown returns the finding as a text shows it.
func (f Finding) Shown() diag.Diagnostic {
	d := f.Diagnostic
	if s := f.Suppressed; s != nil {
		d.Severity = diag.Suppressed
		d.Detail = strings.TrimSpace(fmt.Sprintf("%s Suppressed until %s: %s", d.Detail, s.Until, s.Reason))
	}
	return d
}

// Log holds the findings of one call of a command.
type Log struct {
	Verb     string // "verify" or "lint"
	Version  string // version of this program
	File     string // path of the policy file, used for findings without a position
	Root     string // directory of the checkout; names of files are relative to it
	Findings []Finding
}

// Count returns the number of findings of a severity, without suppressed ones.
func (l Log) Count(severity diag.Severity) int {
	return l.count(func(f Finding) bool { return f.Severity == severity && f.Suppressed == nil })
}

// Suppressed returns the number of findings that the policy file suppresses.
func (l Log) Suppressed() int { return l.count(func(f Finding) bool { return f.Suppressed != nil }) }

func (l Log) count(is func(Finding) bool) (n int) {
	for _, f := range l.Findings {
		if is(f) {
			n++
		}
	}
	return n
}

// place returns the position of a finding, or the beginning of the policy file.
func (l Log) place(p diag.Position) diag.Position {
	if p.File == "" {
		p = diag.Position{File: l.File}
	}
	p.Line, p.Column, p.Width = max(p.Line, 1), max(p.Column, 1), max(p.Width, 1)
	return p
}

// path returns the name of a file relative to the root, with slashes. A file outside the root keeps
// its name.
func (l Log) path(file string) string {
	if absolute, err := filepath.Abs(file); err == nil {
		if relative, err := filepath.Rel(l.Root, absolute); err == nil && filepath.IsLocal(relative) {
			file = relative
		}
	}
	return filepath.ToSlash(file)
}

// MarshalJSON returns a finding as JSON. All commands use this form. docs/verify.md describes
// version 1.
func (f Finding) MarshalJSON() ([]byte, error) {
	members := []any{"code", f.Code.String(), "severity", f.Severity, "group", f.Group, "kind", f.Kind, "object",
		f.Object,
		"table", f.Table, "policy", f.Policy, "file", f.Position.File, "line", f.Position.Line, "column", f.Position.Column,
		"want", f.Want, "got", f.Got, "message", f.Message, "detail", f.Detail, "hint", f.Hint}
	if s := f.Suppressed; s != nil {
		suppressed, err := Object("reason", s.Reason, "until", s.Until, "line", s.Position.Line, "column",
			s.Position.Column)
		if err != nil {
			return nil, err
		}
		members = append(members, "suppressed", suppressed)
	}
	told := []any{}
	for member := range slices.Chunk(members, 2) {
		if member[1] != "" && member[1] != 0 {
			told = append(told, member...)
		}
	}
	return Object(told...)
}

// Object returns a JSON object. Its parameters are names and values in turn, in the order of the
// members.
func Object(members ...any) (json.RawMessage, error) {
	text := bytes.NewBufferString("{")
	for member := range slices.Chunk(members, 2) {
		if text.Len() > 1 {
			text.WriteString(", ")
		}
		fmt.Fprintf(text, "%q: ", member[0])
		if err := WriteJSON(text, member[1]); err != nil {
			return nil, err
		}
	}
	text.WriteString("}")
	return text.Bytes(), nil
}

// WriteJSON writes indented JSON, without escaping "<".
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// levels are the words for severities in GitHub's workflow commands and in SARIF.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
var levels = map[diag.Severity]struct{ command, sarif string }{
	diag.Error: {"error", "error"}, diag.Drift: {"error", "error"}, diag.Info: {"notice", "note"},
	diag.Warning: {"warning", "warning"}, diag.Unknown: {"warning", "warning"}, diag.Undecided: {"notice", "note"},
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// The method GitHub writes one workflow command per finding, so that GitHub shows the finding at
// the line of the file. It leaves out suppressed findings.
func (l Log) GitHub(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, f := range l.Findings {
		if f.Suppressed != nil {
			continue
		}
		p := l.place(f.Position)
		fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", levels[f.Severity].command,
			escapeProperty.Replace(l.path(p.File)), p.Line, p.Column, escapeProperty.Replace(f.title()), escapeData.Replace(f.words()))
	}
	return out.Flush()
}

// title returns the title of the finding's code.
func (f Finding) title() string {
	return cmp.Or(strings.TrimSpace(f.Code.String()+" "+f.Code.Title()), "pgretain")
}

// words returns all texts of a finding, one per line.
func (f Finding) words() string {
	lines := []string{f.Message}
	for _, part := range []struct{ label, text string }{{"want: ", f.Want}, {"got: ", f.Got}, {"", f.Detail},
		{"hint: ", f.Hint}} {
		if part.text != "" {
			lines = append(lines, part.label+part.text)
		}
	}
	return strings.Join(lines, "\n")
}
