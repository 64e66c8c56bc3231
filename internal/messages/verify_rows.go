package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
)

// Counted is a number of rows. Counting stops at Limit.
type Counted struct{ Rows, Limit int64 }

func (c Counted) String() string {
	if c.Rows >= c.Limit {
		return fmt.Sprintf("%d rows or more", c.Rows)
	}
	return Number(c.Rows, "row", "rows")
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
			Number(len(runs), "run", "runs")),
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
