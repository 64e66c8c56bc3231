package verifier

import "fmt"

var codeLostHold = register("V052", Reach, "a hold is on what its table is not any more")

func (v *inspection) holdLost(h lostHold) {
	f := Finding{Code: codeLostHold, Object: h.Table,
		Message: fmt.Sprintf("hold %d goes by column %q, which table %q lacks", h.ID, h.Column, h.Table),
		Detail:  fmt.Sprintf("It was placed for: %s. Policies that reach the table trip until it is gone. Hold the rows by the column's new name, then release this one.", h.Reason),
		Hint:    v.release([]int64{h.ID})}
	if h.Above != "" {
		f.Message = fmt.Sprintf("hold %d is on table %q, which is a partition of %q now", h.ID, h.Table, h.Above)
		f.Detail = fmt.Sprintf("It was placed for: %s. Policies that reach %q trip until it is gone. Hold the rows once more, which names them by that table, then release this one.", h.Reason, h.Above)
	}
	v.add(f)
}
