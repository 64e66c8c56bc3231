package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// rowKey returns the columns that identify a row of a table: its key, or the row's place if the
// table has no key. A place identifies a row only while a lock or a snapshot keeps the row there.
// Between two batches a row can move, so a position that contains a place only orders rows of one
// clock value.
func rowKey(table *catalog.Table) []string {
	switch {
	case len(table.PrimaryKey) > 0:
		return table.PrimaryKey
	case inSeveralTables(table):
		return []string{"tableoid", "ctid"}
	}
	return []string{"ctid"}
}

// placeTypes are the types of the system columns that are a row's place.
var placeTypes = map[string]sqlText{"tableoid": "oid", "ctid": "tid"}

// keyHint says how a table gets a key.
const keyHint = "Add a primary key, or a unique index over NOT NULL columns that is neither partial nor " +
	"deferrable. Then run \"pgretain snapshot\"."

// refuseWithoutKey refuses what a policy can do only with rows that have a key. Without a key, a
// run reads its rows in the order of an indexed clock, and no step may change a row's place.
func (w *policyCompiler) refuseWithoutKey() {
	if len(w.table.PrimaryKey) > 0 || w.policy.Partitions {
		return
	}
	refuse := func(at diag.Position, what, why string) {
		w.refuseWith(at, messages.CodeNoKey, fmt.Sprintf("table %q has no key, so %s cannot be used", w.policy.Table,
			what),
			why, keyHint)
	}
	const order = "Without a key, a run reads the rows in the order of a clock that an index contains."
	if w.policy.Due == nil {
		refuse(w.policy.Table.Position, "a policy without a clock", order)
	}
	for i, entry := range w.policy.DueEntries() {
		k := w.clocks[i]
		switch {
		case entry.Beyond != nil:
			refuse(entry.Beyond.Position, "a rank", "The key decides between rows of the same rank.")
		case k == nil: // refused before
		case !(pass{clock: k}).byClock():
			refuse(entry.Clock.ColumnPos, "this clock", order+" No index can contain this clock.")
		case entry.Clock.NullsDue:
			refuse(entry.Clock.Position, `"nulls: due"`,
				"A run reads rows without a timestamp in the order of the key.")
		}
	}
	for _, g := range w.policy.Keep {
		if g.Rank != nil {
			refuse(g.Rank.Position, "a rank", "The key decides between rows of the same rank.")
		}
	}
	w.refuseStepsWithoutKey(refuse)
	if c := w.policy.Claim; c != nil {
		refuse(c.Position, `"claim"`, "A claim finds its row by a key.")
	}
	if t := w.policy.Touch; t != nil {
		refuse(t.Position, `"touch"`, "The function finds and orders its rows by a key.")
	}
}

func (w *policyCompiler) refuseStepsWithoutKey(refuse func(at diag.Position, what, why string)) {
	const which = "Without a key, a policy can delete, archive, insert and emit its own rows."
	refused := false
	for _, s := range w.steps {
		ofNewest := func(a policy.Assignment) bool { return !w.isAggregate(a) && w.fromRow(s, a) }
		switch {
		case s.Related != nil:
			refused = true
			refuse(s.Position, "a step on rows of another table", which)
		case s.Insert != nil && len(s.Insert.Key)+len(s.Insert.Per) > 0 && slices.ContainsFunc(s.Insert.Set, ofNewest):
			refuse(s.Position, "a value of the newest row", "The key decides which of several rows is the newest one.")
		case s.Insert != nil, s.Emit != nil, s.Archive != nil:
		case s.Delete == nil:
			refused = true
			refuse(s.Position, "this step", which)
		case !s.untouched && !refused:
			refuse(s.Position, `"delete" after a step with triggers`, "A trigger may move the rows of the batch, and "+
				"without a key the step cannot find them again.")
		}
	}
}
