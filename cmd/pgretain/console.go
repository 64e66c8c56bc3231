package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed" // for texts.txt.tmpl
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/report"
)

// console is one command line. It writes results to out. It writes everything else to err, in the
// form of package diag. A message that belongs to no file begins with "pgretain:". A message begins
// in lower case and has no full stop; details and hints are whole sentences.
type console struct {
	flags
	out, err io.Writer
	command  *cobra.Command // command that runs
	answers  *bufio.Reader  // answers of the user; created by the first question

	verdict string // result of the report that was written
	well    bool   // the report has no problems
}

// printf writes a part of the result.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// result writes the result of a command. With --json it writes the members as a JSON object, like
// document. Otherwise it renders a template of texts.txt.tmpl; the parameter "text" is the
// template's name.
func (c *console) result(text string, data any, members ...any) error {
	if c.JSON {
		return c.document(members...)
	}
	c.aligned(say(text, data))
	return nil
}

// document writes the JSON form of a result, version 1. The parameter "members" is a list of names
// and values in turn, in the order of the output. The version must be increased when a member
// changes its meaning.
func (c *console) document(members ...any) error {
	object, err := report.Object(append([]any{"version", 1}, members...)...)
	if err != nil {
		return err
	}
	return report.WriteJSON(c.out, object)
}

// notef writes progress for people.
func (c *console) notef(format string, args ...any) { fmt.Fprintf(c.err, format, args...) }

// show writes diagnostics.
func (c *console) show(list diag.List, sources map[string][]byte) {
	if len(list) > 0 {
		// there is no other place to report an error
		_ = list.Render(c.err, sources, coloured(c.err))
	}
}

// plain returns a writer that escapes hidden characters before it writes to w. Names of files and
// databases may contain characters that move the cursor or reverse text.
func plain(w io.Writer) io.Writer { return &diag.PlainWriter{To: w, Colour: coloured(w)} }

// direct returns the writer below a writer of plain, for sequences that move the cursor.
func direct(w io.Writer) io.Writer {
	if p, ok := w.(*diag.PlainWriter); ok {
		return p.To
	}
	return w
}

// terminalWidth returns the width of the terminal w in characters, or 0 if w is no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := direct(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, _ := term.GetSize(int(f.Fd())) // 0 if the width is not known
	return cmp.Or(width, 80)
}

// coloured reports whether w is a terminal that displays colours. See https://no-color.org.
func coloured(w io.Writer) bool { return terminalWidth(w) > 0 && os.Getenv("NO_COLOR") == "" }

// agree asks a question. It returns an error unless the answer is y or yes.
func (c *console) agree(ctx context.Context, question string) error {
	c.notef("%s [y/N] ", question)
	if c.answers == nil {
		c.answers = bufio.NewReader(os.Stdin)
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := c.answers.ReadString('\n') // no line means no answer
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case text := <-answer:
		if text == "y" || text == "yes" {
			return nil
		}
		return refuse("nothing done", nil)
	}
}

// exitCode ends the program without a message, because all messages were written.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// exitError returns the error of an exit code, or nil for 0.
func exitError(code int) error {
	if code == 0 {
		return nil
	}
	return exitCode(code)
}

// usageError is an invalid command line.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// problems are diagnostics that end the program with exit code 1.
type problems struct {
	list    diag.List
	sources map[string][]byte
}

func (p *problems) Error() string { return fmt.Sprintf("%d problems", len(p.list)) }

// exit writes the messages of err and returns the exit code.
func (c *console) exit(err error) int {
	var code exitCode
	var usage *usageError
	var found *problems
	var check *install.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &found):
		c.show(found.list, found.sources)
		return 1
	case errors.As(err, &usage):
		hint := fmt.Sprintf("%s Run \"%s --help\".", usage.hint, c.command.CommandPath())
		err = install.Refusal(usage.message, "", strings.TrimSpace(hint))
	case errors.Is(err, context.Canceled) && !errors.As(err, &check):
		err = errors.New("interrupted")
	}
	c.show(install.Diagnostics(err), nil)
	return 2
}

// texts has the texts that commands print for people. Consecutive lines from the template function
// "row" form a table. The first of these lines is the heading of the table.
//
//go:embed texts.txt.tmpl
var texts string

// templates are parsed when the first is needed. Most commands need none.
var templates func() *template.Template

func init() {
	templates = sync.OnceValue(func() *template.Template {
		functions := template.FuncMap{"row": row, "cell": cell, "plural": plural, "say": say, "words": explain.TextIn}
		return template.Must(template.New("").Funcs(functions).Parse(texts))
	})
}

// say returns the text of a template.
func say(name string, data any) string {
	var text strings.Builder
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		panic(err) // an error means that the template does not fit its data
	}
	return text.String()
}

// message returns the message, the detail and the hint of a text.
func message(name string, data any) diag.Diagnostic {
	message, hint, _ := strings.Cut(say(name, data), "\nhint: ")
	message, detail, _ := strings.Cut(message, "\ndetail: ")
	return diag.Diagnostic{Message: message, Detail: detail, Hint: hint}
}

func refuse(name string, data any) error {
	d := message(name, data)
	return install.Refusal(d.Message, d.Detail, d.Hint)
}

// aligned writes a text. It formats the rows in the text as aligned tables, or as Markdown tables
// with --format markdown.
func (c *console) aligned(text string) {
	var t table
	for line := range strings.Lines(text) {
		if cells, ok := strings.CutPrefix(line, rowMark); ok {
			t = append(t, strings.Split(strings.TrimSuffix(cells, "\n"), cellMark))
			continue
		}
		t.print(c.out, c.Format == "markdown", terminalWidth(c.out))
		t = nil
		c.printf("%s", line)
	}
	t.print(c.out, c.Format == "markdown", terminalWidth(c.out))
}

// A row begins with rowMark, and cellMark separates its cells. Cells contain no control characters.
const rowMark, cellMark = "\x1e", "\x1f"

// row returns one line of a table, in the form that the method "aligned" reads.
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

// table is a table whose first row is the heading. A column whose heading begins with ">" is
// aligned to the right.
type table [][]string

// print writes the table. If it is wider than a terminal of "room" characters, the text of the last
// column is wrapped. If that does not help, each row becomes a list of its cells. room is 0 if the
// output is no terminal.
func (t table) print(w io.Writer, markdown bool, room int) {
	if len(t) == 0 {
		return
	}
	head, rule := t[0], []string{}
	right, widths := map[int]bool{}, make([]int, len(t[0]))
	for i, name := range head {
		head[i], right[i] = strings.CutPrefix(name, ">")
		rule = append(rule, map[bool]string{true: "---:", false: "---"}[right[i]])
	}
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
	last := len(head) - 1
	before := 0 // width of all columns but the last one
	for _, width := range widths[:last] {
		before += width + 2
	}
	most := max(widths[last], 1) // width of the last column
	if room > 0 && before+widths[last] > room {
		if most = room - before; most < leastColumn && last > 1 {
			t.list(w, room)
			return
		}
	}
	for _, cells := range t {
		line := ""
		for i, cell := range cells[:min(last, len(cells))] {
			side := map[bool]int{true: 1, false: -1}[right[i]] // fmt aligns to the left for a negative width
			line += fmt.Sprintf("%*s  ", side*widths[i], cell)
		}
		folded := []string{""}
		if len(cells) > last {
			folded = explain.Fold(cells[last], max(most, leastColumn))
		}
		if right[last] {
			folded[0] = fmt.Sprintf("%*s", widths[last], folded[0])
		}
		for i, part := range folded {
			if i > 0 {
				line = strings.Repeat(" ", before)
			}
			fmt.Fprintln(w, strings.TrimRight(line+part, " "))
		}
	}
}

// leastColumn is the least width, in characters, at which a column is wrapped.
const leastColumn = 20

// list writes each row as a list: a line for each cell that is not empty, below the first cell.
func (t table) list(w io.Writer, room int) {
	margin := 0
	for _, name := range t[0][1:] {
		margin = max(margin, utf8.RuneCountInString(name)+4)
	}
	for _, cells := range t[1:] {
		fmt.Fprintln(w, cells[0])
		for i, cell := range cells[1:] {
			if cell == "" {
				continue
			}
			name := "  " + strings.ToLower(t[0][i+1])
			for _, part := range explain.Fold(cell, max(room-margin, leastColumn)) {
				fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s%s", margin, name, part), " "))
				name = ""
			}
		}
	}
}

// cell formats a value for people. A float64 is a duration in seconds. A map of counts becomes
// their sum. A list of names is sorted.
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
		text, _ := json.Marshal(v) // the value was decoded from JSON
		return string(text)
	}
	return fmt.Sprint(value)
}

// size is a number of bytes. It is formatted like in PostgreSQL, in units of 1,024.
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

// seconds formats a duration in seconds.
type seconds float64

func (s seconds) String() string { return explain.Seconds(float64(s)) }

// plural returns a number with its noun.
func plural(n int, thing string) string { return explain.Count(n, thing) }

func count(n int64) string { return explain.Number(n) }

func quoted(text string) string { return strconv.Quote(text) }

// orNull returns nil for the zero value, which is sent as NULL.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}
