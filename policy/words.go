package policy

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // checks time zones on machines without a zone database

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// rule is a pattern that a word must match. If the field "not" is true, the word must not match it.
// The field "fault" names the fault of a word that breaks the rule.
type rule struct {
	not   bool
	form  *regexp.Regexp
	fault string
}

func matches(form, fault string) rule { return rule{false, regexp.MustCompile(form), fault} }

func excludes(form, fault string) rule { return rule{true, regexp.MustCompile(form), fault} }

// reserved lists the names that have a meaning in expressions. "hold" is the guard that every
// policy has. "passed" counts the rows whose step condition is not true.
var reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}

// rules maps each kind of word to its rules. Only the first broken rule is reported.
var rules = map[string][]rule{
	// "own name" is a name that the file defines: of a policy, guard, join, job or alias. The limit
	// of 40 bytes leaves room for the suffixes of generated names.
	"own name": {
		excludes(`^(`+strings.Join(reserved, "|")+`)$`, "P008 own"),
		matches(`^[a-z][a-z0-9_]*$`, "P007 own"), matches(`^.{1,40}$`, "P007 long"),
	},
	"system": { // a role or schema of the install; the runtime writes it without quotes
		matches(`^[a-z_][a-z0-9_]{0,49}$`, "P007 system"),
		excludes(`^(pg_.*|public|cron|information_schema|`+strings.Join(quote.Keywords, "|")+`)$`, "P008 system"),
	},
	"role": {excludes(`^(public|none)$`, "P008 role")},
	// Schemas that depend on the caller are refused: the path must mean the same in every generated
	// function.
	"schema of the path":     {excludes(`^(\$user|pg_.*)$`, "P008 path")},
	"schema that is covered": {excludes(`^(information_schema|pg_.*)$`, "P008 catalog")},
	"each":                   {matches(`^each_`, "P007 each")},
	"pattern":                {matches(`^[a-z_][a-z0-9_]*\*[a-z0-9_*]*$`, "P010 pattern")},
	"plain":                  {matches(`^[a-z_][a-z0-9_]*$`, "P010 plain")},
	"database":               {matches(`^[^\x00\r\n]+$`, "P007 database")},
	"directory":              {matches(`^[^\x00\r\n]+$`, "P007 directory")},
	"of a fleet":             {matches(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`, "P007 fleet")},
	"event":                  {matches(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`, "P007 event")},
	"payload key":            {matches(`^[A-Za-z_][A-Za-z0-9_.-]*$`, "P007 payload")},
	"check": { // invalid files and objects that could not be read cannot be suppressed
		excludes(`^P[0-9]{3}$`, "P049 file"), excludes(`^[LV]09[0-9]$`, "P049 unseen"),
		matches(`^[LV]0[0-9]{2}$`, "P048 check"),
	},
	"reason": {matches(`\S`, "P048 reason")},
	"object": {matches(`.`, "P048 object")},
}

// longest maps a kind of word to its maximum length in bytes.
var longest = map[string]int{"database": 63, "event": 63, "payload key": 63}

// checkRule reports the first rule of the kind that the text breaks, and ends the reading of the
// value.
func (r *reader) checkRule(kind, what string, f field, text string, at diag.Position) {
	for _, rule := range rules[kind] {
		if rule.form.MatchString(text) == rule.not || longest[kind] > 0 && len(text) > longest[kind] {
			r.fail(rule.fault, at, words{"What": what, "Key": f.name(), "Text": text})
		}
	}
}

// word reads a text and checks it by the rules of its kind.
func (r *reader) word(f field, kind string) (text string) {
	at := r.at(f.value)
	if strings.Contains(kind, "|") {
		return r.choice(f, strings.Split(kind, "|")...)
	}
	switch what, _, _ := strings.Cut(kind, " "); what {
	case "column", "role", "trigger", "schema":
		text = r.dotted(f, what, 1)[0]
	default:
		text = r.text(f)
	}
	switch kind {
	case "alias":
		r.named(f, text, kind)
	case "schedule":
		text = strings.Join(strings.Fields(text), " ")
		if fault := calendar.Fault(text); fault != "" {
			r.fail("P023", at, words{"Text": text, "Fault": fault})
		}
	case "day":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.fail("P048 day", at, text)
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.fail("P019 date", at, text)
		}
	case "zone":
		if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
			r.fail("P024", at, text)
		}
	case "type":
		if err := pgparse.TypeName(text); err != nil {
			r.fail("P035", at, words{"Text": text, "Error": err})
		}
	default:
		r.checkRule(kind, kind, f, text, at)
	}
	return text
}

// named checks a name that the file defines.
func (r *reader) named(f field, name, what string) {
	at := r.at(f.value)
	if f.key != nil && f.key.Value == name {
		at = r.at(f.key)
	}
	r.try(func() { r.checkRule("own name", what, f, name, at) })
}
