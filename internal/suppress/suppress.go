// Package suppress applies the suppressions of a policy file to what verify and lint find. It is the
// one place that decides what a suppression is about, and whether it holds.
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
	State State
	Met   bool // some finding is what it is about, suppressed or not
}

// State says whether a suppression holds.
type State int

// A suppression holds for a year at most: up to the end of its day, and not before the year that
// ends with it.
const (
	Holds State = iota
	Ended
	TooEarly
)

// New takes the suppressions whose code begins with one of the letters, such as "V", as they are at
// an instant. Days are those of the install's time zone.
func New(file *policy.File, letters string, at time.Time) (f Filter) {
	zone, err := time.LoadLocation(file.Install.TimeZone)
	if err != nil { // the policy file was checked
		zone = time.UTC
	}
	for _, s := range file.Suppress {
		if strings.ContainsAny(s.Check[:1], letters) {
			f = append(f, &Entry{Suppression: s, State: state(s.Until, at.In(zone))})
		}
	}
	return f
}

// state compares days as text, which works for dates of four, two and two digits.
func state(until string, now time.Time) State {
	switch {
	case now.Format(time.DateOnly) > until:
		return Ended
	case now.AddDate(1, 0, 0).Format(time.DateOnly) < until:
		return TooEarly
	}
	return Holds
}

// Match finds the suppression that takes a finding out of the verdict, nil when there is none. Where nobody could see
// whether it is so, that is never suppressed.
func (f Filter) Match(d diag.Diagnostic) *policy.Suppression {
	var found *policy.Suppression
	for _, e := range f {
		if !about(e.Suppression, d) {
			continue
		}
		e.Met = true
		if found == nil && e.State == Holds && d.Severity != diag.Unknown {
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
		of, _, _ := strings.Cut(found.Policy, policy.MemberMark)
		return s.Policy == found.Policy || s.Policy == of
	case s.Table != nil:
		table := s.Table.String()
		return found.Table == table || found.Object == table || strings.HasPrefix(found.Object, table+".")
	case s.Object != "":
		return s.Object == found.Object
	}
	return true
}

// Fault says what is wrong with a suppression that is of no use. Complete is false where not everything was looked at, so
// that nothing is known of those that met nothing. The message is "" where all is well.
func (e *Entry) Fault(complete bool) diag.Diagnostic {
	d := diag.Diagnostic{Position: e.Position, Hint: `Take it out of "suppress", or give it a day within a year and a reason that still holds.`}
	switch {
	case e.State == Ended:
		d.Message = "the suppression of " + e.Check + " ended on " + e.Until
	case e.State == TooEarly:
		d.Message = "the suppression of " + e.Check + " does not hold yet: " + e.Until + " is more than a year ahead"
	case complete && !e.Met:
		d.Message, d.Hint = "the suppression of "+e.Check+" matches nothing", `Take it out of "suppress".`
	}
	switch {
	case e.State == Holds:
	case e.Met:
		d.Detail = "What it was for counts."
	case complete:
		d.Detail = "It matches nothing."
	}
	return d
}
