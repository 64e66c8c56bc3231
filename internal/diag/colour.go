package diag

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
	if s == Warning || s == Unknown {
		code = "1;33"
	}
	return p.paint(code, string(s)+":")
}
