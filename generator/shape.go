package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// alsoText is what shape RANGE writes beside the delete.
type alsoText struct {
	Name, Variable, Statement sqlText
	Counted                   literal // under which rows are counted
	Copies                    bool    // as many rows as are deleted
}

// rangeShape says whether a pass may judge and act in one statement: everything it reads is the
// row's own, or of tables that a lock keeps as they are, and nothing but the rows themselves is deleted or updated.
func (w *work) rangeShape(p pass) bool {
	if len(w.joins) > 0 || p.byKey || p.beyond != nil && (p.clock != nil || !w.byThreshold(p.beyond)) {
		return false
	}
	if _, ok := w.shares(); !ok {
		return false
	}
	if w.where != nil && !w.where.own || p.clock != nil && p.clock.mark != "" {
		return false
	}
	return w.oneStatement() && (p.clock == nil || p.clock.own && p.clock.tiersOwn)
}

// byThreshold says whether the rows past the first ones of a group are those from a row on, in an order of columns that
// are compared as one: what the statement locks is then checked once more by itself.
func (w *work) byThreshold(r *ranked) bool {
	if r.Count != nil || r.WithTies || len(r.Keys) == 0 || len(w.guards) > 0 || len(w.policy.Scope) > 0 || !w.deletes() {
		return false
	}
	if r.source.Among != nil && !w.readsOwnColumns(*r.source.Among) || slices.ContainsFunc(r.Keys, func(k groupKey) bool { return k.column == "" || !k.notNull }) {
		return false
	}
	for i, item := range r.Order {
		if item.column == "" || item.Descending != r.Order[0].Descending || i > 0 && !w.table.Column(item.column).NotNull {
			return false
		}
	}
	return true
}

// shared is a table that guards read, and the lock that keeps it as it is while a batch judges and takes.
type shared struct {
	Table sqlText
	Mode  sqlText
}

// shares are the tables that guards read; false where a lock on them does not keep what guards say: they read
// the policy's own table, something that is no table, or what a function reads. SHARE lets other runs read the same
// guards; a table that the policy writes itself gets the lock that no two of them can have.
func (w *work) shares() ([]shared, bool) {
	var list []shared
	for i, g := range w.guards {
		condition := w.policy.Keep[i].Condition
		if g.rank != nil || condition == nil {
			return nil, false
		}
		parsed, ok := w.parse(*condition)
		if !ok || !harmlessOnly(parsed.parsed) {
			return nil, false
		}
		for _, ref := range parsed.parsed.Tables {
			table := w.lookUp(ref)
			if table == nil || table.Kind != "table" && table.Kind != "partitioned" || w.root(tableName(table)) == tableName(w.table) {
				return nil, false
			}
			s := shared{Table: qualified(table), Mode: "SHARE"}
			if w.writesTo(tableName(table)) {
				s.Mode = "SHARE ROW EXCLUSIVE"
			}
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b shared) int { return strings.Compare(string(a.Table), string(b.Table)) })
	return list, true
}

// writesTo says whether the policy's steps, or foreign keys that they meet, change a table.
func (w *work) writesTo(name string) bool {
	return slices.Contains(w.reach(), name) || slices.ContainsFunc(w.policy.Uses(), func(use policy.Use) bool {
		return use.Table.String() == name && (use.Access.Insert || use.Access.Update || use.Access.Delete)
	})
}

// share is <policy>_share: the locks on the tables that guards read. SELECT on a table gives no such lock, so that it
// belongs to the role that migrates.
func (w *work) share() []Object {
	list, _ := w.shares()
	if !w.inRange() || len(list) == 0 {
		return nil
	}
	data := struct {
		Schema, Function, Signature, Policy string
		Shares                              []shared
	}{w.schema(), w.policy.Name + "_share", w.policy.Name + "_share()", w.policy.Name, list}
	return []Object{w.asMigrator(w.function(data.Signature, "share", data))}
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
			w.relyOnColumns(s, w.table)
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
