package diag

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Hidden reports whether a character changes how text around it is shown, or is not shown itself: controls, formatting
// characters (category Cf, such as bidirectional controls and zero-width spaces), and line and paragraph separators.
func Hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// MostBlanks is how many blanks may stand in a row: what stands behind more of them is not seen.
const MostBlanks = 100

// HiddenIn returns the offset of the first hidden character of a text, or of what stands behind too many blanks; -1 for
// none. Tabs and line feeds are blanks.
func HiddenIn(text string) int {
	blanks := 0
	for i, r := range text {
		switch {
		case r == utf8.RuneError, Hidden(r) && r != '\t' && r != '\n':
			return i
		case unicode.IsSpace(r):
			blanks++
		case blanks > MostBlanks:
			return i
		default:
			blanks = 0
		}
	}
	return -1
}

// Plain returns text with hidden characters, and bytes that are not UTF-8, written as escapes, as JSON has them. Tabs and
// line feeds stay.
func Plain(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || r != '\t' && r != '\n' && Hidden(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			b.WriteRune(utf8.RuneError)
		case r == '\t' || r == '\n' || !Hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// PlainWriter writes text as Plain has it. It lets the colours of this package through where Colour is set.
type PlainWriter struct {
	To     io.Writer
	Colour bool
	rest   []byte // the begin of a character
}

var colourCode = regexp.MustCompile("\x1b\\[(?:0|1|2|1;3[1236])m")

// Write writes all of p; a character that p holds only in part is written with the next text.
func (w *PlainWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	end := len(text)
	for end > 0 && end > len(text)-utf8.UTFMax && !utf8.RuneStart(text[end-1]) {
		end--
	}
	if end > 0 && !utf8.FullRune(text[end-1:]) {
		end--
	} else {
		end = len(text)
	}
	w.rest = append([]byte(nil), text[end:]...)
	var b strings.Builder
	done := string(text[:end])
	if w.Colour {
		start := 0
		for _, at := range colourCode.FindAllStringIndex(done, -1) {
			b.WriteString(Plain(done[start:at[0]]) + done[at[0]:at[1]])
			start = at[1]
		}
		done = done[start:]
	}
	b.WriteString(Plain(done))
	_, err := io.WriteString(w.To, b.String())
	return len(p), err
}
