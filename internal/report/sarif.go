package report

import (
	"cmp"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"pgretain/docs/checks"
	"pgretain/internal/diag"
)

// schemaURI names the schema of SARIF 2.1.0, the OASIS standard with its first errata.
const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// levels are SARIF's words for severities.
var levels = map[diag.Severity]string{
	diag.Error: "error", diag.Drift: "error", diag.Warning: "warning", diag.Unknown: "warning", diag.Info: "note",
}

// The members of SARIF that this program writes, by their names in the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       map[string]sarifDriver `json:"tool"`
		Automation map[string]string      `json:"automationDetails"`
		ColumnKind string                 `json:"columnKind"`
		Results    []sarifResult          `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		FullDescription  sarifText `json:"fullDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId,omitempty"`
		RuleIndex    *int               `json:"ruleIndex,omitempty"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions"` // of all results, or of none
	}
	sarifLocation map[string]sarifPhysical
	sarifPhysical struct {
		Artifact map[string]string `json:"artifactLocation"`
		Region   sarifRegion       `json:"region"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifSuppression struct {
		Kind          string        `json:"kind"`
		Status        string        `json:"status"`
		Justification string        `json:"justification"`
		Location      sarifLocation `json:"location"`
	}
)

// SARIF writes the log in the form that code scanning reads. Lint and verify have an identity of their
// own in it, so that one does not take the place of the other.
func (l Log) SARIF(w io.Writer) error {
	rules, index := l.rules()
	run := sarifRun{
		Tool:       map[string]sarifDriver{"driver": {"pgretain", l.Version, rules}},
		Automation: map[string]string{"id": "pgretain-" + l.Verb + "/"},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	prints := fingerprints{}
	for _, f := range l.Findings {
		result := sarifResult{
			RuleID: f.Code, Level: levels[f.Severity], Message: message(f), Suppressions: []sarifSuppression{},
			Locations:    []sarifLocation{l.location(f.Position)},
			Fingerprints: map[string]string{"primaryLocationLineHash": prints.of(f)},
		}
		if i, ok := index[f.Code]; ok {
			result.RuleIndex = &i
		}
		if s := f.Suppressed; s != nil {
			result.Suppressions = []sarifSuppression{{"inSource", "accepted", s.Reason + " (until " + s.Until + ")", l.location(s.Position)}}
		}
		run.Results = append(run.Results, result)
	}
	return WriteJSON(w, sarifLog{schemaURI, "2.1.0", []sarifRun{run}})
}

// literal keeps placeholders and links out of SARIF's messages. Braces are doubled in them; a bracket
// means something before a parenthesis only.
var literal = strings.NewReplacer("{", "{{", "}", "}}", "](", "] (")

// message ends its first line as a sentence, which stands alone where there is little space.
func message(f Finding) sarifText {
	text := f.words()
	if first, rest, more := strings.Cut(text, "\n"); more {
		text = first + ".\n" + rest
	}
	return sarifText{Text: literal.Replace(text)}
}

// rules are the checks that found something, with their places in the list.
func (l Log) rules() ([]sarifRule, map[string]int) {
	rules, index := []sarifRule{}, map[string]int{}
	for _, f := range l.Findings {
		if _, known := index[f.Code]; known || f.Code == "" {
			continue
		}
		index[f.Code] = len(rules)
		page, title := checks.Page(f.Code), diag.Title(f.Code)
		rules = append(rules, sarifRule{
			ID: f.Code, ShortDescription: sarifText{Text: title},
			FullDescription: sarifText{Text: cmp.Or(checks.Problem(f.Code), title)}, Help: sarifText{cmp.Or(page, title), page},
		})
	}
	return rules, index
}

func (l Log) location(p diag.Position) sarifLocation {
	p = l.place(p)
	region := sarifRegion{p.Line, p.Column, p.Line, p.Column + p.Width}
	return sarifLocation{"physicalLocation": {map[string]string{"uri": l.uri(p.File)}, region}}
}

// uri is relative wherever the file is below the root.
func (l Log) uri(file string) string {
	path := l.path(file)
	if filepath.IsAbs(file) && path == filepath.ToSlash(file) {
		return (&url.URL{Scheme: "file", Path: path}).String()
	}
	return (&url.URL{Path: path}).String()
}
