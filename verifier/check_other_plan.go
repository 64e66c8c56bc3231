package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeOtherPlan = register("V025", Indexes, "a batch would pass by the index that leads to its rows")

// otherPlan: an index would do, and PostgreSQL reckons that something else costs less.
func (v *inspection) otherPlan(o generator.Object, p batchPlan, found access, size tableSize, old bool) {
	why := fmt.Sprintf("PostgreSQL reckons with %.0f rows each time.", found.Rows)
	switch {
	case size.Unknown:
		why = "PostgreSQL has no statistics of all of the table."
	case old:
		why = fmt.Sprintf("PostgreSQL's statistics are old: %d of about %d rows have changed since.", size.Changed, size.Rows)
	}
	v.about(o, Finding{Code: codeOtherPlan, Message: fmt.Sprintf("batches of policy %q would pass by the index that leads to their rows in table %q", o.Policy, o.Table),
		Detail: fmt.Sprintf("Function %q %s. %s", v.install.Schema+"."+p.Batch, found.reads(), why),
		Hint:   fmt.Sprintf("ANALYZE %s;", v.table(o.Table))})
}
