package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeCoverageName = register("V081", Coverage, "a schema or exemption that names nothing")

func (v *inspection) noSchema(schema policy.Name) {
	v.add(Finding{Code: codeCoverageName, Object: schema.Text, Position: schema.Position,
		Message: fmt.Sprintf("schema %q of \"coverage\" does not exist", schema.Text),
		Detail:  "Whatever it was renamed to is not looked at.", Hint: "Write its new name, or take it out."})
}

// lostExemption: a table that is gone; for information, one that is not looked at anyway.
func (v *inspection) lostExemption(e policy.Exemption, found coverageName) {
	f := Finding{Code: codeCoverageName, Object: e.Table.String(), Position: e.Table.Position, Hint: "Take the exemption out."}
	if e.Reason != "" {
		f.Detail = fmt.Sprintf("It is exempt for: %s.", e.Reason)
	}
	if found.Found {
		f.Severity = Info
		f.Message = fmt.Sprintf("table %q needs no exemption: %s", e.Table, found.Useless)
	} else {
		f.Message = fmt.Sprintf("table %q is exempt and does not exist", e.Table)
		f.Hint = "Write its new name, or take the exemption out."
	}
	v.add(f)
}
