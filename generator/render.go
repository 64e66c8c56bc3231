package generator

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
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
		"tag": func() string { return quoteMark },
		"inc": func(i int) int { return i + 1 },
		"fragment": func(name string, data any) (sqlText, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, name, data)
			return hung(b.String()), err
		},
	})
	return template.Must(t.ParseFS(templates.FS, "*.sql.tmpl"))
}

// buffers are for texts under way: one that grows anew for each of them costs more than its text.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// execute executes one template.
func execute(name string, data any) string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := set.ExecuteTemplate(b, name, data); err != nil {
		panic(fmt.Sprintf("generator: rendering %s: %v", name, err)) // data and template disagree: ours
	}
	return b.String()
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	text := execute(name+".sql.tmpl", data)
	return layoutQuoted(strings.TrimRight(text, "\n")+"\n", dollarQuote(text))
}

// quoteMark stands for the dollar quotes around a body until the whole text is known; no UTF-8 text has it.
const quoteMark = "\xfc"

// dollarQuote is one that does not occur in text.
func dollarQuote(text string) string {
	tag := "$function$"
	for i := 1; strings.Contains(text, tag); i++ {
		tag = fmt.Sprintf("$function%d$", i)
	}
	return tag
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText { return hung(execute(name, data)) }
