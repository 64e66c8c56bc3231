package messages

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// The structs of this file are the facts that queries of sql/verify return about an install. Each
// query has the columns that its struct has fields. Texts that are SQL have quoted identifiers.

// inRuntime formats SQL or a text with the install's schema in place of "retention".
func inRuntime(schema, format string, values ...any) string {
	schema = strings.ReplaceAll(quote.Ident(schema), "%", "%%")
	return fmt.Sprintf(strings.ReplaceAll(format, "retention.", schema+"."), values...)
}

const migrateUp = "pgretain migrate up"

func NotInstalled(schema, database string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNotInstalled,
		Message: fmt.Sprintf("schema %q does not exist in database %q", schema, database),
		Detail:  "The database was never migrated, or the connection is to another database.",
		Hint:    migrateUp}
}

func Pending(file string) diag.Diagnostic { return PendingIn(file, migrateUp) }

// PendingIn takes the command that applies the migration.
func PendingIn(file, command string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodePending, Object: file,
		Message: fmt.Sprintf("migration %q is not applied", file), Hint: command}
}

// CronPending is about a migration of the jobs in another database.
func CronPending(file string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodePending, Object: file,
		Message: fmt.Sprintf("migration %q of the jobs is not applied", file), Hint: migrateUp + " --cron"}
}

// Ungenerated takes the policies and jobs that were changed, and a command that applies a
// migration.
func Ungenerated(names []string, command string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUngenerated, Policy: names[0],
		Message: "the policy file has changes that no migration has: " + listed(names),
		Hint:    fmt.Sprintf(`Run "pgretain generate", then migrate: %s.`, command)}
}

// Explaining adds to a detail the codes of the findings that its finding explains. It takes the
// code of each of them.
func Explaining(detail string, codes []diag.Code) string {
	names := map[string]bool{}
	for _, code := range codes {
		names[code.String()] = true
	}
	return strings.TrimSpace(fmt.Sprintf("%s This explains %s (%s).", detail,
		Number(len(codes), "further finding", "further findings"), listed(slices.Sorted(maps.Keys(names)))))
}

// Setting says who changed a setting of a policy at run time, when and why. SetAt is in whole
// seconds, with its time zone. Reason is "" if nobody gave one.
type Setting struct{ SetBy, SetAt, Reason string }

// origin says who changed a setting, when and why.
func (s Setting) origin() string {
	if s.Reason != "" {
		s.Reason = ": " + s.Reason
	}
	return fmt.Sprintf(`By "%s" at %s%s.`, s.SetBy, s.SetAt, s.Reason)
}

// Pause is the pause of a policy, or of all policies if Policy is "*".
type Pause struct {
	Policy string
	Setting
}

func Paused(schema string, p Pause) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodePaused, Policy: p.Policy, Detail: p.origin(),
		Message: fmt.Sprintf(`policy "%s" is paused`, p.Policy),
		Hint:    inRuntime(schema, "SELECT retention.resume(%s);", quote.Literal(p.Policy))}
	if p.Policy == "*" {
		d.Message, d.Hint = "all policies are paused", inRuntime(schema, "SELECT retention.resume();")
	}
	return d
}

// SetWindow is a window that somebody set at run time. Own is the window of the policy file.
type SetWindow struct {
	Policy     string
	InForce    bool // otherwise the policy's own window holds
	Own, Value string
	Setting
}

func WindowSet(schema string, w SetWindow) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeWindowSet, Severity: diag.Info, Policy: w.Policy, Want: w.Own, Got: w.Value,
		Message: fmt.Sprintf(`the window of policy "%s" was set at run time`, w.Policy),
		Detail:  w.origin() + " set_window() with NULL removes it.",
		Hint:    inRuntime(schema, "SELECT retention.set_window(%s, NULL, 'why');", quote.Literal(w.Policy))}
	if !w.InForce {
		d.Severity = diag.Drift
		d.Message = fmt.Sprintf(`the window that was set for policy "%s" is not in force`, w.Policy)
		d.Detail += " Its runs use the window of the policy file."
	}
	return d
}

// BehindSequence is a sequence of the runtime whose next number its table already has.
type BehindSequence struct {
	SequenceName, TableName string
	Largest                 int
}

func SequenceBehind(schema string, s BehindSequence) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeSequenceBehind, Object: inRuntime(schema, "retention.%s", s.SequenceName),
		Message: inRuntime(schema, `sequence "retention.%s" is behind table "retention.%s"`, s.SequenceName,
			s.TableName),
		Detail: fmt.Sprintf("The next number is one that the table has, or a smaller one; the largest is %d. "+
			"Functions that write there fail (23505).", s.Largest),
		Hint: fmt.Sprintf("SELECT setval(%s, %d);", quote.Literal(quote.Qualified(schema, s.SequenceName)), s.Largest)}
}

// utc formats a time like to_char() of PostgreSQL: it leaves out parts of a second.
func utc(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// UnfinishedRuns are the newest runs of a policy, if all of them spent their budget. Since is the
// start of the first one, and Message is the message of the last one.
type UnfinishedRuns struct {
	Policy  string
	Since   time.Time
	Message string
}

func KeepsNotUp(count int, u UnfinishedRuns) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeKeepUp, Policy: u.Policy,
		Message: fmt.Sprintf(`the last %d runs of policy "%s" left due rows behind`, count, u.Policy),
		Detail: fmt.Sprintf("Since %s each run ended before its work was done; the last one says: %s.",
			utc(u.Since), u.Message),
		Hint: `Give the policy more "budget", larger batches, or a schedule with more runs.`}
}

// OverdueRows are rows that a job should have taken, according to its schedule.
type OverdueRows struct {
	Policy, Table, Job string    `db:"-"`
	At                 time.Time `db:"-"` // the rows were due at this time or before
	Due                int
	Capped             bool   // there may be more rows
	Scope              string // scope of the job as JSON; "" if it has none
	Later              bool   // the rows became due after At
}

func Overdue(schema string, o OverdueRows) diag.Diagnostic {
	count, scope, argument := Number(o.Due, "overdue row", "overdue rows"), "", ""
	if o.Capped {
		count = fmt.Sprintf("%d or more overdue rows", o.Due)
	}
	if o.Scope != "" {
		scope, argument = " for "+o.Scope, ", scope => "+quote.Literal(o.Scope)
	}
	d := diag.Diagnostic{Code: CodeOverdue, Policy: o.Policy, Object: o.Table,
		Message: fmt.Sprintf(`%s in table "%s" under policy "%s"%s`, count, o.Table, o.Policy, scope),
		Detail: fmt.Sprintf(`They were due at %s, and job "%s" should have taken them by its schedule.`, utc(o.At),
			o.Job),
		Hint: inRuntime(schema, "SELECT * FROM retention.status; CALL retention.run(%s%s);", quote.Literal(o.Policy),
			argument)}
	if o.Later {
		d.Severity, d.Hint = diag.Info, ""
		d.Detail = fmt.Sprintf(`The last run left no due rows, so these became due later; `+
			`the next run of job "%s" takes them.`, o.Job)
	}
	return d
}

// LostRows are holds in force on rows of one table that are gone, or that the owner cannot read.
type LostRows struct {
	TableName   string
	Gone        bool // otherwise the owner cannot read the table
	Holds       int  // number of these holds
	IDs         []int
	Key, Reason string // of the first hold
}

func LostRow(schema, worker string, l LostRows) diag.Diagnostic {
	holds, has, rows, are := "1 hold", "has", "the row", "is"
	if l.Holds > 1 {
		holds, has, rows, are = fmt.Sprintf("%d holds", l.Holds), "have", "the rows", "are"
	}
	if !l.Gone {
		return diag.Diagnostic{Code: CodeLostRow, Severity: diag.Unknown, Object: l.TableName,
			Message: fmt.Sprintf(`could not determine whether %s of %s on table "%s" %s there`, rows, holds,
				l.TableName, are),
			Detail: fmt.Sprintf(`Role "%s" lacks SELECT on it, or its owner owns no table of a policy.`, worker),
			Hint:   fmt.Sprintf(`Grant SELECT on "%s", and USAGE on its schema, to "%s".`, l.TableName, worker)}
	}
	ids := lists.Map(l.IDs, strconv.Itoa)
	return diag.Diagnostic{Code: CodeLostRow, Object: l.TableName,
		Message: fmt.Sprintf(`%s on table "%s" %s no row: it is gone, or has another key`, holds, l.TableName, has),
		Detail: fmt.Sprintf("Hold %s, on %s, was placed for: %s. Find out who deleted or changed it, and look for it "+
			"in a backup or an archive. Where the row has another key, place a hold on that key before this one is "+
			"released.",
			ids[0], l.Key, l.Reason),
		Hint: inRuntime(schema, "SELECT * FROM retention.hold WHERE id IN (%s);", strings.Join(ids, ","))}
}

// SessionSetting is a setting of the runner's sessions that harms runs. Ms is a timeout in
// milliseconds; nil for other settings. Place says where it is set: "role", "database", "both" (for
// the role in the database), "all" or "server".
type SessionSetting struct {
	Name, Value string
	Ms          *float64
	Place       string
}

// HarmfulSetting takes the runner, the database, and the job that may take longest.
func HarmfulSetting(runner, database, job string, s SessionSetting) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeRole, Object: runner, Hint: s.reset(runner, database)}
	what := fmt.Sprintf(`have %s %s, and job "%s" may take longer`, s.Name, s.Value, job)
	switch s.Name {
	case "session_replication_role":
		d.Code, what = CodeKeyOff, "fire no triggers"
		d.Detail = "Its session_replication_role is replica: foreign keys neither cascade nor refuse, " +
			"and rows are left behind that refer to nothing."
	case "exit_on_error":
		what = "end at the first error, since exit_on_error is on"
		d.Detail = "A run that meets a locked or refused row ends with its session, and is not logged."
	case "statement_timeout":
		d.Detail = "The call of a job is one statement. The timeout cancels it, and the next call does the rest."
	case "transaction_timeout":
		d.Severity = diag.Info
		d.Detail = "A batch that takes longer is undone, and the session ended with the run in it."
	}
	if s.Ms != nil && *s.Ms >= 1000 {
		d.Severity = diag.Info
	}
	d.Message = fmt.Sprintf(`sessions of role "%s" %s`, runner, what)
	return d
}

// reset returns the statement that ends a setting. A setting of the database, of all roles or of
// the server also applies to the application. The statement then sets another value for the role in
// this database only.
func (s SessionSetting) reset(role, database string) string {
	role, database = quote.Ident(role), quote.Ident(database)
	switch s.Place {
	case "both":
		return fmt.Sprintf("ALTER ROLE %s IN DATABASE %s RESET %s;", role, database, quote.Ident(s.Name))
	case "role":
		return fmt.Sprintf("ALTER ROLE %s RESET %s;", role, quote.Ident(s.Name))
	}
	value := "0"
	switch s.Name {
	case "session_replication_role":
		value = "origin"
	case "exit_on_error":
		value = "off"
	}
	return fmt.Sprintf("ALTER ROLE %s IN DATABASE %s SET %s = %s;", role, database, quote.Ident(s.Name), value)
}

// Instance is the instance of a policy for a schema or a shard. The file of query members describes
// the states and the other fields.
type Instance struct {
	Policy, Member, State, Kind, Table string
	Run                                *int
	Message, Hint, Free                *string
}

// UnsettledInstance returns false for an instance that needs nothing.
func UnsettledInstance(i Instance) (d diag.Diagnostic, ok bool) {
	d = diag.Diagnostic{Code: CodeMember, Policy: i.Policy, Object: i.Policy + "@" + i.Member}
	switch i.State {
	case "new":
		d.Severity = diag.Info
		d.Message = fmt.Sprintf(`the instance of policy "%s" for %s "%s" does not exist yet`, i.Policy, i.Kind,
			i.Member)
		d.Hint = nextRunDoes
	case "gone":
		d.Severity = diag.Info
		d.Message = fmt.Sprintf(`%s "%s" is gone, and the instance of policy "%s" for it is not dropped yet`, i.Kind,
			i.Member, i.Policy)
		d.Hint = nextRunDoes
	case "bare":
		d.Message = fmt.Sprintf(`schema "%s" has no table "%s", for policy "%s"`, i.Member, i.Table, i.Policy)
		d.Hint = "Create the table, or rename the schema, or let the pattern not match it."
	case "unfit":
		d.Message = fmt.Sprintf(`schema "%s" cannot be an instance of policy "%s"`, i.Member, i.Policy)
		d.Detail = "Its name needs quotes, or is so long that the two together have more than 54 bytes. " +
			"Runs of it fail. Instead of another name for the schema, the policy file may have another pattern."
		d.Hint = "Rename the schema, or let the pattern not match it."
		if i.Free != nil {
			d.Hint = fmt.Sprintf("ALTER SCHEMA %s RENAME TO %s;", quote.Ident(i.Member), *i.Free)
		}
	default:
		return d, false
	}
	if i.Message != nil {
		d.Detail, d.Hint = fmt.Sprintf("Its last run (%d) could not create it: %s", *i.Run, *i.Message), removeCause
		if i.Hint != nil {
			d.Hint = *i.Hint
		}
	}
	return d, true
}

const (
	nextRunDoes = "Nothing: the next run of the policy's job does it."
	removeCause = "Remove the cause that the message names. The next run tries again."
)
