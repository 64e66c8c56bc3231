package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// zones has the time zones of files. All policies of a file have the same zone.
var zones = []string{
	"UTC",
	"America/New_York",
	"Europe/Berlin",
	"Asia/Kolkata",
	"Australia/Lord_Howe",
	"America/St_Johns",
	"Pacific/Apia",
	"Antarctica/Troll",
	"Africa/Casablanca",
	"America/Havana",
}

// instants has the times of runs. Some are ordinary, others are near clock changes of the zones.
var instants = []string{
	"2024-06-15T12:00:00Z",
	"2024-11-03T05:30:00Z",
	"2024-11-03T06:30:00Z",
	"2024-11-10T06:30:00Z",
	"2025-03-09T07:30:00Z",
	"2025-03-31T22:10:00Z",
	"2024-10-27T00:30:00Z",
	"2024-10-27T01:30:00.123456Z",
	"2024-04-06T15:15:00Z",
	"2025-03-01T04:59:59.999999Z",
	"2024-03-31T01:00:00Z",
	"2012-01-06T02:30:00Z",
	"2011-12-31T09:00:00Z",
	"2024-10-27T01:10:00Z",
	"2024-03-10T02:20:00Z",
	"2024-04-14T02:30:00Z",
	"2024-11-03T04:40:00Z",
	"2024-11-03T05:10:00Z",
}

// author creates one random scenario.
type author struct {
	dice
	*scenario
	windows []span // windows that rows may have
	once    bool   // one batch takes all rows
	present bool   // the clock may be in a wrong unit; pgretain recognizes the unit by values near the present
	resumes bool   // a job runs the policy several times, and each run continues where the last one ended
}

// randomScenario returns the scenario for a seed. number makes the names of its tables and its
// policy unique.
func randomScenario(seed uint64, number int, zone *time.Location) *scenario {
	d := dice{rand.New(rand.NewPCG(seed, uint64(number)))}
	present := d.oneIn(5)
	resumes := !present && d.oneIn(5)
	for {
		s := writeScenario(d, number, zone, present, resumes)
		if !resumes || s.takesAndKeeps(4) {
			return s
		}
	}
}

func writeScenario(d dice, number int, zone *time.Location, present, resumes bool) *scenario {
	a := &author{dice: d, scenario: &scenario{zone: zone, holds: nil}, present: present, resumes: resumes}
	a.name = fmt.Sprintf("p%02d", number)
	a.policy = &policy{name: a.name}
	a.times()
	clock := a.clock()
	a.tableSet = randomTableSet(a.dice, a.name, clock.kind)
	a.policy.table = a.tableSet.item
	clock.column = a.col("made")
	a.bounds()
	a.joins()
	a.due(clock)
	a.guards()
	a.mistake()
	a.then()
	a.inherit()
	if a.tableSet.item.keyless = a.worksWithoutKey() && !a.oneIn(4); a.tableSet.item.keyless {
		a.tableSet.item.unique = true
	}
	a.fill()
	a.hold()
	// A run recognizes a refused row by its table and ctid. If a statement moves the row meanwhile,
	// the pass of another entry of "any" counts the row again.
	// The same holds for a row of a table without a key.
	if a.oneIn(4) && !a.policy.any && !a.tableSet.item.keyless {
		for range 1 + a.IntN(2) {
			a.between = append(a.between, pick(a.dice, a.tableSet.item.disturbances()...))
		}
	}
	if a.resumes {
		a.resume()
	}
	return a.scenario
}

// worksWithoutKey reports whether the policy can take rows of a table without a key. The model
// knows the order of rows with equal clocks only if the table has a key, so it returns false if the
// order decides what a run takes.
func (a *author) worksWithoutKey() bool {
	p := a.policy
	if len(p.due) == 0 || p.budget > 0 || a.resumes || p.table.above != nil {
		return false
	}
	for _, e := range p.due {
		if e.rank != nil || e.clock.nulls {
			return false
		}
	}
	return !slices.ContainsFunc(p.keep, func(g guard) bool { return g.rank != nil }) &&
		!slices.ContainsFunc(p.steps, needsKey)
}

// needsKey reports whether a step does not work on rows of a table without a key.
func needsKey(s step) bool {
	switch s := s.(type) {
	case deletion:
		return s.related != nil
	case tableStep:
		switch of := s.of.(type) {
		case keyedInsert:
			return of.newest
		case archive:
			return of.related != nil
		case plainInsert, groupInsert, emitStep:
			return false
		}
	}
	return true
}

func (a *author) col(role string) string { return a.tableSet.style(role) }

func (a *author) times() {
	from := instants
	if a.present {
		from = laterInstants
	}
	first, err := time.Parse(time.RFC3339Nano, pick(a.dice, from...))
	if err != nil {
		panic(err)
	}
	a.calls = []call{{at: first}}
	if a.oneIn(2) {
		a.calls = append(a.calls, call{at: first.Add(time.Duration(a.IntN(72)) * time.Hour)})
	}
}

// clock returns a random clock without its column.
func (a *author) clock() *clock {
	c := &clock{key: pick(a.dice, "age", "age", "expires"), kind: pick(a.dice, timestamptz, timestamptz, timestamp,
		millis, date, integer, bigint, bigint, uuid, ulid, float, decimal)}
	if a.present {
		c.kind = pick(a.dice, integer, bigint, bigint, bigint, uuid, ulid, float, decimal)
	}
	switch {
	case c.kind == uuid:
		c.encoding = "uuidv7"
	case c.kind == ulid:
		c.encoding = "ulid"
	case c.kind == float, c.kind == decimal:
		c.encoding = pick(a.dice, "epoch_ms", "epoch_s")
	case c.kind == integer:
		c.encoding = "epoch_s"
	case c.kind == bigint:
		c.encoding = pick(a.dice, "epoch_ms", "epoch_s", "snowflake")
	}
	c.nulls, c.inclusive = a.oneIn(4), a.oneIn(3)
	return c
}

func (a *author) bounds() {
	a.policy.batch = pick(a.dice, 0, 0, 1, 3, 7)
	a.once = a.policy.batch == 0
	if a.oneIn(12) {
		a.policy.breakerRows = 1 + a.IntN(10)
	}
}

// joins may add joins o and l to the policy.
func (a *author) joins() {
	o := join{name: "o", from: a.tableSet.owner, where: cond{"=", col{"o", "id"}, col{"t", a.col("owner")}}}
	if a.oneIn(2) {
		o.once = a.oneIn(2)
		if a.oneIn(4) {
			o.where = logic{"AND", o.where, col{"o", "open"}}
		}
		a.policy.joins = append(a.policy.joins, o)
	}
	if a.oneIn(4) {
		query := &extreme{pick(a.dice, "max", "min"), "x", a.tableSet.sign, "n", refersTo("x", a.tableSet.item)}
		a.policy.joins = append(a.policy.joins, join{name: "l", query: query})
	}
}

func (a *author) joined(name string) bool {
	for _, j := range a.policy.joins {
		if j.name == name {
			return true
		}
	}
	return false
}

// condition returns a random condition on the row. It may also read joins and, with elsewhere,
// other tables.
func (a *author) condition(deep int, elsewhere bool) expr {
	own := func(role string) expr { return col{pick(a.dice, "", "t"), a.col(role)} }
	if deep > 0 && a.oneIn(2) {
		x, y := a.condition(deep-1, elsewhere), a.condition(deep-1, elsewhere)
		switch a.IntN(5) {
		case 0:
			return not{x}
		case 1, 2:
			return logic{"OR", x, y}
		default:
			return logic{"AND", x, y}
		}
	}
	kind := func() expr { return word(pick(a.dice, "a", "b", "c")) }
	n := func() expr { return number(int64(a.IntN(6))) }
	if elsewhere && a.oneIn(2) {
		return a.elsewhere()
	}
	if a.joined("o") && a.oneIn(5) {
		return pick[expr](a.dice,
			col{"o", "open"},
			cond{">", col{"o", "top"}, own("n")},
			cond{"=", col{"o", "kind"}, own("kind")},
		)
	}
	if a.joined("l") && a.oneIn(5) {
		return pick[expr](a.dice, cond{">=", col{"l", "found"}, n()}, is{col{"l", "found"}, "NULL"})
	}
	switch a.IntN(11) {
	case 0:
		return own("flag")
	case 1:
		return cond{"=", own("kind"), kind()}
	case 2:
		return cond{"<>", own("kind"), kind()}
	case 3:
		return cond{pick(a.dice, "<", "<=", ">", ">=", "=", "<>"), own("n"), n()}
	case 4:
		return is{own(pick(a.dice, "n", "kind", "flag", "owner")), pick(a.dice, "NULL", "NOT NULL")}
	case 5:
		return is{own("flag"), pick(a.dice, "TRUE", "NOT TRUE")}
	case 6:
		return in{own("kind"), []expr{kind(), kind()}}
	case 7:
		return coalesce{own("flag"), lit{a.oneIn(2), boolean}}
	case 8:
		op := pick(a.dice, "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
		return cond{op, own("n"), pick[expr](a.dice, n(), own("owner"))}
	case 9:
		return cond{pick(a.dice, "<", ">="), own("seen"), asOfLess(24 * (1 + a.IntN(10)))}
	default:
		return not{own("flag")}
	}
}

// elsewhere returns a condition that reads table sign. No step changes that table.
func (a *author) elsewhere() expr {
	var open expr = col{"x", "open"}
	if a.oneIn(2) {
		open = cond{">", col{"x", "n"}, pick[expr](a.dice, number(int64(a.IntN(5))), col{"t", a.col("n")})}
	}
	tie := refersTo("x", a.tableSet.item)
	if a.oneIn(4) {
		tie = cond{"=", col{"x", "kind"}, col{"t", a.col("kind")}}
	}
	switch a.IntN(5) {
	case 0:
		return not{exists{a.tableSet.sign, "x", logic{"AND", tie, open}}}
	case 1:
		op := pick(a.dice, "<", ">=", "=")
		return cond{op, col{"t", a.col("n")}, extreme{pick(a.dice, "max", "min"), "x", a.tableSet.sign, "n", tie}}
	default:
		return exists{a.tableSet.sign, "x", logic{"AND", tie, open}}
	}
}

func (a *author) span() span {
	s := pick(a.dice,
		span{Days: 7},
		span{Days: 1},
		span{Time: 24 * time.Hour},
		span{Months: 1},
		span{Days: 30},
		span{Time: 90 * time.Minute},
		span{Months: 1, Days: 1},
		span{Days: 2, Time: 3 * time.Hour},
		span{Months: 4},
		span{Days: 147},
	)
	a.windows = append(a.windows, s)
	return s
}

// window returns a random window. If deep is positive it may be a list of tiers.
func (a *author) window(deep int) *window {
	switch {
	case deep > 0 && a.oneIn(4):
		w := &window{}
		for range 1 + a.IntN(2) {
			w.tiers = append(w.tiers, tier{a.condition(0, false), a.orNever()})
		}
		if a.oneIn(2) {
			w.tiers = append(w.tiers, tier{nil, a.orNever()})
		}
		return w
	case a.oneIn(3):
		var of expr = col{"", a.col("n")}
		if a.joined("o") && a.oneIn(2) {
			of = col{"o", "days"}
		}
		w := &window{unit: pick(a.dice, "days", "days", "hours", "weeks", "months"), of: of}
		w.instead, w.never, w.atLeast, w.atMost = a.numbers()
		for n := range int64(8) {
			if n, ok := dataNumber(n, w.instead, w.never, w.atLeast, w.atMost); ok {
				a.windows = append(a.windows, (&window{unit: w.unit, of: lit{n, integer}, atLeast: new(int64)}).only())
			}
		}
		return w
	}
	s := a.span()
	return &window{fixed: &s}
}

func (w *window) only() span {
	s, _ := w.length(nil)
	return s
}

func (a *author) orNever() *window {
	if a.oneIn(5) {
		return nil
	}
	return a.window(0)
}

// numbers returns random values for the keys else, never, at_least and at_most of a number from
// data.
func (a *author) numbers() (instead *int64, never []int64, atLeast, atMost *int64) {
	ref := func(n int) *int64 { v := int64(n); return &v }
	if a.oneIn(3) {
		atLeast = ref(a.IntN(3))
	}
	if a.oneIn(3) {
		atMost = ref(4 + a.IntN(2))
	}
	if a.oneIn(2) {
		instead = ref(3)
	}
	if a.oneIn(3) {
		never = []int64{pick(a.dice, int64(-1), 5)}
	}
	return instead, never, atLeast, atMost
}

// rank returns a random rank on the policy's table. A count from data is equal for all rows of a
// group, so that no batch changes the places of the next one.
func (a *author) rank(verdicts []string) *rank {
	r := &rank{table: a.tableSet.item, first: int64(1 + a.IntN(3)), withTies: a.oneIn(4)}
	own := func(role string) expr { return col{pick(a.dice, "", "t"), a.col(role)} }
	for _, role := range [][]string{nil, {"kind"}, {"owner"}, {"kind", "flag"}}[a.IntN(4)] {
		r.per = append(r.per, own(role))
	}
	if a.oneIn(3) && a.joined("o") {
		r.per = []expr{own("owner")}
		r.of = col{"o", "top"}
		r.instead, r.never, r.atLeast, r.atMost = a.numbers()
	}
	for range 1 + a.IntN(2) {
		var by expr = own(pick(a.dice, "n", "seq", "made", "kind", "seen"))
		if len(verdicts) > 0 && a.oneIn(2) {
			by = verdict(pick(a.dice, verdicts...))
		}
		r.order = append(r.order, item{by, a.oneIn(2), pick(a.dice, "", "", "FIRST", "LAST")})
	}
	if a.oneIn(3) {
		r.among = a.condition(0, false)
		if len(verdicts) > 0 && a.oneIn(2) {
			r.among = not{verdict(pick(a.dice, verdicts...))}
		}
	}
	return r
}

// guards adds guards to the policy. Ranks of due may read guards, so guards also adds guards to
// their order.
func (a *author) guards() {
	var names []string
	number := a.IntN(4)
	if a.resumes {
		number = 1 + a.IntN(2)
	}
	for i := range number {
		g := guard{name: fmt.Sprintf("g%d", i)}
		switch {
		case a.resumes:
			g.cond = pick[expr](a.dice, a.elsewhere(), col{"t", a.col("flag")}, a.condition(1, true))
		case a.oneIn(3):
			g.rank = a.rank(names)
		default:
			g.cond = a.condition(1, true)
		}
		names = append(names, g.name)
		a.policy.keep = append(a.policy.keep, g)
	}
	for _, e := range a.policy.due {
		if e.rank != nil && len(names) > 0 && a.oneIn(3) {
			e.rank.order = append([]item{{verdict(pick(a.dice, names...)), true, ""}}, e.rank.order...)
		}
	}
}

func (a *author) due(c *clock) {
	p := a.policy
	if a.oneIn(3) {
		p.where = a.condition(1, true)
	}
	withWindow := func(c *clock) *clock {
		if c.key == "age" || a.oneIn(2) {
			c.window = a.window(1)
		}
		if c.window == nil {
			a.windows = append(a.windows, span{})
		}
		// PostgreSQL 15 has no max(uuid).
		if c.column == a.col("made") && c.kind != uuid && c.kind != ulid && a.oneIn(10) {
			c.nulls = false
			c.upTo = &extreme{"max", "x", a.tableSet.limit, "up", lit{true, boolean}}
		}
		return c
	}
	if a.resumes {
		p.due = []entry{{clock: withWindow(c)}}
		if p.any = a.oneIn(3); p.any {
			second := &clock{key: "age", kind: timestamptz, column: a.col("seen")}
			p.due = append(p.due, entry{clock: withWindow(second)})
		}
		return
	}
	switch a.IntN(12) {
	case 0:
		if p.where == nil {
			p.where = a.condition(1, true)
		}
	case 1, 2:
		p.due = []entry{{rank: a.rank(nil)}}
	case 3:
		p.due = []entry{{clock: withWindow(c), rank: a.rank(nil)}}
	case 4, 5:
		p.any = true
		p.due = []entry{{clock: withWindow(c)}, {rank: a.rank(nil)}}
		if a.oneIn(2) {
			p.due[1].clock = withWindow(&clock{key: "age", kind: timestamptz, column: a.col("seen")})
		}
	case 6:
		upTo := &extreme{"max", "x", a.tableSet.limit, "seq", lit{true, boolean}}
		c = &clock{key: "position", kind: bigint, column: a.col("seq"), upTo: upTo}
		if a.oneIn(2) {
			c.watermark = a.tableSet.steps
		}
		p.due = []entry{{clock: c}}
	default:
		p.due = []entry{{clock: withWindow(c)}}
		if c.kind == timestamptz && a.oneIn(6) {
			c.other = a.col("seen")
		}
	}
	if c := p.clock(); (c == nil || c.watermark == nil) && a.oneIn(4) {
		a.scopes()
	}
	if p.jobs == nil && a.ordered() && p.clock().watermark == nil && a.oneIn(8) {
		p.budget = 1 + a.IntN(8)
	}
}
