package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// locksRelated says whether a step locks its related rows before it acts on them: those that it changes,
// and those that it copies while another step of the policy changes or deletes them.
func (w *work) locksRelated(s step) bool {
	if s.Related == nil {
		return false
	}
	name := s.Related.Table.String()
	table := w.tableNamed(name)
	if table == nil || table.Kind != "table" && table.Kind != "partitioned" {
		return false // no lock can be had on a row of a view, and it has no place
	}
	own := name == tableName(w.table) && (w.deletes() || w.updates())
	return own || slices.Contains(slices.Concat(w.relatedTables(), w.reach(), w.unguarded()), name)
}

// lockedBy is the step that has locked the related rows of s: itself, or one before it that has copied the
// same rows, so that what goes is what was copied. Nil where they are not locked.
func (w *work) lockedBy(s step) *step {
	if !w.locksRelated(s) {
		return nil
	}
	for _, before := range slices.Backward(w.steps()[:s.number-1]) {
		if before.Insert == nil && before.Archive == nil && before.Emit == nil {
			break // it may have moved the rows
		}
		if sameRelated(before.Related, s.Related) {
			return w.lockedBy(before)
		}
	}
	return &s
}

func sameRelated(a, b *policy.Related) bool {
	return a != nil && a.Table.String() == b.Table.String() && a.As == b.As && a.Where.SQL == b.Where.SQL && len(a.Joins)+len(b.Joins) == 0
}

func (w *work) lockedText(s step) lockedText {
	text := lockedText{Tids: sqlText(fmt.Sprintf("v_tids_%d", s.number))}
	if several(w.tableNamed(s.Related.Table.String())) {
		text.Rels = sqlText(fmt.Sprintf("v_rels_%d", s.number))
	}
	return text
}

// several says whether rows of a table lie in several tables, in each of which a place may be the same.
func several(table *catalog.Table) bool {
	return table.Kind == "partitioned" || len(table.Children) > 0
}

// lockedTables are the related tables whose rows are locked.
func (w *work) lockedTables() []string {
	var names []string
	for _, s := range w.steps() {
		if w.locksRelated(s) {
			names = append(names, s.Related.Table.String())
		}
	}
	return names
}
