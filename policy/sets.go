package policy

import "pgretain/internal/pgparse"

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
