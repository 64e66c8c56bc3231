package messages

import (
	"fmt"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// ServerError is an error of the server. Detail is "" if there is none.
type ServerError struct{ Message, Detail, SQLState string }

func (e ServerError) sentence() string {
	return fmt.Sprintf("The server says: %s [%s].", e.Message, e.SQLState)
}

func unchecked(about, detail, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown, Message: "could not check " + about,
		Detail: detail, Hint: hint}
}

// Unchecked takes what the check is about.
func Unchecked(about string, e ServerError) diag.Diagnostic {
	return unchecked(about, e.sentence(), "")
}

// AnswerUnreadable takes what the check is about, and what is wrong with the server's answer.
func AnswerUnreadable(about, fault string) diag.Diagnostic {
	return unchecked(about, fmt.Sprintf("The answer cannot be read: %s.", fault), "")
}

// SessionDenied takes the role that verifies, and what the server says to it.
func SessionDenied(about, role, denied, hint string) diag.Diagnostic {
	return unchecked(about, fmt.Sprintf("The server says to role %q: %s.", role, denied), hint)
}

// FunctionDenied takes the owner of functions of the runtime, and what the server says to it.
func FunctionDenied(about, role, denied string) diag.Diagnostic {
	return unchecked(about, fmt.Sprintf("The server says to role %q, as which functions of the runtime run: %s.",
		role, denied), grantDenied(role, denied))
}

// ChangedMeanwhile takes the error of the second attempt.
func ChangedMeanwhile(about string, err error) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeChanging, Severity: diag.Unknown,
		Message: fmt.Sprintf("could not check %s: an object was changed during the check", about),
		Detail:  fmt.Sprintf("The second attempt failed with: %v.", err), Hint: "Verify again."}
}

func ConflictsWithReplication(about string, e ServerError) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeOnlyPrimary, Severity: diag.Unknown, Detail: e.sentence(),
		Message: fmt.Sprintf("checking %s conflicts with replication", about),
		Hint: "Try again, verify the primary, or set hot_standby_feedback or a longer " +
			"max_standby_streaming_delay on the standby."}
}

func TookTooLong(about string, limit time.Duration, e ServerError) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeTimeout, Severity: diag.Unknown, Detail: e.sentence(),
		Message: fmt.Sprintf("checking %s took longer than %s", about, limit),
		Hint:    "Try again when the server is less busy, or allow more time."}
}

// NothingInSchema is about a schema that does not exist, if the check that reports this is not
// selected.
func NothingInSchema(schema string) diag.Diagnostic {
	return unchecked(anything(schema), "There is no such schema.",
		`Run "pgretain migrate up", or check that this is the right database.`)
}

func SchemaClosed(schema, role, hint string) diag.Diagnostic {
	return unchecked(anything(schema), fmt.Sprintf("Role %q has no USAGE on it.", role), hint)
}

func anything(schema string) string { return fmt.Sprintf("anything in schema %q", schema) }

// ConnectAs returns the hint for a role that may not read the runtime, if the install has no roles.
func ConnectAs(owner string) string { return fmt.Sprintf("Connect as %q, or as a superuser.", owner) }

// GrantViewer returns the hint for a role that may not read the runtime.
func GrantViewer(viewer, role string) string {
	return fmt.Sprintf("GRANT %s TO %s;", quote.Ident(viewer), quote.Ident(role))
}

// BypassRowSecurity is the hint for a role from which row security hides rows of the runtime. No
// membership helps.
const BypassRowSecurity = "Connect as a superuser, or as a role with BYPASSRLS."

// Standby takes the time up to which the standby has replayed the primary's changes, and how long
// ago that was. A standby that has replayed everything is 0 behind.
func Standby(asOf time.Time, behind time.Duration) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeStandby, Severity: diag.Info, Message: "the server is a standby",
		Detail: "It has replayed everything that it received."}
	if behind != 0 {
		d.Detail = fmt.Sprintf("Everything is as of %s, %s ago; what happened since it does not know.", utc(asOf),
			behind.Round(time.Millisecond))
	}
	return d
}

// OnlyPrimary takes whether pg_cron runs the jobs.
func OnlyPrimary(cron bool) diag.Diagnostic {
	scheduler := ""
	if cron {
		scheduler = "whether the pg_cron scheduler is running and starts jobs, and "
	}
	return diag.Diagnostic{Code: CodeOnlyPrimary, Severity: diag.Unknown, Message: "some checks need the primary",
		Detail: "Not checked: " + scheduler + "whether runs that are recorded as running are in progress.",
		Hint:   "Verify the primary, or use --skip V094."}
}
