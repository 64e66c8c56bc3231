// Package htmlreport writes one HTML file about an installation. It shows the result of verify,
// each policy with its last 30 days, the rows that are due now and the jobs of a day. It also shows
// which tables deletes reach. It shows the holds, pauses and acceptances, and who made them. It
// reads in READ ONLY transactions with the rights of a viewer. The file loads nothing from
// elsewhere.
//
// The queries are in sql, and compute the paths of the charts as well. judge.go computes the state
// of a policy. report.html.tmpl is the page.
package htmlreport

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/verifier"
)

// Mark begins the first line of each report and identifies the file as a report.
const Mark = `<!DOCTYPE html><!-- pgretain report -->`

// Options contains settings of a report, and data that the report shows besides the content of the
// database.
type Options struct {
	Schema string // schema of the runtime
	// limit of each query; a query that takes longer has no result
	Timeout time.Duration
	// Verify waits for the result of verify; if it is nil, Unverified says why verify did not run
	Verify     func() (*verifier.Report, error)
	Unverified string
	Version    string // version of this program
}

//go:embed *.html.tmpl
var templates embed.FS

var page = template.Must(template.New("report.html.tmpl").Funcs(template.FuncMap{
	// the template engine removes comments of the template
	"mark":  func() template.HTML { return Mark },
	"count": explain.Number, "counted": explain.Count[int64], "seconds": explain.Seconds,
	"at": at, "ago": ago, "nearby": nearby, "join": strings.Join,
	"class": func(s diag.Severity) string { return classes[s] },
	// A statement ends with a semicolon; a sentence among the hints does not.
	"isSQL":    func(hint string) bool { return strings.HasSuffix(strings.TrimSpace(hint), ";") },
	"sentence": func(text string) string { return strings.TrimSuffix(text, ".") + "." },
	"short":    shortened,
}).ParseFS(templates, "*.html.tmpl"))

// Write reads the database, writes the report and returns its verdict. It returns an error, and
// writes no complete report, if the runtime cannot be read or if writing to w fails. Other parts
// that cannot be read appear as unknown.
func Write(ctx context.Context, conn *pgx.Conn, w io.Writer, opt Options) (verdict string, well bool, err error) {
	r := &reader{conn: conn, opt: opt}
	found, err := r.all(ctx)
	if err != nil {
		return "", false, fmt.Errorf("reading for the report: %w", err)
	}
	var verified *verifier.Report
	if opt.Verify != nil {
		if verified, err = opt.Verify(); err != nil {
			return "", false, err
		}
	}
	v := compose(found, verified, opt)
	return v.Verdict.Word, v.Verdict.Class == "ok", write(w, "report.html.tmpl", v)
}

// write renders a page, and removes the control characters that reasons and messages may contain.
// HTML does not allow them, and a terminal would execute them.
func write(w io.Writer, name string, data any) error {
	var text strings.Builder
	if err := page.ExecuteTemplate(&text, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text.String()))
	return err
}

// WriteFleet writes a page with links to the reports of many databases, in the style of a report.
// The parameter "wrong" lists the databases with problems, which come first. The parameter "well"
// lists the others. T must have the fields Name, File ("" without a report), Verdict, LastRun,
// State, Well and Overdue.
func WriteFleet[T any](w io.Writer, version string, wrong, well []T) error {
	return write(w, "fleet.html.tmpl", map[string]any{
		"Version": version, "At": time.Now().UTC(), "Wrong": len(wrong), "Rows": slices.Concat(wrong, well)})
}

// at formats a time to the minute, in its own time zone.
func at(t time.Time) string { return t.Format("2 Jan 2006 15:04") }

const day = 24 * time.Hour

// nearby formats a time that is probably within a day.
func nearby(t, now time.Time) string {
	switch away := t.Sub(now).Abs(); {
	case away < day:
		return t.Format("15:04")
	case away < 300*day:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// ago formats a duration in the largest unit that fits into it at least twice.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return explain.Number(int64(d/day)) + " d"
}

// shortened cuts a text, so that it has at most "room" characters.
func shortened(room int, text string) string {
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-1]) + "…"
}
