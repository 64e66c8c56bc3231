package model

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// zones are those of files: every policy of a file has the same.
var zones = []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe",
	"America/St_Johns", "Pacific/Apia", "Antarctica/Troll", "Africa/Casablanca", "America/Havana"}

// instants are those of runs: in the middle of nothing, and around changes of the clocks in the
// zones.
var instants = []string{"2024-06-15T12:00:00Z", "2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z",
	"2024-11-10T06:30:00Z", "2025-03-09T07:30:00Z",
	"2025-03-31T22:10:00Z", "2024-10-27T00:30:00Z", "2024-10-27T01:30:00.123456Z", "2024-04-06T15:15:00Z", "2025-03-01T04:59:59.999999Z", "2024-03-31T01:00:00Z",
	"2012-01-06T02:30:00Z", "2011-12-31T09:00:00Z", "2024-10-27T01:10:00Z", "2024-03-10T02:20:00Z",
	"2024-04-14T02:30:00Z", "2024-11-03T04:40:00Z", "2024-11-03T05:10:00Z"}

// author writes one scenario.
type author struct {
	dice
	*scenario
	windows []span // that some row may have
	once    bool   // all rows are in one batch
	present bool   // the clock may be in a wrong unit, which is told by what is near the present
	resumes bool   // a job runs the policy several times, and goes on where its last run ended
}

// randomScenario returns the scenario of a seed. Its tables and its policy have the number in their
// names.
func randomScenario(seed uint64, number int, zone *time.Location) *scenario {
	d := dice{rand.New(rand.NewPCG(seed, uint64(number)))}
	present := d.in(5)
	resumes := !present && d.in(5)
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
	a.family = randomFamily(a.dice, a.name, clock.kind)
	a.policy.table = a.family.item
	clock.column = a.col("made")
	a.bounds()
	a.joins()
	a.due(clock)
	a.guards()
	a.mistake()
	a.then()
	a.inherit()
	a.fill()
	a.hold()
	if a.in(4) && !a.policy.any { // a refused row is known by its place: moved, another entry of "any" counts it again
		for range 1 + a.IntN(2) {
			a.between = append(a.between, pick(a.dice, a.family.item.disturbances()...))
		}
	}
	if a.resumes {
		a.resume()
	}
	return a.scenario
}

func (a *author) col(role string) string { return a.family.style(role) }

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
	if a.in(2) {
		a.calls = append(a.calls, call{at: first.Add(time.Duration(a.IntN(72)) * time.Hour)})
	}
}

// clock is without its column.
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
	c.nulls, c.inclusive = a.in(4), a.in(3)
	return c
}

func (a *author) bounds() {
	a.policy.batch = pick(a.dice, 0, 0, 1, 3, 7)
	a.once = a.policy.batch == 0
	if a.in(12) {
		a.policy.fuse = 1 + a.IntN(10)
	}
}

// joins gives the policy an owner, by one of the three forms.
func (a *author) joins() {
	o := join{name: "o", from: a.family.owner, where: cond{"=", col{"o", "id"}, col{"t", a.col("owner")}}}
	if a.in(2) {
		o.once = a.in(2)
		if a.in(4) {
			o.where = logic{"AND", o.where, col{"o", "open"}}
		}
		a.policy.joins = append(a.policy.joins, o)
	}
	if a.in(4) {
		a.policy.joins = append(a.policy.joins, join{name: "l", query: &extreme{pick(a.dice, "max", "min"), "x",
			a.family.sign, "n",
			refersTo("x", a.family.item)}})
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

// condition is one on the row, perhaps on its joins and on other tables.
func (a *author) condition(deep int, elsewhere bool) expr {
	own := func(role string) expr { return col{pick(a.dice, "", "t"), a.col(role)} }
	if deep > 0 && a.in(2) {
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
	if elsewhere && a.in(2) {
		return a.elsewhere()
	}
	if a.joined("o") && a.in(5) {
		return pick[expr](a.dice, col{"o", "open"}, cond{">", col{"o", "top"}, own("n")}, cond{"=", col{"o", "kind"},
			own("kind")})
	}
	if a.joined("l") && a.in(5) {
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
		return coalesce{own("flag"), lit{a.in(2), boolean}}
	case 8:
		return cond{pick(a.dice, "IS DISTINCT FROM", "IS NOT DISTINCT FROM"), own("n"), pick[expr](a.dice, n(),
			own("owner"))}
	case 9:
		return cond{pick(a.dice, "<", ">="), own("seen"), asOfLess(24 * (1 + a.IntN(10)))}
	default:
		return not{own("flag")}
	}
}

// elsewhere reads another table, which no step changes.
func (a *author) elsewhere() expr {
	var open expr = col{"x", "open"}
	if a.in(2) {
		open = cond{">", col{"x", "n"}, pick[expr](a.dice, number(int64(a.IntN(5))), col{"t", a.col("n")})}
	}
	tie := refersTo("x", a.family.item)
	if a.in(4) {
		tie = cond{"=", col{"x", "kind"}, col{"t", a.col("kind")}}
	}
	switch a.IntN(5) {
	case 0:
		return not{exists{a.family.sign, "x", logic{"AND", tie, open}}}
	case 1:
		return cond{pick(a.dice, "<", ">=", "="), col{"t", a.col("n")}, extreme{pick(a.dice, "max", "min"), "x",
			a.family.sign, "n", tie}}
	default:
		return exists{a.family.sign, "x", logic{"AND", tie, open}}
	}
}

func (a *author) span() span {
	s := pick(a.dice, span{Days: 7}, span{Days: 1}, span{Time: 24 * time.Hour}, span{Months: 1}, span{Days: 30},
		span{Time: 90 * time.Minute},
		span{Months: 1, Days: 1}, span{Days: 2, Time: 3 * time.Hour}, span{Months: 4}, span{Days: 147})
	a.windows = append(a.windows, s)
	return s
}

// window has up to one list of tiers.
func (a *author) window(deep int) *window {
	switch {
	case deep > 0 && a.in(4):
		w := &window{}
		for range 1 + a.IntN(2) {
			w.tiers = append(w.tiers, tier{a.condition(0, false), a.orNever()})
		}
		if a.in(2) {
			w.tiers = append(w.tiers, tier{nil, a.orNever()})
		}
		return w
	case a.in(3):
		var of expr = col{"", a.col("n")}
		if a.joined("o") && a.in(2) {
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
	if a.in(5) {
		return nil
	}
	return a.window(0)
}

// numbers are the other keys of a number from data.
func (a *author) numbers() (instead *int64, never []int64, atLeast, atMost *int64) {
	ref := func(n int) *int64 { v := int64(n); return &v }
	if a.in(3) {
		atLeast = ref(a.IntN(3))
	}
	if a.in(3) {
		atMost = ref(4 + a.IntN(2))
	}
	if a.in(2) {
		instead = ref(3)
	}
	if a.in(3) {
		never = []int64{pick(a.dice, int64(-1), 5)}
	}
	return instead, never, atLeast, atMost
}

// rank is one on the policy's table. Counts from data are alike in a group, so that no batch
// changes a place of the next.
func (a *author) rank(verdicts []string) *rank {
	r := &rank{table: a.family.item, first: int64(1 + a.IntN(3)), withTies: a.in(4)}
	own := func(role string) expr { return col{pick(a.dice, "", "t"), a.col(role)} }
	for _, role := range [][]string{nil, {"kind"}, {"owner"}, {"kind", "flag"}}[a.IntN(4)] {
		r.per = append(r.per, own(role))
	}
	if a.in(3) && a.joined("o") {
		r.per = []expr{own("owner")}
		r.of = col{"o", "top"}
		r.instead, r.never, r.atLeast, r.atMost = a.numbers()
	}
	for range 1 + a.IntN(2) {
		var by expr = own(pick(a.dice, "n", "seq", "made", "kind", "seen"))
		if len(verdicts) > 0 && a.in(2) {
			by = verdict(pick(a.dice, verdicts...))
		}
		r.order = append(r.order, item{by, a.in(2), pick(a.dice, "", "", "FIRST", "LAST")})
	}
	if a.in(3) {
		r.among = a.condition(0, false)
		if len(verdicts) > 0 && a.in(2) {
			r.among = not{verdict(pick(a.dice, verdicts...))}
		}
	}
	return r
}

// guards come before due, which may read them: due is completed here.
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
		case a.in(3):
			g.rank = a.rank(names)
		default:
			g.cond = a.condition(1, true)
		}
		names = append(names, g.name)
		a.policy.keep = append(a.policy.keep, g)
	}
	for _, e := range a.policy.due {
		if e.rank != nil && len(names) > 0 && a.in(3) {
			e.rank.order = append([]item{{verdict(pick(a.dice, names...)), true, ""}}, e.rank.order...)
		}
	}
}

func (a *author) due(c *clock) {
	p := a.policy
	if a.in(3) {
		p.where = a.condition(1, true)
	}
	withWindow := func(c *clock) *clock {
		if c.key == "age" || a.in(2) {
			c.window = a.window(1)
		}
		if c.window == nil {
			a.windows = append(a.windows, span{})
		}
		// PostgreSQL 15 has no max of uuid
		if c.column == a.col("made") && c.kind != uuid && c.kind != ulid && a.in(10) {
			c.nulls = false
			c.upTo = &extreme{"max", "x", a.family.limit, "up", lit{true, boolean}}
		}
		return c
	}
	if a.resumes {
		p.due = []entry{{clock: withWindow(c)}}
		if p.any = a.in(3); p.any {
			p.due = append(p.due, entry{clock: withWindow(&clock{key: "age", kind: timestamptz,
				column: a.col("seen")})})
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
		if a.in(2) {
			p.due[1].clock = withWindow(&clock{key: "age", kind: timestamptz, column: a.col("seen")})
		}
	case 6:
		c = &clock{key: "position", kind: bigint, column: a.col("seq"), upTo: &extreme{"max", "x", a.family.limit,
			"seq", lit{true, boolean}}}
		if a.in(2) {
			c.watermark = a.family.steps
		}
		p.due = []entry{{clock: c}}
	default:
		p.due = []entry{{clock: withWindow(c)}}
		if c.kind == timestamptz && a.in(6) {
			c.other = a.col("seen")
		}
	}
	if c := p.clock(); (c == nil || c.watermark == nil) && a.in(4) {
		a.scopes()
	}
	if p.jobs == nil && a.ordered() && p.clock().watermark == nil && a.in(8) {
		p.budget = 1 + a.IntN(8)
	}
}
