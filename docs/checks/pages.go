// Package checks holds the page of each code.
package checks

import (
	"embed"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Page is the page of a code, in Markdown; "" for a code that has none.
func Page(code string) string {
	text, err := pages.ReadFile(code + ".md")
	if err != nil {
		return ""
	}
	return string(text)
}

// Problem is what the page of a code says under its first heading.
func Problem(code string) string {
	_, text, _ := strings.Cut(Page(code), "\n## problem\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}
