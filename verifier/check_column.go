package verifier

import (
	"fmt"
	"strings"
)

var codeColumn = register("V035", Tables, "a column that a migration made is not as the policy wants it")

func (v *inspection) columnHasOtherType(w ensured) {
	f := w.finding("type")
	f.Want, f.Got = w.column.Type, w.live.Type
	f.Hint = "Write a migration of your own that gives it the wanted type, or write the type that it has in the policy file, then generate and migrate."
	v.about(w.Object, f)
}

func (v *inspection) columnHasOtherDefault(w ensured) {
	f := w.finding("default")
	f.Want, f.Got = "none", w.live.Default
	if w.column.Default != nil {
		f.Want = w.column.Default.SQL
	}
	if f.Got == "" {
		f.Got = "none"
	}
	f.Detail = "Rows that the application writes get another value, or none."
	f.Hint = v.inPath([]string{strings.TrimSpace(w.SQL[strings.LastIndex(w.SQL, "ALTER TABLE "):])})
	v.about(w.Object, f)
}

func (w ensured) finding(what string) Finding {
	return Finding{Code: codeColumn, Message: fmt.Sprintf("column %q of table %q of policy %q has another %s", w.column.Name, w.policy.Table, w.policy.Name, what)}
}
