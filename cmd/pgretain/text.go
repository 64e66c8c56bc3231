package main

import (
	_ "embed" // texts.txt.tmpl
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"pgretain/internal/explain"
	"pgretain/internal/install"
	"pgretain/internal/lists"
)

// texts are what verbs print for people. A line that "row" makes is one of a table, the first the head of it.
//
//go:embed texts.txt.tmpl
var texts string

// templates are parsed when the first is needed: most verbs need none.
var templates func() *template.Template

func init() {
	templates = sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"row": row, "cell": cell, "plural": plural, "say": say}
		return template.Must(template.New("").Funcs(functions).Parse(texts))
	})
}

// say is the text of a template.
func say(name string, data any) string {
	var text strings.Builder
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // a template that does not fit its data
	}
	return text.String()
}

// refuse is an error with the message, the detail and the hint that a text says.
func refuse(name string, data any) error {
	message, hint, _ := strings.Cut(say(name, data), "\nhint: ")
	message, detail, _ := strings.Cut(message, "\ndetail: ")
	return &install.CheckError{Message: message, Detail: detail, Hint: hint}
}

// aligned writes a text with its rows as tables, with --format markdown as those of Markdown.
func (c *console) aligned(text string) {
	var t table
	for line := range strings.Lines(text) {
		if cells, ok := strings.CutPrefix(line, rowMark); ok {
			t = append(t, strings.Split(strings.TrimSuffix(cells, "\n"), cellMark))
			continue
		}
		t.print(c.out, c.Format == "markdown")
		t = nil
		c.printf("%s", line)
	}
	t.print(c.out, c.Format == "markdown")
}

// Rows begin with the one, their cells have the other between them, and no control characters of their own.
const rowMark, cellMark = "\x1e", "\x1f"

// row is a line of a table for aligned.
func row(values ...any) string {
	printable := func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	cells := lists.Map(values, func(value any) string { return strings.Map(printable, cell(value)) })
	return rowMark + strings.Join(cells, cellMark) + "\n"
}

// table has its head as the first row; a column whose name begins with ">" is aligned to the right.
type table [][]string

func (t table) print(w io.Writer, markdown bool) {
	if len(t) == 0 {
		return
	}
	right, widths := map[int]bool{}, map[int]int{}
	head, rule := slices.Clone(t[0]), slices.Clone(t[0])
	for i, name := range head {
		head[i], right[i] = strings.CutPrefix(name, ">")
		rule[i] = map[bool]string{true: "---:", false: "---"}[right[i]]
	}
	t = append(table{head}, t[1:]...)
	if markdown {
		escape := strings.NewReplacer("|", "\\|", "<", "&lt;")
		for _, cells := range slices.Insert(t, 1, rule) {
			fmt.Fprintf(w, "| %s |\n", strings.Join(lists.Map(cells, escape.Replace), " | "))
		}
		return
	}
	for _, cells := range t {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, cells := range t {
		line := ""
		for i, cell := range cells {
			width := -widths[i] // to the left, as fmt has it
			if right[i] {
				width = widths[i]
			}
			line += fmt.Sprintf("%*s  ", width, cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// cell writes a value for people: of a number with a fraction that it is a time in seconds, of a map of counts their
// sum, of names their order.
func cell(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		value = v.Elem().Interface()
	}
	switch v := value.(type) {
	case nil:
		return ""
	case int64:
		return count(v)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case []string:
		return strings.Join(slices.Sorted(slices.Values(v)), ", ")
	case float64:
		return seconds(v).String()
	case map[string]int64:
		sum := int64(0)
		for _, n := range v {
			sum += n
		}
		return count(sum)
	case map[string]any:
		text, _ := json.Marshal(v) // was JSON
		return string(text)
	}
	return fmt.Sprint(value)
}

// size is a number of bytes, written as PostgreSQL does, in units of 1024.
type size int64

func (n size) String() string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 10*1024 && i < len(units)-1 {
		n = (n + 512) / 1024
		i++
	}
	return count(int64(n)) + " " + units[i]
}

// seconds are how long something took.
type seconds float64

func (s seconds) String() string { return explain.Seconds(float64(s)) }

// plural counts things.
func plural(n int, thing string) string { return explain.Count(n, thing) }

func count(n int64) string { return explain.Number(n) }

func quoted(text string) string { return strconv.Quote(text) }

// orNull sends the zero value as NULL.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
