package verifier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
)

var codeUnreadable = register("V090", Sight, "a check could not be made")

// nothingRead: nothing can be checked in the runtime's schema. It is said where something should have been.
func (v *inspection) nothingRead(detail, hint string) {
	if slices.ContainsFunc(v.opt.Checks.Codes(), func(code string) bool { return checks[code].Group != Tables }) {
		v.add(Finding{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
			Message: fmt.Sprintf("could not check anything in schema %q", v.install.Schema), Detail: detail, Hint: hint})
	}
}

// unreadable turns the server's error into a finding; about what a group reads.
func (v *inspection) unreadable(g group, err *pgconn.PgError) {
	f := Finding{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not check " + g.about,
		Detail: fmt.Sprintf("The server says: %s [%s].", err.Message, err.Code)}
	switch {
	case v.refusedTo(err) != "":
		if v.knownLack(err) && len(g.policies) <= 1 {
			return // which right that is, is said
		}
		f.Detail = fmt.Sprintf("The server says to role %q, as which functions of the runtime run: %s.", v.refusedTo(err), err.Message)
		f.Hint = fmt.Sprintf("Grant role %q what it lacks.", v.refusedTo(err))
	case err.Code == "42501": // insufficient_privilege
		f.Detail = fmt.Sprintf("The server says to role %q: %s.", v.server.User, err.Message)
		f.Hint = v.connectHint()
		if err.Routine == "check_enable_rls" { // which no membership helps against
			f.Hint = "Connect as a superuser, or as a role with BYPASSRLS."
		}
	}
	f.Detail += g.unchecked()
	v.add(f)
}

// refusedTo is the role that lacks a right which a function has from its owner: the innermost of ours, of those
// that are not run as their caller; "" where that is none.
func (v *inspection) refusedTo(err *pgconn.PgError) string {
	if err.Code != "42501" { // insufficient_privilege
		return ""
	}
	ours := v.objects(generator.KindFunction)
	for _, line := range strings.Split(err.Where, "\n") {
		_, name, _ := strings.Cut(line, " "+v.runtime(""))
		name, _, called := strings.Cut(name, "(")
		at := slices.IndexFunc(ours, func(o generator.Object) bool { return isDefiner(o, v.install.Schema+"."+name+"(") })
		if called && at >= 0 {
			return v.creator(ours[at])
		}
	}
	return ""
}

func isDefiner(o generator.Object, named string) bool {
	if !strings.HasPrefix(o.Name, named) {
		return false
	}
	before, _, after, _ := pgparse.CutBody(o.SQL)
	return strings.Contains(before+after, "SECURITY DEFINER")
}

// answerUnread is about a group that the server answered with something that cannot be.
func (v *inspection) answerUnread(g group, fault string) {
	v.add(Finding{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not check " + g.about,
		Detail: fmt.Sprintf("The answer cannot be read: %s.", fault) + g.unchecked()})
}

// jobsUnseen: the jobs in another database could not be looked at.
func (v *inspection) jobsUnseen(detail, hint string) {
	v.add(Finding{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
		Message: fmt.Sprintf("could not check the jobs in pg_cron, in database %q", v.install.CronDatabase), Detail: detail, Hint: hint})
}

// zoneUnknown: it is "" where nobody could read it.
func (v *inspection) zoneUnknown(zone string) {
	f := Finding{Code: codeUnreadable, Severity: diag.Unknown, Message: "could not tell when jobs should run",
		Detail: fmt.Sprintf("pg_cron counts in cron.timezone, which role %q may not read.", v.owner()), Hint: fmt.Sprintf("GRANT pg_monitor TO %s;", ident(v.owner()))}
	if zone != "" {
		f.Detail = fmt.Sprintf("pg_cron counts in cron.timezone %q, which this program does not know.", zone)
		f.Hint = `Set cron.timezone to a name of the time zone database, such as "Europe/Berlin".`
	}
	v.add(f)
}

func (v *inspection) connectHint() string {
	if v.install.Roles.None {
		return fmt.Sprintf("Connect as %q, or as a superuser.", v.server.SchemaOwner)
	}
	return fmt.Sprintf("GRANT %s TO %s;", ident(v.install.Roles.Viewer), ident(v.server.User))
}

var codeChanging = register("V092", Sight, "an object changed while it was looked at")

// changing: what it is, as "index", was looked at twice.
func (v *inspection) changing(o generator.Object) {
	v.about(o, Finding{Code: codeChanging, Severity: diag.Unknown, Message: fmt.Sprintf("%s %q changed while it was looked at", o.Kind, o.Name), Hint: "Verify again."})
}

// changingMeanwhile is about a group of checks.
func (v *inspection) changingMeanwhile(g group, err error) {
	v.add(Finding{Code: codeChanging, Severity: diag.Unknown, Message: fmt.Sprintf("could not check %s: something changed while it was looked at", g.about),
		Detail: fmt.Sprintf("The last look ended with: %v.", err) + g.unchecked(), Hint: "Verify again."})
}

var codeOnlyPrimary = register("V094", Sight, "a standby cannot tell")

func (v *inspection) onlyPrimary() {
	if !v.opt.Checks.any([]string{codeScheduler, codeLastRun}) {
		return
	}
	what := "whether a run that is written down as running is at work"
	if v.install.Scheduler == "pg_cron" {
		what = "whether the pg_cron scheduler is running and starts jobs, and " + what
	}
	v.add(Finding{Code: codeOnlyPrimary, Severity: diag.Unknown, Position: v.install.Position,
		Message: "some of it only the primary can tell", Detail: "Not looked at: " + what + ".",
		Hint: "Verify the primary, or leave this out: --skip V094."})
}

// inTheWay: replay ended the statement.
func (v *inspection) inTheWay(g group, err *pgconn.PgError) {
	v.add(Finding{Code: codeOnlyPrimary, Severity: diag.Unknown, Message: fmt.Sprintf("checking %s stood in the way of replication", g.about),
		Detail: fmt.Sprintf("The server says: %s [%s].", err.Message, err.Code) + g.unchecked(),
		Hint:   "Try again, verify the primary, or set hot_standby_feedback or a longer max_standby_streaming_delay on the standby."})
}

var codeStandby = register("V093", Sight, "the server is a standby")

// standby says as of when everything is that the report says, and what it cannot say.
func (v *inspection) standby() {
	f := Finding{Code: codeStandby, Severity: Info, Position: v.install.Position, Message: "the server is a standby",
		Detail: "It has replayed all that it got."}
	if behind := v.server.Clock.Sub(v.server.Now).Round(time.Millisecond); !v.server.Now.Equal(v.server.Clock) {
		f.Detail = fmt.Sprintf("Everything is as of %s, %s ago; what happened since it does not know.", instant(v.server.Now), behind)
	}
	v.add(f)
	v.onlyPrimary()
}

var codeTimeout = register("V091", Sight, "a check took too long")

// tookTooLong: a statement of a group, or its wait for a lock.
func (v *inspection) tookTooLong(g group, err *pgconn.PgError) {
	v.add(Finding{Code: codeTimeout, Severity: diag.Unknown, Message: fmt.Sprintf("checking %s took longer than %s", g.about, v.opt.Timeout),
		Detail: fmt.Sprintf("The server says: %s [%s].", err.Message, err.Code) + g.unchecked(),
		Hint:   "Try again when the server is less busy, or allow more time."})
}
