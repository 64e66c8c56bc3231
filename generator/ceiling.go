package generator

import (
	"fmt"

	"pgretain/policy"
)

// ceiling is the value of a clock's up_to.
func (w *work) ceiling(k *clock, number int) {
	if k.source.UpTo == nil {
		return
	}
	name := ceilingName(number)
	k.upTo = w.ceilingValue(k, name)
}

func ceilingName(number int) string { return fmt.Sprintf("up_to_%d", number) }

// ceilingValue is read once per run; functions that no run calls read it themselves.
func (w *work) ceilingValue(k *clock, name string) sqlText {
	data := struct {
		Query sqlText
		Name  literal
		Type  string
	}{w.bindQuery(*k.source.UpTo), literal(name), k.typ}
	if w.stored {
		return fragment("stored value", data)
	}
	return fragment("query value", data)
}

// markOf is the value of a position's watermark.
func (w *work) markOf(k *clock) {
	if k.source.Watermark == nil {
		return
	}
	k.mark = fragment("watermark", w.watermark(k.source.Watermark))
}

// watermarkData is what templates read of a watermark.
type watermarkData struct {
	Table  sqlText
	Column ident
	Where  sqlText
}

func (w *work) watermark(m *policy.Watermark) watermarkData {
	d := watermarkData{Table: quotedTable(m.Table), Column: ident(m.Column)}
	table := w.relation(m.Table)
	if table == nil {
		return d
	}
	if table.Column(m.Column) == nil {
		w.refuse(m.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", m.Table, m.Column), didYouMean(m.Column, columnNames(table)))
	}
	if m.Where != nil {
		saved := w.binder.table
		w.binder.table = table
		d.Where = enclosed(w.bind(*m.Where))
		w.binder.table = saved
	}
	return d
}
