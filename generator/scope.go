package generator

import "fmt"

// scopeConditions hold for the rows that a run with a scope may take.
func (w *work) scopeConditions() []sqlText {
	var list []sqlText
	for _, name := range w.policy.Scope {
		column := w.table.Column(name.Text)
		switch {
		case w.scope == "":
		case column == nil:
			w.refuse(name.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(w.table), name.Text), didYouMean(name.Text, columnNames(w.table)))
		default:
			value := fragment("scope value", struct {
				Scope sqlText
				Name  literal
			}{w.scope, literal(name.Text)})
			list = append(list, fragment("in scope", struct {
				Value, Type sqlText
				Column      ident
			}{value, sqlText(column.Type), ident(name.Text)}))
		}
	}
	return list
}
