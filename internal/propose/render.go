package propose

import (
	_ "embed" // retention.yaml.tmpl
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"

	"pgretain/internal/catalog"
	"pgretain/internal/quote"
)

// Written is a policy file, and how many tables it says what about.
type Written struct {
	Text                         string
	Proposals, Exempt, Undecided int
}

// Write writes the policy file for the tables of a snapshot; from says where they are. Where the statistics have no
// database, nothing is known of sizes.
func Write(snapshot *catalog.Snapshot, statistics *catalog.Statistics, from string) Written {
	f := newFile(snapshot, statistics)
	if zone, err := time.LoadLocation(f.TimeZone); err != nil || zone == time.Local || f.TimeZone == "" {
		f.TimeZone = "UTC"
	}
	if f.CronDatabase == f.Database {
		f.CronDatabase = ""
	}
	w := Written{Proposals: len(f.proposed()), Exempt: len(f.exempt())}
	for _, d := range f.exempt() {
		if strings.HasPrefix(f.reason(d), "undecided") {
			w.Undecided++
		}
	}
	w.Text = f.text("file", map[string]any{"From": from, "Database": f.Database, "CronDatabase": f.CronDatabase, "HasCron": f.HasCron,
		"TimeZone": f.TimeZone, "Trust": f.owners(), "Proposals": f.proposed(), "Run": f.childrenFirst(), "Schemas": f.schemas(), "Exempt": f.exempt()})
	return w
}

//go:embed retention.yaml.tmpl
var templateText string

// text executes a template.
func (f *file) text(name string, data any) string {
	functions := template.FuncMap{"yaml": yamlText, "comment": comment, "facts": f.facts, "reason": f.reason,
		"title":      func(d *draft) string { return comment(strings.Join(append([]string{d.Title()}, f.sizes(d)...), ", ")) },
		"table":      func(name string) string { return yamlText(f.sqlName(name)) },
		"identifier": func(name string) string { return yamlText(quote.Ident(name)) }}
	var b strings.Builder
	if err := template.Must(template.New("").Funcs(functions).Parse(templateText)).ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // of our own template
	}
	return b.String()
}

// What templates ask for.

func (d *draft) Title() string      { return d.name() }
func (d *draft) Partitions() bool   { return d.partitions }
func (d *draft) Cascades() []string { return d.cascades }
func (d *draft) Clock() map[string]any {
	return map[string]any{"Due": d.clock.due, "Column": d.clock.column, "Encoding": d.clock.encoding, "Window": d.clock.window}
}

// sizes are what the server knows of a table, in words.
func (f *file) sizes(d *draft) []string {
	if f.Database == "" {
		return nil
	}
	g, since := d.growth, "statistics began"
	if f.Since != "" {
		since = f.Since
	}
	list := []string{g.Size}
	if g.Rows != nil {
		list = append(list, "about "+plural(*g.Rows, "row"))
	}
	if a := f.Days; a != nil && *a >= 2 && float64(g.Inserted) >= *a {
		return append(list, plural(int64(float64(g.Inserted) / *a), "insert")+" a day since "+since)
	}
	return append(list, plural(g.Inserted, "insert")+" since "+since)
}

// facts are what a person wants to know of a proposal, a sentence each.
func (f *file) facts(d *draft) []string {
	var list []string
	add := func(applies bool, format string, args ...any) {
		if applies {
			list = append(list, comment(fmt.Sprintf(format, args...)))
		}
	}
	column, r := d.clock.column, f.Ranges[d.name()+"."+d.clock.column.Name]
	indexed := slices.ContainsFunc(d.Indexes, func(i catalog.Index) bool {
		return i.Valid && i.Predicate == "" && len(i.Columns) > 0 && i.Columns[0] == column.Name
	})
	var others, kept, parts []string
	for _, c := range d.others {
		others = append(others, c.column.Name)
	}
	for _, by := range slices.Concat(d.refuses, d.children) {
		if child := f.referringDraft(by); !child.part && (child.reason == "" || !slices.Contains(d.goes, child.name())) {
			kept = with(kept, child.name())
		}
	}
	for _, p := range d.Parts {
		parts = append(parts, p.name())
	}
	goes, changed := without(d.goes, kept), without(d.cascades, d.goes)
	add(isTime(column.Type) && r.First != "", "%s goes from %.10s to %.10s, half of the rows are before %.10s.", column.Name, r.First, r.Last, r.Middle)
	add(!column.NotNull && r.Nulls == 0, "Rows without %s stay.", column.Name)
	add(r.Nulls > 0, "%.0f %% of the rows have no %s, and stay.", 100*r.Nulls, column.Name)
	add(d.partitions, "Partitions are dropped as a whole, when all their rows are older.")
	add(!indexed && !d.partitions, "No index begins with %s: the migration builds one.", column.Name)
	add(len(others) > 0, "Columns that might count instead: %s.", strings.Join(others, ", "))
	add(len(parts) > 0, "Rows of %s go first, by a step.", strings.Join(parts, ", "))
	add(len(goes) > 0, "Rows of %s go with theirs, by foreign key.", strings.Join(goes, ", "))
	add(len(changed) > 0, "Rows of %s lose their reference, by foreign key.", strings.Join(changed, ", "))
	add(len(kept) > 0, "A row stays while rows of %s refer to it.", strings.Join(kept, ", "))
	return list
}

func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// reason is why a table is exempt.
func (f *file) reason(d *draft) string {
	if d.with != "" && d.clock == nil && strings.HasPrefix(d.reason, "undecided") {
		return "rows go with those of " + d.with + ", by foreign key"
	}
	return strings.Join(append([]string{d.reason}, f.sizes(d)...), ", ")
}

var plainYAML = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*|/[A-Z][a-z]+)*$|^UTC$|^[A-Z][a-z]+/[A-Z][A-Za-z_]+$`)

// yamlText is a text in YAML, in quotes where it needs them. What Go escapes YAML reads alike.
func yamlText(text string) string {
	words := []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
	if plainYAML.MatchString(text) && !slices.Contains(words, text) {
		return text
	}
	return strconv.Quote(text)
}

// comment is a text that stays in its line.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}

func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " " + what
}
