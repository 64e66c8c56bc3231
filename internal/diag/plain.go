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

// Hidden reports whether a character is invisible, or changes how the text around it is displayed.
// These are controls, formatting characters (category Cf, such as bidirectional controls and
// zero-width spaces), and line and paragraph separators.
func Hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// MostBlanks is the number of consecutive blanks that is allowed. Text after more blanks could be
// overlooked.
const MostBlanks = 100

// HiddenIn returns the offset of the first hidden character in a text. If too many blanks come
// before any hidden character, it returns the offset of the text after these blanks. It returns -1
// if it finds neither. Tabs and line feeds are blanks.
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

// Plain returns text with hidden characters and invalid UTF-8 escaped as in JSON. Tabs and line
// feeds stay.
func Plain(text string) string {
	escaped := func(r rune) bool { return r == utf8.RuneError || r != '\t' && r != '\n' && Hidden(r) }
	if strings.IndexFunc(text, escaped) < 0 {
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

// PlainWriter writes text as Plain returns it. If Colour is set, it keeps the colour codes of this
// package.
type PlainWriter struct {
	To     io.Writer
	Colour bool
	rest   []byte // incomplete character of the last write
}

var colourCode = regexp.MustCompile("\x1b\\[(?:0|1|2|1;3[1236])m")

// Write writes all of p. It keeps an incomplete last character for the next call.
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
