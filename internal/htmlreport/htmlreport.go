// Package htmlreport writes one HTML file on an installation: what verify says, each policy with its last thirty days,
// what is due now, the jobs of a day, what deletes reach, and who held, paused or accepted what. It reads in READ ONLY
// transactions what a member of the viewers may, and the file asks nobody for anything.
//
// Queries of sql read, also the paths of what is drawn; judge.go says how a policy stands; report.html.tmpl is the
// page.
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

// Mark is in the first line of each report, so that one can be told from other files.
const Mark = `<!DOCTYPE html><!-- pgretain report -->`

// Options say what is in a report besides what is in the database.
type Options struct {
	Schema     string                           // of the runtime
	Timeout    time.Duration                    // of each query; what takes longer is unknown
	Verify     func() (*verifier.Report, error) // waits for what it finds; nil: Unverified says why it was not asked
	Unverified string
	Version    string // of this program
}

//go:embed *.html.tmpl
var templates embed.FS

var page = template.Must(template.New("report.html.tmpl").Funcs(template.FuncMap{
	"mark":  func() template.HTML { return Mark }, // a template's own comments are left out
	"count": explain.Number, "counted": explain.Count[int64], "seconds": explain.Seconds,
	"at": at, "ago": ago, "nearby": nearby, "join": strings.Join,
	"class": func(s diag.Severity) string { return classes[s] },
	// A statement has its semicolon, which a sentence among hints has not.
	"isSQL":    func(hint string) bool { return strings.HasSuffix(strings.TrimSpace(hint), ";") },
	"sentence": func(text string) string { return strings.TrimSuffix(text, ".") + "." },
	"short":    shortened,
}).ParseFS(templates, "*.html.tmpl"))

// Write reads the database and writes the report, and says what it says. An error means that there is none: the runtime
// could not be read, or w refused it. What else cannot be read is unknown in the report.
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

// write keeps control characters of reasons and messages out of a page, which no HTML has and a terminal obeys.
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

// WriteFleet writes a page that leads to the reports of many databases, those first that are not well, in the looks of a
// report. They have a Name, a File, which is "" where there is no report, a Verdict, LastRun, State and Overdue.
func WriteFleet[T any](w io.Writer, version string, wrong, well []T) error {
	return write(w, "fleet.html.tmpl", map[string]any{
		"Version": version, "At": time.Now().UTC(), "Wrong": len(wrong), "Rows": slices.Concat(wrong, well)})
}

// at writes an instant to the minute, in the zone that it has.
func at(t time.Time) string { return t.Format("2 Jan 2006 15:04") }

const day = 24 * time.Hour

// nearby is an instant that is likely to be within a day.
func nearby(t, now time.Time) string {
	switch away := t.Sub(now).Abs(); {
	case away < day:
		return t.Format("15:04")
	case away < 300*day:
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006")
}

// ago writes a duration in the largest unit that it has at least two of.
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

// shortened is text for a place with room for so many characters.
func shortened(room int, text string) string {
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return string([]rune(text)[:room-1]) + "…"
}
