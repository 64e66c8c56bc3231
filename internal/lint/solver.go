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

// taken are the constraints that a row meets which a policy may take: its where is true, and no guard spares it.
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
const most = 2000

// possible says whether a row of a policy may exist that meets all constraints. It may find one that cannot exist,
// because not everything is understood; what it does not find does not exist.
func (l *linter) possible(p *policy.Policy, constraints ...constraint) bool {
	steps, table := 0, l.tableOf(p)
	var find func(todo, plain []constraint) bool
	find = func(todo, plain []constraint) bool {
		if steps++; steps > most || len(todo) == 0 {
			return true
		}
		first, rest := todo[0], todo[1:]
		switch {
		case first.is == 0:
			return false
		case first.is == anything || first.c == nil:
			return find(rest, plain)
		case first.c.Parts == nil:
			plain = append(slices.Clip(plain), first)
			return consistent(table, plain) && find(rest, plain)
		}
		return slices.ContainsFunc(first.alternatives(), func(parts []constraint) bool {
			return find(slices.Concat(parts, rest), plain)
		})
	}
	return find(constraints, nil)
}

// excludes says whether there are rows that meet some constraints, and none of them meets another one.
func (l *linter) excludes(p *policy.Policy, known []constraint, more constraint) bool {
	return l.possible(p, known...) && !l.possible(p, append(slices.Clip(known), more)...)
}

// alternatives are the constraints on the parts of a condition, any of which fulfils the one on the whole.
func (w constraint) alternatives() [][]constraint {
	part := func(i int, is ternary) constraint { return constraint{w.c.Parts[i], is} }
	image := func(ofTrue, ofFalse ternary) (is ternary) {
		if w.is&yes != 0 {
			is |= ofTrue
		}
		if w.is&no != 0 {
			is |= ofFalse
		}
		return is
	}
	strong, weak := yes, no
	switch w.c.Form {
	case pgparse.Not:
		return [][]constraint{{part(0, w.is&null|image(no, yes))}}
	case pgparse.Is:
		value := valueOf(w.c.Values[0])
		return [][]constraint{{part(0, image(value, anything&^value))}}
	case pgparse.Either:
		strong, weak = no, yes
	}
	// AND is false where one of its parts is, true where all are, and NULL otherwise. OR is the same with true and false
	// changed about.
	each := func(is ternary) (all []constraint) {
		for i := range w.c.Parts {
			all = append(all, part(i, is))
		}
		return all
	}
	var list [][]constraint
	for i := range w.c.Parts {
		switch {
		case w.is&weak != 0:
			list = append(list, []constraint{part(i, w.is&^strong)})
		case w.is == null:
			list = append(list, append(each(strong|null), part(i, null)))
		}
	}
	switch {
	case w.is&weak == 0 && w.is != null:
		list = append(list, each(w.is))
	case w.is&strong != 0:
		list = append(list, each(strong))
	}
	return list
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

// column is what constraints leave of a column: whether it may be NULL, or have a value, and what that passes, by the
// cast that it is under.
type column struct {
	null, value bool
	passes      map[string][]comparison
}

// consistent says whether a row may meet constraints on conditions without parts. Of those that are not understood, two
// with one text agree, and strict ones need values.
func consistent(table *catalog.Table, plain []constraint) bool {
	columns, opaque := map[string]*column{}, map[string]ternary{}
	of := func(name string) *column {
		if columns[name] == nil {
			known := ownColumn(table, name)
			columns[name] = &column{known == nil || !known.NotNull, true, map[string][]comparison{}}
		}
		return columns[name]
	}
	for _, w := range plain {
		is := w.is
		switch {
		case w.c.Form == pgparse.Fixed:
			is &= valueOf(w.c.Values[0])
		case w.c.Form != pgparse.Opaque:
			of(w.c.Left.Column).narrow(w)
			continue
		case w.c.Never:
			is &^= null
		}
		for _, name := range w.c.Strict {
			of(name).null = of(name).null && is&null != 0
		}
		if w.c.Stable && w.c.Text != "" {
			if before, ok := opaque[w.c.Text]; ok {
				is &= before
			}
			opaque[w.c.Text] = is
		}
		if is == 0 {
			return false
		}
	}
	for _, c := range columns {
		for _, passes := range c.passes {
			c.value = c.value && !contradict(passes)
		}
		if !c.null && !c.value {
			return false
		}
	}
	return true
}

// ownColumn is a column of the table itself; one of a join may be missing as a whole.
func ownColumn(table *catalog.Table, name string) *catalog.Column {
	if table == nil || strings.Contains(name, ".") {
		return nil
	}
	return table.Column(name)
}

// narrow leaves of a column what gives a condition on it one of the wanted values: it has one where the column is NULL,
// one where the value passes a comparison with constants, and one where it does not.
func (c *column) narrow(w constraint) {
	onNull, passed, failed := null, yes, no
	op, list := "=", w.c.Values
	switch w.c.Form {
	case pgparse.IsNull:
		onNull, passed = yes, no
	case pgparse.Boolean:
		list = []pgparse.Constant{truth}
	case pgparse.Compare:
		if op = w.c.Op; list[0] == falsity && (op == "=" || op == "<>") {
			op, list = contrary[op], []pgparse.Constant{truth}
		}
	case pgparse.OneOf:
		if w.c.HasNull {
			failed = null
		}
	}
	mayPass, mayFail := passed&w.is != 0, failed&w.is != 0
	c.null = c.null && onNull&w.is != 0
	c.value = c.value && (mayPass || mayFail)
	if mayPass != mayFail {
		if mayFail {
			op = contrary[op]
		}
		c.passes[w.c.Left.Cast] = append(c.passes[w.c.Left.Cast], comparison{op, list})
	}
}

var (
	truth    = pgparse.Constant{Kind: pgparse.BooleanConstant, Text: "true"}
	falsity  = pgparse.Constant{Kind: pgparse.BooleanConstant, Text: "false"}
	contrary = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
)

// comparison is true of a value. "=" and "<>" are with any, or all, of a list, the others with its only constant.
type comparison struct {
	op   string
	list []pgparse.Constant
}

// contradict says whether no value passes all comparisons for certain.
func contradict(all []comparison) bool {
	for _, low := range all {
		if slices.ContainsFunc(all, func(high comparison) bool { return crossed(low, high) }) {
			return true
		}
	}
	i := slices.IndexFunc(all, func(c comparison) bool { return c.op == "=" })
	return i >= 0 && !slices.ContainsFunc(all[i].list, func(value pgparse.Constant) bool {
		return !slices.ContainsFunc(all, func(c comparison) bool { return c.rejects(value) })
	})
}

// crossed says whether nothing is between two bounds for certain.
func crossed(low, high comparison) bool {
	return low.op[0] == '>' && (high.op == "<" || high.op == "<=") && (less(high.list[0], low.list[0]) ||
		high.list[0] == low.list[0] && (low.op == ">" || high.op == "<"))
}

// rejects says whether a comparison is false of a value for certain.
func (c comparison) rejects(value pgparse.Constant) bool {
	only := []pgparse.Constant{value}
	switch c.op {
	case "=":
		return !slices.ContainsFunc(c.list, func(other pgparse.Constant) bool {
			return !less(value, other) && !less(other, value) && !differ(value, other)
		})
	case "<>":
		return slices.Contains(c.list, value)
	}
	return crossed(comparison{">=", only}, c) || crossed(c, comparison{"<=", only})
}

var (
	isoDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	label  = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*$`)
	// Of a boolean, a time or a number two words may be one value.
	synonyms = strings.Fields("t true y yes on f false n no off now today tomorrow yesterday epoch inf infinity allballs")
)

// less says whether a is below b for certain. Numbers are read with as many digits as a double precision has, in which
// PostgreSQL may compare them, so that what differs here differs there.
func less(a, b pgparse.Constant) bool {
	if a.Kind == pgparse.NumberConstant && b.Kind == pgparse.NumberConstant {
		x, wrong := strconv.ParseFloat(a.Text, 64)
		y, alsoWrong := strconv.ParseFloat(b.Text, 64)
		return wrong == nil && alsoWrong == nil && x < y
	}
	return a.Kind == pgparse.TextConstant && b.Kind == pgparse.TextConstant &&
		isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text) && a.Text < b.Text
}

// differ says whether two texts are words that are two values to every collation, and to every type that takes words.
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
