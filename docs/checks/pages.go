// Package checks contains the documentation of diagnostics: one page for each code.
package checks

import (
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Page returns the page of a code, in Markdown. It returns "" if the code has no page.
func Page(code string) string {
	text, err := pages.ReadFile(code + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Problem returns the text under the heading "problem" of a code's page.
func Problem(code string) string {
	_, text, _ := strings.Cut(Page(code), "\n## problem\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}
