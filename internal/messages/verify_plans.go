package messages

import (
	"cmp"
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

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
