package report

import (
	"bytes"
	"encoding/json"
	"io"

	"pgretain/internal/diag"
)

// jsonFinding is version 1 of the form that docs/verify.md describes.
type jsonFinding struct {
	Code       string           `json:"code,omitempty"`
	Severity   diag.Severity    `json:"severity"`
	Group      string           `json:"group,omitempty"`
	Kind       string           `json:"kind,omitempty"`
	Object     string           `json:"object,omitempty"`
	Table      string           `json:"table,omitempty"`
	Policy     string           `json:"policy,omitempty"`
	File       string           `json:"file,omitempty"`
	Line       int              `json:"line,omitempty"`
	Column     int              `json:"column,omitempty"`
	Want       string           `json:"want,omitempty"`
	Got        string           `json:"got,omitempty"`
	Message    string           `json:"message"`
	Detail     string           `json:"detail,omitempty"`
	Hint       string           `json:"hint,omitempty"`
	Suppressed *jsonSuppression `json:"suppressed,omitempty"`
}

type jsonSuppression struct {
	Reason string `json:"reason"`
	Until  string `json:"until"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// MarshalJSON is the form of a finding in all JSON of this program.
func (f Finding) MarshalJSON() ([]byte, error) {
	form := jsonFinding{
		Code: f.Code, Severity: f.Severity, Group: f.Group, Kind: f.Kind, Object: f.Object, Table: f.Table, Policy: f.Policy,
		File: f.Position.File, Line: f.Position.Line, Column: f.Position.Column,
		Want: f.Want, Got: f.Got, Message: f.Message, Detail: f.Detail, Hint: f.Hint,
	}
	if s := f.Suppressed; s != nil {
		form.Suppressed = &jsonSuppression{s.Reason, s.Until, s.Position.Line, s.Position.Column}
	}
	var out bytes.Buffer
	err := WriteJSON(&out, form)
	return out.Bytes(), err
}

// WriteJSON writes a value for people and machines: indented, and "<" as it is.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
