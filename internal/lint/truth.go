package lint

import (
	"strings"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

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

// slips lists the parts of a condition that have one value whatever the row, by a slip of the pen. They
// have codes of their own, so that the checks of the whole condition need not speak of them.
func (l *linter) slips(e *policy.Expr) []*pgparse.Condition {
	if e == nil {
		return nil
	}
	var found []*pgparse.Condition
	var look func(c *pgparse.Condition)
	look = func(c *pgparse.Condition) {
		if c == nil {
			return
		}
		if c.Null || c.Between && reversed(c) {
			found = append(found, c)
			return
		}
		for _, part := range c.Parts {
			look(part)
		}
	}
	look(l.condition(e))
	return found
}

// reversed says whether the lower bound of a BETWEEN is above the upper one.
func reversed(c *pgparse.Condition) bool {
	low, high := c.Parts[0], c.Parts[1]
	return low.Form == pgparse.Compare && high.Form == pgparse.Compare && less(high.Values[0], low.Values[0])
}

// judgement is a condition that decides on rows.
type judgement struct {
	policy *policy.Policy
	expr   *policy.Expr
	needed truth // what it must be for a row to go at all, anything where other rows may go
}

// slip reports a part of a condition: an error where no row can go for it.
func (l *linter) slip(j judgement, f finding) {
	f.policy = j.policy.Name
	if l.rowOf(j.policy).possible(wish{c: l.condition(j.expr), is: j.needed}) {
		l.warn(f)
	} else {
		l.refuse(f)
	}
}

// judging lists the conditions that decide on rows: where, guards, tiers, among, and those of steps.
func (l *linter) judging() []judgement {
	var list []judgement
	for _, p := range l.file.Policies {
		decides := func(e *policy.Expr, needed truth) {
			if e != nil {
				list = append(list, judgement{p, e, needed})
			}
		}
		add := func(e *policy.Expr) { decides(e, anything) }
		decides(p.Where, yes)
		for _, g := range p.Keep {
			decides(g.Condition, no)
			if g.Rank != nil {
				add(g.Rank.Among)
			}
		}
		if p.Due != nil {
			for _, entry := range p.Due.Entries {
				if entry.Clock != nil {
					for _, t := range entry.Clock.Window.Tiers {
						add(t.When)
					}
				}
				if entry.Beyond != nil {
					add(entry.Beyond.Among)
				}
			}
		}
		for i := range p.Then {
			add(p.Then[i].Where)
			if p.Then[i].Related != nil {
				add(&p.Then[i].Related.Where)
			}
		}
	}
	return list
}

const day = 24 * time.Hour

// longer says whether one interval is longer than another wherever in the calendar both begin.
func longer(a, b policy.Interval) bool {
	if a.Months >= b.Months && a.Days >= b.Days && a.Time >= b.Time {
		return a.Months > b.Months || a.Days > b.Days || a.Time > b.Time
	}
	return atLeast(a) > atMost(b)
}

// notLonger says so of at most as long.
func notLonger(a, b policy.Interval) bool {
	return a.Months <= b.Months && a.Days <= b.Days && a.Time <= b.Time || atMost(a) <= atLeast(b)
}

// atLeast and atMost are what an interval is at least and at most, with months of 28 to 31 days, years of
// 365 and 366, and a day on which the clocks are changed.
func atLeast(i policy.Interval) time.Duration {
	days := i.Months/12*365 + i.Months%12*28 + i.Days
	return time.Duration(days)*day + i.Time - clockChange(days)
}

func atMost(i policy.Interval) time.Duration {
	days := i.Months/12*366 + i.Months%12*31 + i.Days
	return time.Duration(days)*day + i.Time + clockChange(days)
}

func clockChange(days int) time.Duration {
	if days == 0 {
		return 0
	}
	return time.Hour
}

// row is what the snapshot knows of a policy's rows, and of those that are joined to them.
type row struct {
	table  *catalog.Table            // nil where there is no snapshot
	joined map[string]*catalog.Table // by the name of the join
}

// rowOf is the row of a policy, looked up once.
func (l *linter) rowOf(p *policy.Policy) *row {
	if l.rows[p] == nil {
		l.rows[p] = l.newRow(p)
	}
	return l.rows[p]
}

func (l *linter) newRow(p *policy.Policy) *row {
	r := &row{joined: map[string]*catalog.Table{}}
	if l.snapshot == nil || p.Partitions {
		return r
	}
	r.table = l.snapshot.Table(p.Table.String())
	for _, j := range p.Joins {
		if j.Table != nil {
			r.joined[j.Name] = l.snapshot.Table(j.Table.String())
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
	if strings.Contains(name, ".") {
		return false
	}
	column := r.column(name)
	return column != nil && column.NotNull
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
		typ = column.Type
	}
	base, _, _ := strings.Cut(typ, "(")
	if k, ok := kinds[strings.TrimSpace(base)]; ok {
		return k
	}
	if cast == "" && !builtIn(base) {
		return labels
	}
	return unclear
}

var kinds = map[string]kind{
	"text": letters, "character varying": letters, "varchar": letters, "character": letters, "bpchar": letters, "name": letters,
	"citext": letters, "public.citext": letters, "boolean": booleans, "bool": booleans, "smallint": numbers, "integer": numbers,
	"bigint": numbers, "numeric": numbers, "real": numbers, "double precision": numbers,
}

// builtIn says whether format_type printed a type of pg_catalog: those of others are qualified, except
// where their schema is in the path, and snapshots are taken with none.
func builtIn(typ string) bool { return !strings.Contains(typ, ".") }
