package verifier

import (
	"fmt"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codeNoIndex = register("V024", Indexes, "no index leads a batch to its rows")

// noIndex: planned without sorting, the batch still reads and sorts.
func (v *inspection) noIndex(o generator.Object, p batchPlan, found []access) {
	v.about(o, Finding{Code: codeNoIndex, Message: fmt.Sprintf("no index leads batches of policy %q to their rows in table %q", o.Policy, found[0].Relation),
		Detail: fmt.Sprintf("Function %q %s, each time. Give that table an index like those of %q.", v.install.Schema+"."+p.Batch, found[0].reads(), o.Table),
		Hint:   v.seePlans(o)})
}

// notPlanned: what a batch cannot be planned for, it cannot do either.
func (v *inspection) notPlanned(o generator.Object, p batchPlan) {
	f := Finding{Code: codeNoIndex, Message: fmt.Sprintf("batches of policy %q cannot be planned", o.Policy),
		Detail: fmt.Sprintf("The server says: %s [%s].", p.Message, p.Code), Hint: v.seePlans(o)}
	switch {
	case p.Code == foreignCode:
		return
	case p.Code == "42501" && v.says(codeTableRights, o.Table): // insufficient_privilege
		return
	case p.Code == "55P03": // lock_not_available
		f.Code, f.Severity = codeTimeout, diag.Unknown
		f.Message = fmt.Sprintf("checking the plans of policy %q took too long", o.Policy)
		f.Hint = ""
	case !strings.HasPrefix(p.Code, "42"):
		f.Code, f.Severity = codeUnreadable, diag.Unknown
		f.Message = fmt.Sprintf("could not check how batches of policy %q find their rows", o.Policy)
	}
	v.about(o, f)
}

func (v *inspection) seePlans(o generator.Object) string {
	return fmt.Sprintf("SELECT batch, plan FROM %s(ARRAY[%s], true);", v.runtime("_plans"), quote.Literal(o.Policy))
}
