package diag

import (
	"encoding/json"
	"io"
)

type jsonDiagnostic struct {
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Width    int      `json:"width,omitempty"`
	Severity Severity `json:"severity"`
	Code     string   `json:"code,omitempty"`
	Message  string   `json:"message"`
	Detail   string   `json:"detail,omitempty"`
	Hint     string   `json:"hint,omitempty"`
}

// RenderJSON writes the list as one JSON array, [] when it is empty.
func (l List) RenderJSON(w io.Writer) error {
	list := make([]jsonDiagnostic, 0, len(l))
	for _, d := range l {
		list = append(list, jsonDiagnostic{
			File: d.Position.File, Line: d.Position.Line, Column: d.Position.Column, Width: d.Position.Width,
			Severity: d.Severity, Code: d.Code, Message: d.Message, Detail: d.Detail, Hint: d.Hint,
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}
