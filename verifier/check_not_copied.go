package verifier

import (
	"fmt"

	"pgretain/policy"
)

var codeNotCopied = register("V032", Tables, "an archive lacks a column of the rows that go there")

func (v *inspection) notCopied(p *policy.Policy, s policy.Step, from policy.Table, column string) {
	v.add(Finding{Code: codeNotCopied, Object: s.Archive.Into.String() + "." + column, Policy: p.Name, Position: s.Archive.Into.Position,
		Message: fmt.Sprintf("archive %q of policy %q has no column %q of table %q", s.Archive.Into, p.Name, column, from),
		Detail:  "Rows go without a copy of it.",
		Hint:    `Add the column to the archive, or name it under "set"; then run "pgretain snapshot" and "pgretain generate".`})
}
