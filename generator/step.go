package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// step renders one effect of the batch. A new kind of step is a case here and a template.
func (w *work) step(s policy.Step, d batchData) sqlText {
	switch {
	case s.Delete != nil && s.Related != nil:
		return w.deleteRelated(s, d)
	case s.Delete != nil:
		return w.deleteOwn(s, d)
	}
	w.refuse(s.Position, codeStep, "this step cannot be generated", "")
	return ""
}

func (w *work) deleteOwn(d policy.Step, b batchData) sqlText {
	where := sqlText("")
	if d.Where != nil {
		where = fragment("parenthesised", w.bind(*d.Where))
		w.refuseJoins(d.Where, "a step cannot read a join")
	}
	return stepText("step_delete", struct {
		Table, Where sqlText
		Many         bool
	}{b.Table, where, b.Many})
}

func (w *work) deleteRelated(d policy.Step, b batchData) sqlText {
	table := w.snapshot.Table(d.Related.Table.String())
	if table == nil {
		return "" // reported before
	}
	as := sqlText(ident(d.Related.As).String())
	where := w.bind(d.Related.Where)
	w.refuseJoins(&d.Related.Where, "a step cannot read a join")
	return stepText("step_delete_related", struct {
		Comment           string
		Table, As, Where  sqlText
		Held              []sqlText
		HeldMessage, Name literal
		Saved             []saved
	}{
		comment(tableName(table)), quotedTable(d.Related.Table), as, where,
		w.holdsOn(table, as, d.Delete.Cascades),
		literal(fmt.Sprintf("a held row of %q, or one that it cascades to, would be deleted", tableName(table))),
		literal(tableName(table)), b.Saved,
	})
}

func stepText(name string, data any) sqlText {
	return sqlText(strings.TrimRight(execute(name+".sql.tmpl", data), "\n"))
}

// saved lists the columns of t that steps on related rows read. They are kept as they were judged,
// because the rows may be gone when a later step asks for them.
func (w *work) saved() []saved {
	var names []string
	for _, step := range w.policy.Then {
		if step.Related == nil {
			continue
		}
		parsed, ok := w.parse(step.Related.Where)
		if !ok {
			continue
		}
		for _, name := range w.columnsRead(parsed.parsed, step.Related.As) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	list := make([]saved, len(names))
	for i, name := range names {
		list[i] = w.savedColumn(name)
	}
	return list
}

// columnsRead lists the columns of t that an expression may read: a bare name inside a sub-select
// counts too, since it means t's column where the sub-select has none of that name.
func (w *work) columnsRead(e *pgparse.Expr, alias string) []string {
	var names []string
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

func (w *work) savedColumn(name string) saved {
	typ := w.table.Column(name).Type
	variable := sqlText(fmt.Sprintf("v_t_%d", slices.IndexFunc(w.table.Columns, columnNamed(name))+1))
	s := saved{Expr: fragment("t column", ident(name)), Name: variable, Variable: variable, Type: typ, Column: ident(name)}
	if strings.HasSuffix(typ, "[]") {
		// An array of arrays would have to be a rectangle.
		s.Expr, s.Type, s.Cast = fragment("as text", s.Expr), "text", typ
	}
	return s
}

func (w *work) searchPath() []ident {
	path := make([]ident, len(w.file.Install.SearchPath))
	for i, name := range w.file.Install.SearchPath {
		path[i] = ident(name)
	}
	return path
}

func textArray(values []string) sqlText { return sqlText(quote.Array(values)) }

// dollarTag is a dollar quote that does not occur in text.
func dollarTag(text string) string {
	tag := "$function$"
	for i := 1; strings.Contains(text, tag); i++ {
		tag = fmt.Sprintf("$function%d$", i)
	}
	return tag
}
