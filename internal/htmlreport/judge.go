package htmlreport

import (
	"slices"
	"strings"
	"time"

	"pgretain/internal/calendar"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/report"
)

// state is how a policy stands. The order is that of the report, the worst first.
type state struct {
	Rank              int
	Word, Class, Sign string // Class: bad, warn or ok; Sign says the same without a colour
}

var (
	failing   = state{0, "failing", "bad", "✕"}
	tripped   = state{1, "tripped", "bad", "✕"}
	behind    = state{2, "behind", "bad", "▲"}
	late      = state{3, "late", "bad", "▲"}
	paused    = state{4, "paused", "warn", "‖"}
	unknown   = state{5, "unknown", "warn", "?"}
	differs   = state{6, "drift", "warn", "≠"}
	remarked  = state{7, "look", "warn", "!"}
	unplanned = state{8, "no schedule", "warn", "–"}
	waiting   = state{9, "not yet run", "ok", "…"}
	working   = state{10, "running", "ok", "▶"}
	fine      = state{11, "fine", "ok", "✓"}
)

// subject is all that is known about one policy.
type subject struct {
	policyRow
	backlog
	jobs     []job
	Findings []report.Finding // drift that verify found
	overdue  bool             // it found rows that should be gone
	now      time.Time
	adopted  time.Time // the database
}

// job is a job with its instants.
type job struct {
	jobRow
	ticks calendar.Ticks
}

// Next is when a job of the policy starts the next time; zero for never.
func (s subject) Next() time.Time {
	var all calendar.Ticks
	for _, j := range s.jobs {
		all = append(all, j.ticks...)
	}
	return all.Next(s.now).In(s.now.Location())
}

// Deadline is when what was due at an instant must be gone: at the second start from there, so that one may be missed,
// and after the time that a run may take; where the policy or its job is younger, from when it could run. Zero without a
// schedule. That is what verify goes by.
func (s subject) Deadline(from time.Time) time.Time {
	var earliest time.Time
	for _, j := range s.jobs {
		begun := slices.MaxFunc([]time.Time{from, s.InstalledAt, j.InstalledAt, s.adopted}, time.Time.Compare)
		if end := j.ticks.Deadline(begun, s.budget()); !end.IsZero() && (earliest.IsZero() || end.Before(earliest)) {
			earliest = end
		}
	}
	return earliest
}

// missed says whether that is over.
func (s subject) missed(from time.Time) bool {
	end := s.Deadline(from)
	return !end.IsZero() && end.Before(s.now)
}

func (s subject) budget() time.Duration { return time.Duration(s.Budget * float64(time.Second)) }

// InOrder is when the policy last was in order: its last success, or when it was installed.
func (s subject) InOrder() time.Time {
	if s.Success != nil {
		return *s.Success
	}
	return s.InstalledAt
}

func (s subject) isLate() bool { return s.missed(s.InOrder()) }

// isBehind says whether rows are due that should be gone. After a run that left nothing, and in time, what is due came
// to be so by a condition or a place among others, unless verify says otherwise.
func (s subject) isBehind() bool {
	if s.Overdue == nil || !s.missed(s.DueSince()) {
		return false
	}
	return s.overdue || s.State != "done" || s.Refused > 0 || s.isLate()
}

// judge says how a policy stands.
func (s subject) judge() state {
	switch {
	case s.State == "tripped":
		return tripped
	case s.State == "failed", s.State == "abandoned":
		return failing
	case s.Paused != "":
		return paused
	case s.isBehind():
		return behind
	case s.State != "running" && s.isLate():
		return late
	case s.Unknown != "":
		return unknown
	case len(s.Findings) > 0:
		return differs
	case s.Refused > 0:
		return remarked
	case len(s.jobs) == 0:
		return unplanned
	case s.State == "":
		return waiting
	case s.State == "running":
		return working
	}
	return fine
}

// DueSince is when a row came to be due, or before.
func (s subject) DueSince() time.Time { return s.now.Add(-*s.Overdue) }

// Dated is an instant, and how long ago it was.
func (s subject) Dated(t time.Time) string { return at(t) + " (" + ago(s.now.Sub(t)) + " ago)" }

// verbs are the keys of the line that says what becomes of which rows.
var verbs = map[string]bool{"deletes": true, "updates": true, "changes": true, "reads": true,
	"drops": true, "detaches": true, "asks": true}

// summary is a policy in one sentence: what it does with which rows, and which are due.
func summary(lines []explain.Line) (does, due string) {
	var when []string
	where, about := "", ""
	for _, l := range lines {
		switch {
		case l.Key == "about":
			about = l.Text
		case verbs[l.Key]:
			does = l.Key + " " + shortened(l.Text, 120)
		case l.Key == "where":
			where = " where " + shortened(l.Text, 120)
		case l.Key == "due", l.Key == "or":
			text, _, _ := strings.Cut(l.Text, " (")
			when = append(when, shortened(text, 120))
		}
	}
	if strings.HasPrefix(does, "asks ") && about != "" {
		does = about
	}
	return does + where, strings.Join(when, ", or ")
}

// isStatement tells SQL from sentences among hints: each statement has its semicolon.
func isStatement(hint string) bool { return strings.HasSuffix(strings.TrimSpace(hint), ";") }

var classes = map[diag.Severity]string{diag.Error: "bad", diag.Drift: "bad",
	diag.Warning: "warn", diag.Unknown: "warn", diag.Info: "ok"}

// remarks are what verify found, without what the policy file suppresses; or, without verify, what the runtime says.
func remarks(f *found, v *Verification) (list []report.Finding) {
	if v == nil {
		for _, h := range f.Health {
			list = append(list, report.Finding{Diagnostic: diag.Diagnostic{Severity: diag.Severity(h.Severity),
				Policy: h.Policy, Message: h.Problem, Hint: h.Hint}})
		}
		return list
	}
	for _, severity := range []diag.Severity{diag.Drift, diag.Unknown, diag.Info} {
		for _, x := range v.Findings {
			if x.Suppressed == nil && x.Severity == severity {
				list = append(list, x)
			}
		}
	}
	return list
}
