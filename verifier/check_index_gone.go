package verifier

import (
	"fmt"

	"pgretain/generator"
)

var codeIndexGone = register("V023", Indexes, "an index of the table's own that a policy goes by is gone")

// indexGone: state says what became of the index, as far as it is there.
func (v *inspection) indexGone(o generator.Object, need generator.IndexNeed, state string) {
	f := Finding{Code: codeIndexGone, Message: fmt.Sprintf("no index serves policy %q on table %q any more", o.Policy, need.Table),
		Detail: fmt.Sprintf("It went by index %q, which %s. Its runs read the whole table. Build one, or have one of the policy's own made: take a snapshot again, generate, and migrate.", need.Index, state),
		Hint:   fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s);", v.table(need.Table), need.Items())}
	if need.Primary {
		f.Detail = fmt.Sprintf("It went by the primary key %q, which %s. Its runs read the whole table.", need.Index, state)
		f.Hint = fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s);", v.table(need.Table), need.Items())
	}
	v.about(o, f)
}
