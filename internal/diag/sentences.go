package diag

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

// Sentences are what the diagnostics of a package say, in a template: by the name of a fault, which begins with its
// code, "says: " and a message, "detail: " and "hint: ", which may be missing. A line break of the template is a space.
// The template that has the code itself for a name begins with its title.
type Sentences struct{ parsed func() *template.Template }

var (
	titled    = regexp.MustCompile(`(?m)define "([A-Z]\d+)"}}(.*?)(?:{{end}})?$`)
	labelled  = regexp.MustCompile(`(?m)(^|}})(says|detail|hint):\s`)
	lineBreak = regexp.MustCompile(`\n\s*`)
)

// mark stands before a label: a text that is quoted may have the word.
const mark = "\x01"

// ReadSentences registers the codes of a template. It is called from package variables only, and panics as Register
// does.
func ReadSentences(source string, functions map[string]any) Sentences {
	for _, code := range titled.FindAllStringSubmatch(source, -1) {
		Register(code[1], code[2])
	}
	return Sentences{sync.OnceValue(func() *template.Template {
		source := lineBreak.ReplaceAllString(labelled.ReplaceAllString(source, "${1}"+mark+"${2}:"), " ")
		own := template.FuncMap{"join": strings.Join, "in": strings.Contains,
			"q": func(what any) string { return fmt.Sprintf("%q", what) }}
		return template.Must(template.New("").Funcs(own).Funcs(functions).Parse(source))
	})}
}

// Say gives a diagnostic the code and the words of a fault; about is what the template reads.
func (s Sentences) Say(fault string, d Diagnostic, about any) Diagnostic {
	var text strings.Builder
	if err := s.parsed().ExecuteTemplate(&text, fault, about); err != nil {
		panic(err) // of our own template
	}
	d.Code, _, _ = strings.Cut(fault, " ")
	_, said, _ := strings.Cut(text.String(), mark+"says:")
	said, hint, _ := strings.Cut(said, mark+"hint:")
	message, detail, _ := strings.Cut(said, mark+"detail:")
	d.Message, d.Detail, d.Hint = strings.TrimSpace(message), strings.TrimSpace(detail), strings.TrimSpace(hint)
	return d
}
