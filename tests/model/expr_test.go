package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/internal/quote"
)

// expr is an SQL expression that the model can evaluate.
type expr interface {
	sql() string
	eval(e *scope) value
}

// scope has the rows by alias that an expression can read. "t" is the policy's row.
type scope struct {
	rows map[string]row
	data database
	asOf time.Time
	kept map[string]bool // results of guards, by name
}

func (e *scope) with(alias string, r row) *scope {
	c := *e
	c.rows = map[string]row{alias: r}
	for a, r := range e.rows {
		if a != alias {
			c.rows[a] = r
		}
	}
	return &c
}

// col is a column. Without an alias it is a column of the policy's row, and is written without an
// alias (S16).
type col struct{ alias, name string }

func (c col) sql() string {
	if c.alias == "" {
		return quote.Ident(c.name)
	}
	return c.alias + "." + quote.Ident(c.name)
}

func (c col) eval(e *scope) value {
	alias := c.alias
	if alias == "" {
		alias = "t"
	}
	return e.rows[alias][c.name] // a join that found no row has no entry, so its columns are NULL
}

type lit struct {
	v value
	k kind
}

func (l lit) sql() string        { return literal(l.v, l.k) }
func (l lit) eval(*scope) value  { return l.v }
func number(n int64) lit         { return lit{n, integer} }
func word(s string) lit          { return lit{text(s), textual} }
func (m moment) time() time.Time { return time.Time(m) }
func isTrue(v value) bool        { b, ok := v.(bool); return ok && b }
func isFalse(v value) bool       { b, ok := v.(bool); return ok && !b }
func same(a, b value) bool       { return a == nil && b == nil || a != nil && b != nil && compare(a, b) == 0 }
func conj(a []expr) (all expr)   { return fold("AND", a) }
func fold(op string, a []expr) (all expr) {
	for _, x := range a {
		if all == nil {
			all = x
		} else {
			all = logic{op, all, x}
		}
	}
	return all
}

// cond is a comparison of two expressions.
type cond struct {
	op   string
	a, b expr
}

func (c cond) sql() string { return c.a.sql() + " " + c.op + " " + c.b.sql() }

func (c cond) eval(e *scope) value {
	a, b := c.a.eval(e), c.b.eval(e)
	switch c.op {
	case "IS DISTINCT FROM":
		return !same(a, b)
	case "IS NOT DISTINCT FROM":
		return same(a, b)
	}
	if a == nil || b == nil {
		return nil
	}
	n := compare(a, b)
	switch c.op {
	case "=":
		return n == 0
	case "<>":
		return n != 0
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	case ">=":
		return n >= 0
	}
	panic(c.op)
}

// logic is AND or OR in three-valued logic.
type logic struct {
	op   string
	a, b expr
}

func (l logic) sql() string { return "(" + l.a.sql() + " " + l.op + " " + l.b.sql() + ")" }

func (l logic) eval(e *scope) value {
	a, b := l.a.eval(e), l.b.eval(e)
	decides := l.op == "OR"
	if a == decides || b == decides {
		return decides
	}
	if a == nil || b == nil {
		return nil
	}
	return !decides
}

type not struct{ a expr }

func (n not) sql() string { return "NOT (" + n.a.sql() + ")" }

func (n not) eval(e *scope) value {
	if v, ok := n.a.eval(e).(bool); ok {
		return !v
	}
	return nil
}

// is is a test for NULL or TRUE: IS NULL, IS NOT NULL, IS TRUE or IS NOT TRUE.
type is struct {
	a    expr
	what string
}

func (i is) sql() string { return i.a.sql() + " IS " + i.what }

func (i is) eval(e *scope) value {
	v := i.a.eval(e)
	switch i.what {
	case "NULL":
		return v == nil
	case "NOT NULL":
		return v != nil
	case "TRUE":
		return isTrue(v)
	case "NOT TRUE":
		return !isTrue(v)
	}
	panic(i.what)
}

type coalesce struct{ a, b expr }

func (c coalesce) sql() string { return "coalesce(" + c.a.sql() + ", " + c.b.sql() + ")" }

func (c coalesce) eval(e *scope) value {
	if v := c.a.eval(e); v != nil {
		return v
	}
	return c.b.eval(e)
}

// in is a test for membership in a list of constants.
type in struct {
	a    expr
	list []expr
}

func (i in) sql() string {
	var items []string
	for _, x := range i.list {
		items = append(items, x.sql())
	}
	return i.a.sql() + " IN (" + strings.Join(items, ", ") + ")"
}

func (i in) eval(e *scope) value {
	v := i.a.eval(e)
	if v == nil {
		return nil
	}
	return slices.ContainsFunc(i.list, func(x expr) bool { return same(v, x.eval(e)) })
}

// verdict is keep.<guard>, the result of a guard.
type verdict string

func (v verdict) sql() string         { return "keep." + quote.Ident(string(v)) }
func (v verdict) eval(e *scope) value { return e.kept[string(v)] }

// asOfLess is as_of minus a number of hours, for clocks of type timestamptz.
type asOfLess int

func (a asOfLess) sql() string { return fmt.Sprintf("as_of - interval '%d hours'", int(a)) }

func (a asOfLess) eval(e *scope) value {
	return moment(e.asOf.Add(-time.Duration(a) * time.Hour).UTC())
}

// exists is EXISTS with a sub-select on another table.
type exists struct {
	from  *table
	alias string
	where expr
}

func (x exists) sql() string {
	return fmt.Sprintf("EXISTS (SELECT FROM %s %s WHERE %s)", x.from.ref(), x.alias, x.where.sql())
}

func (x exists) eval(e *scope) value {
	return slices.ContainsFunc(e.data[x.from], func(r row) bool { return isTrue(x.where.eval(e.with(x.alias, r))) })
}

// extreme is a sub-select that returns the greatest or smallest value, or NULL if there is no row.
type extreme struct {
	fn, alias string
	from      *table
	of        string
	where     expr
}

func (x extreme) query() string {
	return fmt.Sprintf("SELECT %s(%s.%s) AS found FROM %s %s WHERE %s", x.fn, x.alias, quote.Ident(x.of),
		x.from.ref(), x.alias, x.where.sql())
}

func (x extreme) sql() string { return "(" + x.query() + ")" }

func (x extreme) eval(e *scope) value {
	var found value
	for _, r := range e.data[x.from] {
		v := r[x.of]
		if v == nil || !isTrue(x.where.eval(e.with(x.alias, r))) {
			continue
		}
		if found == nil || (x.fn == "max") == (compare(v, found) > 0) {
			found = v
		}
	}
	return found
}
