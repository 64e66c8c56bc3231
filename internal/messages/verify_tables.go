package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// Repair is the hint for an object that a migration created and a person changed, if no pending
// migration replaces it.
const Repair = "Run its statements again, from the last migration that has them, " +
	"as the role that the migration uses."

// MissingObject is the finding on an object of the runtime that does not exist.
func MissingObject(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeMissing, Message: fmt.Sprintf(`%s "%s" is missing`, kind, name), Hint: Repair}
}

// Routine says in which way an installed function or procedure differs from the generated one.
type Routine struct {
	N         int    // its position in the query's parameter
	Fault     string // "missing", "definition", "settings" or "owner"
	Parts     string // the parts of its definition that differ
	Want, Got string
	SQL       string // the routine as SQL; "" if it is missing
}

func OtherDefinition(kind, name string, r Routine) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeDiffers, Message: fmt.Sprintf(`%s "%s" has another %s`, kind, name, r.Parts),
		Want: r.Want, Got: r.Got, Hint: Repair}
}

func OtherSettings(kind, name string, r Routine) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeSettings,
		Message: fmt.Sprintf(`%s "%s" runs with other rights or settings`, kind, name),
		Want:    r.Want, Got: r.Got, Hint: Repair}
}

// Owned is an object of the runtime whose owner is Got instead of Want.
type Owned struct {
	Kind, Name string
	SQL        string // the kind and the name as in ALTER
	Want, Got  string
	Runtime    string // schema of the runtime, quoted
	May        bool   // Want has CREATE on this schema, which ALTER ... OWNER TO needs
}

func OtherOwner(o Owned) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeOwner, Message: fmt.Sprintf(`%s "%s" has another owner`, o.Kind, o.Name),
		Want: `"` + o.Want + `"`, Got: `"` + o.Got + `"`, Hint: "pgretain bootstrap | psql -X -v ON_ERROR_STOP=1"}
	if o.May {
		d.Hint = fmt.Sprintf("ALTER %s OWNER TO %s; SELECT %s._apply_privileges();", o.SQL, quote.Ident(o.Want),
			o.Runtime)
	}
	return d
}

// RoutineOrphan is a routine of the runtime's schema that the policy file does not need.
type RoutineOrphan struct {
	Name   string // schema.name(arguments)
	SQL    string // the same, quoted
	Policy string // the installed policy that it belongs to; "" if there is none
}

// OrphanRoutine reports a routine that no policy wants. The functions of an installed policy that
// is not in the policy file go with the next migration.
func OrphanRoutine(o RoutineOrphan) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeOrphan, Object: o.Name,
		Message: fmt.Sprintf(`function "%s" is wanted by no policy`, o.Name),
		Detail:  "Functions in this schema come from migrations only: one of your own belongs into another schema.",
		Hint:    fmt.Sprintf("DROP ROUTINE %s;", o.SQL)}
	if o.Policy != "" {
		d.Detail = fmt.Sprintf(`It belongs to policy "%s", which is installed, but not in the policy file.`, o.Policy)
		d.Hint = `Run "pgretain generate", and migrate.`
	}
	return d
}

// Intercepted takes what a fresh install has on a relation, and what this one has.
func Intercepted(kind, name string, want, got []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIntercepted, Message: fmt.Sprintf(`something else acts on %s "%s"`, kind, name),
		Want: strings.Join(want, "; "), Got: strings.Join(got, "; "),
		Detail: "Statements of the runtime do something else there as well, or instead, or fail, " +
			"or see a part of the rows.",
		Hint: "Drop it, or switch it off, as the owner of the table."}
}

// NotAsInstalled takes the properties of a relation that a fresh install has, and those that this
// one has.
func NotAsInstalled(kind, name string, want, got []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNotAsInstalled,
		Message: fmt.Sprintf(`%s "%s" is not as it was installed`, kind, name),
		Want:    strings.Join(want, "; "), Got: strings.Join(got, "; "),
		Hint: "Run the statements of a view from the last migration again; " +
			"change a table or type back by an ALTER of what differs."}
}

// registered names a row of the registry.
func registered(kind, name string) string {
	if kind == "install" {
		return "the row of the install"
	}
	return fmt.Sprintf(`%s "%s"`, kind, name)
}

func RowMissing(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowMissing, Message: registered(kind, name) + " is not in the registry",
		Hint: Repair}
}

// Row says in which columns a row of the registry differs.
type Row struct {
	N         int    // its position in the query's parameter
	Columns   string // "" if the row is missing
	Want, Got string
}

func RowDiffers(kind, name string, r Row) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowDiffers,
		Message: registered(kind, name) + " differs in the registry: " + r.Columns,
		Want:    r.Want, Got: r.Got, Hint: Repair}
}

func RowOrphan(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowOrphan, Object: name,
		Message: fmt.Sprintf(`%s "%s" is in the registry, but not in the policy file`, kind, name),
		Detail: "It can be run until its row is deleted. " +
			"If no migration wrote the row, delete it as the owner of the runtime.",
		Hint: `Run "pgretain generate", and migrate.`}
}

// Column names a column that a migration added to the table of a policy.
type Column struct{ Policy, Table, Name string }

func (c Column) String() string {
	return fmt.Sprintf("column %q of table %q of policy %q", c.Name, c.Table, c.Policy)
}

func ColumnMissing(c Column) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeColumn, Message: c.String() + " is missing", Hint: Repair}
}

// OtherDefault takes the wanted and the present default of a column, and the statement that sets
// the default.
func OtherDefault(c Column, want, got, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeColumn, Message: c.String() + " has another default", Want: want, Got: got,
		Detail: "Rows that the application writes get another value, or none.", Hint: hint}
}

// MissingTable is a table of the policy file that does not exist.
type MissingTable struct {
	N        int    // its position in the query's parameter
	Schema   string // its schema, if that does not exist either; or ""
	Other    string // a schema that has tables of the same names; or ""
	OtherSQL string
}

// NoTable takes the policy that names the table, or "", and whether a migration created the table.
func NoTable(name, policy string, created bool, t MissingTable) diag.Diagnostic {
	of := ""
	if policy != "" {
		of = fmt.Sprintf(` of policy "%s"`, policy)
	}
	d := diag.Diagnostic{Code: CodeNoTable, Message: fmt.Sprintf(`table "%s"%s does not exist`, name, of),
		Hint: "Rename it in the policy file, or take its policy out; " +
			`then run "pgretain snapshot" and "pgretain generate".`}
	if t.Schema != "" {
		d.Detail = fmt.Sprintf(`Schema "%s" does not exist.`, t.Schema)
	}
	if t.Other != "" {
		d.Detail = fmt.Sprintf(`Schema "%s" does not exist; schema "%s" has tables of the same names.`, t.Schema,
			t.Other)
		d.Hint = fmt.Sprintf(`Write "%s" instead of "%s" in the policy file, then run "pgretain snapshot" and `+
			`"pgretain generate", and migrate. Or undo it: ALTER SCHEMA %s RENAME TO %s.`, t.Other, t.Schema,
			t.OtherSQL, quote.Ident(t.Schema))
	}
	if created {
		d.Hint = "A migration created it: look for its rows in a backup, " +
			"and run the statements of that migration again."
	}
	return d
}

// NoSchema is the finding on a schema under "coverage".
func NoSchema(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCoverageName,
		Message: fmt.Sprintf(`schema "%s" of "coverage" does not exist`, name),
		Detail:  "If the schema was renamed, its tables are not checked.", Hint: "Write its new name, or take it out."}
}

// Exemption takes why the table needs no exemption: it is a "view" or "foreign", or belongs to an
// "extension". If this is "", the table does not exist.
func Exemption(table, useless, reason string) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeCoverageName, Message: fmt.Sprintf(`table "%s" is exempt and does not exist`, table),
		Hint: "Write its new name, or take the exemption out."}
	if useless != "" {
		why := map[string]string{"view": "it is a view", "foreign": "its rows are on another server",
			"extension": "it belongs to an extension"}
		d.Severity, d.Hint = diag.Info, "Take the exemption out."
		d.Message = fmt.Sprintf(`table "%s" needs no exemption: %s`, table, why[useless])
	}
	if reason != "" {
		d.Detail = fmt.Sprintf("It is exempt for: %s.", reason)
	}
	return d
}

// UncoveredTable is a table from which no policy takes rows.
type UncoveredTable struct {
	N                     int // the position of its schema in the query's parameter
	Name                  string
	Partitioned, Unlogged bool
	Parts                 int64  // partitions that are not covered
	Size                  string // "" if another session has locked the table
	Rows                  *int64 // estimated; nil if unknown
	Inserted              *int64 // nil if unknown
	Since                 string // the timestamp from which Inserted counts; "" if it counts all
}

// Uncovered takes sentences of NamedBy.
func Uncovered(t UncoveredTable, named []string) diag.Diagnostic {
	kind := "table"
	switch {
	case t.Partitioned:
		kind = "partitioned table"
	case t.Unlogged:
		kind = "unlogged table"
	}
	return diag.Diagnostic{Code: CodeUncovered, Severity: diag.Undecided, Object: t.Name,
		Message: fmt.Sprintf(`%s "%s" has no policy, no protection and no exemption`, kind, t.Name),
		Detail:  strings.Join(append(t.growth(), named...), " "),
		Hint: fmt.Sprintf(`Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".`,
			t.Name)}
}

func (t UncoveredTable) growth() []string {
	if t.Partitioned && t.Parts == 0 {
		return []string{"It has no partition yet."}
	}
	size := "It takes " + t.Size
	if t.Size == "" {
		size = "Its size could not be read, because another session has locked it"
	}
	if t.Partitioned {
		size += " in " + number(t.Parts, "partition", "partitions")
	}
	if t.Rows != nil {
		size += ", about " + number(*t.Rows, "row", "rows")
	}
	if t.Inserted == nil {
		return []string{size + "."}
	}
	since := t.Since
	if since == "" {
		since = "its statistics began"
	}
	inserted := number(*t.Inserted, "row was", "rows were")
	return []string{size + ".", fmt.Sprintf("%s inserted since %s.", inserted, since)}
}

// NamedBy returns a sentence about a policy that names a table but takes no rows from it. It takes
// whether this is the policy's own table, and whether a step writes to it.
func NamedBy(policy string, own, writes bool) string {
	switch {
	case own:
		return fmt.Sprintf(`Policy "%s" is for this table, but its steps do not change the rows.`, policy)
	case writes:
		return fmt.Sprintf(`Policy "%s" writes to it.`, policy)
	}
	return fmt.Sprintf(`Policy "%s" has it under "cascades", but no foreign key of it deletes rows.`, policy)
}

// number returns a number with its noun: "1 row", "2 rows".
func number(n int64, one, several string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, several)
}

// Counted is a number of rows. Counting stops at Limit.
type Counted struct{ Rows, Limit int64 }

func (c Counted) String() string {
	if c.Rows >= c.Limit {
		return fmt.Sprintf("%d rows or more", c.Rows)
	}
	return number(c.Rows, "row", "rows")
}

// verb returns the form of a verb for the number.
func (c Counted) verb(one, several string) string {
	if c.Rows == 1 {
		return one
	}
	return several
}

func DefaultRows(policy, partition string, rows Counted) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeDefaultRows, Policy: policy, Object: partition,
		Message: fmt.Sprintf(`%s of DEFAULT partition "%s" %s older than the window of policy "%s", and never due`,
			rows, partition, rows.verb("is", "are"), policy),
		Detail: "No partition was there for these rows when they were inserted.",
		Hint: "Create the partitions that these rows belong to, and move the rows there. " +
			"The policy then drops the partitions."}
}

// NoClock takes the column of the clock, or "", and the default of that column, or nil.
func NoClock(policy, table, column string, rows Counted, value *string) diag.Diagnostic {
	clock, severity, cause := "clock", diag.Info, "A row without a clock value is not due;"
	if column != "" {
		clock = `"` + column + `"`
	}
	if value != nil {
		severity = diag.Drift
		cause = fmt.Sprintf("The column has the default %s, so NULL was written explicitly;", *value)
	}
	return diag.Diagnostic{Code: CodeNoClock, Severity: severity,
		Message: fmt.Sprintf(`%s of table "%s" %s no %s and are never due under policy "%s"`, rows, table,
			rows.verb("has", "have"), clock, policy),
		Detail: cause + " the policy file does not say whether this is intended.",
		Hint: `Write "nulls: keep" in the policy to keep them, "nulls: due" to take them; ` +
			`or set their clock, and make the column NOT NULL.`}
}

// FarAhead takes the first and the last of the clocks that are far in the future.
func FarAhead(policy, table string, rows Counted, first, last string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeFarAhead, Severity: diag.Info,
		Message: fmt.Sprintf(`%s of table "%s" %s a clock far in the future and will not be due under policy "%s" `+
			`for years`, rows, table, rows.verb("has", "have"), policy),
		Detail: fmt.Sprintf("Their clocks are from %s to %s.", first, last),
		Hint: "Nothing, if they shall stay so long; " +
			"otherwise find out which application writes such values."}
}

// ClockEvidence is what a sample of values says against the encoding of a clock.
type ClockEvidence struct {
	Clock, Encoding       string
	Seen, Lost, Explained int64 // sampled values, those that are no timestamps, and those that contradict the encoding
	Example               string
	Fault                 string // why runs trip, in the words of the runtime; "" if they do not
}

func NoInstant(policy, table string, e ClockEvidence) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeNoInstant,
		Message: fmt.Sprintf(`values of "%s" of table "%s" are not timestamps in encoding %s, and are never due under `+
			`policy "%s"`, e.Clock, table, e.Encoding, policy),
		Detail: fmt.Sprintf("Of %d sampled values, %d are not plausible timestamps, for example %s.", e.Seen, e.Lost,
			e.Example),
		Hint: `Correct "encoding" in the policy, or write an "expression" that converts the values, ` +
			`or leave them out by "where"; then run "pgretain generate".`}
	switch {
	case e.Fault != "":
		d.Message = fmt.Sprintf(`policy "%s" cannot run: %s`, policy, e.Fault)
		d.Detail = "Each run trips before it takes a row."
	case e.Explained == 0:
		d.Severity = diag.Info
		d.Hint = `Write "since" in the policy if these are instants; otherwise find out who writes such values.`
	}
	return d
}

// ArchiveDiffers takes runs, the rows that each of them archived, and the rows of each that the
// archive has.
func ArchiveDiffers(policy, archive string, runs, want []int64, got []string) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeArchiveDiffers,
		Message: fmt.Sprintf(`archive "%s" differs from what policy "%s" archived in %s`, archive, policy,
			number(int64(len(runs)), "run", "runs")),
		Detail: "No policy of this file takes rows from the archive, so someone else deleted, changed or added rows.",
		Hint: "Look for the lost rows in a backup. " +
			"If an application may delete there, a policy on the archive says so."}
	var wanted, found []string
	for i, run := range runs {
		if i == 5 {
			wanted, found = append(wanted, "..."), append(found, "...")
			break
		}
		wanted = append(wanted, fmt.Sprintf("run %d: %d", run, want[i]))
		found = append(found, fmt.Sprintf("run %d: %s", run, got[i]))
	}
	d.Want, d.Got = strings.Join(wanted, ", "), strings.Join(found, ", ")
	return d
}

// Copy takes why the database is a copy, in the words of the runtime, and the runtime's schema,
// quoted.
func Copy(why, runtime string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCopy, Message: "the database is a copy, and no run starts in it", Got: why,
		Detail: "Adopt it only if rows are to be deleted here.", Hint: fmt.Sprintf("SELECT %s.adopt('why');", runtime)}
}

// IndexOrphan is an index that pgretain built and no policy wants.
type IndexOrphan struct {
	Name, SQL   string
	Table       string
	Comment     string
	Partitioned bool
}

func OrphanIndex(i IndexOrphan) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeIndexOrphan, Object: i.Name, Table: i.Table,
		Message: fmt.Sprintf(`index "%s" on table "%s" is wanted by no policy`, i.Name, i.Table),
		Detail:  "Each write to the table maintains it. Its comment: " + i.Comment,
		Hint:    fmt.Sprintf("DROP INDEX CONCURRENTLY %s;", i.SQL)}
	if i.Partitioned {
		d.Hint = fmt.Sprintf("DROP INDEX %s;", i.SQL)
	}
	return d
}

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
		kind, more := "Objects", ""
		if u.Owner == "" {
			kind = "Tables"
		}
		if several > 5 {
			more = fmt.Sprintf(" and %d more", several-5)
		}
		d.Detail += fmt.Sprintf(" %s: %s%s.", kind, listed(u.Things[:min(several, 5)]), more)
		d.Hint = strings.ReplaceAll(d.Hint, "Change its owner, drop it", "Change their owner, drop them")
	}
	return d
}
