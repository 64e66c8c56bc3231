package generator

import (
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

// replacer finds out, for one direction, what must be dropped before anything is created: what CREATE
// OR REPLACE cannot make of what is there, and all that PostgreSQL ties to one of these. Decided by
// the texts of the objects, before and after.
type replacer struct {
	changes []change
	loose   map[string]bool // "schema.name" of what is dropped: whether that is the runtime's
	parsed  map[string]*pgparse.Definition
	altered bool // tables of the runtime change, and views would stand in the way or keep old columns
}

// dropFirst marks changes whose object goes before any is created, on the way up and on the way down.
// What did not change but is tied to such an object joins the changes.
func dropFirst(changes, unchanged []change) []change {
	all := append(append([]change{}, changes...), unchanged...)
	parsed := map[string]*pgparse.Definition{}
	(&replacer{all, map[string]bool{}, parsed, upgrades(all)}).mark()
	for i := range all {
		all[i] = all[i].back()
	}
	(&replacer{all, map[string]bool{}, parsed, upgrades(all)}).mark()
	for i := range all {
		all[i] = all[i].back()
	}
	n := len(changes)
	for _, c := range all[n:] {
		if c.dropUp || c.dropDown {
			all[n] = c
			n++
		}
	}
	return all[:n]
}

// upgrades says whether a step alters tables of the runtime.
func upgrades(changes []change) bool {
	return slices.ContainsFunc(changes, func(c change) bool { return c.object().Kind == KindUpgrade && c.before != c.after })
}

func (r *replacer) mark() {
	created := r.created()
	for i := range r.changes {
		r.markAlone(&r.changes[i], created)
	}
	for again := len(r.loose) > 0; again; {
		again = false
		for i := range r.changes {
			again = r.markTied(&r.changes[i]) || again
		}
	}
}

// created are the new routines, by name: whether they are the runtime's. They matter where a routine goes.
func (r *replacer) created() map[string]bool {
	created := map[string]bool{}
	goes := func(c change) bool { return c.after == nil && isRoutine(c.before.Kind) }
	if !slices.ContainsFunc(r.changes, goes) {
		return created
	}
	for _, c := range r.changes {
		if c.before == nil && isRoutine(c.after.Kind) {
			if d := r.definition(c.after); d != nil {
				created[d.Name] = isRuntime(c.after)
			}
		}
	}
	return created
}

// markAlone looks at one change: a privilege is taken back before any is given, since two objects may
// give the same one; a routine makes way for one of its name with other arguments, and what cannot be
// replaced goes.
func (r *replacer) markAlone(c *change, created map[string]bool) {
	switch {
	case c.before == nil || c.before == c.after:
	case c.before.Kind == KindPrivilege:
		c.dropUp = true
	case r.altered && c.before.Kind == KindView:
		if d := r.definition(c.before); d != nil {
			r.drop(c, d, true)
		}
	case c.after == nil && isRoutine(c.before.Kind) && len(created) > 0:
		if d := r.definition(c.before); d != nil {
			if runtime, ok := created[d.Name]; ok {
				r.drop(c, d, runtime)
			}
		}
	case c.after != nil && isDefined(c.before.Kind):
		from, to := r.definition(c.before), r.definition(c.after)
		if from != nil && to != nil && !from.ReplacedBy(to) {
			r.drop(c, from, isRuntime(c.after))
		}
	}
}

// markTied drops what PostgreSQL would not let another object be dropped without, and says whether
// it did.
func (r *replacer) markTied(c *change) bool {
	if c.before == nil || c.dropUp || !isDefined(c.before.Kind) || !r.mentions(c.before) {
		return false
	}
	d := r.definition(c.before)
	if d == nil {
		return false
	}
	for _, name := range d.Uses {
		if runtime, ok := r.loose[name]; ok {
			r.drop(c, d, runtime)
			return true
		}
	}
	return false
}

// mentions says whether a text may have one of the names that go: parsing all texts would take seconds. What
// stands in quotes, a routine's body, ties to nothing.
func (r *replacer) mentions(o *Object) bool {
	const many = 100 // names for which looking takes longer than parsing
	if len(r.loose) > many {
		return true
	}
	text, _, _ := strings.Cut(o.SQL, pgparse.BodyQuote)
	for name := range r.loose {
		end := name[strings.LastIndex(name, ".")+1:] // quoted or not, this stands in the text; but for quotes, doubled there
		if strings.Contains(name, `"`) || strings.Contains(text, end) {
			return true
		}
	}
	return false
}

func (r *replacer) drop(c *change, d *pgparse.Definition, runtime bool) {
	c.dropUp, c.runtime = true, runtime
	r.loose[d.Name] = runtime
}

// definition is nil for a text that creates nothing.
func (r *replacer) definition(o *Object) *pgparse.Definition {
	d, known := r.parsed[o.SQL]
	if !known {
		d, _ = pgparse.Define(o.SQL) // the server says what is wrong with it
		r.parsed[o.SQL] = d
	}
	return d
}

func isRoutine(kind Kind) bool { return kind == KindFunction || kind == KindProcedure }

func isDefined(kind Kind) bool { return isRoutine(kind) || kind == KindView }
