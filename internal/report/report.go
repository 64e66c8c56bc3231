// Package report writes what verify and lint found for machines: JSON, SARIF and the commands of
// GitHub's workflows.
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
	return l.count(func(f Finding) bool { return f.Severity == severity && f.Suppressed == nil })
}

// Suppressed is the number of findings that the policy file takes out.
func (l Log) Suppressed() int { return l.count(func(f Finding) bool { return f.Suppressed != nil }) }

func (l Log) count(is func(Finding) bool) (n int) {
	for _, f := range l.Findings {
		if is(f) {
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
	if absolute, err := filepath.Abs(file); err == nil {
		if relative, err := filepath.Rel(l.Root, absolute); err == nil && filepath.IsLocal(relative) {
			file = relative
		}
	}
	return filepath.ToSlash(file)
}

// MarshalJSON is the form of a finding in all JSON of this program: version 1 of what docs/verify.md describes.
func (f Finding) MarshalJSON() ([]byte, error) {
	members := []any{"code", f.Code, "severity", f.Severity, "group", f.Group, "kind", f.Kind, "object", f.Object,
		"table", f.Table, "policy", f.Policy, "file", f.Position.File, "line", f.Position.Line, "column", f.Position.Column,
		"want", f.Want, "got", f.Got, "message", f.Message, "detail", f.Detail, "hint", f.Hint}
	if s := f.Suppressed; s != nil {
		suppressed, err := Object("reason", s.Reason, "until", s.Until, "line", s.Position.Line, "column", s.Position.Column)
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

// Object is a JSON object of members by their names, in order.
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

// WriteJSON writes a value for people and machines: indented, and "<" as it is.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// levels are the words for severities, of GitHub's workflow commands and of SARIF.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
var levels = map[diag.Severity]struct{ command, sarif string }{
	diag.Error: {"error", "error"}, diag.Drift: {"error", "error"}, diag.Info: {"notice", "note"},
	diag.Warning: {"warning", "warning"}, diag.Unknown: {"warning", "warning"},
}

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes one workflow command a finding, which GitHub shows at the line of the file. Suppressed
// findings are left out.
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

// title is what the code says of all findings of the kind.
func (f Finding) title() string {
	return cmp.Or(strings.TrimSpace(f.Code+" "+diag.Title(f.Code)), "pgretain")
}

// words is all that a finding says, a line each.
func (f Finding) words() string {
	lines := []string{f.Message}
	for _, part := range []struct{ label, text string }{{"want: ", f.Want}, {"got: ", f.Got}, {"", f.Detail}, {"hint: ", f.Hint}} {
		if part.text != "" {
			lines = append(lines, part.label+part.text)
		}
	}
	return strings.Join(lines, "\n")
}
