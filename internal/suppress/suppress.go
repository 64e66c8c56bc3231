// Package suppress applies the suppressions of a policy file to the findings of verify and lint. It
// decides which findings a suppression matches, and whether it is in force.
package suppress

import (
	"strings"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// Filter holds the suppressions of one file at one time, in the order of the file.
type Filter []*Entry

// Entry is a suppression with its state.
type Entry struct {
	policy.Suppression
	Lapsed string // why the suppression is not in force, "" if it is
	Met    bool   // the suppression matches a finding, whether the suppression is in force or not
}

// New returns the suppressions whose code begins with one of the given letters, for example "V". It
// decides which of them are in force at the given time. A suppression is in force for at most a
// year, until the end of its day in the time zone of the install.
func New(file *policy.File, letters string, at time.Time) (f Filter) {
	zone, _ := time.LoadLocation(file.Install.TimeZone) // policy.Parse checks the name
	for _, s := range file.Suppress {
		if !strings.ContainsAny(s.Check[:1], letters) {
			continue
		}
		e := &Entry{Suppression: s}
		switch now := at.In(zone); { // days like 2026-01-31 can be compared as texts
		case now.Format(time.DateOnly) > s.Until:
			e.Lapsed = " ended on " + s.Until
		case now.AddDate(1, 0, 0).Format(time.DateOnly) < s.Until:
			e.Lapsed = " is not yet in force: " + s.Until + " is more than a year ahead"
		}
		f = append(f, e)
	}
	return f
}

// Match returns the suppression that excludes a finding from the verdict, or nil. It never
// suppresses an unknown finding, which means that a check could not be made.
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

// about reports whether a suppression applies to a finding. A suppression of a table also applies
// to its columns.
func about(s policy.Suppression, found diag.Diagnostic) bool {
	switch {
	case s.Check != found.Code.String():
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

// Fault returns a diagnostic for a suppression that is not in force or matches no finding. It
// returns false if nothing is wrong. The parameter "complete" says whether all checks were made. If
// not all were made, a suppression that matches no finding is no fault.
func (e *Entry) Fault(of messages.SuppressionFaults, complete bool) (fault diag.Diagnostic, wrong bool) {
	switch {
	case e.Lapsed != "":
		fault = of.NotInForce(e.Check, e.Lapsed, e.Met, complete)
	case complete && !e.Met:
		fault = of.MatchesNothing(e.Check, e.Known())
	default:
		return fault, false
	}
	fault.Position = e.Position
	return fault, true
}

// Known reports whether the program has the check.
func (e *Entry) Known() bool { return diag.Find(e.Check) != diag.Code{} }
