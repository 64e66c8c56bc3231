package generator

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// step is one effect of a policy, with what the steps before it have done.
type step struct {
	policy.Step
	number    int  // from 1
	untouched bool // no step before it can have written rows of the policy's table
}

// steps lists the policy's steps.
func (w *work) steps() []step {
	list := make([]step, len(w.policy.Then))
	untouched := !w.policy.Partitions // whose rows are no table's
	for i, s := range w.policy.Then {
		list[i] = step{s, i + 1, untouched}
		untouched = untouched && !w.writesOwn(s) && !w.wakesTrigger(s)
	}
	return list
}

// wakesTrigger says whether a step may write rows of the policy's own table through a trigger of the application
// on another one. The snapshot has those on DELETE; of others it is known where the policy names one.
func (w *work) wakesTrigger(s policy.Step) bool {
	elsewhere := func(n policy.Name) bool {
		return !slices.ContainsFunc(w.table.Triggers, func(t catalog.Trigger) bool { return t.Name == n.Text })
	}
	if s.Emit == nil && slices.ContainsFunc(w.policy.Triggers, elsewhere) {
		return true
	}
	if s.Delete == nil || s.Related == nil {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(s.Delete.Cascades), s.Related.Table), func(t policy.Table) bool {
		return w.hasTrigger(w.tableNamed(t.String()))
	})
}

// hasTrigger says whether a trigger of the application is on a table or one of its partitions.
func (w *work) hasTrigger(table *catalog.Table) bool {
	return table != nil && (len(table.Triggers) > 0 || slices.ContainsFunc(table.Children, func(child string) bool {
		return w.hasTrigger(w.tableNamed(child))
	}))
}

// writesOwn says whether a step may write rows of the policy's own table.
func (w *work) writesOwn(s policy.Step) bool {
	own := s.Related == nil || s.Related.Table.String() == tableName(w.table)
	switch {
	case s.SQL != nil, s.DropTable != nil:
		return true
	case s.Delete != nil:
		return own || slices.ContainsFunc(s.Delete.Cascades, func(t policy.Table) bool { return t.String() == tableName(w.table) })
	case s.Update != nil:
		return own
	}
	return false
}

// render is the SQL of one effect of the batch. A new kind of step is a case here and a template.
func (w *work) render(s step, d batchData) sqlText {
	saved := w.binder
	defer func() { w.binder = saved }()
	w.binder.inStep = true
	w.enterHeaders(s)
	if w.readsRelation(s) {
		w.binder.batch = fragment("batch in parentheses", w.rowsOf(s, d, false))
	}
	if s.Related != nil {
		if !w.enterRelated(s) {
			return ""
		}
	}
	switch {
	case s.Delete != nil && s.Related != nil:
		return w.deleteRelated(s, d)
	case s.Delete != nil:
		return w.deleteOwn(s, d)
	case s.Update != nil && s.Related != nil:
		return w.updateRelated(s, d)
	case s.Update != nil:
		return w.updateOwn(s, d)
	case s.Insert != nil:
		return w.insert(s, d)
	case s.Archive != nil:
		return w.archive(s, d)
	case s.Emit != nil:
		return w.emit(s, d)
	case s.SQL != nil:
		return w.statement(s, d)
	case s.Detach != nil || s.Drop != nil:
		return w.takeAway(s)
	case s.DropTable != nil:
		return w.dropTable(s, d)
	}
	w.refuse(s.Position, codeStep, "this step cannot be generated here", "")
	return ""
}

// readsRelation says whether an expression of a step reads the relation "batch".
func (w *work) readsRelation(s step) bool {
	return slices.ContainsFunc(s.expressions(), func(e policy.Expr) bool {
		parsed, ok := w.parseAny(e)
		return ok && namesBatch(parsed.Tables)
	})
}

// enterHeaders makes the columns of the header rows of earlier steps known.
func (w *work) enterHeaders(s step) {
	for _, h := range w.policy.Then[:s.number-1] {
		if h.Insert != nil && h.Insert.As != "" {
			w.binder.aliases = withAlias(w.binder.aliases, h.Insert.As, w.tableNamed(h.Insert.Into.String()))
		}
	}
}

// enterRelated makes the names of a step on related rows known.
func (w *work) enterRelated(s step) bool {
	table := w.relation(s.Related.Table)
	if table == nil {
		return false
	}
	w.binder.aliases = withAlias(w.binder.aliases, s.Related.As, table)
	w.binder.scalars = w.asScalars(s.Related.Joins, w.binder.scalars)
	return true
}

func withAlias(aliases map[string]*catalog.Table, name string, table *catalog.Table) map[string]*catalog.Table {
	copied := map[string]*catalog.Table{name: table}
	for k, v := range aliases {
		if k != name {
			copied[k] = v
		}
	}
	return copied
}

// expressions are the expressions of a step.
func (s step) expressions() []policy.Expr {
	var list []policy.Expr
	for _, part := range (&policy.Policy{Then: []policy.Step{s.Step}}).Parts() {
		list = append(list, part.Expr)
	}
	return list
}

// condition is a step's "where" on the batch's rows, nothing when it takes them all.
func (w *work) condition(s step) []sqlText {
	if s.Where == nil {
		return nil
	}
	return []sqlText{enclosed(w.bind(*s.Where))}
}

// stepText executes a step's template. Its text is not a fragment: it stands at the margin.
func stepText(name string, data any) sqlText {
	return sqlText(strings.TrimRight(execute(name+".sql.tmpl", data), "\n"))
}

// columnsRead lists the columns of t that an expression may read: a bare name inside a sub-select
// counts too, since it means t's column where the sub-select has none of that name.
func (w *work) columnsRead(e *pgparse.Expr, alias string) []string {
	names := w.partitionColumns(e)
	for _, ref := range e.Columns {
		switch {
		case ref.Star && len(ref.Fields) == 1 && ref.Fields[0] == "t", len(ref.Fields) == 1 && ref.Fields[0] == "t":
			names = append(names, columnNames(w.table)...)
		case len(ref.Fields) == 2 && ref.Fields[0] == "t":
			names = append(names, ref.Fields[1])
		case len(ref.Fields) == 1 && ref.Fields[0] != alias && w.table.Column(ref.Fields[0]) != nil:
			names = append(names, ref.Fields[0])
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return w.table.Column(name) == nil })
}

func (w *work) searchPath() []ident {
	path := make([]ident, len(w.file.Install.SearchPath))
	for i, name := range w.file.Install.SearchPath {
		path[i] = ident(name)
	}
	return path
}

func textArray(values []string) sqlText { return sqlText(quote.Array(values)) }
