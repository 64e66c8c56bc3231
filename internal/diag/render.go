package diag

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// colours maps severities to colours. All other severities are red.
var colours = map[Severity]string{Warning: "1;33", Unknown: "1;33", Undecided: "1;36", Info: "1;36", Suppressed: "2"}

// Render writes the list in GNU's form, file:line:column, which editors and CI systems parse. The
// parameter "sources" maps Position.File to the content of the file. Render shows no source line if
// the content is missing or Width is 0. If "colour" is true, Render adds terminal escapes. It
// returns the first error of w.
func (l List) Render(w io.Writer, sources map[string][]byte, colour bool) error {
	out := bufio.NewWriter(w)
	clause := func(label, text string) {
		if text != "" {
			fmt.Fprintf(out, "%s: %s\n", label, oneLine(text))
		}
	}
	paragraph := func(label, text string) {
		if !strings.Contains(text, "\n") {
			clause(label, text)
			return
		}
		fmt.Fprintln(out, label+":") // the lines stand below the label, so that users can copy them
		for line := range strings.Lines(text) {
			fmt.Fprintln(out, Plain(strings.TrimRight(line, "\r\n")))
		}
	}
	lines := map[string][]string{}
	for i, d := range l {
		file := d.Position.File
		if lines[file] == nil && len(sources[file]) > 0 {
			lines[file] = strings.Split(strings.TrimPrefix(string(sources[file]), "\ufeff"), "\n")
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		severity := paint(colour, cmp.Or(colours[d.Severity], "1;31"), string(d.Severity)+":")
		place, message := Bold(oneLine(d.Position.String())+":", colour), Bold(oneLine(d.Message), colour)
		fmt.Fprintf(out, "%s %s %s", place, severity, message)
		if d.Code != (Code{}) {
			fmt.Fprintf(out, " [%s]", d.Code)
		}
		fmt.Fprintln(out)
		source(out, d.Position, lines[file], colour)
		if d.Want != "" || d.Got != "" {
			clause("want", cmp.Or(d.Want, "nothing"))
			clause("got", " "+cmp.Or(d.Got, "nothing")) // aligns the two values
		}
		paragraph("detail", d.Detail)
		paragraph("hint", d.Hint)
	}
	return out.Flush()
}

// String returns file:line:column, or the program's name for a message without a file.
func (p Position) String() string {
	if p.File == "" {
		return "pgretain"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, max(p.Line, 1), max(p.Column, 1))
}

// source writes the line and underlines the value. It keeps tabs before the value, so that the
// carets line up on every terminal.
func source(out io.Writer, p Position, lines []string, colour bool) {
	if p.Line < 1 || p.Line > len(lines) || p.Width == 0 {
		return
	}
	line := []rune(strings.TrimSuffix(lines[p.Line-1], "\r"))
	column := min(max(p.Column, 1)-1, len(line))
	padding := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, Plain(string(line[:column])))
	carets := paint(colour, "1;32", strings.Repeat("^", max(min(p.Width, len(line)-column), 1)))
	fmt.Fprintf(out, "%5d | %s\n%5s | %s%s\n", p.Line, Plain(string(line)), "", padding, carets)
}

func oneLine(text string) string {
	return Plain(strings.NewReplacer("\r\n", " ", "\n", " ").Replace(text))
}

// Bold formats a text as a heading on a terminal.
func Bold(text string, colour bool) string { return paint(colour, "1", text) }

// paint adds terminal escapes if colour is set.
func paint(colour bool, code, text string) string {
	if !colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
