package messages

import (
	"cmp"
	"fmt"

	"pgretain/internal/diag"
)

// The codes of package lint.
var (
	neverTrue         = diag.Declare("L001", "", `"where" is never true`)
	guardsKeepAll     = diag.Declare("L002", "", "guards keep every row")
	tierNeverApplies  = diag.Declare("L004", "", "tier never applies")
	stepNeverActs     = diag.Declare("L006", "", "step never acts on a row")
	comparesNull      = diag.Declare("L008", "", "comparison with NULL")
	emptyBetween      = diag.Declare("L009", "", "BETWEEN that no value matches")
	guardNull         = diag.Declare("L010", "", "guard keeps every row with a NULL")
	whereNull         = diag.Declare("L011", "", `"where" skips rows with a NULL`)
	inNull            = diag.Declare("L012", "", "sub-select of IN may return a NULL")
	archiveTakes      = diag.Declare("L015", "", "archive keeps its rows no longer than the table")
	noGrace           = diag.Declare("L016", "", "rows are deleted as soon as they are marked")
	overtaken         = diag.Declare("L017", "", "another policy leaves no rows for this policy")
	deletedWithParent = diag.Declare("L018", "", "rows are deleted with others before their own window ends")
	noJob             = diag.Declare("L020", "", `no job runs a policy with "due"`)
	neverMatches      = diag.Declare("L021", "", "schedule never matches a day")
	watermarkPasses   = diag.Declare("L027", "", "watermark passes rows that are not committed yet")
	wrongEncoding     = diag.Declare("L031", "", "encoding does not fit the numbers")
	localTime         = diag.Declare("L032", "", "short window on local time")
	actsAgain         = diag.Declare("L033", "", "step acts again on rows that stay")
	equalPositions    = diag.Declare("L034", "", "watermark over values that may be equal")
	setsNull          = diag.Declare("L035", "", "NULL for a column that is NOT NULL")
	rowSecurity       = diag.Declare("L036", "", "row security hides rows from the worker")
	noLabel           = diag.Declare("L037", "", "text that is no label of the enum")
	excludedText      = diag.Declare("L038", "", "text that a CHECK constraint excludes")
	foreignObjects    = diag.Declare("L039", "", "large objects that the worker does not own")
)

// Comparisons that have the same result for every row.
var (
	ComparesNull = diag.Diagnostic{Code: comparesNull, Message: "a comparison with NULL is never true and never false",
		Detail: `As "where" it selects no row. As a guard it keeps every row.`,
		Hint:   "Write IS NULL or IS NOT NULL."}
	EmptyBetween = diag.Diagnostic{Code: emptyBetween, Message: "no value is between these bounds",
		Detail: "The lower bound of BETWEEN comes first. Here the first bound is greater than the second.",
		Hint:   "Swap the bounds."}
)

func NeverTrue(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: neverTrue, Message: fmt.Sprintf(`no row can meet the "where" of policy %q`, policy),
		Detail: "Two of its conditions exclude each other, or one of them contradicts the catalog snapshot.",
		Hint:   "Remove one of the conditions, or join them by OR."}
}

// GuardsKeepAll takes the guard that keeps every row alone, or "" if only all guards together do.
func GuardsKeepAll(policy, alone string) diag.Diagnostic {
	d := diag.Diagnostic{Code: guardsKeepAll,
		Message: fmt.Sprintf("the guards of policy %q together keep every row", policy),
		Detail: `A run takes a row only if all guards are false. ` +
			`They are all false for no row that "where" selects.`,
		Hint: "Write guards that are true only for rows that must stay, or remove the policy."}
	if alone != "" {
		d.Message = fmt.Sprintf("guard %q keeps every row of policy %q", alone, policy)
		d.Detail = `A run takes a row only if the guard is false. ` +
			`The guard is false for no row that "where" selects.`
	}
	return d
}

func TierNeverApplies(policy string, number int) diag.Diagnostic {
	return diag.Diagnostic{Code: tierNeverApplies,
		Message: fmt.Sprintf("tier %d of policy %q never applies", number, policy),
		Detail:  `No row meets its condition: "where", the guards and the tiers above leave none.`,
		Hint:    "Move the tier up, correct its condition, or remove it."}
}

func StepNeverActs(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: stepNeverActs, Message: fmt.Sprintf("this step of policy %q never acts on a row",
		policy),
		Detail: `No row that "where" and the guards leave meets its condition. ` +
			`A step reads the row as it was when the run rechecked it.`,
		Hint: "Correct the condition, or remove the step."}
}

// GuardNull takes whether the guard is the column itself.
func GuardNull(guard, column string, flag bool) diag.Diagnostic {
	hint := fmt.Sprintf(`To take such a row, write "(...) IS TRUE" around the guard. `+
		`To keep it, write "%s IS NULL OR ...".`, column)
	if flag {
		hint = fmt.Sprintf(`To take such a row, write "%[1]s IS TRUE". To keep it, write "%[1]s IS NOT FALSE".`, column)
	}
	return diag.Diagnostic{Code: guardNull,
		Message: fmt.Sprintf("guard %q keeps every row in which %q is NULL", guard, column),
		Detail:  "The guard is NULL for such a row. A run takes a row only if every guard is false.", Hint: hint}
}

func WhereNull(policy, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: whereNull,
		Message: fmt.Sprintf("policy %q skips every row in which %q is NULL", policy, column),
		Detail:  `A comparison with NULL is NULL, and "where" selects a row only if it is true.`,
		Hint: fmt.Sprintf(`To select such a row, write IS DISTINCT FROM or IS NOT TRUE. `+
			`To skip it, add "AND %s IS NOT NULL".`, column)}
}

// InNull takes what happens if the sub-select returns a NULL.
func InNull(table, column, result string) diag.Diagnostic {
	return diag.Diagnostic{Code: inNull, Message: fmt.Sprintf("if one row of %q has NULL in %q, %s", table, column,
		result),
		Detail: "If the list contains a NULL, IN is NULL, not false, for a value that is not in the list.",
		Hint:   fmt.Sprintf(`Add "%s IS NOT NULL" to the sub-select, or write EXISTS.`, column)}
}

// Windowed is a policy with a constant window, from Shortest to Longest.
type Windowed struct {
	Policy, Table, Column string
	Shortest, Longest     string
	Line                  int // of the policy
}

func (w Windowed) place() string { return fmt.Sprintf("Policy %q is at line %d.", w.Policy, w.Line) }

func ArchiveTakes(of, other Windowed) diag.Diagnostic {
	return diag.Diagnostic{Code: archiveTakes,
		Message: fmt.Sprintf("policy %q takes rows of the archive %q as soon as they arrive", of.Policy, of.Table),
		Detail: fmt.Sprintf("Policy %q archives rows whose %q is older than %s, and copies %q. %s", other.Policy,
			of.Column, other.Shortest, of.Column, other.place()),
		Hint: "Make the window of the archive longer, " +
			"or count it from the day of archiving: set: {archived_at: as_of}."}
}

func NoGrace(of, other Windowed) diag.Diagnostic {
	return diag.Diagnostic{Code: noGrace,
		Message: fmt.Sprintf("policy %q deletes rows as soon as policy %q has marked them", of.Policy, other.Policy),
		Detail: fmt.Sprintf("Both policies have the clock %q, and the mark does not change it. "+
			"A row is marked when it is older than %s. %s", of.Column, other.Shortest, other.place()),
		Hint: "Set a column to as_of in the first policy, and use it as the clock of the second. " +
			"Or make the second window longer than the first."}
}

func Overtaken(of, other Windowed) diag.Diagnostic {
	return diag.Diagnostic{Code: overtaken,
		Message: fmt.Sprintf("policy %q deletes the rows of policy %q earlier", other.Policy, of.Policy),
		Detail: fmt.Sprintf("Both policies have the clock %q. "+
			"The other one deletes rows at %s, and this window is %s. %s", of.Column, other.Longest,
			of.Shortest, other.place()),
		Hint: `Add a "where" or a guard to the other policy that leaves these rows, or remove one of the two policies.`}
}

func DeletedWithParent(of, other Windowed) diag.Diagnostic {
	return diag.Diagnostic{Code: deletedWithParent,
		Message: fmt.Sprintf("rows of %q may be deleted before they are older than %s", of.Table, of.Shortest),
		Detail: fmt.Sprintf("Policy %q deletes them together with their row of %q, "+
			"when the latter is older than %s. %s", other.Policy, other.Table, other.Longest, other.place()),
		Hint: fmt.Sprintf("Add a guard to the other policy that keeps a row of %q while it has such rows. "+
			"Or make this window no longer than the other.", other.Table)}
}

// NoJob takes whether the file has jobs at all.
func NoJob(policy string, jobs bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: noJob, Message: fmt.Sprintf("no job runs policy %q", policy),
		Detail: "Its rows become due, and stay until somebody runs the policy.",
		Hint:   `Add the policy to "run" of a job.`}
	if !jobs {
		d.Hint = `Write "jobs" with a job that runs the policy. ` +
			`If a program or a person calls it, set install.scheduler to none.`
	}
	return d
}

func NeverMatches(job, schedule string) diag.Diagnostic {
	return diag.Diagnostic{Code: neverMatches,
		Message: fmt.Sprintf("schedule %q of job %q never matches a day", schedule, job),
		Detail:  "No month of the schedule has such a day.",
		Hint:    `Write "$" for the last day of a month (pg_cron 1.6), or another day.`}
}

func WatermarkPasses(policy, column, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: watermarkPasses,
		Message: fmt.Sprintf("the watermark of policy %q passes rows that commit later with lower values", policy),
		Detail: "The watermark moves to the greatest committed value. " +
			"An open transaction may commit rows with lower values.",
		Hint: fmt.Sprintf(`Write up_to: "SELECT max(%s) FROM %s WHERE made_at < as_of - interval '1 hour'", `+
			`with an interval twice as long as the longest transaction that writes these rows.`, column, table)}
}

// ShortType takes the greatest number of a type, and the day that the number means.
func ShortType(typ, encoding string, most int64, last string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongEncoding, Message: fmt.Sprintf("clock of type %q cannot contain %s", typ,
		encoding),
		Detail: fmt.Sprintf("Its greatest number, %d, is %s. Every row would be older than any window.", most, last),
		Hint:   `Write the unit of the numbers under "encoding", or change the type of the column.`}
}

// EpochInSeconds takes the month that the epoch means in milliseconds.
func EpochInSeconds(epoch int64, month string) diag.Diagnostic {
	return diag.Diagnostic{Code: wrongEncoding, Message: fmt.Sprintf("epoch %d in milliseconds is in %s", epoch, month),
		Detail: "Keys would mean times decades too early, and every row would be due.",
		Hint:   fmt.Sprintf("If the epoch is in seconds, write %d000.", epoch)}
}

func LocalTime(column, zone, window string) diag.Diagnostic {
	return diag.Diagnostic{Code: localTime,
		Message: fmt.Sprintf("clock %q has no time zone, and %q repeats an hour when daylight saving time ends", column,
			zone),
		Detail: fmt.Sprintf("Rows of the repeated hour may be taken one hour before they are older than %s.", window),
		Hint: "Change the column to timestamptz. " +
			"Or write the times in UTC, and set install.time_zone to UTC."}
}

func ActsAgain(policy, verb, where string) diag.Diagnostic {
	return diag.Diagnostic{Code: actsAgain,
		Message: fmt.Sprintf("%s of policy %q acts in each run on rows that stay", verb, policy),
		Detail:  fmt.Sprintf(`Rows for which "%s" is not true stay due.`, where),
		Hint:    `Write the same "where" in this step, or move the condition to the "where" of the policy.`}
}

func EqualPositions(policy, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: equalPositions,
		Message: fmt.Sprintf("several rows of policy %q may have the same %q", policy, column),
		Detail:  `One batch takes all of them, even if they are more than "batch.rows" and "budget.rows".`,
		Hint:    "Choose a column with a unique index, or create a unique index on this column."}
}

func RowSecurityHides(policy, table, worker string) diag.Diagnostic {
	return diag.Diagnostic{Code: rowSecurity,
		Message: fmt.Sprintf("policy %q reads table %q, which has row security", policy, table),
		Detail: fmt.Sprintf("Runs fail unless role %q may bypass row security. "+
			"No policy of row security helps: runs never skip rows that they cannot see.", worker),
		Hint: fmt.Sprintf(`Have a superuser run "ALTER ROLE %s BYPASSRLS;". `+
			`From PostgreSQL 16 on, a role with CREATEROLE and BYPASSRLS may do it, too. `+
			`If nobody does it here, set install.roles to none. Afterwards suppress this finding.`, worker)}
}

func SetsNull(policy, column, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: setsNull,
		Message: fmt.Sprintf("policy %q sets column %q of %s to NULL, but the column is NOT NULL", policy, column,
			table),
		Detail: `The server refuses each row, and the run ends "failed".`,
		Hint: fmt.Sprintf(`Write another value, or run `+
			`ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL; and then "pgretain snapshot".`, table, column)}
}

// Text is a text that a policy compares with a column, or writes into it. The column has the type
// Type. Allowed lists the allowed texts as SQL, and Near is a hint with the nearest of them, or "".
type Text struct{ Policy, Table, Column, Type, Text, Allowed, Near string }

func NoLabel(t Text) diag.Diagnostic {
	return diag.Diagnostic{Code: noLabel,
		Message: fmt.Sprintf("%q is no label of type %s of column %q of table %q", t.Text, t.Type, t.Column, t.Table),
		Detail:  fmt.Sprintf("The server refuses it. The catalog snapshot has these labels: %s.", t.Allowed),
		Hint:    cmp.Or(t.Near, "Write one of the labels.")}
}

func ComparesExcluded(t Text) diag.Diagnostic {
	return diag.Diagnostic{Code: excludedText,
		Message: fmt.Sprintf("no row of table %q has %q in column %q", t.Table, t.Text, t.Column),
		Detail:  fmt.Sprintf("A CHECK constraint of the column allows only %s.", t.Allowed),
		Hint:    cmp.Or(t.Near, "Write one of these texts.")}
}

func SetsExcluded(t Text) diag.Diagnostic {
	return diag.Diagnostic{Code: excludedText,
		Message: fmt.Sprintf("policy %q sets column %q of %s to %q, which a CHECK constraint refuses", t.Policy,
			t.Column,
			t.Table, t.Text),
		Detail: fmt.Sprintf("The server refuses each row. The constraint allows %s.", t.Allowed),
		Hint:   cmp.Or(t.Near, "Write one of these texts.")}
}

func ForeignObjects(policy, function, worker string) diag.Diagnostic {
	return diag.Diagnostic{Code: foreignObjects,
		Message: fmt.Sprintf("%s in policy %q fails for a large object that role %q does not own", function, policy,
			worker),
		Detail: "Runs execute the SQL as this role. The server checks the owner when it executes the function.",
		Hint: fmt.Sprintf("Call a function with SECURITY DEFINER instead, which belongs to the owner of the large "+
			"objects and calls %s. List that owner in install.trust.", function)}
}
