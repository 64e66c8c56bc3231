package htmlreport

import (
	"bytes"
	"html"
	"io"
	"regexp"
	"slices"
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
	var wrong, rows []FleetRow
	for _, row := range f.Rows {
		if row.Bad {
			wrong = append(wrong, row)
		} else {
			rows = append(rows, row)
		}
	}
	f.Rows = slices.Concat(wrong, rows)
	return page.ExecuteTemplate(w, "fleet.html.tmpl", map[string]any{"Fleet": f, "Wrong": len(wrong)})
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
