package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"pgretain/docs/checks"
	"pgretain/internal/diag"
)

// schemaURI names the schema of SARIF 2.1.0, the OASIS standard with its first errata.
const schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// object is an object of SARIF. Its members have the names of the standard.
type object = map[string]any

// SARIF writes the log in the form that code scanning reads. In this form, lint and verify have
// different identities, so that neither command replaces the results of the other.
func (l Log) SARIF(w io.Writer) error {
	rules, index := l.rules()
	results := []object{}
	prints := fingerprints{}
	for _, f := range l.Findings {
		result := object{
			"level": levels[f.Severity].sarif, "message": object{"text": message(f)},
			"locations":           []object{l.location(f.Position)},
			"suppressions":        []object{}, // SARIF wants suppressions in all results or in none
			"partialFingerprints": object{"primaryLocationLineHash": prints.of(f)},
		}
		if f.Code != (diag.Code{}) {
			result["ruleId"], result["ruleIndex"] = f.Code.String(), index[f.Code]
		}
		if s := f.Suppressed; s != nil {
			result["suppressions"] = []object{{"kind": "inSource", "status": "accepted",
				"justification": s.Reason + " (until " + s.Until + ")", "location": l.location(s.Position)}}
		}
		results = append(results, result)
	}
	return WriteJSON(w, object{"$schema": schemaURI, "version": "2.1.0", "runs": []object{{
		"tool":              object{"driver": object{"name": "pgretain", "version": l.Version, "rules": rules}},
		"automationDetails": object{"id": "pgretain-" + l.Verb + "/"},
		"columnKind":        "unicodeCodePoints", "results": results,
	}}})
}

// literal escapes placeholders and links of SARIF's messages. Braces are doubled; a bracket has a
// meaning only before a parenthesis.
var literal = strings.NewReplacer("{", "{{", "}", "}}", "](", "] (")

// message returns a text whose first line is a sentence. Some displays show only the first line.
func message(f Finding) string {
	text := f.words()
	if first, rest, more := strings.Cut(text, "\n"); more {
		text = first + ".\n" + rest
	}
	return literal.Replace(text)
}

// rules returns the checks that found something, and their positions in the list.
func (l Log) rules() ([]object, map[diag.Code]int) {
	rules, index := []object{}, map[diag.Code]int{}
	for _, f := range l.Findings {
		if _, known := index[f.Code]; known || f.Code == (diag.Code{}) {
			continue
		}
		index[f.Code] = len(rules)
		page, title := checks.Page(f.Code.String()), f.Code.Title()
		help := object{"text": cmp.Or(page, title)}
		if page != "" {
			help["markdown"] = page
		}
		rules = append(rules, object{"id": f.Code.String(), "shortDescription": object{"text": title},
			"fullDescription": object{"text": cmp.Or(checks.Problem(f.Code.String()), title)}, "help": help})
	}
	return rules, index
}

func (l Log) location(p diag.Position) object {
	p = l.place(p)
	return object{"physicalLocation": object{"artifactLocation": object{"uri": l.uri(p.File)},
		"region": object{"startLine": p.Line, "startColumn": p.Column, "endLine": p.Line,
			"endColumn": p.Column + p.Width}}}
}

// uri returns a relative URI if the file is below the root.
func (l Log) uri(file string) string {
	address := url.URL{Path: l.path(file)}
	if filepath.IsAbs(address.Path) {
		address.Scheme = "file"
	}
	return address.String()
}

// fingerprints counts equal findings.
type fingerprints map[string]int

var digits = regexp.MustCompile(`[0-9]+`)

// The method "of" returns the fingerprint of a finding. Code scanning keeps an alert as long as its
// fingerprint stays the same, so the fingerprint must not depend on lines or numbers. A message of
// verify contains counts, so the fingerprint contains the message only if nothing else identifies
// the finding. Equal findings get a number.
func (p fingerprints) of(f Finding) string {
	parts := []string{f.Code.String(), f.Policy, f.Kind, f.Object}
	if f.Group == "" || f.Policy == "" && f.Object == "" {
		parts = append(parts, digits.ReplaceAllString(f.Message, ""))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	name := hex.EncodeToString(sum[:8])
	p[name]++
	return fmt.Sprintf("%s:%d", name, p[name])
}
