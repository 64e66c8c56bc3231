package propose

import (
	"cmp"
	_ "embed" // for retention.yaml.tmpl
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lint"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// Written is a policy file, with the numbers of its tables by kind.
type Written struct {
	Text                         string
	Proposals, Exempt, Undecided int
}

// Write returns the policy file for the tables of a snapshot. The parameter "from" names the source
// of the tables. If the statistics name no database, the sizes are unknown.
func Write(snapshot *catalog.Snapshot, statistics *catalog.Statistics, from string) Written {
	f := newFile(snapshot, statistics)
	if zone, err := time.LoadLocation(f.TimeZone); err != nil || zone == time.Local || f.TimeZone == "" {
		f.TimeZone = "UTC"
	}
	cronHidden := f.HasCron && f.Database != "" && f.CronDatabase == "" && !f.CronHere
	if f.CronDatabase == f.Database {
		f.CronDatabase = ""
	}
	write := func() string {
		f.relateAll()
		for _, d := range f.drafts {
			d.Secured = f.meetsRowSecurity(d)
		}
		return f.text("file", map[string]any{"From": from, "Server": f.Server, "Trust": f.owners(),
			"CronHidden": cronHidden,
			"Proposals":  f.proposed(), "Run": f.childrenFirst(), "Schemas": f.schemas(), "Exempt": f.exempt()})
	}
	text := write()
	for f.withdraw(snapshot, text) {
		text = write()
	}
	w := Written{Text: text, Proposals: len(f.proposed()), Exempt: len(f.exempt())}
	for _, d := range f.exempt() {
		if strings.HasPrefix(f.reason(d), undecided) {
			w.Undecided++
		}
	}
	return w
}

var proposal = regexp.MustCompile(`(?m)^# `)

// withdraw removes proposals that lint would refuse, and reports whether there were any.
func (f *file) withdraw(snapshot *catalog.Snapshot, text string) (withdrawn bool) {
	parsed, list := policy.Parse("", []byte(proposal.ReplaceAllString(text, "")))
	if parsed != nil {
		list = slices.Concat(list, lint.Check(parsed, snapshot), generator.Faults(parsed, snapshot, nil))
	}
	lines := strings.Split(text, "\n")
	for _, d := range f.proposed() {
		first := slices.Index(lines, "#   "+d.Policy+":")
		last := first + slices.Index(lines[first:], "")
		for _, refused := range list {
			line := refused.Position.Line
			if refused.Severity == diag.Error && line > first && line <= last {
				d.reason, withdrawn = undecided+": "+strings.ReplaceAll(refused.Message, `"`, ""), true
			}
		}
	}
	return withdrawn
}

//go:embed retention.yaml.tmpl
var templateText string

// text executes a template.
func (f *file) text(name string, data any) string {
	functions := template.FuncMap{
		"yaml": yamlText, "comment": comment, "sizes": f.sizes, "reason": f.reason,
		"day":        func(time string) string { return time[:min(len(time), len("2026-12-31"))] },
		"names":      func(names []string) string { return comment(strings.Join(names, ", ")) },
		"table":      func(name string) string { return yamlText(f.sqlName(name)) },
		"sql":        f.sqlName,
		"ident":      quote.Ident,
		"inc":        func(i int) int { return i + 1 },
		"identifier": func(name string) string { return yamlText(quote.Ident(name)) },
	}
	var b strings.Builder
	parsed := template.Must(template.New("").Funcs(functions).Parse(templateText))
	if err := parsed.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // an error in the template is a bug
	}
	return b.String()
}

// The template calls the following methods.

func (d *draft) Clock() clock      { return d.Clocks[0] }
func (d *draft) Goes() []string    { return without(d.goes, d.Keeps) }
func (d *draft) Changed() []string { return without(d.Cascades, d.goes) }

// Window returns the window of the clock in YAML.
func (d *draft) Window() string {
	switch d.Clock().suffix {
	case expiredRule.suffix:
		return "grace: 7 days"
	case deletedRule.suffix:
		return "older_than: 30 days"
	}
	return "older_than: " + d.Kind.Window
}

// WindowFor says for what the window is a guess.
func (d *draft) WindowFor() string {
	switch d.Clock().suffix {
	case expiredRule.suffix:
		return "somebody may still ask for a row that has expired"
	case deletedRule.suffix:
		return "somebody may want a deleted row back"
	}
	return "the window for " + d.Kind.Is
}

// Condition returns the condition that finished rows meet. It returns "" if no column is known to
// say which rows are finished.
func (d *draft) Condition() string {
	switch {
	case !d.Work || d.State.Column == nil:
		return ""
	case d.State.Flag:
		return quote.Ident(d.State.Name)
	case d.State.Finished == nil:
		return ""
	}
	cast := "" // a domain over an enum has no operator that compares it with a text
	if d.State.Base != "" && len(d.State.Labels) > 0 {
		cast = "::" + d.State.Base
	}
	values := strings.Join(lists.Map(d.State.Finished, quote.Literal), ", ")
	return quote.Ident(d.State.Name) + cast + " IN (" + values + ")"
}

// MayState returns the name of a column that may say which rows are finished, if the proposal does
// not use it.
func (d *draft) MayState() string {
	if !d.Work || d.State.Column == nil || d.Condition() != "" {
		return ""
	}
	return d.State.Name
}

// Builds reports whether the migration must build an index for the clock.
func (d *draft) Builds() bool {
	return !d.Partitions && !slices.ContainsFunc(d.Indexes, func(i catalog.Index) bool {
		return i.Valid && i.Predicate == "" && len(i.Columns) > 0 && i.Columns[0] == d.Clock().Name
	})
}

// Others lists other columns that might be the clock. A time at which the work of a row began is
// not among them.
func (d *draft) Others() []string {
	others := slices.DeleteFunc(slices.Clone(d.Clocks[1:]), func(c clock) bool {
		return d.Work && c.suffix == oldRule.suffix && d.Clock().suffix != oldRule.suffix
	})
	return lists.Map(others, func(c clock) string { return c.Name })
}

func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// sizes describes the size of a table in words.
func (f *file) sizes(d *draft) string {
	if f.Database == "" {
		return ""
	}
	text := ", " + d.Growth.Size
	if d.Growth.Rows != nil {
		text += ", about " + explain.Count(*d.Growth.Rows, "row")
	}
	inserts, each := d.Growth.Inserted, ""
	if days := f.Days; days != nil && *days >= 2 && float64(inserts) >= *days {
		inserts, each = int64(float64(inserts) / *days), " a day"
	}
	return text + ", " + explain.Count(inserts, "insert") + each + " since " + cmp.Or(f.Since, "statistics began")
}

const undecided = "undecided"

// reason returns why a table is exempt.
func (f *file) reason(d *draft) string {
	text := d.reason
	switch {
	case text == noEnd && d.State.Column != nil:
		text += "; perhaps " + d.State.Name + ", whose values are not known here"
	case text == noClock && d.with != "":
		return "rows go with those of " + d.with + ", by foreign key"
	case text == noClock:
		before := "; perhaps "
		for _, c := range d.Columns {
			if isTime(c.Plain()) {
				text, before = text+before+c.Name, ", "
			}
		}
		for _, why := range d.unfit {
			text += "; " + why
		}
	}
	return text + f.sizes(d)
}

var (
	plainYAML = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*([./][A-Za-z_][A-Za-z0-9_]*)*$`)
	yamlWord  = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

// yamlText returns a text in YAML, in quotes if it needs them. YAML reads Go's escapes.
func yamlText(text string) string {
	if plainYAML.MatchString(text) && !yamlWord.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// comment returns a text without line breaks.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
