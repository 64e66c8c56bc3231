package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// ternary is a set of what a condition may be.
type ternary uint8

const (
	yes ternary = 1 << iota
	no
	null
	anything = yes | no | null
)

// constraint says that a condition is one of a set.
type constraint struct {
	c  *pgparse.Condition
	is ternary
}

// says is the constraint that an expression is one of a set.
func says(e *policy.Expr, is ternary) constraint { return constraint{condition(e), is} }

// taken are the constraints that a row meets which a policy may take: its where is true, and no
// guard spares it.
func taken(p *policy.Policy) []constraint {
	list := []constraint{says(p.Where, yes)}
	for _, g := range p.Keep {
		if g.Condition != nil {
			list = append(list, says(g.Condition, no))
		}
	}
	return list
}

// most bounds a search: one that takes longer has found.
const most = 10000

// possible says whether a row of a policy may exist that meets all constraints. It may find one
// that cannot exist, because not everything is understood; what it does not find does not exist.
// One fact is decided after the other, and of the constraint first that leaves the fewest open.
func (l *linter) possible(p *policy.Policy, constraints ...constraint) bool {
	var all []constraint
	for _, w := range constraints {
		if w.is != yes {
			all = append(all, w)
			continue
		}
		for _, c := range conjuncts(w.c) {
			all = append(all, constraint{c, yes})
		}
	}
	steps, r := 0, row{table: l.tableOf(p), known: map[fact]ternary{}}
	var find func() bool
	find = func() bool {
		var open []fact
		for _, w := range all {
			r.open = nil
			is := r.is(w.c)
			if is&w.is == 0 {
				return false
			}
			if is&^w.is != 0 && len(r.open) > 0 && (open == nil || len(r.open) < len(open)) {
				open = r.open
			}
		}
		if steps++; steps > most || open == nil {
			return true
		}
		f := open[0]
		defer delete(r.known, f)
		return slices.ContainsFunc([]ternary{yes, no, null}, func(is ternary) bool {
			if f.may&is == 0 || !r.allows(f, is) {
				return false
			}
			r.known[f] = is
			return find()
		})
	}
	return find()
}

// excludes says whether there are rows that meet some constraints, and none of them meets another
// one.
func (l *linter) excludes(p *policy.Policy, known []constraint, more constraint) bool {
	return l.possible(p, known...) && !l.possible(p, append(slices.Clip(known), more)...)
}

// fact is what is or is not so of a row: a column is NULL; its value equals a constant, or is below
// it; or a condition that is known as text only is true, which may be NULL as well.
type fact struct {
	form  pgparse.Form
	of    pgparse.Operand
	value pgparse.Constant
	text  string
	may   ternary
}

// row is what was decided of a row that is looked for. Open are the other facts that were asked
// for.
type row struct {
	table *catalog.Table
	known map[fact]ternary
	open  []fact
}

func (r *row) ask(f fact) ternary {
	if is, ok := r.known[f]; ok {
		return is
	}
	r.open = append(r.open, f)
	return f.may
}

func (r *row) isNull(name string) ternary {
	if column := ownColumn(r.table, name); column != nil && column.NotNull {
		return no
	}
	return r.ask(fact{form: pgparse.IsNull, of: pgparse.Operand{Column: name}, may: yes | no})
}

// is says what a condition may be of the row.
func (r *row) is(c *pgparse.Condition) ternary {
	if c == nil {
		return anything
	}
	switch c.Form {
	case pgparse.Fixed:
		return valueOf(c.Value)
	case pgparse.IsNull:
		return r.isNull(c.Left.Column)
	case pgparse.Not:
		return r.is(c.Parts[0]).opposite()
	case pgparse.Is:
		return r.is(c.Parts[0]).among(valueOf(c.Value))
	case pgparse.All, pgparse.Either: // OR is NOT of AND of NOT
		turn := func(is ternary) ternary { return is }
		if c.Form == pgparse.Either {
			turn = ternary.opposite
		}
		is := yes
		for _, part := range c.Parts {
			is = is.and(turn(r.is(part)))
		}
		return turn(is)
	}
	is := ternary(0)
	for _, name := range c.Strict {
		switch r.isNull(name) {
		case yes:
			return null
		case yes | no:
			is = null
		}
	}
	f := fact{c.Form, c.Left, c.Value, c.Text, yes | no}
	switch {
	case c.Form == pgparse.Equal && c.Value == falsity:
		f.value = truth
		return is | r.ask(f).opposite()
	case c.Form == pgparse.Opaque && !c.NeverNull:
		f.may = anything
	}
	if c.Form == pgparse.Opaque && !c.Stable {
		return f.may
	}
	return is | r.ask(f)
}

// opposite is NOT of what may be so, and is AND of two.
func (t ternary) opposite() ternary { return t&null | t&yes<<1 | t&no>>1 }

func (t ternary) and(other ternary) ternary {
	both := t & other & yes
	if t&null != 0 && other&(yes|null) != 0 || other&null != 0 && t&yes != 0 {
		both |= null
	}
	return both | (t|other)&no
}

// among is whether it is one of a set, or not.
func (t ternary) among(set ternary) (is ternary) {
	if t&set != 0 {
		is = yes
	}
	if t&^set != 0 {
		is |= no
	}
	return is
}

// valueOf is a literal as the value of a condition.
func valueOf(c pgparse.Constant) ternary {
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

// allows says whether a fact may be so beside what is known of the same value.
func (r *row) allows(f fact, is ternary) bool {
	for other, was := range r.known {
		if other.of == f.of && (contradict(f, is, other, was) || contradict(other, was, f, is)) {
			return false
		}
	}
	return true
}

// contradict reports whether two facts certainly exclude each other: no value satisfies both.
func contradict(a fact, isA ternary, b fact, isB ternary) bool {
	switch {
	case isA != yes || a.form != pgparse.Equal && a.form != pgparse.Below:
		return false
	case b.form == pgparse.Below && isB == no:
		return less(a.value, b.value)
	case a.form == pgparse.Below || isB != yes:
		return false
	case b.form == pgparse.Below:
		return a.value == b.value || less(b.value, a.value)
	}
	return b.form == pgparse.Equal && (less(a.value, b.value) || differ(a.value, b.value))
}

var (
	truth   = pgparse.Constant{Kind: pgparse.BooleanConstant, Text: "true"}
	falsity = pgparse.Constant{Kind: pgparse.BooleanConstant, Text: "false"}
)

// ownColumn is a column of the table itself; one of a join may be missing as a whole.
func ownColumn(table *catalog.Table, name string) *catalog.Column {
	if table == nil || strings.Contains(name, ".") {
		return nil
	}
	return table.Column(name)
}

var (
	isoDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	label  = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*$`)
	// Of a boolean, a time or a number two words may be one value.
	synonyms = strings.Fields(`t true y yes on f false n no off
		now today tomorrow yesterday epoch inf infinity allballs`)
)

// less says whether a is below b for certain. Numbers are read with as many digits as a double
// precision has, in which PostgreSQL may compare them, so that what differs here differs there.
func less(a, b pgparse.Constant) bool {
	if a.Kind == pgparse.NumberConstant && b.Kind == pgparse.NumberConstant {
		x, wrong := strconv.ParseFloat(a.Text, 64)
		y, alsoWrong := strconv.ParseFloat(b.Text, 64)
		return wrong == nil && alsoWrong == nil && x < y
	}
	return a.Kind == pgparse.TextConstant && b.Kind == pgparse.TextConstant &&
		isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text) && a.Text < b.Text
}

// differ says whether two texts are words that are two values to every collation, and to every type
// that takes words.
func differ(a, b pgparse.Constant) bool {
	letters := func(c pgparse.Constant) string {
		return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(c.Text))
	}
	isLabel := func(c pgparse.Constant) bool {
		return c.Kind == pgparse.TextConstant && label.MatchString(c.Text) &&
			!slices.Contains(synonyms, strings.ToLower(c.Text))
	}
	return isLabel(a) && isLabel(b) && letters(a) != letters(b)
}
