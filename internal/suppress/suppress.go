// Package suppress applies the suppressions of a policy file to what verify and lint find. It is the
// one place that decides what a suppression is about, and whether it holds.
package suppress

import (
	"strings"
	"time"

	"pgretain/policy"
)

// Subject is what a suppression can name of a finding.
type Subject struct {
	Check, Policy, Table, Object string
	Certain                      bool // false where nobody could see whether it is so: that is never suppressed
}

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

// Match finds the suppression that takes a finding out of the verdict, nil when there is none.
func (f Filter) Match(s Subject) *policy.Suppression {
	var found *policy.Suppression
	for _, e := range f {
		if !about(e.Suppression, s) {
			continue
		}
		e.Met = true
		if found == nil && e.State == Holds && s.Certain {
			found = &e.Suppression
		}
	}
	return found
}

// about says whether a suppression means a finding. A column belongs to its table.
func about(s policy.Suppression, found Subject) bool {
	switch {
	case s.Check != found.Check:
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

// Fault says what is wrong with a suppression that is of no use: a message, and a sentence more. Complete is
// false where not everything was looked at, so that nothing is known of those that met nothing. The
// message is "" where all is well.
func (e *Entry) Fault(complete bool) (message, detail string) {
	switch {
	case e.State == Ended:
		return "the suppression of " + e.Check + " ended on " + e.Until, e.effect(complete)
	case e.State == TooEarly:
		return "the suppression of " + e.Check + " does not hold yet: " + e.Until + " is more than a year ahead", e.effect(complete)
	case complete && !e.Met:
		return "the suppression of " + e.Check + " matches nothing", ""
	}
	return "", ""
}

func (e *Entry) effect(complete bool) string {
	switch {
	case e.Met:
		return "What it was for counts."
	case complete:
		return "It matches nothing."
	}
	return ""
}
