package htmlreport

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Fleet is a page that leads to the reports of many databases.
type Fleet struct {
	Version string
	At      time.Time
	Rows    []FleetRow
}

// FleetRow is a database; File is its report, "" where there is none.
type FleetRow struct {
	Name, File, Verdict, LastRun, State, Overdue string
	Bad                                          bool
}

// Write writes the page, those first that are not well, in the looks of a report.
func (f Fleet) Write(w io.Writer) error {
	slices.SortStableFunc(f.Rows, func(a, b FleetRow) int {
		switch {
		case a.Bad == b.Bad:
			return 0
		case a.Bad:
			return -1
		}
		return 1
	})
	if _, err := fmt.Fprintln(w, Mark); err != nil {
		return err
	}
	return page.ExecuteTemplate(w, "fleet.html.tmpl", f)
}

// Style is that of reports.
func (f Fleet) Style() (template.CSS, error) {
	report, err := templates.ReadFile("report.html.tmpl")
	_, rest, _ := strings.Cut(string(report), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	return template.CSS(style), err
}

// Wrong counts the databases that are not well.
func (f Fleet) Wrong() (n int) {
	for _, row := range f.Rows {
		if row.Bad {
			n++
		}
	}
	return n
}

var (
	titleOf   = regexp.MustCompile(`<title>([^<:]*): `)
	wellClass = []byte(`<div class="verdict ok">`)
)

// VerdictOf is the verdict of a report that Write wrote, and whether it is a bad one.
func VerdictOf(report []byte) (verdict string, bad bool) {
	if found := titleOf.FindSubmatch(report); found != nil {
		verdict = html.UnescapeString(string(found[1]))
	}
	return verdict, !bytes.Contains(report, wellClass)
}
