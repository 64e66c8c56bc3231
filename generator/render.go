package generator

import (
	"bytes"
	"fmt"
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
		"tag":      func() string { return quoteMark },
		"sqltag":   func() string { return innerMark },
		"inc":      func(i int) int { return i + 1 },
		"fragment": func(name string, data any) (sqlText, error) { return hungFragment(t, name, data) },
	})
	return template.Must(t.ParseFS(templates.FS, "*.sql.tmpl"))
}

// buffers are for texts under way: one that grows anew for each of them costs more than its text.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// execute executes one template.
func execute(name string, data any) string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	executeTo(b, name, data)
	return b.String()
}

func executeTo(b *bytes.Buffer, name string, data any) {
	b.Reset()
	if err := set.ExecuteTemplate(b, name, data); err != nil {
		panic(disagreement(name, err))
	}
}

// disagreement between data and a template is a mistake of ours.
func disagreement(name string, err error) string {
	return fmt.Sprintf("generator: rendering %s: %v", name, err)
}

// object renders a whole object, which ends with one line break.
func object(name string, data any) string {
	b, laid := buffers.Get().(*bytes.Buffer), buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	defer buffers.Put(laid)
	executeTo(b, name+".sql.tmpl", data)
	text := bytes.TrimRight(b.Bytes(), "\n")
	text = bytes.ReplaceAll(text, []byte(innerMark), []byte(dollarQuote(text, "sql")))
	laid.Reset()
	layoutTo(laid, text, dollarQuote(text, "function"))
	laid.WriteByte('\n')
	return wrapped(joinedClauses(laid.String()))
}

// quoteMark stands for the dollar quotes around a body until the whole text is known; no UTF-8 text has it.
const quoteMark = "\xfc"

// innerMark stands for those around a statement in a body.
const innerMark = "\xfb"

// dollarQuote is one that does not occur in text.
func dollarQuote(text []byte, word string) string {
	tag := "$" + word + "$"
	for i := 1; bytes.Contains(text, []byte(tag)); i++ {
		tag = fmt.Sprintf("$%s%d$", word, i)
	}
	return tag
}

// fragment renders a piece of SQL for use in other templates.
func fragment(name string, data any) sqlText {
	text, err := hungFragment(set, name, data)
	if err != nil {
		panic(disagreement(name, err))
	}
	return text
}

func hungFragment(t *template.Template, name string, data any) (sqlText, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.WriteString(hangFrom)
	err := t.ExecuteTemplate(b, name, data)
	if bytes.IndexByte(b.Bytes(), '\n') < 0 {
		return sqlText(b.Bytes()[len(hangFrom):]), err
	}
	b.WriteString(hangTo)
	return sqlText(b.Bytes()), err
}
