package diag

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Render writes the list in GNU's form, file:line:column, which editors and CI matchers read.
// Sources holds the files by their Position.File; without one, or with Width 0, no source line is
// shown. Colour adds terminal escapes.
func (l List) Render(w io.Writer, sources map[string][]byte, colour bool) error {
	out := bufio.NewWriter(w)
	p := palette{on: colour}
	for i, d := range l {
		if i > 0 {
			fmt.Fprintln(out)
		}
		bracket := ""
		if d.Code != "" {
			bracket = " [" + d.Code + "]"
		}
		fmt.Fprintf(out, "%s %s %s%s\n", p.paint("1", d.Position.String()+":"), p.paint(cmp.Or(colours[d.Severity], "1;31"), string(d.Severity)+":"), p.paint("1", oneLine(d.Message)), bracket)
		source(out, d.Position, sources[d.Position.File], p)
		if d.Want != "" || d.Got != "" {
			clause(out, "want", cmp.Or(d.Want, "nothing"))
			clause(out, "got", " "+cmp.Or(d.Got, "nothing")) // below each other
		}
		clause(out, "detail", d.Detail)
		hint(out, d.Hint)
	}
	return out.Flush()
}

// String is file:line:column, or the program's name for a message without a place.
func (p Position) String() string {
	if p.File == "" {
		return "pgretain"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, max(p.Line, 1), max(p.Column, 1))
}

func clause(out io.Writer, label, text string) {
	if text != "" {
		fmt.Fprintf(out, "%s: %s\n", label, oneLine(text))
	}
}

// hint keeps the lines of a hint that has several, so that they can be pasted.
func hint(out io.Writer, text string) {
	if !strings.Contains(text, "\n") {
		clause(out, "hint", text)
		return
	}
	fmt.Fprintln(out, "hint:")
	for line := range strings.Lines(text) {
		fmt.Fprintln(out, printable([]rune(strings.TrimRight(line, "\r\n"))))
	}
}

// source shows the line and underlines the value.
func source(out io.Writer, p Position, text []byte, colour palette) {
	line, ok := lineOf(text, p.Line)
	if !ok || p.Width == 0 {
		return
	}
	column := min(max(p.Column, 1)-1, len(line))
	width := max(min(p.Width, len(line)-column), 1)
	fmt.Fprintf(out, "%5d | %s\n", p.Line, printable(line))
	fmt.Fprintf(out, "%5s | %s%s\n", "", padding(line[:column]), colour.paint("1;32", strings.Repeat("^", width)))
}

// lineOf is the text of a line as characters.
func lineOf(text []byte, number int) ([]rune, bool) {
	line, rest, more := bytes.Cut(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\n"))
	for ; number > 1 && more; number-- {
		line, rest, more = bytes.Cut(rest, []byte("\n"))
	}
	return []rune(strings.TrimSuffix(string(line), "\r")), number == 1 && len(text) > 0
}

// padding is as wide as what stands before the value: a tab stays one, so that the carets line
// up whatever the terminal makes of it.
func padding(before []rune) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
}

// printable keeps control characters of a file away from the terminal.
func printable(line []rune) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(line))
}

func oneLine(text string) string {
	return printable([]rune(strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text)))
}

// Bold is text as a heading on a terminal.
func Bold(text string, colour bool) string { return palette{on: colour}.paint("1", text) }

// palette adds terminal escapes when it is on.
type palette struct{ on bool }

func (p palette) paint(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// colours are those of severities; all others are red.
var colours = map[Severity]string{Warning: "1;33", Unknown: "1;33", Info: "1;36", Suppressed: "2"}
