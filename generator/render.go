package generator

import (
	"fmt"
	"strings"
	"text/template"

	"pgretain/templates"
)

// set is every template, parsed once. A template that cannot be parsed is a mistake of ours that
// any test meets.
var set = parseTemplates()

func parseTemplates() *template.Template {
	t := template.New("").Option("missingkey=error")
	t.Funcs(template.FuncMap{
		"where": where, "every": every, "either": either, "inline": inline, "enclosed": enclosed, "anyHung": anyHung,
		"inc": func(i int) int { return i + 1 },
		"fragment": func(name string, data any) (sqlText, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, name, data)
			return hung(b.String()), err
		},
	})
	return template.Must(t.ParseFS(templates.FS, "*.sql.tmpl"))
}

// execute executes one template.
func execute(name string, data any) string {
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		panic(fmt.Sprintf("generator: rendering %s: %v", name, err)) // data and template disagree: ours
	}
	return b.String()
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	return strings.TrimRight(layout(execute(name+".sql.tmpl", data)), "\n") + "\n"
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText { return hung(execute(name, data)) }
