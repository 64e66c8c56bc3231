package generator

import (
	"slices"

	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// rows is the batch in a step's FROM clause, as the alias t with joins and headers beside it.
type rows struct {
	From  sqlText
	Where []sqlText
	plain bool // the table itself
}

// rowsOf is the batch as a step's expressions read it. While no step has written the rows, they
// are read from the table; later from what was saved. Numbered makes batch.n their order.
func (w *work) rowsOf(s step, d batchData, numbered bool) rows {
	data := struct {
		Table      sqlText
		Many, Live bool
		Numbered   bool
		Fields     []sqlText
		Columns    []saved
		Joins      []savedAlias
		Headers    []headerText
	}{Table: d.Table, Many: d.Many, Live: s.untouched, Numbered: numbered}
	w.numbered = w.numbered || numbered
	for _, h := range w.headersRead(s) {
		data.Headers = append(data.Headers, w.headerText(h))
	}
	data.Joins = w.joinsOf(s, d.Saved)
	if d.InRange {
		return rows{"t", nil, true}
	}
	if s.untouched && !numbered && len(data.Joins)+len(data.Headers) == 0 {
		return rows{fragment("table as t", d.Table), ofBatch(d), true}
	}
	for _, v := range d.Saved {
		read := slices.ContainsFunc(data.Joins, func(j savedAlias) bool { return string(j.Name) == v.alias })
		if v.alias == "t" && !s.untouched {
			data.Columns = append(data.Columns, v)
			read = true
		}
		if read {
			data.Fields = append(data.Fields, v.Field)
		}
	}
	return rows{fragment("batch rows", data), nil, false}
}

// ofBatch ties t to the rows of the batch.
func ofBatch(d batchData) []sqlText {
	conditions := []sqlText{"t.ctid = ANY (v_tids)"}
	if d.Many {
		conditions = append(conditions, fragment("same partitions", nil))
	}
	return conditions
}

// savedAlias is a join as it was judged.
type savedAlias struct {
	Name    ident
	Columns []saved
}

func (w *work) joinsOf(s step, all []saved) []savedAlias {
	var list []savedAlias
	for i, j := range w.policy.Joins {
		alias := savedAlias{Name: ident(j.Name)}
		for _, e := range w.allExpressions(s) {
			w.joinColumns(e, func(join int, column string) {
				if join == i {
					alias.Columns = addSaved(alias.Columns, all, j.Name, column)
				}
			})
		}
		if len(alias.Columns) > 0 {
			list = append(list, alias)
		}
	}
	return list
}

func addSaved(list, all []saved, join, column string) []saved {
	same := func(s saved) bool { return s.alias == join && string(s.Column) == column }
	if i := slices.IndexFunc(all, same); i >= 0 && !slices.ContainsFunc(list, same) {
		return append(list, all[i])
	}
	return list
}

// headersRead lists the steps before s that inserted the header rows which s reads.
func (w *work) headersRead(s step) []step {
	var list []step
	for _, h := range w.steps()[:s.number-1] {
		if h.Insert == nil || h.Insert.As == "" {
			continue
		}
		if slices.ContainsFunc(s.expressions(), func(e policy.Expr) bool { return w.mentions(e, h.Insert.As) }) {
			list = append(list, h)
		}
	}
	return list
}

// mentions says whether an expression reads a column of a relation called name.
func (w *work) mentions(e policy.Expr, name string) bool {
	parsed, ok := w.parseAny(e)
	return ok && slices.ContainsFunc(parsed.Columns, func(ref pgparse.ColumnRef) bool {
		return len(ref.Fields) > 1 && ref.Fields[0] == name && !(ref.Depth > 0 && named(parsed.Tables, name))
	})
}

// headerText ties the header rows of an earlier step to the batch.
type headerText struct {
	Name     ident
	Variable sqlText
	On       []sqlText
}

func (w *work) headerText(h step) headerText {
	text := headerText{Name: ident(h.Insert.As), Variable: headerVariable(h)}
	for _, a := range h.Insert.Per {
		text.On = append(text.On, fragment("group same", struct{ Left, Right sqlText }{
			fragment("aliased column", struct{ Alias, Column ident }{text.Name, ident(a.Column)}),
			enclosed(w.bind(a.Value))}))
	}
	return text
}

// readsBatch says whether expressions read the batch's rows, joins or headers.
func (w *work) readsBatch(s step, list ...policy.Expr) bool {
	names := []string{"t"}
	for _, j := range w.policy.Joins {
		names = append(names, j.Name)
	}
	for _, h := range w.steps()[:s.number-1] {
		if h.Insert != nil && h.Insert.As != "" {
			names = append(names, h.Insert.As)
		}
	}
	return slices.ContainsFunc(list, func(e policy.Expr) bool {
		parsed, ok := w.parseAny(e)
		return ok && (len(w.columnsRead(parsed, "")) > 0 ||
			slices.ContainsFunc(names, func(name string) bool { return w.mentions(e, name) }))
	}) || s.Related != nil && len(s.Related.Joins) > 0
}

// parseAny parses what may be an expression, a query or a statement.
func (w *work) parseAny(e policy.Expr) (*pgparse.Expr, bool) {
	parsed, err := pgparse.Expression(e.SQL)
	if err != nil {
		parsed, err = pgparse.Query(e.SQL)
	}
	if err != nil {
		statement, failed := pgparse.ParseStatement(e.SQL)
		if failed != nil {
			return nil, false
		}
		return &statement.Expr, true
	}
	return parsed, true
}
