// Package explain says in words what a policy file does. The words of a policy stand at the head of its page in a
// migration, in the registry, and in "pgretain explain"; a migration's head tells by them what changes.
//
// words.txt.tmpl has the sentences; what they need to know besides the policy file is here.
package explain

import (
	_ "embed" // words.txt.tmpl
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/parallel"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// Line is one fact. A key stands before several lines where there are several facts of a kind.
type Line struct {
	Key   string `json:"key"` // at most nine letters
	Text  string `json:"text"`
	Extra bool   `json:"extra,omitempty"` // not on the page: it holds by default, or belongs to another object
}

// Facts are what the policy file alone does not say of a policy.
type Facts struct {
	Zone     string               // in which days are counted
	Schema   string               // of the runtime
	Clocks   []string             // the types of the clocks, by entry of "due"; "" for none
	Orders   []string             // how a run goes through the rows, a pass each
	Way      string               // how a batch takes rows
	Cascades []catalog.ForeignKey // along which its deletes change other rows
	ByList   bool                 // each partition holds one value
	Holds    []string             // the tables whose holds keep rows, "schema.name", the policy's own first
	Tables   catalog.Graph        // where a schema's name ends: names may have dots
}

// subject is a policy with its facts.
type subject struct {
	*policy.Policy
	Facts
}

// Policy is what a policy does. What other objects of a migration hold, or none, is extra, and so are bounds that hold
// by default.
func Policy(p *policy.Policy, f Facts) []Line {
	lines := said("policy", subject{p, f})
	for i, l := range lines {
		lines[i].Extra = l.Key == "ensures" || l.Key == "triggers" || l.Key == "holds" && len(f.Holds) == 1
	}
	return append(lines, bounds(p)...)
}

// bounds are the lines of all bounds.
func bounds(p *policy.Policy) []Line {
	usual := policy.Default()
	usual.Partitions, usual.Then = p.Partitions, p.Then
	lines, byDefault := slices.Clone(boundLines(p.Bounded())), boundLines(usual.Bounded())
	for i := range lines {
		lines[i].Extra = slices.Contains(byDefault, lines[i])
	}
	return lines
}

// boundLines are said once for the policies that have the same bounds.
var boundLines = parallel.Remember(func(b policy.Bounds) []Line { return said("bounds", b) })

// Report is what a report asks.
func Report(r *policy.Report) []Line { return said("report", r) }

// Job is when a job runs, and what.
func Job(j *policy.Job) []Line { return said("job", j) }

// Install is what holds for all policies of a file.
func Install(f *policy.File) []Line { return said("install", f) }

//go:embed words.txt.tmpl
var source string

var words = template.Must(template.New("").Funcs(template.FuncMap{
	"inc": func(i int) int { return i + 1 }, "join": strings.Join, "trim": strings.TrimSpace, "oneLine": oneLine,
	"ident": quote.Ident, "idents": quote.Idents, "qualified": quote.Qualified, "name": name, "table": table,
	"names":  func(list []policy.Name) string { return joined(list, name) },
	"tables": func(list []policy.Table) string { return joined(list, table) },
	"sql":    sql, "operand": operand, "when": when, "assignments": assignments, "payload": payload,
	"operands": func(list []policy.Expr) string { return joined(list, operand) },
	"duration": Duration, "percent": percent, "number": Number, "length": length,
	"caveat": caveat, "counted": counted, "epoch": epoch, "sole": sole, "whole": whole,
}).Parse(source))

// said are the lines of a template that say something.
func said(about string, data any) []Line {
	var text strings.Builder
	if err := words.ExecuteTemplate(&text, about, data); err != nil {
		panic(err) // of our own template
	}
	var lines []Line
	for line := range strings.Lines(text.String()) {
		if key, fact, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); fact != "" {
			lines = append(lines, Line{Key: key, Text: oneLine(fact)})
		}
	}
	return lines
}

// Verb is what becomes of the rows, or partitions, in all.
func (s subject) Verb() string {
	own := func(is func(policy.Step) bool) bool {
		return slices.ContainsFunc(s.Then, func(step policy.Step) bool { return step.Related == nil && is(step) })
	}
	deletes := own(func(step policy.Step) bool { return step.Delete != nil })
	updates := own(func(step policy.Step) bool { return step.Update != nil })
	switch {
	case s.Partitions && own(func(step policy.Step) bool { return step.Drop != nil }):
		return "drops"
	case s.Partitions:
		return "detaches"
	case deletes && updates && own(func(step policy.Step) bool {
		return step.Where != nil && (step.Delete != nil || step.Update != nil)
	}):
		return "changes"
	case deletes:
		return "deletes"
	case updates:
		return "updates"
	}
	return "reads"
}

// Unit is what the policy is about.
func (s subject) Unit() string {
	if s.Partitions {
		return "partition"
	}
	return "row"
}

// counted is a number of what a policy is about.
func counted(partitions bool, n any) string {
	return Count(reflect.ValueOf(n).Int(), subject{Policy: &policy.Policy{Partitions: partitions}}.Unit())
}

// Function is one that the policy makes for applications.
func (s subject) Function(word string) string {
	return quote.Qualified(s.Schema, s.Name+"_"+word) + "()"
}

// Steps returns the steps, or none where the verb of the policy says everything about them.
func (s subject) Steps() []policy.Step {
	if only := s.Then; len(only) == 1 && only[0].Related == nil && only[0].Where == nil &&
		(only[0].Delete != nil || only[0].Detach != nil || only[0].Drop != nil) {
		return nil
	}
	return s.Then
}

// Held are the tables whose holds keep rows.
func (s subject) Held() string { return joined(s.Holds, s.tableNamed) }

// Reached are the foreign keys that change other rows, and the tables that are allowed without one, each once.
func (s subject) Reached() (texts []string) {
	add := func(text string) {
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	for _, key := range s.Cascades {
		add(s.tableNamed(key.Table) + " (" + quote.Idents(key.Columns) + "): ON DELETE " + strings.ToUpper(key.OnDelete))
	}
	for _, step := range s.Then {
		if step.Delete == nil {
			continue
		}
		for _, t := range step.Delete.Cascades {
			if !slices.ContainsFunc(s.Cascades, func(key catalog.ForeignKey) bool { return key.Table == t.String() }) {
				add(table(t) + ": allowed, but no foreign key leads there")
			}
		}
	}
	return texts
}

// whole says whether an archive has the row in one column, as it is.
func whole(a *policy.Archive) bool {
	given := slices.ContainsFunc(a.Set, func(set policy.Assignment) bool { return set.Column == a.Document })
	return a.Document != "" && !given
}

// when is a condition behind what it is about, "" where it is always true.
func when(e policy.Expr) string {
	if strings.EqualFold(strings.TrimSpace(e.SQL), "true") {
		return ""
	}
	return " where " + sql(e)
}

func sql(e policy.Expr) string { return oneLine(e.SQL) }

func table(t policy.Table) string { return quote.Qualified(t.Schema, t.Name) }

// tableNamed quotes "schema.name".
func (f Facts) tableNamed(text string) string {
	if t := f.Tables[text]; t != nil {
		return quote.Qualified(t.Schema, t.Name)
	}
	schema, name, _ := strings.Cut(text, ".")
	return quote.Qualified(schema, name)
}

func name(n policy.Name) string { return quote.Ident(n.Text) }

// assignments are columns with their values, payload keys with theirs.
func assignments(set []policy.Assignment) string {
	return joined(set, func(a policy.Assignment) string { return quote.Ident(a.Column) + " = " + sql(a.Value) })
}

func payload(set []policy.Assignment) string {
	return joined(set, func(a policy.Assignment) string { return a.Column + " = " + sql(a.Value) })
}

// joined is a list in words.
func joined[T any](list []T, word func(T) string) string {
	return strings.Join(lists.Map(list, word), ", ")
}

// clock is one of the policy's, with the type of its column.
type clock struct {
	subject
	*policy.Clock
	Type string
}

// Clock is that of an entry of "due"; nil where it has none.
func (s subject) Clock(entry int) *clock {
	k := &clock{subject: s, Clock: s.Due.Entries[entry].Clock}
	if k.Clock == nil {
		return nil
	}
	if entry < len(s.Clocks) {
		k.Type = s.Clocks[entry]
	}
	return k
}

// CountsDays says whether a window has days or months, which begin and end by a time zone.
func (k *clock) CountsDays() bool {
	return slices.ContainsFunc(k.Clock.Window.Tiers, func(t policy.Tier) bool {
		return t.Interval.Days != 0 || t.Interval.Months != 0 || t.Data != nil
	})
}

// AtOnce says whether a row is due as soon as the clock is reached.
func (k *clock) AtOnce() bool {
	t := k.Clock.Window.Tiers[0]
	return k.Kind == "expires" && t.When == nil && t.Data == nil && !t.Never && t.Interval.Zero()
}

// epoch is an instant in milliseconds since 1970.
func epoch(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.999") }

// length is how long a tier is.
func length(t policy.Tier) string {
	switch {
	case t.Data == nil:
		return t.Interval.Text
	case t.Data.Value == nil:
		return t.Data.Else.Text
	case t.Data.Unit == "interval":
		return operand(*t.Data.Value)
	}
	return operand(*t.Data.Value) + " " + t.Data.Unit
}

// caveat is what holds of a window from data besides.
func caveat(t policy.Tier) string {
	d := t.Data
	if d == nil || d.Value == nil {
		return ""
	}
	return caveats(d, "never", d.AtLeast != nil && d.AtLeast.Zero(), func(i policy.Interval) string { return i.Text })
}

// notPositive are constants that are known not to be: they mean never anyway, or are due.
var notPositive = regexp.MustCompile(`^\s*(?:-\s*[0-9.]+|0+)\s*$`)

// caveats are what becomes of a value from data: its bounds, NULL, and what means never.
func caveats[T any](d *policy.Data[T], never string, zeroDue bool, word func(T) string) string {
	var bounds, texts, nevers []string
	if d.AtLeast != nil && !zeroDue {
		bounds = append(bounds, "at least "+word(*d.AtLeast))
	}
	if d.AtMost != nil {
		bounds = append(bounds, "at most "+word(*d.AtMost))
	}
	if len(bounds) > 0 {
		texts = append(texts, strings.Join(bounds, ", "))
	}
	if d.Else != nil {
		texts = append(texts, word(*d.Else)+" if NULL")
	} else {
		nevers = append(nevers, "NULL")
	}
	if !zeroDue {
		nevers = append(nevers, "zero")
	}
	nevers = append(nevers, "negative")
	for _, e := range d.NeverValues {
		if !notPositive.MatchString(e.SQL) {
			nevers = append(nevers, e.SQL)
		}
	}
	last := len(nevers) - 1
	if last > 0 {
		nevers[last] = strings.Join(nevers[:last], ", ") + " or " + nevers[last]
	}
	return " (" + strings.Join(append(texts, never+" if "+nevers[last]), "; ") + ")"
}

// rank is one of the policy's. Never is what becomes of rows whose number is none.
type rank struct {
	subject
	*policy.Rank
	Never string
}

// Rank is one that says which rows are due, or kept.
func (s subject) Rank(r *policy.Rank, never string) rank { return rank{s, r, never} }

// sole says whether a rank is about one row of each group.
func sole(r *policy.Rank) bool { return r.Count == nil && r.First == 1 }

// Limits are the bounds of a number from data.
func (r rank) Limits() string {
	if c := r.Count; c != nil {
		return caveats(c, r.Never, c.AtLeast != nil && *c.AtLeast == 0, Number)
	}
	return ""
}

var plain = regexp.MustCompile(`^(?:[A-Za-z_0-9."]+|[A-Za-z_0-9."]+\([^()]*\))$`)

// operand is an expression as part of a sentence: in parentheses unless it is a name, a number or a plain call.
func operand(e policy.Expr) string {
	text := sql(e)
	if plain.MatchString(text) {
		return text
	}
	return "(" + text + ")"
}
