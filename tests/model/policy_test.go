package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"pgretain/internal/quote"
)

// policy is one policy, for the model and as YAML.
type policy struct {
	name        string
	table       *table
	where       expr // nil if there is none
	due         []entry
	any         bool
	keep        []guard
	joins       []join
	steps       []step
	batch       int // batch.rows; 0 if not set
	whole       bool
	budget      int
	breakerRows int      // breaker.rows
	scope       []string // names of columns
	jobs        []job
}

// entry is an entry of due with a clock, a rank, or both. Both must be satisfied.
type entry struct {
	clock *clock
	rank  *rank
}

// clock is the clock of a due entry.
type clock struct {
	key       string // age, expires or position
	column    string
	other     string // second column, if the clock is coalesce(column, other); else empty
	kind      kind
	encoding  string // epoch_s, epoch_ms, snowflake
	since     string // a date; empty for the default
	window    *window
	nulls     bool // nulls: due
	inclusive bool
	upTo      *extreme
	watermark *table
}

const snowflakeEpoch, snowflakeShift = 1288834974657, 22

// window is a window in one of its forms: tiers, a fixed interval, or a number from data.
type window struct {
	tiers                    []tier
	fixed                    *span // an interval, if tiers is nil
	unit                     string
	of                       expr // a number from data, in unit, if tiers and fixed are nil
	instead, atLeast, atMost *int64
	never                    []int64
}

type tier struct {
	when expr    // nil means else
	then *window // nil means never
}

// rank is beyond, or a guard by rank.
type rank struct {
	table    *table
	first    int64
	of       expr // first as a number from data; nil if first is a constant
	instead  *int64
	atLeast  *int64
	atMost   *int64
	never    []int64
	per      []expr
	order    []item
	among    expr
	withTies bool
}

type item struct {
	expr  expr
	desc  bool
	nulls string // FIRST or LAST; empty for SQL's default
}

func (i item) sql() string {
	s := i.expr.sql()
	if i.desc {
		s += " DESC"
	}
	if i.nulls != "" {
		s += " NULLS " + i.nulls
	}
	return s
}

type guard struct {
	name string
	cond expr
	rank *rank
}

// join is a join in one of its three forms: a table, a query that runs once, or a query alone.
type join struct {
	name  string
	from  *table
	where expr
	once  bool     // a query that runs at the start of the run
	query *extreme // a query without where
}

// obj is a YAML map with ordered keys. It is written as JSON, which is valid YAML.
type obj []field

type field struct {
	key   string
	value any
}

func (o obj) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			out.WriteString(", ")
		}
		key, _ := marshal(f.key)
		value, err := marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s: %s", key, value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

func (p *policy) yaml() string {
	o := obj{{"table", p.table.ref()}}
	add := func(key string, value any) { o = append(o, field{key, value}) }
	if len(p.joins) > 0 {
		var joins obj
		for _, j := range p.joins {
			joins = append(joins, field{j.name, j.yaml()})
		}
		add("join", joins)
	}
	if p.where != nil {
		add("where", p.where.sql())
	}
	var entries []obj
	for _, e := range p.due {
		entries = append(entries, e.yaml())
	}
	switch {
	case p.any && len(entries) > 0:
		add("due", obj{{"any", entries}})
	case len(entries) > 0:
		add("due", entries[0])
	}
	if len(p.keep) > 0 {
		var guards obj
		for _, g := range p.keep {
			if g.rank != nil {
				guards = append(guards, field{g.name, g.rank.yaml()})
			} else {
				guards = append(guards, field{g.name, g.cond.sql()})
			}
		}
		add("keep", guards)
	}
	var steps []any
	for _, s := range p.steps {
		steps = append(steps, s.yaml())
	}
	add("then", steps)
	if p.scope != nil {
		var columns []string
		for _, name := range p.scope {
			columns = append(columns, quote.Ident(name))
		}
		add("scope", columns)
	}
	for _, bound := range []struct {
		key  string
		rows int
	}{{"batch", p.batch}, {"budget", p.budget}, {"breaker", p.breakerRows}} {
		if bound.rows > 0 {
			add(bound.key, obj{{"rows", bound.rows}})
		}
	}
	if p.whole {
		add("batch", obj{{"whole", true}})
	}
	text, err := marshal(o)
	if err != nil {
		panic(err)
	}
	return "  " + p.name + ": " + string(text) + "\n"
}

func (j join) yaml() any {
	switch {
	case j.query != nil:
		return j.query.query()
	case j.once:
		return obj{{"query", "SELECT * FROM " + j.from.ref()}, {"where", j.where.sql()}}
	}
	return obj{{"table", j.from.ref()}, {"where", j.where.sql()}}
}

func (e entry) yaml() (o obj) {
	if e.clock != nil {
		o = append(o, field{e.clock.key, e.clock.yaml()})
	}
	if e.rank != nil {
		o = append(o, field{"beyond", e.rank.yaml()})
	}
	return o
}

func (c *clock) yaml() obj {
	o := obj{{"column", quote.Ident(c.column)}}
	if c.other != "" {
		o = obj{{"expression", "coalesce(" + quote.Idents([]string{c.column, c.other}) + ")"}}
	}
	add := func(key string, value any) { o = append(o, field{key, value}) }
	switch c.encoding {
	case "":
	case "snowflake":
		add("encoding", obj{{"snowflake", obj{{"shift", snowflakeShift}, {"epoch", snowflakeEpoch}}}})
	default:
		add("encoding", c.encoding)
	}
	if c.since != "" {
		add("since", c.since)
	}
	if c.window != nil {
		add(map[string]string{"age": "older_than", "expires": "grace"}[c.key], c.window.yaml())
	}
	if c.nulls {
		add("nulls", "due")
	}
	if c.inclusive {
		add("inclusive", true)
	}
	if c.upTo != nil {
		add("up_to", c.upTo.query())
	}
	if c.watermark != nil {
		add("watermark", obj{{"table", c.watermark.ref()}, {"column", "seq"}, {"where", "kind = 'mine'"}})
	}
	return o
}

func (w *window) yaml() any {
	switch {
	case w == nil:
		return nil
	case w.tiers != nil:
		var list []obj
		for _, t := range w.tiers {
			if t.when == nil {
				list = append(list, obj{{"else", t.then.yaml()}})
			} else {
				list = append(list, obj{{"when", t.when.sql()}, {"then", t.then.yaml()}})
			}
		}
		return list
	case w.fixed != nil:
		return w.fixed.String()
	}
	return numberFields(w.unit, w.of, w.instead, w.never, w.atLeast, w.atMost)
}

// numberFields returns the YAML map of a window or count from data.
func numberFields(unit string, of expr, instead *int64, never []int64, atLeast, atMost *int64) obj {
	o := obj{{unit, of.sql()}}
	if instead != nil {
		o = append(o, field{"else", *instead})
	}
	if never != nil {
		o = append(o, field{"never", never})
	}
	if atLeast != nil {
		o = append(o, field{"at_least", *atLeast})
	}
	if atMost != nil {
		o = append(o, field{"at_most", *atMost})
	}
	return o
}

func (r *rank) yaml() obj {
	o := obj{{"first", r.first}}
	if r.of != nil {
		o = obj{{"first", numberFields("count", r.of, r.instead, r.never, r.atLeast, r.atMost)}}
	}
	if r.per != nil {
		var per []string
		for _, x := range r.per {
			per = append(per, x.sql())
		}
		o = append(o, field{"per", per})
	}
	order := ""
	for i, x := range r.order {
		if i > 0 {
			order += ", "
		}
		order += x.sql()
	}
	o = append(o, field{"order", order})
	if r.among != nil {
		o = append(o, field{"among", r.among.sql()})
	}
	if r.withTies {
		o = append(o, field{"with_ties", true})
	}
	return o
}

// scenario is a policy with its tables and rows, and the runs that a test makes.
type scenario struct {
	name     string
	zone     *time.Location
	tableSet *tableSet
	policy   *policy
	data     database
	holds    []hold
	calls    []call // the runs, in order
	unit     *unit  // unit in which the application writes the clock; nil if the policy's encoding is right

	between []string // statements that are executed between batches
	changes []change // changes between the runs of a job; nil if the test compares calls
}

// hold is a hold by columns.
type hold struct {
	table   *table
	columns []string
	values  []value
	plain   bool // place_hold gets the value of a one-column key instead of JSON
}
