package lint

import "pgretain/internal/pgparse"

// truth is a set of what a condition may be.
type truth uint8

const (
	yes truth = 1 << iota
	no
	null
	anything = yes | no | null
)

// wish says that a condition is one of a set.
type wish struct {
	c     *pgparse.Condition
	is    truth
	after *change // nil for the row as it is, else it is said of the row as a step leaves it
}

// change names the columns that a step sets.
type change struct {
	step    string
	columns map[string]bool
}

// name tells a column before a step from the same column after it, where the step sets it; "" stands for
// what may read any column.
func (c *change) name(column string) string {
	if c == nil || column != "" && !c.columns[column] {
		return ""
	}
	return c.step
}

// search looks for a row that fulfils all wishes. It may find one that cannot exist, because it does
// not understand everything; what it does not find does not exist.
type search struct {
	row   *row
	steps int
}

// most bounds the search: one that takes longer has found.
const most = 2000

// possible says whether a row may exist that fulfils all wishes.
func (r *row) possible(wishes ...wish) bool {
	s := &search{row: r}
	return s.find(wishes, facts{})
}

func (s *search) find(wishes []wish, known facts) bool {
	if s.steps++; s.steps > most {
		return true
	}
	if len(wishes) == 0 {
		return true
	}
	first, rest := wishes[0], wishes[1:]
	if first.is == 0 {
		return false
	}
	if first.is == anything || first.c == nil {
		return s.find(rest, known)
	}
	for _, way := range first.ways() {
		next := append(append([]wish{}, way...), rest...)
		if s.find(next, known) {
			return true
		}
	}
	if first.c.Parts != nil {
		return false
	}
	narrower, ok := known.with(s.row, first)
	return ok && s.find(rest, narrower)
}

// ways are the wishes for the parts of a condition, any of which fulfils the one for the whole; none
// for a condition without parts.
func (w wish) ways() [][]wish {
	switch w.c.Form {
	case pgparse.Not:
		return [][]wish{{w.of(0, swapped(w.is))}}
	case pgparse.Is:
		return [][]wish{{w.of(0, w.tested())}}
	case pgparse.All:
		return w.joined(yes, no)
	case pgparse.Either:
		return w.joined(no, yes)
	}
	return nil
}

// joined is AND; OR is the same with true and false changed about. It has its weak value where one of
// its parts has, its strong one where all have, and is NULL otherwise.
func (w wish) joined(strong, weak truth) [][]wish {
	var ways [][]wish
	switch {
	case w.is&weak != 0:
		for i := range w.c.Parts {
			ways = append(ways, []wish{w.of(i, w.is&^strong)})
		}
		if w.is&strong != 0 {
			ways = append(ways, w.each(strong))
		}
	case w.is == null:
		for i := range w.c.Parts {
			ways = append(ways, append(w.each(strong|null), w.of(i, null)))
		}
	default:
		ways = append(ways, w.each(w.is))
	}
	return ways
}

func (w wish) each(is truth) []wish {
	var all []wish
	for i := range w.c.Parts {
		all = append(all, w.of(i, is))
	}
	return all
}

func (w wish) of(part int, is truth) wish { return wish{w.c.Parts[part], is, w.after} }

func swapped(is truth) truth {
	other := is & null
	if is&yes != 0 {
		other |= no
	}
	if is&no != 0 {
		other |= yes
	}
	return other
}

// tested is what x may be where x IS TRUE, IS FALSE or IS UNKNOWN is one of a set.
func (w wish) tested() truth {
	value := valueOf(w.c.Values[0])
	var is truth
	if w.is&yes != 0 {
		is |= value
	}
	if w.is&no != 0 {
		is |= anything &^ value
	}
	return is
}

// valueOf is a literal as the value of a condition.
func valueOf(c pgparse.Constant) truth {
	switch {
	case c.Kind == pgparse.NullConstant:
		return null
	case c.Text == "true":
		return yes
	case c.Text == "false":
		return no
	}
	return anything // 'yes' and the like
}
