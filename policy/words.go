package policy

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked on machines without a zone database too

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// rule is what a word must match, or must not, and the fault of one that breaks it.
type rule struct {
	not   bool
	form  *regexp.Regexp
	fault string
}

func must(form, fault string) rule { return rule{false, regexp.MustCompile(form), fault} }

func mustNot(form, fault string) rule { return rule{true, regexp.MustCompile(form), fault} }

// reserved names have a meaning in expressions; hold is the guard that is always there, passed what a step leaves.
var reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}

// rules are those of a word, by its kind. The first one that it breaks is reported.
var rules = map[string][]rule{
	// That the file defines: of a policy, guard, join, job or alias. 40 bytes leave room for what generated names add.
	"own name": {
		mustNot(`^(`+strings.Join(reserved, "|")+`)$`, "P008 own"),
		must(`^[a-z][a-z0-9_]*$`, "P007 own"), must(`^.{1,40}$`, "P007 long"),
	},
	"system": { // of a role or schema of the install, which the runtime writes without quotes
		must(`^[a-z_][a-z0-9_]{0,49}$`, "P007 system"),
		mustNot(`^(pg_.*|public|cron|information_schema|`+strings.Join(quote.Keywords, "|")+`)$`, "P008 system"),
	},
	"role": {mustNot(`^(public|none)$`, "P008 role")},
	// What depends on who calls is refused: the path must mean the same in every generated function.
	"schema of the path":     {mustNot(`^(\$user|pg_.*)$`, "P008 path")},
	"schema that is covered": {mustNot(`^(information_schema|pg_.*)$`, "P008 catalog")},
	"each":                   {must(`^each_`, "P007 each")},
	"pattern":                {must(`^[a-z_][a-z0-9_]*\*[a-z0-9_*]*$`, "P010 pattern")},
	"plain":                  {must(`^[a-z_][a-z0-9_]*$`, "P010 plain")},
	"database":               {must(`^[^\x00\r\n]+$`, "P007 database")},
	"of a fleet":             {must(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`, "P007 fleet")},
	"event":                  {must(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`, "P007 event")},
	"payload key":            {must(`^[A-Za-z_][A-Za-z0-9_.-]*$`, "P007 payload")},
	"check": { // neither that the file is wrong can be silenced, nor that nobody could look
		mustNot(`^P[0-9]{3}$`, "P049 file"), mustNot(`^[LV]09[0-9]$`, "P049 unseen"),
		must(`^[LV]0[0-9]{2}$`, "P048 check"),
	},
	"reason": {must(`\S`, "P048 reason")},
	"object": {must(`.`, "P048 object")},
}

// longest are the bytes that some words may have.
var longest = map[string]int{"database": 63, "event": 63, "payload key": 63}

// follow holds that a word follows the rules of its kind.
func (r *reader) follow(kind, what string, f field, text string, at diag.Position) {
	for _, rule := range rules[kind] {
		if rule.form.MatchString(text) == rule.not || longest[kind] > 0 && len(text) > longest[kind] {
			r.fail(rule.fault, at, words{"What": what, "Key": f.name(), "Text": text})
		}
	}
}

// word is a text; kind says of what.
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
		r.follow(kind, kind, f, text, at)
	}
	return text
}

// named checks a name that the file defines.
func (r *reader) named(f field, name, what string) {
	at := r.at(f.value)
	if f.key != nil && f.key.Value == name {
		at = r.at(f.key)
	}
	r.try(func() { r.follow("own name", what, f, name, at) })
}
