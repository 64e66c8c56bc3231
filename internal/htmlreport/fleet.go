package htmlreport

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
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
	var bad, well []FleetRow
	for _, row := range f.Rows {
		if row.Bad {
			bad = append(bad, row)
		} else {
			well = append(well, row)
		}
	}
	if _, err := fmt.Fprintln(w, Mark); err != nil {
		return err
	}
	f.Rows = append(bad, well...)
	return page.ExecuteTemplate(w, "fleet.html.tmpl", struct {
		Fleet
		Wrong int
	}{f, len(bad)})
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
