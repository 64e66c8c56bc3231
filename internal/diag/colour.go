package diag

// Bold is text as a heading on a terminal.
func Bold(text string, colour bool) string { return palette{on: colour}.bold(text) }

// palette adds terminal escapes when it is on.
type palette struct{ on bool }

func (p palette) paint(code, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string  { return p.paint("1", text) }
func (p palette) caret(text string) string { return p.paint("1;32", text) }

func (p palette) severity(s Severity) string {
	code := "1;31"
	switch s {
	case Warning, Unknown:
		code = "1;33"
	case Info:
		code = "1;36"
	case Suppressed:
		code = "2"
	}
	return p.paint(code, string(s)+":")
}
