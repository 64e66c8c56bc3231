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

// ternary is a set of possible values of a condition: true, false and NULL.
type ternary uint8

const (
	yes ternary = 1 << iota
	no
	null
	anything = yes | no | null
)

// constraint requires that the value of a condition is in a set.
type constraint struct {
	c  *pgparse.Condition
	is ternary
}

// says returns the constraint that the value of an expression is in a set.
func says(e *policy.Expr, is ternary) constraint { return constraint{condition(e), is} }

// taken returns the constraints that a row must meet to be taken by a policy. These are: "where" is
// true, and every guard is false.
func taken(p *policy.Policy) []constraint {
	list := []constraint{says(p.Where, yes)}
	for _, g := range p.Keep {
		if g.Condition != nil {
			list = append(list, says(g.Condition, no))
		}
	}
	return list
}

// most limits the steps of a search. A longer search counts as successful.
const most = 10000

// possible reports whether a row of a policy that meets all constraints may exist. If it returns
// false, no such row exists. If it returns true, there may still be none, because the solver does
// not understand every expression. The search decides one fact after the other. It begins with the
// constraint that has the fewest undecided facts.
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
			is := r.evaluate(w.c)
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

// excludes reports two things together. Rows that meet the constraints "known" may exist, and no
// such row can meet the constraint "more".
func (l *linter) excludes(p *policy.Policy, known []constraint, more constraint) bool {
	return l.possible(p, known...) && !l.possible(p, append(slices.Clip(known), more)...)
}

// fact is an elementary condition on a row. A fact says that a column is NULL, that a value equals
// a constant, or that a value is below a constant. A fact can also be a condition that the parser
// does not understand; its text identifies such a fact.
type fact struct {
	form  pgparse.Form
	of    pgparse.Operand
	value pgparse.Constant
	text  string
	may   ternary // possible values
}

// row is the row that a search constructs.
type row struct {
	table *catalog.Table
	known map[fact]ternary // decided facts
	open  []fact           // undecided facts that the method evaluate has used
}

// value returns the decided value of a fact. If it is undecided, value returns its possible values.
func (r *row) value(f fact) ternary {
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
	return r.value(fact{form: pgparse.IsNull, of: pgparse.Operand{Column: name}, may: yes | no})
}

// evaluate returns the possible values of a condition for the row.
func (r *row) evaluate(c *pgparse.Condition) ternary {
	if c == nil {
		return anything
	}
	switch c.Form {
	case pgparse.Fixed:
		return valueOf(c.Value)
	case pgparse.IsNull:
		return r.isNull(c.Left.Column)
	case pgparse.Not:
		return r.evaluate(c.Parts[0]).opposite()
	case pgparse.Is:
		return r.evaluate(c.Parts[0]).among(valueOf(c.Value))
	case pgparse.All, pgparse.Either: // a OR b is NOT (NOT a AND NOT b)
		turn := func(is ternary) ternary { return is }
		if c.Form == pgparse.Either {
			turn = ternary.opposite
		}
		is := yes
		for _, part := range c.Parts {
			is = is.and(turn(r.evaluate(part)))
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
		return is | r.value(f).opposite()
	case c.Form == pgparse.Opaque && !c.NeverNull:
		f.may = anything
	}
	if c.Form == pgparse.Opaque && !c.Stable {
		return f.may
	}
	return is | r.value(f)
}

// opposite computes SQL's NOT. It returns the values that the negated operand can have.
func (t ternary) opposite() ternary { return t&null | t&yes<<1 | t&no>>1 }

// The method "and" computes SQL's AND. It returns the values that the conjunction of both operands
// can have.
func (t ternary) and(other ternary) ternary {
	both := t & other & yes
	if t&null != 0 && other&(yes|null) != 0 || other&null != 0 && t&yes != 0 {
		both |= null
	}
	return both | (t|other)&no
}

// among returns the possible values of the statement that the condition's value is in the set.
func (t ternary) among(set ternary) (is ternary) {
	if t&set != 0 {
		is = yes
	}
	if t&^set != 0 {
		is |= no
	}
	return is
}

// valueOf returns the value of a literal as a condition.
func valueOf(c pgparse.Constant) ternary {
	switch {
	case c.Kind == pgparse.NullConstant:
		return null
	case c.Text == "true":
		return yes
	case c.Text == "false":
		return no
	}
	return anything // for example the text 'yes'
}

// allows reports whether a fact may have a value, given the decided facts about the same operand.
func (r *row) allows(f fact, is ternary) bool {
	for other, was := range r.known {
		if other.of == f.of && (contradict(f, is, other, was) || contradict(other, was, f, is)) {
			return false
		}
	}
	return true
}

// contradict reports whether two facts certainly exclude each other, because no value satisfies
// both.
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

// ownColumn returns a column of the policy's own table. For a column of a join it returns nil,
// because the join may find no row.
func ownColumn(table *catalog.Table, name string) *catalog.Column {
	if table == nil || strings.Contains(name, ".") {
		return nil
	}
	return table.Column(name)
}

var (
	isoDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	label  = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*$`)
	// synonyms are words that may mean the same boolean, time or number as another word.
	synonyms = strings.Fields(`t true y yes on f false n no off
		now today tomorrow yesterday epoch inf infinity allballs`)
)

// less reports whether constant a is certainly below constant b. It compares numbers as double
// precision, because PostgreSQL may do the same. Numbers that differ as double precision also
// differ in PostgreSQL.
func less(a, b pgparse.Constant) bool {
	if a.Kind == pgparse.NumberConstant && b.Kind == pgparse.NumberConstant {
		x, wrong := strconv.ParseFloat(a.Text, 64)
		y, alsoWrong := strconv.ParseFloat(b.Text, 64)
		return wrong == nil && alsoWrong == nil && x < y
	}
	return a.Kind == pgparse.TextConstant && b.Kind == pgparse.TextConstant &&
		isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text) && a.Text < b.Text
}

// differ reports whether two texts are words that differ in every collation, and in every type
// whose values are words.
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
