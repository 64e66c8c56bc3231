package generator

import (
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

// refuseWithoutKey refuses what a policy can do only with rows that have a key. Without a key, a
// run reads its rows in the order of an indexed clock, and no step may change a row's place.
func (w *policyCompiler) refuseWithoutKey() {
	if len(w.table.PrimaryKey) > 0 || w.policy.Partitions {
		return
	}
	refuse := func(needs messages.NeedsRowKey, at diag.Position) {
		w.fail(messages.NoKey(w.policy.Table.String(), needs), at)
	}
	if w.policy.Due == nil {
		refuse(messages.KeyForNoClock, w.policy.Table.Position)
	}
	for i, entry := range w.policy.DueEntries() {
		k := w.clocks[i]
		switch {
		case entry.Beyond != nil:
			refuse(messages.KeyForRank, entry.Beyond.Position)
		case k == nil: // refused before
		case !(pass{clock: k}).byClock():
			refuse(messages.KeyForClock, entry.Clock.ColumnPos)
		case entry.Clock.NullsDue:
			refuse(messages.KeyForNulls, entry.Clock.Position)
		}
	}
	for _, g := range w.policy.Keep {
		if g.Rank != nil {
			refuse(messages.KeyForRank, g.Rank.Position)
		}
	}
	w.refuseStepsWithoutKey(refuse)
	if c := w.policy.Claim; c != nil {
		refuse(messages.KeyForClaim, c.Position)
	}
	if t := w.policy.Touch; t != nil {
		refuse(messages.KeyForTouch, t.Position)
	}
}

func (w *policyCompiler) refuseStepsWithoutKey(refuse func(messages.NeedsRowKey, diag.Position)) {
	refused := false
	for _, s := range w.steps {
		ofNewest := func(a policy.Assignment) bool { return !w.isAggregate(a) && w.fromRow(s, a) }
		switch {
		case s.Related != nil:
			refused = true
			refuse(messages.KeyForOtherTable, s.Position)
		case s.Insert != nil && len(s.Insert.Key)+len(s.Insert.Per) > 0 && slices.ContainsFunc(s.Insert.Set, ofNewest):
			refuse(messages.KeyForNewest, s.Position)
		case s.Insert != nil, s.Emit != nil, s.Archive != nil:
		case s.Delete == nil:
			refused = true
			refuse(messages.KeyForStep, s.Position)
		case !s.untouched && !refused:
			refuse(messages.KeyForLastDelete, s.Position)
		}
	}
}
