package htmlreport

import (
	"fmt"
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
	findings []report.Finding // drift that verify found
	overdue  bool             // it found rows that should be gone
	now      time.Time
	adopted  time.Time // the database
}

// job is a job with its instants.
type job struct {
	jobRow
	ticks calendar.Ticks
}

// next is when a job of the policy starts the next time; zero for never.
func (s subject) next() time.Time {
	var all calendar.Ticks
	for _, j := range s.jobs {
		all = append(all, j.ticks...)
	}
	return all.Next(s.now)
}

// deadline is when what was due at an instant must be gone: at the second start from there, so that one may be missed,
// and after the time that a run may take; where the policy or its job is younger, from when it could run. Zero without a
// schedule. That is what verify goes by.
func (s subject) deadline(from time.Time) time.Time {
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
	end := s.deadline(from)
	return !end.IsZero() && end.Before(s.now)
}

func (s subject) budget() time.Duration { return time.Duration(s.Budget * float64(time.Second)) }

// since is when the policy last was in order: its last success, or when it was installed.
func (s subject) since() time.Time {
	if s.Success != nil {
		return *s.Success
	}
	return s.InstalledAt
}

func (s subject) isLate() bool { return s.missed(s.since()) }

// isBehind says whether rows are due that should be gone. After a run that left nothing, and in time, what is due came
// to be so by a condition or a place among others, unless verify says otherwise.
func (s subject) isBehind() bool {
	if s.Overdue == nil || !s.missed(s.now.Add(-*s.Overdue)) {
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
	case len(s.findings) > 0:
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

// answer is what somebody needs who sees that a policy does not do its work.
type answer struct {
	Since, Why, Do string
	Commands       []string // to paste
}

// answer says since when, why, and what to type; nil where there is nothing to do.
func (s subject) answer(is state) *answer {
	a := &answer{Since: "its last success, " + s.dated(s.since()), Why: s.Message}
	if s.Success == nil {
		a.Since = "it was installed, " + s.dated(s.InstalledAt) + "; it never succeeded"
	}
	run := "pgretain run " + s.Name
	switch is {
	case failing:
		if s.FailedInRow > 1 {
			a.Since += fmt.Sprintf("; %s runs in a row went wrong", count(int64(s.FailedInRow)))
		}
		if a.Why == "" {
			a.Why = "The last run ended " + s.State + "."
		}
		a.Do = "Mend what the message says; the next run then goes on by itself, or now:"
		a.Commands = []string{run}
	case tripped:
		a.Do = "Nothing was touched. See what is due; accept it if that is right:"
		a.Commands = []string{"pgretain preview " + s.Name, "pgretain accept " + s.Name + " --reason '...'"}
	case behind:
		a.Since = at(s.now.Add(-*s.Overdue)) + " or before (" + ago(*s.Overdue) + " ago): its oldest row has been due"
		a.Why = "By its schedule it should have been gone by " + at(s.deadline(s.now.Add(-*s.Overdue))) + "."
		if s.State == "more" {
			a.Why += " The last run ended before its work was done: " + s.Message + "."
			a.Do = "Run it until nothing is left; if that happens again, give it more budget or more starts:"
		} else {
			if s.State != "" {
				a.Why += " The last run ended " + s.State + colon(s.Message) + "."
			}
			a.Do = "Run it now:"
		}
		a.Commands = []string{run}
	case late:
		a.Why = "By its schedule it should have succeeded again by " + at(s.deadline(s.since())) + "." +
			sentence("The last run ended "+s.State+colon(s.Message), s.State != "")
		a.Do = "See whether its job is started, and run it now:"
		a.Commands = []string{"pgretain verify --only schedule", run}
	case unknown:
		a.Since, a.Why = "", "What is due could not be counted: "+s.Unknown+"."
		a.Do = "Ask again, with more time or when the table is free:"
		a.Commands = []string{"pgretain preview " + s.Name}
	case paused:
		a.Why = s.Paused
		if s.PausedAt != nil {
			a.Since = s.dated(*s.PausedAt)
		}
		a.Do = "Let it go on:"
		a.Commands = []string{"pgretain resume " + s.Name}
	case differs:
		first := s.findings[0]
		a.Since, a.Why, a.Do = "", first.Message+"."+sentence(first.Detail, first.Detail != ""), "See the findings below."
		if isStatement(first.Hint) {
			a.Do, a.Commands = "In psql:", strings.Split(first.Hint, "\n")
		}
	case remarked:
		a.Since, a.Why = "", count(s.Refused)+" rows were refused in the last run by a constraint or a trigger."
		a.Do = "See why:"
		a.Commands = []string{"pgretain status"}
	case unplanned:
		a.Since, a.Why = "", "No job runs it."
		a.Do = "Run it when it is wanted, or name it in a job:"
		a.Commands = []string{run}
	default:
		return nil
	}
	return a
}

// dated is an instant, and how long ago it was.
func (s subject) dated(t time.Time) string { return at(t) + " (" + ago(s.now.Sub(t)) + " ago)" }

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func sentence(text string, said bool) string {
	if !said {
		return ""
	}
	return " " + strings.TrimSuffix(text, ".") + "."
}

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

// remark is something to look at: a finding of verify, or what the runtime says of itself.
type remark struct {
	Severity, Class, Code, Policy, Message, Place, Want, Got, Detail, Hint string
}

var classes = map[diag.Severity]string{diag.Error: "bad", diag.Drift: "bad",
	diag.Warning: "warn", diag.Unknown: "warn", diag.Info: "ok"}

// remarks are what verify found, without what the policy file suppresses; or, without verify, what the runtime says.
func remarks(f *found, v *Verification) (list []remark) {
	if v == nil {
		for _, h := range f.Health {
			list = append(list, remark{Severity: h.Severity, Class: classes[diag.Severity(h.Severity)],
				Policy: h.Policy, Message: h.Problem, Hint: h.Hint})
		}
		return list
	}
	for _, severity := range []diag.Severity{diag.Drift, diag.Unknown, diag.Info} {
		for _, x := range v.Findings {
			if x.Suppressed != nil || x.Severity != severity {
				continue
			}
			place := ""
			if x.Position.File != "" {
				place = x.Position.String()
			}
			list = append(list, remark{Severity: string(severity), Class: classes[severity], Code: x.Code,
				Policy: x.Policy, Message: x.Message,
				Place: place, Want: x.Want, Got: x.Got, Detail: x.Detail, Hint: x.Hint})
		}
	}
	return list
}
