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

// values are what a column may be.
type values struct {
	notNull, isNull bool
	of              kind
	passes          []comparison // of the value, where there is one
}

// comparison is true of a value. "=" and "<>" are with any, or all, of a list, the others with its only constant.
type comparison struct {
	op   string
	list []pgparse.Constant
}

// truths are all values of a boolean column.
var truths = []pgparse.Constant{{Kind: pgparse.BooleanConstant, Text: "true"}, {Kind: pgparse.BooleanConstant, Text: "false"}}

// empty says whether no value is left for certain.
func (v *values) empty() bool {
	for _, high := range v.passes {
		for _, low := range v.passes {
			bounds := strings.HasPrefix(low.op, ">") && (high.op == "<" || high.op == "<=")
			if bounds && !high.admits(low.list[0], low.op == ">", v.of) {
				return true
			}
		}
	}
	var list []pgparse.Constant
	if i := slices.IndexFunc(v.passes, func(c comparison) bool { return c.op == "=" }); i >= 0 {
		list = v.passes[i].list
	} else if list = truths; v.of != booleans {
		return false
	}
	return !slices.ContainsFunc(list, func(value pgparse.Constant) bool {
		return !slices.ContainsFunc(v.passes, func(c comparison) bool { return !c.admits(value, false, v.of) })
	})
}

// admits is false where a value is excluded for certain; with beyond, where all that are greater are.
func (c comparison) admits(value pgparse.Constant, beyond bool, of kind) bool {
	switch c.op {
	case "=":
		return slices.ContainsFunc(c.list, func(other pgparse.Constant) bool { return !differ(value, other, of) })
	case "<>":
		return !slices.Contains(c.list, value)
	case "<", "<=":
		return !less(c.list[0], value) && !((beyond || c.op == "<") && value == c.list[0])
	case ">", ">=":
		return !less(value, c.list[0]) && !(c.op == ">" && value == c.list[0])
	}
	return true
}

// kind is what literals mean beside a column.
type kind int

const (
	unclear  kind = iota // a text may be anything: a time, an address, a document
	numbers              // numbers of any width
	letters              // texts, of which two may still be equal to their collation
	labels               // of a type of the user's: an enumeration, or a domain
	booleans             // true and false
)

var kinds = map[string]kind{
	"text": letters, "character varying": letters, "varchar": letters, "character": letters, "bpchar": letters, "name": letters,
	"citext": letters, "public.citext": letters, "boolean": booleans, "bool": booleans, "smallint": numbers, "integer": numbers,
	"bigint": numbers, "numeric": numbers, "real": numbers, "double precision": numbers,
}

var (
	isoDay   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	label    = regexp.MustCompile(`^[A-Za-z][A-Za-z _-]*$`)
	switches = strings.Fields("t true y yes on f false n no off now today tomorrow yesterday epoch infinity allballs")
)

// differ says whether two literals are two values for certain.
func differ(a, b pgparse.Constant, of kind) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == pgparse.NumberConstant:
		return less(a, b) || less(b, a)
	case a.Kind == pgparse.BooleanConstant:
		return a.Text != b.Text
	case of == letters:
		return plain(a.Text) && plain(b.Text) && folded(a.Text) != folded(b.Text)
	case of == labels:
		return isLabel(a.Text) && isLabel(b.Text) && folded(a.Text) != folded(b.Text)
	case isoDay.MatchString(a.Text) && isoDay.MatchString(b.Text):
		return a.Text != b.Text
	}
	return false
}

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

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 126 })
}

// folded leaves what no collation passes over.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}

func isLabel(text string) bool {
	return label.MatchString(text) && !slices.Contains(switches, strings.ToLower(text))
}

// row is what the snapshot knows of a policy's rows, and of those that are joined to them.
type row struct {
	table  *catalog.Table            // nil where there is no snapshot
	joined map[string]*catalog.Table // by the name of the join
}

// rowOf is the row of a policy.
func (l *linter) rowOf(p *policy.Policy) *row {
	r := &row{joined: map[string]*catalog.Table{}}
	if p.Partitions {
		return r
	}
	r.table = l.graph[p.Table.String()]
	for _, j := range p.Joins {
		if j.Table != nil {
			r.joined[j.Name] = l.graph[j.Table.String()]
		}
	}
	return r
}

// column finds "name" or "join.name"; nil where it is not known.
func (r *row) column(name string) *catalog.Column {
	table := r.table
	if alias, rest, ok := strings.Cut(name, "."); ok {
		table, name = r.joined[alias], rest
	}
	if table == nil {
		return nil
	}
	return table.Column(name)
}

// notNull says whether a column of the row has a value in every row; one of a join may be missing.
func (r *row) notNull(name string) bool {
	column := r.column(name)
	return column != nil && column.NotNull && !strings.Contains(name, ".")
}

// nullable says whether the snapshot lets a column of the row be NULL.
func (r *row) nullable(name string) bool {
	column := r.column(name)
	return column != nil && !column.NotNull && !strings.Contains(name, ".")
}

// kind says what literals mean beside a column, perhaps under a cast.
func (r *row) kind(name, cast string) kind {
	typ := strings.ToLower(cast)
	if typ == "" {
		column := r.column(name)
		if column == nil {
			return unclear
		}
		typ = column.Plain()
	}
	base, _, _ := strings.Cut(typ, "(")
	if k, ok := kinds[strings.TrimSpace(base)]; ok {
		return k
	}
	// format_type qualifies types of other schemas than pg_catalog, for snapshots are taken with no search path.
	if cast == "" && strings.Contains(base, ".") {
		return labels
	}
	return unclear
}
