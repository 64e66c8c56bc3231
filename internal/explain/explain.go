// Package explain describes a policy file in words. The description of a policy appears at the head
// of its script in a migration, in the registry, and in the output of "pgretain explain". The head
// of a migration compares descriptions to list changes.
//
// words.txt.tmpl contains the sentences. This package computes what the sentences need beyond the
// policy file.
package explain

import (
	_ "embed" // for words.txt.tmpl
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/parallel"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// Line is one fact. Several lines may have the same key.
type Line struct {
	Key  string `json:"key"` // at most nine letters
	Text string `json:"text"`
	// the script omits the line: it is a default, or a fact about another object
	Extra bool `json:"extra,omitempty"`
}

// Facts are the facts of a policy that its policy file does not contain.
type Facts struct {
	Zone     string               // time zone in which days are counted
	Schema   string               // schema of the runtime
	Clocks   []string             // type of the clock of each entry of "due"; "" for no clock
	Orders   []string             // orders in which a run reads the rows, one for each pass
	Way      string               // how a batch takes rows
	Cascades []catalog.ForeignKey // foreign keys along which the policy's deletes change other rows
	ByList   bool                 // each partition holds one value
	// tables whose holds keep rows, as "schema.name"; the policy's own table first
	Holds  []string
	Tables catalog.Graph // used to split "schema.name", because names may have dots
}

// subject is a policy with its facts.
type subject struct {
	*policy.Policy
	Facts
}

// Policy describes a policy. It marks three kinds of lines as Extra: lines about other objects of a
// migration, the line that says that no hold applies, and lines about default bounds.
func Policy(p *policy.Policy, f Facts) []Line {
	lines := said("policy", subject{p, f})
	for i, l := range lines {
		lines[i].Extra = l.Key == "ensures" || l.Key == "triggers" || l.Key == "holds" && len(f.Holds) == 1
	}
	return append(lines, bounds(p)...)
}

// bounds describes all bounds of a policy.
func bounds(p *policy.Policy) []Line {
	usual := policy.Default()
	usual.Partitions, usual.Then = p.Partitions, p.Then
	lines, byDefault := slices.Clone(boundLines(p.Bounded())), boundLines(usual.Bounded())
	for i := range lines {
		lines[i].Extra = slices.Contains(byDefault, lines[i])
	}
	return lines
}

// BoundKeys are the keys of the lines about bounds, in their order.
var BoundKeys = []string{"batch", "waits", "budget", "breaker", "busy"}

// boundLines caches the lines of equal bounds.
var boundLines = parallel.Remember(func(b policy.Bounds) []Line { return said("bounds", b) })

// Report describes a report.
func Report(r *policy.Report) []Line { return said("report", r) }

// Job describes a job.
func Job(j *policy.Job) []Line { return said("job", j) }

// Install describes the settings for all policies of a file.
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

// said returns the lines of a template that are not empty.
func said(about string, data any) []Line {
	var text strings.Builder
	if err := words.ExecuteTemplate(&text, about, data); err != nil {
		panic(err) // an error in words.txt.tmpl is a bug
	}
	var lines []Line
	for line := range strings.Lines(text.String()) {
		if key, fact, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); fact != "" {
			lines = append(lines, Line{Key: key, Text: oneLine(fact)})
		}
	}
	return lines
}

// Verb returns the verb that says what the policy does with its rows or partitions.
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

// Unit returns the noun for what the policy takes: "row" or "partition".
func (s subject) Unit() string {
	if s.Partitions {
		return "partition"
	}
	return "row"
}

// counted returns a number with its noun: rows or partitions.
func counted(partitions bool, n any) string {
	return Count(reflect.ValueOf(n).Int(), subject{Policy: &policy.Policy{Partitions: partitions}}.Unit())
}

// Function returns the name of a function that the policy creates for applications.
func (s subject) Function(word string) string {
	return quote.Qualified(s.Schema, s.Name+"_"+word) + "()"
}

// Steps returns the steps, or none if the verb of the policy says everything about them.
func (s subject) Steps() []policy.Step {
	if only := s.Then; len(only) == 1 && only[0].Related == nil && only[0].Where == nil &&
		(only[0].Delete != nil || only[0].Detach != nil || only[0].Drop != nil) {
		return nil
	}
	return s.Then
}

// Held returns the names of the tables whose holds keep rows.
func (s subject) Held() string { return joined(s.Holds, s.tableNamed) }

// Reached lists the foreign keys that change other rows. It adds tables that "cascades" names
// although no foreign key reaches them. Each text is listed once.
func (s subject) Reached() (texts []string) {
	for _, key := range s.Cascades {
		texts = lists.AppendUnique(texts, s.tableNamed(key.Table)+" ("+quote.Idents(key.Columns)+"): ON DELETE "+
			strings.ToUpper(key.OnDelete))
	}
	for _, step := range s.Then {
		if step.Delete == nil {
			continue
		}
		for _, t := range step.Delete.Cascades {
			if !slices.ContainsFunc(s.Cascades, func(key catalog.ForeignKey) bool { return key.Table == t.String() }) {
				texts = lists.AppendUnique(texts, table(t)+": allowed, but no foreign key leads there")
			}
		}
	}
	return texts
}

// whole reports whether an archive stores the whole row, unchanged, in one column.
func whole(a *policy.Archive) bool {
	given := slices.ContainsFunc(a.Set, func(set policy.Assignment) bool { return set.Column == a.Document })
	return a.Document != "" && !given
}

// when returns a condition with "where" before it, or "" if the condition is true.
func when(e policy.Expr) string {
	if strings.EqualFold(strings.TrimSpace(e.SQL), "true") {
		return ""
	}
	return " where " + sql(e)
}

func sql(e policy.Expr) string { return oneLine(e.SQL) }

func table(t policy.Table) string { return quote.Qualified(t.Schema, t.Name) }

// tableNamed returns "schema.name" with quotes where needed.
func (f Facts) tableNamed(text string) string {
	if t := f.Tables[text]; t != nil {
		return quote.Qualified(t.Schema, t.Name)
	}
	schema, name, _ := strings.Cut(text, ".")
	return quote.Qualified(schema, name)
}

func name(n policy.Name) string { return quote.Ident(n.Text) }

// assignments lists columns with their values. The function payload does the same for the keys of a
// payload.
func assignments(set []policy.Assignment) string {
	return joined(set, func(a policy.Assignment) string { return quote.Ident(a.Column) + " = " + sql(a.Value) })
}

func payload(set []policy.Assignment) string {
	return joined(set, func(a policy.Assignment) string { return a.Column + " = " + sql(a.Value) })
}

// joined returns the words of a list, separated by commas.
func joined[T any](list []T, word func(T) string) string {
	return strings.Join(lists.Map(list, word), ", ")
}

// clock is a clock of the policy, with the type of its column.
type clock struct {
	subject
	*policy.Clock
	Type string
}

// Clock returns the clock of an entry of "due", or nil if it has none.
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

// CountsDays reports whether a window has days or months, which depend on a time zone.
func (k *clock) CountsDays() bool {
	return slices.ContainsFunc(k.Clock.Window.Tiers, func(t policy.Tier) bool {
		return t.Interval.Days != 0 || t.Interval.Months != 0 || t.Data != nil
	})
}

// AtOnce reports whether a row is due as soon as its clock is reached.
func (k *clock) AtOnce() bool {
	t := k.Clock.Window.Tiers[0]
	return k.Kind == "expires" && t.When == nil && t.Data == nil && !t.Never && t.Interval.Zero()
}

// epoch formats a timestamp given in milliseconds since 1970, in UTC.
func epoch(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05.999") }

// length returns the length of a tier in words.
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

// caveat returns the result of caveats for a window that is computed from data; "" for other
// windows.
func caveat(t policy.Tier) string {
	d := t.Data
	if d == nil || d.Value == nil {
		return ""
	}
	return caveats(d, "never", d.AtLeast != nil && d.AtLeast.Zero(), func(i policy.Interval) string { return i.Text })
}

// notPositive reports whether an expression is a negative number or zero. caveats does not list
// such a number, because its text says what zero and negative values mean.
func notPositive(e policy.Expr) bool {
	constant, _ := e.Parsed().Constant()
	number, err := strconv.ParseFloat(constant.Text, 64)
	return constant.IsNumber() && err == nil && number <= 0
}

// caveats describes, in parentheses, how a policy treats a value that is computed from data. It
// names the least and the greatest allowed value, the value that replaces NULL, and the values that
// mean "never".
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
		if !notPositive(e) {
			nevers = append(nevers, e.SQL)
		}
	}
	last := len(nevers) - 1
	if last > 0 {
		nevers[last] = strings.Join(nevers[:last], ", ") + " or " + nevers[last]
	}
	return " (" + strings.Join(append(texts, never+" if "+nevers[last]), "; ") + ")"
}

// rank is a rank of the policy. The field Never says what happens to a row if the number of rows
// means never.
type rank struct {
	subject
	*policy.Rank
	Never string
}

// Rank returns a rank of the policy for the templates.
func (s subject) Rank(r *policy.Rank, never string) rank { return rank{s, r, never} }

// sole reports whether a rank selects one row of each group.
func sole(r *policy.Rank) bool { return r.Count == nil && r.First == 1 }

// Limits describes the bounds of a number from data.
func (r rank) Limits() string {
	if c := r.Count; c != nil {
		return caveats(c, r.Never, c.AtLeast != nil && *c.AtLeast == 0, Number)
	}
	return ""
}

// operand returns an expression as part of a sentence. It adds parentheses unless the expression is
// a name, a number or a plain call.
func operand(e policy.Expr) string {
	if e.Parsed().Atom {
		return sql(e)
	}
	return "(" + sql(e) + ")"
}
