package policy

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // checks time zones on machines without a zone database

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// rule is a pattern that a word must match. If the field "not" is true, the word must not match it.
// The field "fault" is the message about a word that breaks the rule.
type rule struct {
	not   bool
	form  *regexp.Regexp
	fault func(messages.Word) diag.Diagnostic
}

func matches(form string, fault func(messages.Word) diag.Diagnostic) rule {
	return rule{false, regexp.MustCompile(form), fault}
}

func excludes(form string, fault func(messages.Word) diag.Diagnostic) rule {
	return rule{true, regexp.MustCompile(form), fault}
}

// rules maps each kind of word to its rules. Only the first broken rule is reported.
var rules = map[string][]rule{
	// "own name" is a name that the file defines: of a policy, guard, join, job or alias. The limit
	// of 40 bytes leaves room for the suffixes of generated names.
	"own name": {
		excludes(`^(`+strings.Join(messages.Reserved, "|")+`)$`, messages.ReservedOwnName),
		matches(`^[a-z][a-z0-9_]*$`, messages.InvalidOwnName), matches(`^.{1,40}$`, messages.LongName),
	},
	"system": { // a role or schema of the install; the runtime writes it without quotes
		matches(`^[a-z_][a-z0-9_]{0,49}$`, messages.InvalidSystemName),
		excludes(`^(pg_.*|public|cron|information_schema|`+strings.Join(quote.Keywords, "|")+`)$`,
			messages.ReservedSystemName),
	},
	"role": {excludes(`^(public|none)$`, messages.ReservedRole)},
	// Schemas that depend on the caller are refused: the path must mean the same in every generated
	// function.
	"schema of the path":     {excludes(`^(\$user|pg_.*)$`, messages.ReservedPathSchema)},
	"schema that is covered": {excludes(`^(information_schema|pg_.*)$`, messages.ReservedCoveredSchema)},
	"each":                   {matches(`^each_`, messages.InvalidEachName)},
	"pattern":                {matches(`^[a-z_][a-z0-9_]*\*[a-z0-9_*]*$`, messages.InvalidPattern)},
	"plain":                  {matches(`^[a-z_][a-z0-9_]*$`, messages.InvalidPlainSchema)},
	"database":               {matches(`^[^\x00\r\n]+$`, messages.InvalidDatabase)},
	"directory":              {matches(`^[^\x00\r\n]+$`, messages.InvalidDirectory)},
	"of a fleet":             {matches(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`, messages.InvalidFleetName)},
	"event":                  {matches(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`, messages.InvalidEvent)},
	"payload key":            {matches(`^[A-Za-z_][A-Za-z0-9_.-]*$`, messages.InvalidPayloadKey)},
	"check": { // invalid files and objects that could not be read cannot be suppressed
		excludes(`^P[0-9]{3}$`, messages.SuppressedFileError), excludes(`^[LV]09[0-9]$`, messages.SuppressedSight),
		matches(`^[LV]0[0-9]{2}$`, messages.SuppressionCheck),
	},
	"reason": {matches(`\S`, messages.SuppressionReason)},
	"object": {matches(`.`, messages.SuppressionObject)},
}

// longest maps a kind of word to its maximum length in bytes.
var longest = map[string]int{"database": 63, "event": 63, "payload key": 63}

// checkRule reports the first rule of the kind that the text breaks, and ends the reading of the
// value.
func (r *reader) checkRule(kind, what string, f field, text string, at diag.Position) {
	for _, rule := range rules[kind] {
		if rule.form.MatchString(text) == rule.not || longest[kind] > 0 && len(text) > longest[kind] {
			r.fail(rule.fault(messages.Word{What: what, Key: f.name(), Text: text}), at)
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
			r.fail(messages.InvalidSchedule(text, fault), at)
		}
	case "day":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.fail(messages.SuppressionDay(text), at)
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.fail(messages.InvalidDate(text), at)
		}
	case "zone":
		if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
			r.fail(messages.UnknownZone(text), at)
		}
	case "type":
		if err := pgparse.TypeName(text); err != nil {
			r.fail(messages.InvalidColumnType(text, err), at)
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
