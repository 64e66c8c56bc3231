package generator

import (
	"fmt"
)

// scopeText is a column that may narrow the policy.
type scopeText struct {
	Variable, Value, Type sqlText
}

// scopeTexts are the variables that hold the values which narrow a run.
func (w *work) scopeTexts() []scopeText {
	if w.scope == "" {
		return nil
	}
	var list []scopeText
	for i, name := range w.policy.Scope {
		column := w.table.Column(name.Text)
		if column == nil {
			w.refuse(name.Position, codeNoColumn, fmt.Sprintf("table %q has no column %q", tableName(w.table), name.Text), didYouMean(name.Text, columnNames(w.table)))
			continue
		}
		value := fragment("scope value", struct {
			Scope sqlText
			Name  literal
		}{w.scope, literal(name.Text)})
		variable := sqlText(fmt.Sprintf("v_scope_%d", i+1))
		if w.inline {
			variable = fragment("typed", struct{ Value, Type sqlText }{value, sqlText(column.Type)})
		}
		list = append(list, scopeText{variable, value, sqlText(column.Type)})
	}
	return list
}

// scopeConditions hold for the rows that a run with a scope may take.
func (w *work) scopeConditions() []sqlText {
	var list []sqlText
	for i, s := range w.scopeTexts() {
		list = append(list, fragment("in scope", struct {
			Variable sqlText
			Column   ident
		}{s.Variable, ident(w.policy.Scope[i].Text)}))
	}
	return list
}
