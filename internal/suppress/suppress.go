// Package suppress applies the suppressions of a policy file to what verify and lint find. It is
// the one place that decides what a suppression is about, and whether it holds.
package suppress

import (
	"strings"
	"time"

	"pgretain/internal/diag"
	"pgretain/policy"
)

// Filter holds the suppressions of one file at one instant, in the order of the file.
type Filter []*Entry

// Entry is a suppression and what became of it.
type Entry struct {
	policy.Suppression
	Lapsed string // why it does not hold, "" where it does
	Met    bool   // some finding is what it is about, suppressed or not
}

// New takes the suppressions whose code begins with one of the letters, such as "V", as they are at
// an instant. Days are those of the install's time zone. A suppression holds for a year at most: up
// to the end of its day, and not before the year that ends with it.
func New(file *policy.File, letters string, at time.Time) (f Filter) {
	zone, _ := time.LoadLocation(file.Install.TimeZone) // the file's reader has found it
	for _, s := range file.Suppress {
		if !strings.ContainsAny(s.Check[:1], letters) {
			continue
		}
		e := &Entry{Suppression: s}
		switch now := at.In(zone); { // days compare as texts of four, two and two digits
		case now.Format(time.DateOnly) > s.Until:
			e.Lapsed = " ended on " + s.Until
		case now.AddDate(1, 0, 0).Format(time.DateOnly) < s.Until:
			e.Lapsed = " does not hold yet: " + s.Until + " is more than a year ahead"
		}
		f = append(f, e)
	}
	return f
}

// Match finds the suppression that takes a finding out of the verdict, nil when there is none.
// Where nobody could see whether it is so, that is never suppressed.
func (f Filter) Match(d diag.Diagnostic) *policy.Suppression {
	var found *policy.Suppression
	for _, e := range f {
		if !about(e.Suppression, d) {
			continue
		}
		e.Met = true
		if found == nil && e.Lapsed == "" && d.Severity != diag.Unknown {
			found = &e.Suppression
		}
	}
	return found
}

// about says whether a suppression means a finding. A column belongs to its table.
func about(s policy.Suppression, found diag.Diagnostic) bool {
	switch {
	case s.Check != found.Code:
		return false
	case s.Policy != "":
		of, _, _ := strings.Cut(found.Policy, policy.InstanceMark)
		return s.Policy == found.Policy || s.Policy == of
	case s.Table != nil:
		table := s.Table.String()
		return found.Table == table || found.Object == table || strings.HasPrefix(found.Object, table+".")
	case s.Object != "":
		return s.Object == found.Object
	}
	return true
}

// Fault says what is wrong with a suppression that is of no use. Complete is false where not
// everything was looked at, so that nothing is known of those that met nothing. The message is ""
// where all is well.
func (e *Entry) Fault(complete bool) diag.Diagnostic {
	d := diag.Diagnostic{Position: e.Position}
	switch {
	case e.Lapsed != "":
		d.Message = "the suppression of " + e.Check + e.Lapsed
		d.Hint = `Take it out of "suppress", or give it a day within a year and a reason that still holds.`
		if e.Met {
			d.Detail = "What it was for counts."
		} else if complete {
			d.Detail = "It matches nothing."
		}
	case complete && !e.Met:
		d.Message, d.Hint = "the suppression of "+e.Check+" matches nothing", `Take it out of "suppress".`
	}
	return d
}
