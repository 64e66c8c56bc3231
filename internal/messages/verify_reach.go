package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// Hold is a hold that cannot be applied. Why and Hint are words of the runtime.
type Hold struct{ Table, Reason, Why, Hint string }

func UnfitHold(h Hold) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnfitHold, Object: h.Table, Message: h.Why, Hint: h.Hint,
		Detail: fmt.Sprintf("It was placed for: %s. The runtime cannot determine which rows are held. "+
			"Runs of policies that reach the table trip until the hold is placed again.", h.Reason)}
}

// Unfit is a cause for which the catalog differs from the dependencies of policies: a difference,
// the owner of several objects, or a role with privileges on several tables.
type Unfit struct {
	Policies       []string // the policies that it stops
	Table          string   // of the first policy
	Reasons        []string // the differences, in the words of the runtime
	Owner, Grantee string   // such as `role "x"`; both are "" for a difference
	Things         []string // objects of the owner, or tables on which the role has privileges
	Hint           string
}

func Unexpected(u Unfit) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeUnexpected, Policy: u.Policies[0], Object: u.Table,
		Detail: "Runs trip, and take no row, until the cause is removed.", Hint: u.Hint}
	cause, several := u.Reasons[0], len(u.Things)
	switch {
	case several == 1 || u.Owner == "" && u.Grantee == "":
	case u.Owner != "":
		cause = fmt.Sprintf("%s, which is not trusted, owns %d objects", u.Owner, several)
	default:
		cause = fmt.Sprintf("%s may create triggers or foreign keys on %d tables", u.Grantee, several)
	}
	were := "policy %s was not generated for this catalog: %s"
	if len(u.Policies) > 1 {
		were = "policies %s were not generated for this catalog: %s"
	}
	d.Message = fmt.Sprintf(were, `"`+strings.Join(u.Policies, `", "`)+`"`, cause)
	if several > 1 {
		kind := "Objects"
		if u.Owner == "" {
			kind = "Tables"
		}
		d.Detail += fmt.Sprintf(" %s: %s.", kind, some(u.Things, 5, ", "))
		d.Hint = strings.ReplaceAll(d.Hint, "Change its owner, drop it", "Change their owner, drop them")
	}
	return d
}

// pathOf returns a sentence about the foreign key that leads to rows, or "".
func pathOf(way string) string {
	if way == "" {
		return ""
	}
	return fmt.Sprintf(" The path is %s.", way)
}

// Published is a table whose rows PostgreSQL refuses to delete or update, because subscribers could
// not identify the row.
type Published struct {
	Policy, Event string // the event is DELETE or UPDATE
	Table, SQL    string
	Publication   string
	Fault         string // "identity", "filter" or "columns"
	PrimaryKey    bool   // the table has a primary key that can be the replica identity
	Way           string // the foreign key that leads to the rows; "" if there is none
}

func Identity(p Published) diag.Diagnostic {
	identity, fault := "FULL", "the table has no replica identity: PostgreSQL refuses it (55000)."
	switch p.Fault {
	case "filter":
		fault = "its WHERE reads columns that are not in the table's replica identity: PostgreSQL refuses it (42P10)."
	case "columns":
		fault = "its columns lack some of the table's replica identity: PostgreSQL refuses it (42P10)."
	case "identity":
		if p.PrimaryKey {
			identity = "DEFAULT"
		}
	default:
		UnknownFault(p.Fault)
	}
	d := diag.Diagnostic{Code: CodeIdentity, Policy: p.Policy, Object: p.Table,
		Message: fmt.Sprintf(`policy "%s" cannot %s rows of published table "%s"`, p.Policy, strings.ToLower(p.Event),
			p.Table),
		Detail: fmt.Sprintf(`Publication "%s" publishes each %s, and %s%s`, p.Publication, p.Event, fault,
			pathOf(p.Way)),
		Hint: fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY %s;", p.SQL, identity)}
	if p.Fault == "columns" {
		d.Hint = "Name all columns of the replica identity in the publication, or publish all columns."
	}
	return d
}

// Unindexed is a foreign key for which a delete reads the referring table without an index.
type Unindexed struct {
	Policy, Key         string
	Table, SQL, Columns string // the referring table and its columns of the key
	Parent              string
	Size                string // of what is read
	Partitioned         bool
	Partitions, Without int64    // partitions, and those without an index
	First               string   // one of them
	Targets             []string // the first three of them, as SQL
}

func ReferencingIndex(u Unindexed) diag.Diagnostic {
	some := ""
	if u.Partitions > u.Without {
		some = fmt.Sprintf(` It is so for %d of %d partitions, "%s" for one.`, u.Without, u.Partitions, u.First)
	}
	build := lists.Map(u.Targets, func(table string) string {
		return fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", table, u.Columns)
	})
	hint := strings.Join(build, " ")
	if more := u.Without - int64(len(build)); more > 0 {
		hint += fmt.Sprintf(" and so on for %d more.", more)
	}
	if u.Partitioned {
		hint += fmt.Sprintf(" When all have one, CREATE INDEX ON %s (%s); for later partitions.", u.SQL, u.Columns)
	}
	return diag.Diagnostic{Code: CodeReferencingIndex, Policy: u.Policy, Object: u.Table,
		Message: fmt.Sprintf(`deletes of policy "%s" look for rows of table "%s" without an index`, u.Policy, u.Table),
		Detail: fmt.Sprintf(`For each row that is deleted, foreign key "%s" (%s) makes PostgreSQL read all of it, %s.`,
			u.Key, u.Columns, u.Size) + some + pathOf(u.Parent+" -> "+u.Table),
		Hint: hint}
}

// ReachedKey is a foreign key that keeps due rows, or that is switched off.
type ReachedKey struct {
	Policy, Key, Action string // the action is that of ON DELETE
	Child, Parent       string // the referring table, and the table that it refers to
	Off                 bool   // a trigger of the key on the parent is disabled
	ParentSQL           string
	Triggers            []string // these triggers, as SQL
	Partitions          bool     // it keeps partitions
	Strict              string   // NOT NULL columns into which the key would write NULL
	New                 bool     // the snapshot does not have it
	Names               []string // the referring table and the tables above it
	Step                int      // the step that meets it
	Anytime             bool     // it is checked at the end of the transaction
}

// Blocked reports a foreign key that keeps rows. A key that is in the snapshot was known when the
// policy was generated, so its finding is information.
func Blocked(k ReachedKey) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeBlocked, Severity: diag.Info, Policy: k.Policy, Object: k.Child,
		Hint: fmt.Sprintf(`Write a step that deletes the rows of "%s" first, or a guard that keeps what they refer `+
			`to; then run "pgretain snapshot" and "pgretain generate".`, k.Child)}
	rows, set, refused := "rows", "", 23503
	if k.Strict != "" {
		set, refused = fmt.Sprintf(", and would set (%s) to NULL, which is NOT NULL", k.Strict), 23502
	}
	d.Detail = fmt.Sprintf(`Foreign key "%s" is ON DELETE %s%s. Rows that are referred to are refused (%d), and a `+
		`run in which a thousand more are refused than taken fails. The path is %s -> %s.`, k.Key, k.Action, set,
		refused, k.Parent, k.Child)
	if k.Partitions {
		rows = "partitions"
		d.Detail = fmt.Sprintf(`Foreign key "%s" refers to "%s". Partitions that are referred to are refused (23503), `+
			`whatever the key says of deletes.`, k.Key, k.Parent)
	}
	d.Message = fmt.Sprintf(`rows of table "%s" keep %s that are due in policy "%s"`, k.Child, rows, k.Policy)
	switch {
	case k.Strict != "" && !k.Partitions:
		d.Severity = diag.Drift
		d.Hint = fmt.Sprintf(`Give the foreign key another action, or let (%s) of "%s" be NULL.`, k.Strict, k.Child)
	case k.New:
		d.Severity = diag.Drift
		d.Detail += " The key is newer than the catalog snapshot."
	}
	return d
}

func KeyOff(k ReachedKey) diag.Diagnostic {
	effect := "rows that refer to deleted ones stay, and refer to nothing."
	if k.Action == "NO ACTION" || k.Action == "RESTRICT" {
		effect = "rows go although others refer to them."
	}
	enable := lists.Map(k.Triggers, func(trigger string) string {
		return fmt.Sprintf("ALTER TABLE %s ENABLE TRIGGER %s;", k.ParentSQL, trigger)
	})
	return diag.Diagnostic{Code: CodeKeyOff, Policy: k.Policy, Object: k.Child,
		Message: fmt.Sprintf(`foreign key "%s" of table "%s" is switched off, and policy "%s" deletes without it`,
			k.Key, k.Child, k.Policy),
		Detail: fmt.Sprintf(`A trigger of it on "%s" is disabled: %s The key is ON DELETE %s. `+
			`Once it is on again, look for rows of "%s" that refer to nothing.`, k.Parent, effect, k.Action, k.Child),
		Hint: strings.Join(enable, " ")}
}

// Secured is a table whose row security hides rows from the role that reads them for a policy or
// report.
type Secured struct {
	Kind, Name      string // "policy" or "report", and its name
	Table, TableSQL string
	Views           string // the views through which it is read; "" if it is read by name
	Role, RoleSQL   string
	Forced          bool // the role is the table's owner
}

func RowSecurity(s Secured) diag.Diagnostic {
	through, forced, hint := "", "", fmt.Sprintf("ALTER ROLE %s BYPASSRLS;", s.RoleSQL)
	if s.Views != "" {
		through = " through " + s.Views
	}
	if s.Forced {
		forced = " It is forced on the table's owner, too."
		hint = fmt.Sprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY; or ", s.TableSQL) + hint
	}
	return diag.Diagnostic{Code: CodeRowSecurity, Policy: s.Name, Object: s.Table,
		Message: fmt.Sprintf(`row security of table "%s" stops %s "%s"`, s.Table, s.Kind, s.Name),
		Detail: fmt.Sprintf(`Its functions read the table%s as role "%s", which row security is for: they fail `+
			`(42501) instead of skipping rows that they cannot see.%s`, through, s.Role, forced),
		Hint: hint}
}

// FiredTrigger is a trigger of the application that may keep rows, or that runs with a role or
// search path for which it was not written.
type FiredTrigger struct {
	Policy, Table, Name string
	Event               string // DELETE, UPDATE or INSERT
	Function, Signature string // "schema.name", and the function as SQL
	Definer, OwnPath    bool   // the function is SECURITY DEFINER; it sets a search path
	Keeps, Refuses      bool   // it may return NULL; it may raise an error
	Denied              string // the error of the last run about a privilege that it needs; or ""
	Way                 string // the foreign key that leads to the rows; "" if there is none
	New                 bool   // the snapshot does not have it
}

// Trigger takes the role that runs batches, and its search path.
func Trigger(t FiredTrigger, role string, path []string) diag.Diagnostic {
	does, calls := "runs in the batches of", fmt.Sprintf("It calls %s() on %s.", t.Function, t.Event)
	if t.Keeps || t.Refuses {
		does = "may keep rows from"
	}
	if t.Keeps {
		end := ": the run ends done"
		if t.Way != "" {
			end = ", and refers to nothing then"
		}
		calls = fmt.Sprintf("It calls %s() before each %s, and a row for which that returns NULL stays as it is, "+
			"without an error%s.", t.Function, t.Event, end)
	}
	d := diag.Diagnostic{Code: CodeTrigger, Severity: diag.Info, Policy: t.Policy, Object: t.Table,
		Message: fmt.Sprintf(`trigger "%s" on table "%s" %s policy "%s"`, t.Name, t.Table, does, t.Policy),
		Detail:  calls + t.rights(role, listed(path)) + pathOf(t.Way),
		Hint:    fmt.Sprintf(`Look at the function, then write "triggers: [%s]" in the policy.`, t.Name)}
	if t.New {
		d.Severity = diag.Drift
		d.Detail += " It is newer than the catalog snapshot."
		d.Hint += ` Then run "pgretain snapshot".`
	}
	if t.Denied != "" {
		set := ""
		if !t.OwnPath {
			set = fmt.Sprintf(" SET search_path = %s, pg_temp", quote.Idents(path))
		}
		d.Severity = diag.Drift
		d.Hint = fmt.Sprintf("ALTER FUNCTION %s SECURITY DEFINER%s;", t.Signature, set)
	}
	return d
}

// rights returns sentences about the errors and the rights of a trigger.
func (t FiredTrigger) rights(role, path string) (text string) {
	if t.Refuses {
		text = " It may raise an error: the row is refused then, and stays."
	}
	switch {
	case !t.Definer && !t.OwnPath:
		text += fmt.Sprintf(` It runs with the rights of role "%s" and search path %s.`, role, path)
	case !t.Definer:
		text += fmt.Sprintf(` It runs with the rights of role "%s".`, role)
	case !t.OwnPath:
		text += fmt.Sprintf(" It has no search path of its own, and is called with %s.", path)
	}
	if t.Denied != "" {
		text += fmt.Sprintf(" In the last run the role lacked a privilege: %s. "+
			"Instead of the hint, grant it to the role.", t.Denied)
	}
	return text
}

// RowSecurityHere is the warning before the first migration that row security of a table will stop
// a policy or report. It takes the major version of the server, and the roles besides superusers
// that can let the worker bypass it there.
func RowSecurityHere(kind, name, table, worker string, version int, givers []string) diag.Diagnostic {
	who := "Only a superuser can let it here, which on a managed server is the provider."
	if len(givers) > 0 {
		who = fmt.Sprintf(`Here superusers can let it, and "%s".`, strings.Join(givers, `", "`))
	}
	return diag.Diagnostic{Code: CodeRowSecurity, Severity: diag.Warning, Policy: name,
		Message: fmt.Sprintf("row security of table %q will stop %s %q", table, kind, name),
		Detail: fmt.Sprintf("Role %q may not bypass row security on this server, which is PostgreSQL %d. %s", worker,
			version, who),
		Hint: fmt.Sprintf("ALTER ROLE %s BYPASSRLS; or set install.roles to none, and migrate as the owner "+
			"of the table.", quote.Ident(worker))}
}
