package model

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgretain/internal/quote"
	"pgretain/tests/kit"
)

// job is a job with one policy.
type job struct {
	name  string
	scope row // the job's scope; nil for all rows
}

func (j job) yaml(p *policy) string {
	o := obj{{"schedule", "0 1 * * *"}, {"run", []string{p.name}}}
	if j.scope != nil {
		scope := scopeFields(p, j.scope, quote.Ident)
		for i, f := range scope {
			if text, ok := f.value.(text); ok {
				scope[i].value = quote.Literal(string(text))
			}
		}
		o = append(o, field{"scope", scope})
	}
	text, err := marshal(o)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("  %s: %s\n", j.name, text)
}

// call is a run. A job starts it, or a user starts it with a scope, with scope "all", or without a
// scope.
type call struct {
	at    time.Time
	job   *job
	scope row
	all   bool
	text  bool // the values of the scope are passed as strings
}

func (c call) String() string {
	s := "at " + c.at.Format(time.RFC3339Nano)
	if c.job != nil {
		return s + " by job " + c.job.name
	}
	if c.all {
		return s + " of all rows"
	}
	return s + fmt.Sprint(" scope ", c.scope)
}

// rowScope returns the values that rows must have for this call, or nil for all rows.
func (c call) rowScope() row {
	if c.job != nil {
		return c.job.scope
	}
	return c.scope
}

// allowed reports whether the policy accepts the call. If each of its jobs has a scope, a call
// without a job must name all columns of one job's scope, or ask for all rows.
func (c call) allowed(p *policy) bool {
	if c.job != nil || c.all || len(p.jobs) == 0 {
		return true
	}
	return slices.ContainsFunc(p.jobs, func(j job) bool {
		for name := range j.scope {
			if _, ok := c.scope[name]; !ok {
				return false
			}
		}
		return true
	})
}

// argument returns the call's scope as the SQL functions take it.
func (c call) argument(p *policy) *string {
	var text string
	switch scope := c.rowScope(); {
	case c.all || c.job != nil && scope == nil:
		text = `"all"`
	case scope == nil:
		return nil
	default:
		o := scopeFields(p, scope, func(name string) string { return name })
		if c.text {
			for i, f := range o {
				o[i].value = fmt.Sprint(f.value)
			}
		}
		out, _ := marshal(o)
		text = string(out)
	}
	return &text
}

func scopeFields(p *policy, scope row, spell func(string) string) (o obj) {
	for _, name := range p.scope {
		if v, ok := scope[name]; ok {
			o = append(o, field{spell(name), v})
		}
	}
	return o
}

// has reports whether a row has these values.
func (r row) has(values row) bool {
	for name, v := range values {
		if r[name] == nil || !same(r[name], v) {
			return false
		}
	}
	return true
}

// scopes adds scope columns and jobs to the policy, and chooses calls that use them.
func (a *author) scopes() {
	p := a.policy
	roles := []string{"kind", "owner", "n", "flag"}
	a.Shuffle(len(roles), func(i, j int) { roles[i], roles[j] = roles[j], roles[i] })
	for _, role := range roles[:1+a.IntN(2)] {
		p.scope = append(p.scope, a.col(role))
	}
	for i := range a.IntN(4) {
		j := job{name: p.name + "_job" + strconv.Itoa(i)}
		if !a.oneIn(5) {
			j.scope = a.scopeOf(p.scope[:1+a.IntN(len(p.scope))])
		}
		p.jobs = append(p.jobs, j)
	}
	for len(p.jobs) > 0 && len(a.calls) < 3 {
		last := a.calls[len(a.calls)-1].at
		a.calls = append(a.calls, call{at: last.Add(time.Duration(a.IntN(24)) * time.Hour)})
	}
	for i := range a.calls {
		c := &a.calls[i]
		switch n := a.IntN(8); {
		case n < 3 && len(p.jobs) > 0:
			c.job = &p.jobs[a.IntN(len(p.jobs))]
		case n < 6:
			c.scope = a.scopeOf(p.scope[:1+a.IntN(len(p.scope))])
			c.text = a.oneIn(3)
		case n < 7:
			c.all = true
		}
	}
}

// scopeOf returns random values for columns.
func (a *author) scopeOf(columns []string) row {
	scope := row{}
	for _, name := range columns {
		switch a.tableSet.item.column(name).kind {
		case textual:
			scope[name] = text(pick(a.dice, "a", "a", "b"))
		case boolean:
			scope[name] = a.oneIn(2)
		default:
			scope[name] = int64(1 + a.IntN(4))
		}
	}
	return scope
}

// outcomeOf returns the expected outcome of a call.
func (m *model) outcomeOf(c call) outcome {
	if !c.allowed(m.policy) {
		return outcome{State: "22023", Rows: m.rows()}
	}
	return m.run()
}

// refusedOutcome makes a call and its preview that the server must refuse, and returns their
// SQLSTATE.
func (s *scenario) refusedOutcome(t testing.TB, in *kit.Installed, c call) outcome {
	t.Helper()
	at, scope := c.at.Format(time.RFC3339Nano), c.argument(s.policy)
	o := outcome{State: "the call was not refused"}
	if _, err := in.Call("CALL retention.run($1, $2::text::timestamptz, scope => $3::text::jsonb)", s.name, at,
		scope); err != nil {
		o.State = err.Code
	}
	_, err := in.Call("SELECT due::text FROM retention.preview($1, $2::text::timestamptz, scope => $3::text::jsonb)",
		s.name, at, scope)
	if err == nil {
		o.State += ", and its preview was not refused"
	} else if err.Code != o.State {
		o.State += ", and its preview " + err.Code
	}
	o.Rows = s.read(t, in)
	return o
}
