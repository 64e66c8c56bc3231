package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// alsoText is what shape RANGE writes beside the delete.
type alsoText struct {
	Name, Variable, Statement sqlText
	Counted                   literal // under which rows are counted
	Copies                    bool    // as many rows as are deleted
	Known                     *knownText
}

// rangeShape says whether a pass may judge and act in one statement: everything it reads is the
// row's own, and nothing but the rows themselves is deleted or updated.
func (w *work) rangeShape(p pass) bool {
	if p.beyond != nil || len(w.guards) > 0 || len(w.joins) > 0 || p.byKey {
		return false
	}
	if w.where != nil && !w.where.own || p.clock != nil && p.clock.mark != "" {
		return false
	}
	return w.oneStatement() && (p.clock == nil || p.clock.own && p.clock.tiersOwn)
}

// oneStatement says whether all steps fit into the statement that judges: an update or delete of
// the batch's own rows, and beside a delete what is written from them, each into a table of its own.
func (w *work) oneStatement() bool {
	if len(w.policy.Then) == 1 {
		return w.plainStep(w.policy.Then[0])
	}
	deletes := 0
	into := []string{tableName(w.table)}
	for _, s := range w.policy.Then {
		target := ""
		switch {
		case !w.plainStep(s) && !w.plainWrite(s) || s.Update != nil:
			return false
		case s.Delete != nil:
			deletes++
			continue
		case s.Insert != nil:
			target = s.Insert.Into.String()
		case s.Archive != nil:
			target = s.Archive.Into.String()
		case s.Emit != nil:
			target = w.schema() + ".event"
		}
		if slices.Contains(into, target) {
			return false
		}
		into = append(into, target)
	}
	return deletes == 1
}

// plainWrite says whether a step writes from the batch's rows what their own columns say.
func (w *work) plainWrite(s policy.Step) bool {
	if s.Related != nil || s.Insert == nil && s.Archive == nil && s.Emit == nil || s.Insert != nil && s.Insert.As != "" {
		return false
	}
	return !slices.ContainsFunc((&policy.Policy{Then: []policy.Step{s}}).Parts(), func(part policy.Part) bool { return !w.readsRowOnly(part.Expr) })
}

// readsRowOnly says whether a value reads the row, the run and as_of, and no table.
func (w *work) readsRowOnly(e policy.Expr) bool {
	parsed, ok := w.parse(e)
	if !ok || parsed.parsed.Subquery {
		return false
	}
	return !slices.ContainsFunc(parsed.parsed.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 1 && ref.Fields[0] != "t" && ref.Fields[0] != "run"
	})
}

// plainStep says whether a step deletes or updates the batch's own rows, and reads nothing else.
func (w *work) plainStep(s policy.Step) bool {
	switch {
	case s.Where != nil || s.Related != nil:
		return false
	case s.Update != nil:
		return len(s.Update.Undo) == 0 && !slices.ContainsFunc(s.Update.Set, func(a policy.Assignment) bool { return !w.readsOwnColumns(a.Value) })
	}
	return s.Delete != nil
}

// alsoTexts are the inserts of shape RANGE.
func (w *work) alsoTexts(d batchData) []alsoText {
	d.InRange = true
	var list []alsoText
	for _, s := range w.steps() {
		also := alsoText{Name: sqlText(fmt.Sprintf("step_%d", s.number)), Variable: sqlText(fmt.Sprintf("v_written_%d", s.number))}
		switch {
		case s.Insert != nil:
			also.Counted = literal(s.Insert.Into.String())
		case s.Archive != nil:
			also.Counted, also.Copies = literal(s.Archive.Into.String()), w.copyCounter(s) != ""
			also.Known = w.knownColumns(s, w.table)
		case s.Emit != nil:
			also.Counted = literal(w.schema() + ".event")
		default:
			continue
		}
		also.Statement = w.render(s, d)
		list = append(list, also)
	}
	return list
}
