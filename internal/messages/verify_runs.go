package messages

import (
	"fmt"
	"strings"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// oneLine replaces line breaks by spaces. A message of a run may contain a line such as
// "::error::", which a CI system would take for a command.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// FailedAttempts are the last attempts of pg_cron to start a job, if they failed. Message and At
// are of the last one; Since is the time of the first one. Times are nil if unknown.
type FailedAttempts struct {
	Name, Message string
	Failed        int
	At, Since     *time.Time

	Job string `json:"-"` // the job of the policy file; Name is its name in pg_cron
}

// sentence returns " pg_cron's last attempt failed: ...", or "" if there is none.
func (a *FailedAttempts) sentence() string {
	if a == nil {
		return ""
	}
	at := ""
	if a.At != nil {
		at = ", at " + utc(*a.At) + ","
	}
	return fmt.Sprintf(" pg_cron's last attempt%s failed: %s.", at, strings.TrimRight(a.Message, ".\n "))
}

// Lateness says whether a policy or report succeeded in time. The file of query lateness describes
// the first fields.
type Lateness struct {
	N                           int
	Paused, JobRan              bool
	Installed, Success, Counted *time.Time
	Late                        bool
	MissedRun                   *int
	MissedMessage               string

	Policy, Kind, Job string          `db:"-"` // Kind is "policy" or "report"
	Due               *time.Time      `db:"-"`
	Attempts          *FailedAttempts `db:"-"` // nil if the last attempt of pg_cron did not fail
}

// Late takes where pg_cron is, or nil without pg_cron.
func Late(schema, runner string, cron *CronTable, l Lateness) diag.Diagnostic {
	since := "It was installed at "
	if l.Success != nil && l.Counted.Equal(*l.Success) {
		since = "It last succeeded at "
	}
	detail := fmt.Sprintf(`%s%s; with the schedule of job "%s" it should have succeeded after %s.`, since,
		utc(*l.Counted), l.Job, utc(*l.Due))
	if l.MissedRun != nil {
		detail += fmt.Sprintf(" Its last call (%d) could not begin: %s.", *l.MissedRun,
			oneLine.Replace(l.MissedMessage))
	}
	detail += l.Attempts.sentence()
	switch {
	case cron == nil:
		detail += fmt.Sprintf(` Look at whatever calls "pgretain run --job %s".`, l.Job)
	case cron.Elsewhere:
		detail += fmt.Sprintf(` What pg_cron knows is in cron.job_run_details of database "%s", for role "%s".`,
			cron.Database, runner)
	default:
		detail += fmt.Sprintf(` What pg_cron knows is in cron.job_run_details, for role "%s".`, runner)
	}
	return diag.Diagnostic{Code: CodeLate, Policy: l.Policy, Detail: detail,
		Message: fmt.Sprintf(`%s "%s" has not succeeded in time`, l.Kind, l.Policy),
		Hint:    inRuntime(schema, "SELECT * FROM retention.status;")}
}

func NotYet(l Lateness) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNotYet, Severity: diag.Info,
		Message: fmt.Sprintf(`job "%s" has not run yet`, l.Job), Detail: strings.TrimSpace(l.Attempts.sentence())}
}

// Outcome says how runs of a policy or report ended. The file of query outcomes describes the first
// fields.
type Outcome struct {
	Policy, Job, Scope      string
	LastState               string
	LastRun                 int
	LastMessage             string
	Failed                  int
	Mended                  bool
	RunAgain, Hint          *string
	Schema, Table           *string
	SchemaOwner, TableOwner *string
	MissedRun               *int
	MissedAt                *time.Time
	MissedMessage           string
	Empty                   int
	RefusedRun              *int
	Refused                 int
	RefusedMessage          string

	Kind   string `db:"-"` // "policy" or "report"
	InTime bool   `db:"-"` // the policy succeeded in time before
}

// subject names the policy and the scope.
func (o Outcome) subject() string {
	if o.Scope != "" {
		return fmt.Sprintf(`%s "%s" for %s`, o.Kind, o.Policy, o.Scope)
	}
	return fmt.Sprintf(`%s "%s"`, o.Kind, o.Policy)
}

// LastRunFailed is information after one failure if the policy succeeded in time before, because
// the job tries again. A tripped breaker is drift, because somebody has to act.
func LastRunFailed(o Outcome) diag.Diagnostic {
	state, row := "was "+o.LastState, ""
	if o.LastState == "failed" {
		state = "failed"
	}
	if o.Failed > 1 {
		row = fmt.Sprintf(", %d in a row", o.Failed)
	}
	d := diag.Diagnostic{Code: CodeLastRun, Policy: o.Policy, Hint: o.remedy(),
		Message: fmt.Sprintf("the last run of %s (%d) %s%s", o.subject(), o.LastRun, state, row),
		Detail:  oneLine.Replace(strings.TrimRight(o.LastMessage, "."))}
	if o.Mended {
		if d.Detail != "" {
			d.Detail += ". "
		}
		d.Detail += "Nothing that can be seen stops the next run. The hint runs the policy now."
	}
	if o.Mended || o.InTime && o.Failed <= 1 && o.LastState != "tripped" {
		d.Severity = diag.Info
	}
	return d
}

// remedy returns the hint for a run that failed.
func (o Outcome) remedy() string {
	var owners []string
	if o.SchemaOwner != nil {
		owners = append(owners, fmt.Sprintf("ALTER SCHEMA %s OWNER TO %s;", *o.Schema, quote.Ident(*o.SchemaOwner)))
	}
	if o.TableOwner != nil {
		owners = append(owners, fmt.Sprintf("ALTER TABLE %s OWNER TO %s;", *o.Table, quote.Ident(*o.TableOwner)))
	}
	switch {
	case o.RunAgain != nil:
		return *o.RunAgain
	case len(owners) > 0:
		return strings.Join(owners, " ")
	case o.Hint != nil:
		return *o.Hint
	}
	return removeCause
}

func Missed(schema string, o Outcome) diag.Diagnostic {
	at := ""
	if o.MissedAt != nil {
		at = utc(*o.MissedAt)
	}
	return diag.Diagnostic{Code: CodeMissed, Policy: o.Policy,
		Message: fmt.Sprintf(`job "%s" could not run %s`, o.Job, o.subject()),
		Detail:  oneLine.Replace(fmt.Sprintf("Its last call (%d) at %s: %s.", *o.MissedRun, at, o.MissedMessage)),
		Hint:    inRuntime(schema, "CALL retention.run_job(%s);", quote.Literal(o.Job))}
}

func TakesNone(schema string, o Outcome) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeEmpty, Policy: o.Policy,
		Message: fmt.Sprintf("the last %d runs of %s left due rows and took none", o.Empty, o.subject()),
		Detail:  oneLine.Replace(o.LastMessage),
		Hint:    inRuntime(schema, "SELECT * FROM retention.run WHERE id = %d;", o.LastRun)}
}

func Refused(schema string, o Outcome) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRefused, Policy: o.Policy,
		Message: fmt.Sprintf("%s refused in run %d of %s", Number(o.Refused, "row was", "rows were"), *o.RefusedRun,
			o.subject()),
		Detail: oneLine.Replace(o.RefusedMessage),
		Hint: inRuntime(schema, "SELECT message FROM retention.batch WHERE run_id = %d AND refused > 0;",
			*o.RefusedRun)}
}
