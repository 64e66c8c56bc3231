package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pgretain/internal/diag"
)

// commands are the workflow commands by severity.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
var commands = map[diag.Severity]string{
	diag.Error: "error", diag.Drift: "error", diag.Warning: "warning", diag.Unknown: "warning", diag.Info: "notice",
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
		fmt.Fprintf(out, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", commands[f.Severity],
			escapeProperty.Replace(l.path(p.File)), p.Line, p.Column, escapeProperty.Replace(f.title()), escapeData.Replace(f.words()))
	}
	return out.Flush()
}

// title is what the code says of all findings of the kind.
func (f Finding) title() string {
	if f.Code == "" {
		return "pgretain"
	}
	return strings.TrimSuffix(f.Code+" "+diag.Title(f.Code), " ")
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
