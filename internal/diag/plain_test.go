package diag_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"pgretain/internal/diag"
)

// TestPlainOfEveryHiddenCharacter checks that Plain and PlainWriter escape every control,
// formatting character and separator of Unicode. The writer gets the text byte by byte.
func TestPlainOfEveryHiddenCharacter(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, table := range []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp} {
		for r := range unicode.MaxRune + 1 {
			if !unicode.Is(table, r) || r == '\n' || r == '\t' {
				continue
			}
			tried++
			text := "a" + string(r) + "é日"
			var out bytes.Buffer
			w := &diag.PlainWriter{To: &out, Colour: true}
			for i := range len(text) {
				if _, err := w.Write([]byte{text[i]}); err != nil {
					t.Fatal(err)
				}
			}
			for _, got := range []string{diag.Plain(text), out.String()} {
				if strings.ContainsRune(got, r) || !strings.HasPrefix(got, `a\u`) || !strings.HasSuffix(got, "é日") {
					t.Errorf("%U is written as %q", r, got)
				}
			}
			if diag.HiddenIn(text) != 1 {
				t.Errorf("HiddenIn does not find %U", r)
			}
		}
	}
	if tried < 200 {
		t.Errorf("got %d hidden characters, want at least 200", tried)
	}
	if at := diag.HiddenIn("a" + strings.Repeat(" ", 4000) + "OR true"); at != 4001 {
		t.Errorf("HiddenIn finds the text after 4,000 blanks at offset %d, want 4001", at)
	}
}

func TestForeignColoursAreEscaped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &diag.PlainWriter{To: &out}
	_, _ = w.Write([]byte("\x1b[1mbold\x1b[0m\xff\x1b[2J"))
	if got, want := out.String(), `\u001b[1mbold\u001b[0m`+"\ufffd"+`\u001b[2J`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	w.Colour = true
	_, _ = w.Write([]byte(diag.Bold("bold", true) + "\x1b[2J\x1b[8m"))
	if got, want := out.String(), diag.Bold("bold", true)+`\u001b[2J\u001b[8m`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
