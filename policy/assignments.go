package policy

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/pgparse"
)

// assignments is a map of columns to expressions.
func (r *reader) assignments(f field, s scope) []Assignment {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, quoted(f.name()), shape{})
	var list []Assignment
	for _, key := range m.order {
		f := m.fields[key]
		a := Assignment{Column: r.columnName(field{value: f.key}), Position: r.at(f.key)}
		if e := r.expression(f, s); e != nil && a.Column != "" {
			a.Value = *e
			list = append(list, a)
		}
	}
	return r.distinct(list)
}

// distinct drops a column that differs from one before it only in how it is written.
func (r *reader) distinct(list []Assignment) []Assignment {
	var kept []Assignment
	seen := map[string]Assignment{}
	for _, a := range list {
		if first, ok := seen[a.Column]; ok {
			r.twice(a, first)
			continue
		}
		seen[a.Column] = a
		kept = append(kept, a)
	}
	return kept
}

// filled is a map of columns that cannot be empty.
func (r *reader) filled(f field, s scope) []Assignment {
	r.notEmpty(f)
	return r.assignments(f, s)
}

func (r *reader) notEmpty(f field) {
	if node := resolve(f.value); len(node.Content) == 0 && (node.Kind == yaml.MappingNode || node.Kind == yaml.SequenceNode) {
		r.add(codeMissing, r.fieldAt(f), quoted(f.name())+" is empty", "", "")
	}
}

var payloadKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// payload is a map of an event's keys to expressions.
func (r *reader) payload(f field, s scope) []Assignment {
	if f.value == nil {
		return nil
	}
	m, _ := r.mapping(f, quoted(f.name()), shape{})
	var list []Assignment
	for _, key := range m.order {
		f := m.fields[key]
		if !payloadKey.MatchString(key) || len(key) > 63 {
			r.add(codeName, r.at(f.key), fmt.Sprintf("invalid payload key %q", key), "", "Use at most 63 letters, digits, underscores, dots and hyphens, and begin with a letter.")
		}
		if e := r.expression(f, s); e != nil {
			list = append(list, Assignment{Column: key, Value: *e, Position: r.at(f.key)})
		}
	}
	return list
}

var eventNames = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$`)

func (r *reader) eventName(f field) string {
	name, ok := r.text(f)
	if ok && (!eventNames.MatchString(name) || len(name) > 63) {
		r.add(codeName, r.at(f.value), fmt.Sprintf("invalid event name %q", name), "", "Use at most 63 lower-case letters, digits and underscores, with dots between words if you like.")
	}
	return name
}

// wholeRow holds that the document has all of the row, also where set says what is in it.
func (r *reader) wholeRow(a *Archive, related *Related) {
	row := "t"
	if related != nil {
		row = related.As
	}
	for _, set := range a.Set {
		if set.Column != a.Document {
			continue
		}
		parsed, err := pgparse.Expression(set.Value.SQL)
		if err == nil && !readsWhole(parsed, row) {
			r.add(codeDocument, set.Value.Position, fmt.Sprintf("document %q would not hold the row", a.Document), fmt.Sprintf("\"set\" replaces the document, and does not read %s.*.", row),
				fmt.Sprintf("Write for example \"to_jsonb(%s.*) || jsonb_build_object('by', 'pgretain')\", or leave the column out of \"set\".", row))
		}
	}
}

func readsWhole(parsed *pgparse.Expr, row string) bool {
	for _, c := range parsed.Columns {
		if c.Star && len(c.Fields) == 1 && c.Fields[0] == row {
			return true
		}
	}
	return false
}

// Written is what a policy sets in rows of a table that are there already.
type Written struct {
	Table  Table
	Step   int          // in Then, -1 for the watermark
	Set    []Assignment // values that nobody can tell beforehand are empty
	Worded bool         // by a statement of the policy's own words
}

// Sets lists the columns that runs of a policy set, by step.
func (p *Policy) Sets() []Written {
	var list []Written
	for _, entry := range p.dueEntries() {
		if entry.Clock != nil && entry.Clock.Watermark != nil {
			mark := entry.Clock.Watermark
			list = append(list, Written{Table: mark.Table, Step: -1, Set: []Assignment{{Column: mark.Column}}})
		}
	}
	for i, s := range p.Then {
		switch {
		case s.Update != nil && s.Related != nil:
			list = append(list, Written{Table: s.Related.Table, Step: i, Set: s.Update.Set})
		case s.Update != nil:
			list = append(list, Written{Table: p.Table, Step: i, Set: s.Update.Set})
		case s.Insert != nil && len(s.Insert.Key) > 0:
			if set := s.Insert.existing(); len(set) > 0 {
				list = append(list, Written{Table: s.Insert.Into, Step: i, Set: set})
			}
		case s.SQL != nil:
			list = append(list, wordedSets(s.SQL, i)...)
		}
	}
	return list
}

// existing are the columns of a row that is there already; what they become depends on it.
func (i *Insert) existing() []Assignment {
	var list []Assignment
	for _, group := range [][]Assignment{i.Add, i.Max, i.Min, i.Set} {
		for _, a := range group {
			list = append(list, Assignment{Column: a.Column, Position: a.Position})
		}
	}
	return list
}

func wordedSets(e *Expr, step int) []Written {
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return nil // refused when the file was read
	}
	var list []Written
	for _, w := range parsed.Writes {
		if w.Table.Schema == "" || len(w.Sets) == 0 {
			continue // a name of its own WITH
		}
		set := make([]Assignment, len(w.Sets))
		for i, column := range w.Sets {
			set[i].Column = column
		}
		list = append(list, Written{Table{Schema: w.Table.Schema, Name: w.Table.Name, Position: e.At(w.Table.Offset)}, step, set, true})
	}
	return list
}
