package messages

import (
	"cmp"
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// Plan is a batch that does not find its rows by an index, or that cannot be planned.
type Plan struct {
	N                        int    // position of its policy in the query's parameter
	SQLState, Error          string // the error of planning; the other fields are empty then
	Batch                    string // the function
	Name, SQL                string // the policy's table
	NoIndex                  bool   // no index has the order of the policy
	Relation                 string // the table or partition that is read
	Index, Condition         string
	ByIndex, Sorted, Unknown bool // Unknown: a part of the table was never analyzed
	Changed, Rows            int64
	Estimate                 string
	Build                    string // a statement that builds the index; "" if a migration builds it
}

func (p Plan) reads() string {
	switch {
	case !p.ByIndex:
		return fmt.Sprintf(`reads the whole of "%s"`, p.Relation)
	case p.Sorted:
		return fmt.Sprintf(`reads "%s" by index "%s" and sorts what it finds`, p.Relation, p.Index)
	case p.Condition != "":
		return fmt.Sprintf(`reads "%s" by index "%s", where %s`, p.Relation, p.Index, p.Condition)
	}
	return fmt.Sprintf(`reads all of index "%s" of "%s"`, p.Index, p.Relation)
}

// showPlans returns a statement that shows the plans of a policy. It takes the runtime's schema,
// quoted.
func showPlans(policy, runtime string) string {
	return fmt.Sprintf("SELECT batch, plan FROM %s._plans(ARRAY[%s], true);", runtime, quote.Literal(policy))
}

func NoIndex(policy, runtime string, p Plan) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNoIndex,
		Message: fmt.Sprintf(`no index leads batches of policy "%s" to their rows in table "%s"`, policy, p.Relation),
		Detail: fmt.Sprintf(`Function "%s.%s" %s, each time. Give that table an index like those of "%s".`, runtime,
			p.Batch, p.reads(), p.Name),
		Hint: cmp.Or(p.Build, showPlans(policy, runtime))}
}

func OtherPlan(policy, runtime string, p Plan) diag.Diagnostic {
	cause := fmt.Sprintf(" reckons with %s rows each time", p.Estimate)
	switch {
	case p.Unknown:
		cause = " has no statistics of all of the table"
	case p.Changed*5 > p.Rows:
		cause = fmt.Sprintf("'s statistics are old: %d of about %d rows have changed since", p.Changed, p.Rows)
	}
	return diag.Diagnostic{Code: CodeOtherPlan,
		Message: fmt.Sprintf(`batches of policy "%s" would not use the index that leads to their rows in table "%s"`,
			policy, p.Name),
		Detail: fmt.Sprintf(`Function "%s.%s" %s. PostgreSQL%s.`, runtime, p.Batch, p.reads(), cause),
		Hint:   fmt.Sprintf("ANALYZE %s;", p.SQL)}
}

// NotPlanned is the finding on batches that PostgreSQL could not plan. A batch cannot execute a
// statement that cannot be planned.
func NotPlanned(policy, runtime string, p Plan) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown,
		Message: fmt.Sprintf(`could not check how batches of policy "%s" find their rows`, policy),
		Detail:  fmt.Sprintf("The server says: %s [%s].", p.Error, p.SQLState), Hint: showPlans(policy, runtime)}
	switch {
	case p.SQLState == "55P03": // lock_not_available
		d.Code, d.Hint = CodeTimeout, ""
		d.Message = fmt.Sprintf(`checking the plans of policy "%s" took too long`, policy)
	case p.Refused():
		d.Code, d.Severity = CodeNoIndex, ""
		d.Message = fmt.Sprintf(`batches of policy "%s" cannot be planned`, policy)
	}
	return d
}

// Refused reports whether the statements of the policy are the reason why planning failed.
func (p Plan) Refused() bool { return strings.HasPrefix(p.SQLState, "42") }

// GuardPlan is a table that guards and joins of a policy read from end to end, or the error of
// planning them.
type GuardPlan struct {
	N               int // position of the policy in the query's parameter
	Table           string
	Often           bool   // each row of a batch reads the table, not only each batch
	Condition       string // the condition for which no index was used; or ""
	Hashed          string // columns whose values are kept in a hash table; or ""
	SQLState, Error string
}

func GuardReadsAll(policy string, p GuardPlan) diag.Diagnostic {
	severity, each, detail := diag.Info, "batch", ""
	if p.Often {
		severity, each = diag.Drift, "row of a batch"
	}
	switch {
	case p.Hashed != "":
		detail = fmt.Sprintf("PostgreSQL compares all values of %s with the rows of the batch.", p.Hashed)
	case p.Condition != "":
		detail = fmt.Sprintf("No index serves the condition %s.", p.Condition)
	}
	return diag.Diagnostic{Code: CodeGuardReadsAll, Severity: severity, Detail: detail,
		Message: fmt.Sprintf("guards or joins of policy %q read the whole of table %q for each %s", policy, p.Table,
			each),
		Hint: fmt.Sprintf("Give table %q an index for the columns by which guards and joins of the policy "+
			"find its rows.", p.Table)}
}

func GuardNotPlanned(policy string, p GuardPlan) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeUnreadable, Severity: diag.Unknown,
		Message: fmt.Sprintf("could not check how guards of policy %q find rows", policy),
		Detail:  fmt.Sprintf("The server says: %s [%s].", p.Error, p.SQLState)}
}
