package policy

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked on machines without a zone database too

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// rule is what a word must match, or must not. In its texts WHAT is what the word is, NAME its key, and TEXT itself.
type rule struct {
	not                         bool
	form                        *regexp.Regexp
	code, message, detail, hint string
}

func must(form, code, message, detail, hint string) rule {
	return rule{false, regexp.MustCompile(form), code, message, detail, hint}
}

func mustNot(form, code, message, detail, hint string) rule {
	return rule{true, regexp.MustCompile(form), code, message, detail, hint}
}

// reserved names have a meaning in expressions; hold is the guard that is always there, passed what a step leaves.
var reserved = []string{"t", "batch", "keep", "run", "as_of", "hold", "passed"}

// words are the rules of a word by its kind, of which the first holds that it breaks.
var words = map[string][]rule{
	"own name": { // that the file defines: of a policy, guard, join, job or alias. 40 bytes leave room for what generated names add
		mustNot(`^(`+strings.Join(reserved, "|")+`)$`, codeReserved, "WHAT name TEXT is reserved", "Reserved: "+strings.Join(reserved, ", ")+".", "Choose another name."),
		must(`^[a-z][a-z0-9_]*$`, codeName, "invalid WHAT name TEXT", "", "Use lower-case letters, digits and underscores, and begin with a letter."),
		must(`^.{1,40}$`, codeName, "WHAT name TEXT is too long", "", "Use at most 40 characters."),
	},
	"system": { // of a role or schema of the install, which the runtime writes without quotes
		must(`^[a-z_][a-z0-9_]{0,49}$`, codeName, "invalid NAME name TEXT", "", "Use at most 50 lower-case letters, digits and underscores, and begin with a letter."),
		mustNot(`^(pg_.*|public|cron|information_schema|`+strings.Join(quote.Keywords, "|")+`)$`, codeReserved, "NAME name TEXT is reserved", "", "Choose another name."),
	},
	"role": {mustNot(`^(public|none)$`, codeReserved, "role TEXT is reserved", "", "Name the roles that may call the function.")},
	// What depends on who calls is refused: the path must mean the same in every generated function.
	"schema of the path":     {mustNot(`^(\$user|pg_.*)$`, codeReserved, `schema TEXT is not allowed in "search_path"`, "pg_catalog comes first and pg_temp last by themselves.", "Name ordinary schemas only.")},
	"schema that is covered": {mustNot(`^(information_schema|pg_.*)$`, codeReserved, `schema TEXT is not allowed in "schemas"`, "It is PostgreSQL's own.", "Name schemas with tables of yours.")},
	"each": {must(`^each_`, codeName, `TEXT does not begin with "each_"`, "Everywhere in a policy where the word stands, a page has the name of a schema: it must be no other name.",
		"Write it here and before the dot of tables, as in each_tenant.")},
	"pattern": {must(`^[a-z_][a-z0-9_]*\*[a-z0-9_*]*$`, codeIdentifier, "invalid pattern TEXT",
		"It has lower-case letters, digits and underscores, which stand for themselves, and \"*\", which is any text, but not first.", `Write for example "tenant_*".`)},
	"plain":       {must(`^[a-z_][a-z0-9_]*$`, codeIdentifier, "invalid schema TEXT", "", "Name one whose name needs no quotes.")},
	"database":    {must(`^[^\x00\r\n]+$`, codeName, "invalid database name TEXT", "", "Write a name of 1 to 63 bytes in one line.")},
	"of a fleet":  {must(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`, codeName, "invalid name TEXT of a database", "", "Use letters, digits, underscores, dots and hyphens.")},
	"event":       {must(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`, codeName, "invalid event name TEXT", "", "Use at most 63 lower-case letters, digits and underscores, with dots between words if you like.")},
	"payload key": {must(`^[A-Za-z_][A-Za-z0-9_.-]*$`, codeName, "invalid payload key TEXT", "", "Use at most 63 letters, digits, underscores, dots and hyphens, and begin with a letter.")},
	"check": { // neither that the file is wrong can be silenced, nor that nobody could look
		mustNot(`^P[0-9]{3}$`, codeNotSilent, "TEXT cannot be suppressed", "It is an error of the policy file.", "Remove the item."),
		mustNot(`^[LV]09[0-9]$`, codeNotSilent, "TEXT cannot be suppressed", "It says what could not be looked at, or that a suppression is of no use.", "Remove the item."),
		must(`^[LV]0[0-9]{2}$`, codeSuppression, "TEXT is not the code of a check", "", "Write the code of a finding, for example check: V020."),
	},
	"reason": {must(`\S`, codeSuppression, "a suppression without a reason", "", "Say why the finding is no fault, for whoever reads it next year.")},
	"object": {must(`.`, codeSuppression, "a suppression of an object without a name", "", `Write the name as the finding has it under "object" (verify --format json).`)},
}

// longest are the bytes that some words may have.
var longest = map[string]int{"database": 63, "event": 63, "payload key": 63}

// follow holds that a word follows the rules of its kind.
func (r *reader) follow(kind, what string, f field, text string, at diag.Position) {
	for _, rule := range words[kind] {
		if rule.form.MatchString(text) == rule.not || longest[kind] > 0 && len(text) > longest[kind] {
			message := strings.NewReplacer("WHAT", what, "NAME", f.name(), "TEXT", quoted(text)).Replace(rule.message)
			r.fail(rule.code, at, message, rule.detail, rule.hint)
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
			r.fail(codeSchedule, at, fmt.Sprintf("invalid schedule %q", text), fault,
				`Write five fields (minute, hour, day of the month, month, day of the week), a word such as @hourly or @reboot, or "30 seconds".`)
		}
	case "day":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			r.fail(codeSuppression, at, fmt.Sprintf("%q is not a date", text), "A suppression holds up to the end of that day.", "Write year, month and day, for example until: 2027-01-31.")
		}
	case "zone":
		if _, err := time.LoadLocation(text); err != nil || text == "" || text == "Local" {
			r.fail(codeTimeZone, at, fmt.Sprintf("unknown time zone %q", text), "", `Write a name of the time zone database, for example "Europe/Berlin" or "UTC".`)
		}
	case "type":
		if err := pgparse.TypeName(text); err != nil {
			r.fail(codeType, at, fmt.Sprintf("invalid column type %q", text), fmt.Sprintf("PostgreSQL's grammar says: %s.", err), "Write a type only, for example timestamptz; the default has a key of its own.")
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
