package verifier

import (
	_ "embed" // findings.txt.tmpl
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"pgretain/internal/quote"
)

// words are what the sentences of a finding speak of.
type words map[string]any

//go:embed findings.txt.tmpl
var sentenceSource string

// A line break of the template is a space; those of what it says of stay.
var sentences = template.Must(template.New("").Option("missingkey=error").Funcs(template.FuncMap{
	"q":       func(what any) string { return fmt.Sprintf("%q", what) },
	"at":      instant,
	"counted": counted,
	"join":    strings.Join,
	"ident":   quote.Ident,
	"literal": quote.Literal,
	"trim":    func(text string) string { return strings.TrimRight(text, ".\n ") },
}).Parse(regexp.MustCompile(`\n\s*`).ReplaceAllString(sentenceSource, " ")))

// counted is a number of rows that were counted up to the limit.
func counted(rows int64) string {
	if rows >= countLimit {
		return fmt.Sprintf("%d rows or more", rows)
	}
	return plural(rows, "row")
}

// say adds a finding with the sentences that findings.txt.tmpl has for what is the matter.
func (v *inspection) say(f message, what string, about words) { v.add(v.worded(f, what, about)) }

func (v *inspection) worded(f message, what string, about words) message {
	about["Policy"], about["Object"], about["Install"] = f.Policy, f.Object, v.install
	for part, text := range map[string]*string{"message": &f.Message, "detail": &f.Detail, "hint": &f.Hint} {
		if t := sentences.Lookup(what + " " + part); t != nil {
			var said strings.Builder
			if err := t.Execute(&said, about); err != nil {
				panic(err) // of our own template
			}
			*text = strings.TrimSpace(said.String())
		}
	}
	return f
}
