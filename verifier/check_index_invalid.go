package verifier

import "pgretain/generator"

var codeIndexInvalid = register("V021", Indexes, "an index is not usable")

func (v *inspection) indexInvalid(o generator.Object, live index) {
	v.about(o, Finding{Code: codeIndexInvalid, Message: live.on(o) + " is invalid",
		Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: v.buildHint(o)})
}
