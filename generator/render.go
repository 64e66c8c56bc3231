package generator

import (
	"fmt"
	"strings"
	"text/template"

	"pgretain/templates"
)

// set is every template, parsed once. A template that cannot be parsed is a mistake of ours that
// any test meets.
var set = template.Must(template.New("").Option("missingkey=error").ParseFS(templates.FS, "*.sql.tmpl"))

// render executes the template of an object.
func execute(name string, data any) string {
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("generator: rendering %s: %v", name, err)) // data and template disagree: ours
	}
	return b.String()
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	return strings.TrimRight(execute(name+".sql.tmpl", data), "\n") + "\n"
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText { return sqlText(execute(name, data)) }
