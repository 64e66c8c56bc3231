package verifier

import "fmt"

var codeLostHold = register("V052", Reach, "a hold names a column that its table lacks")

func (v *inspection) holdLost(h lostHold) {
	v.add(Finding{Code: codeLostHold, Object: h.Table,
		Message: fmt.Sprintf("hold %d goes by column %q, which table %q lacks", h.ID, h.Column, h.Table),
		Detail:  fmt.Sprintf("It was placed for: %s. Policies that reach the table trip until it is gone. Hold the rows by the column's new name, then release this one.", h.Reason),
		Hint:    fmt.Sprintf("SELECT %s(%d, 'why');", v.runtime("release_hold"), h.ID)})
}
