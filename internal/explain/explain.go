// Package explain says in words what a policy file does. The words of a policy stand at the head of its page in a
// migration, in the registry, and in "pgretain explain"; a migration's head tells by them what changes.
package explain

import (
	"slices"
	"strings"

	"pgretain/internal/catalog"
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
}

// subject is a policy with its facts.
type subject struct {
	*policy.Policy
	Facts
}

// sections are the constructs of a policy, in the order of their lines.
var sections = []struct {
	key string
	say func(subject) []string
}{
	{"about", func(s subject) []string { return some(s.Description) }},
	{"", nil}, // what is done with which rows, whose key is a verb
	{"scope", scope}, {"ensures", ensures}, {"join", joins}, {"where", where}, {"due", due}, {"settable", settable},
	{"keeps", guards},
	{"order", func(s subject) []string { return s.Orders }},
	{"takes", func(s subject) []string { return some(s.Way) }},
	{"step", steps}, {"cascades", cascades}, {"moves", watermarks}, {"claims", claims}, {"advances", cursor},
	{"touches", touch},
	{"revives", revive}, {"triggers", triggers}, {"holds", holds},
}

// onlyExtra are keys of what other objects of a migration hold, or none.
var onlyExtra = []string{"ensures", "triggers"}

// Policy is what a policy does.
func Policy(p *policy.Policy, f Facts) []Line {
	s := subject{p, f}
	var lines []Line
	for _, section := range sections {
		if section.say == nil {
			lines = append(lines, rows(s))
			continue
		}
		for i, text := range section.say(s) {
			line := Line{Key: section.key, Text: text, Extra: slices.Contains(onlyExtra, section.key)}
			switch {
			case line.Key == "due" && i > 0:
				line.Key = "or"
			case line.Key == "step":
				line.Key = "step " + Number(int64(i+1))
			case line.Key == "holds":
				line.Extra = len(s.Holds) == 1
			}
			lines = append(lines, line)
		}
	}
	for i := range lines {
		lines[i].Text = oneLine(lines[i].Text)
	}
	return append(lines, bounds(p)...)
}

// Report is what a report asks.
func Report(r *policy.Report) []Line {
	lines := texts("about", some(r.Description)...)
	lines = append(lines, Line{Key: "asks", Text: oneLine(r.Query.SQL)})
	if r.Alert != nil {
		lines = append(lines, Line{Key: "alerts", Text: "if there is a row" + when(r.Alert)})
	}
	return lines
}

func texts(key string, list ...string) []Line {
	return each(list, func(text string) Line { return Line{Key: key, Text: text} })
}

// some is a list of what is not empty.
func some(list ...string) []string {
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

func each[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, item := range list {
		made[i] = f(item)
	}
	return made
}

// rows says of which rows the policy is, and what becomes of them in all.
func rows(s subject) Line {
	if s.Partitions {
		verb := "detaches"
		if slices.ContainsFunc(s.Then, func(step policy.Step) bool { return step.Drop != nil }) {
			verb = "drops"
		}
		never := ", but never DEFAULT, the newest, or one without an upper bound"
		if s.ByList {
			never = ", one value each, but never DEFAULT or the newest"
		}
		return Line{Key: verb, Text: "partitions of " + table(s.Table) + never}
	}
	var deletes, updates, partly bool // of own rows; partly: not all of them
	for _, step := range s.Then {
		if own := step.Related == nil; own && (step.Delete != nil || step.Update != nil) {
			deletes, updates, partly = deletes || step.Delete != nil, updates || step.Update != nil, partly || step.Where != nil
		}
	}
	verb := "reads"
	switch {
	case deletes && updates && partly:
		verb = "changes"
	case deletes:
		verb = "deletes"
	case updates:
		verb = "updates"
	}
	return Line{Key: verb, Text: "rows of " + table(s.Table)}
}

// unit is what the policy is about.
func (s subject) unit() string {
	if s.Partitions {
		return "partition"
	}
	return "row"
}

func scope(s subject) []string {
	if len(s.Scope) == 0 {
		return nil
	}
	return []string{"a job or a call may narrow it to one " + list(each(s.Scope, name))}
}

func where(s subject) []string {
	if s.Where == nil {
		return nil
	}
	return []string{s.Where.SQL}
}

func joins(s subject) []string { return each(s.Joins, join) }

// join is a row of another relation that expressions read.
func join(j policy.Join) string {
	text := j.Name + ": "
	switch {
	case j.Table != nil:
		text += "the row of " + table(*j.Table)
	case j.OncePerRun():
		text += "the row of (" + oneLine(j.Query.SQL) + "), read when a run starts,"
	default:
		return text + "the row of (" + oneLine(j.Query.SQL) + ")"
	}
	return strings.TrimSuffix(text+when(j.Where), ",")
}

// when is a condition behind what it is about, "" where it is always true.
func when(e *policy.Expr) string {
	if e == nil || strings.EqualFold(strings.TrimSpace(e.SQL), "true") {
		return ""
	}
	return " where " + oneLine(e.SQL)
}

func guards(s subject) []string {
	return each(s.Keep, func(g policy.Guard) string {
		if g.Rank != nil {
			return g.Name + ": " + s.among(g.Rank)
		}
		return g.Name + ": " + oneLine(g.Condition.SQL)
	})
}

func ensures(s subject) []string {
	return each(s.Ensure, func(c policy.Column) string {
		text := "column " + quote.Ident(c.Name) + " " + c.Type
		if c.Default != nil {
			text += " DEFAULT " + c.Default.SQL
		}
		return text
	})
}

func triggers(s subject) []string {
	if len(s.Triggers) == 0 {
		return nil
	}
	return []string{list(each(s.Triggers, name)) + " may fire in its batches"}
}

// cascades are the foreign keys that change other rows, and the tables that are allowed without one.
func cascades(s subject) []string {
	reached := map[string]bool{}
	var texts []string
	for _, key := range s.Cascades {
		reached[key.Table] = true
		columns := quote.Idents(key.Columns)
		text := tableNamed(key.Table) + " (" + columns + "): ON DELETE " + strings.ToUpper(key.OnDelete)
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	for _, step := range s.Then {
		if step.Delete == nil {
			continue
		}
		for _, t := range step.Delete.Cascades {
			if !reached[t.String()] {
				reached[t.String()] = true
				texts = append(texts, table(t)+": allowed, but no foreign key leads there")
			}
		}
	}
	return some(strings.Join(texts, "; "))
}

func holds(s subject) []string {
	return some(strings.TrimSpace("on " + list(each(s.Holds, tableNamed))))
}

func table(t policy.Table) string { return quote.Qualified(t.Schema, t.Name) }

// tableNamed quotes "schema.name".
func tableNamed(text string) string {
	schema, name, _ := strings.Cut(text, ".")
	return quote.Qualified(schema, name)
}

func name(n policy.Name) string { return quote.Ident(n.Text) }

func list(names []string) string { return strings.Join(names, ", ") }

// assignments are columns with their values.
func assignments(set []policy.Assignment) string {
	return list(each(set, func(a policy.Assignment) string {
		return quote.Ident(a.Column) + " = " + oneLine(a.Value.SQL)
	}))
}
