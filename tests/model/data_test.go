package model

import (
	"fmt"
	"time"
)

// fill adds random rows to all tables. Columns have few different values, so that rows match each
// other. Clocks are near the cutoffs of the runs.
func (a *author) fill() {
	f := a.tableSet
	a.data = database{}
	add := func(t *table, r row) { a.data[t] = append(a.data[t], r) }
	for i := range 4 {
		add(f.owner, row{
			"id":   int64(i + 1),
			"days": a.small(),
			"top":  a.small(),
			"open": a.maybe(a.oneIn(2)),
			"kind": a.word(),
		})
	}
	n := 3 + a.IntN(30)
	for i := range n {
		add(f.item, a.itemRow(i))
	}
	some := func() row { return a.data[f.item][a.IntN(n)] }
	point := func(r row, at row, of *table) row {
		for i, name := range of.key {
			r[fmt.Sprint("of", i)] = at[name]
		}
		return r
	}
	for i := range a.IntN(n) {
		r := row{"id": int64(i), "open": a.maybe(a.oneIn(2)), "n": a.small(), "kind": a.word()}
		if !a.oneIn(6) {
			r = point(r, some(), f.item)
		}
		add(f.sign, r)
	}
	for i := range a.IntN(n) {
		r := row{"id": int64(i), "n": a.small(), "note": a.word(), "part": text("q")}
		if !a.oneIn(6) {
			r = point(r, some(), f.item)
		}
		add(f.child, r)
		if a.oneIn(2) {
			add(f.leaf, point(row{"id": int64(i), "n": a.small()}, r, f.child))
		}
	}
	a.limits()
}

func (a *author) limits() {
	f := a.tableSet
	for i := range a.IntN(3) {
		some := a.data[f.item][a.IntN(len(a.data[f.item]))]
		limit := row{"id": int64(i), "up": some[a.col("made")], "seq": some[a.col("seq")]}
		a.data[f.limit] = append(a.data[f.limit], limit)
	}
	a.data[f.steps] = []row{{"kind": text("mine"), "seq": int64(a.IntN(40))}, {"kind": text("other"), "seq": int64(7)}}
	if a.oneIn(3) {
		a.data[f.sums] = []row{{
			"kind":  text("a"),
			"n":     int64(3),
			"total": a.small(),
			"best":  a.small(),
			"worst": a.small(),
			"last":  int64(0),
		}}
	}
	if a.oneIn(4) {
		old := a.data[f.item][a.IntN(len(a.data[f.item]))]
		a.data[f.old] = []row{f.archived(old, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))}
	}
}

func (a *author) itemRow(i int) row {
	r := row{}
	set := func(role string, v value) { r[a.col(role)] = v }
	for j, name := range a.tableSet.item.key {
		n := i
		if len(a.tableSet.item.key) > 1 {
			n = []int{i / 3, i % 3}[j]
		}
		r[name] = keyValue(a.tableSet.item.column(name).kind, n)
	}
	made := a.tableSet.item.column(a.col("made"))
	if made.notNull || !a.oneIn(6) {
		set("made", a.clockValue(made.kind))
	} else {
		set("made", nil)
	}
	set("kind", a.word())
	if r[a.col("kind")] == nil && a.tableSet.item.column(a.col("kind")).notNull {
		set("kind", text("a"))
	}
	set("n", a.small())
	set("flag", a.maybe(a.oneIn(2)))
	set("done", a.oneIn(4))
	set("owner", a.maybe(int64(1+a.IntN(5))))
	set("seq", int64(a.IntN(60)))
	set("seen", a.maybe(a.clockValue(timestamptz)))
	if a.unit != nil && r[made.name] != nil {
		a.writeTime(r)
	}
	return r
}

func keyValue(k kind, n int) value {
	switch k {
	case textual, varchar:
		return text(fmt.Sprintf("k%03d", n))
	case bytea:
		return text(fmt.Sprintf(`\x%06x`, n*3))
	case date:
		return moment(time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n))
	case uuid:
		return text(fmt.Sprintf("%08x-0000-4000-8000-%012x", (n*7919)%251, n))
	case numeric:
		return cents(n * 50)
	}
	return int64(n)
}

func (a *author) maybe(v value) value {
	if a.oneIn(5) {
		return nil
	}
	return v
}

func (a *author) small() value { return a.maybe(int64(a.IntN(7) - 1)) }
func (a *author) word() value  { return a.maybe(text(pick(a.dice, "a", "a", "b", "c"))) }

// clockValue returns a random clock value near the cutoff of a run, for one of the windows.
func (a *author) clockValue(k kind) value {
	w := span{}
	if len(a.windows) > 0 {
		w = pick(a.dice, a.windows...)
	}
	at := w.before(pick(a.dice, a.calls...).at, a.zone)
	switch a.IntN(5) {
	case 0:
	case 1:
		at = at.Add(time.Duration(a.IntN(3)-1) * pick(a.dice, time.Microsecond, time.Millisecond, time.Second))
	case 2:
		at = at.Add(time.Duration(a.IntN(9)-4) * 30 * time.Minute)
	default:
		at = at.Add(time.Duration(a.IntN(40*24)-20*24) * time.Hour)
	}
	wall := wallOf(at, a.zone)
	if a.encoding(k) != "" && k != uuid && k != ulid && a.oneIn(12) {
		return pick[value](a.dice, int64(0), int64(-1), int64(1))
	}
	switch k {
	case timestamp:
		return moment(wall)
	case millis:
		return moment(wall.Truncate(time.Millisecond))
	case date:
		return moment(wall.Truncate(24 * time.Hour))
	case integer:
		return at.Unix()
	case float, decimal:
		if a.encoding(k) == "epoch_s" {
			return at.Unix()
		}
		return at.UnixMilli()
	case ulid:
		if a.oneIn(8) {
			return text(pick(a.dice, "80000000000000000000000000", "01HZ000000000000000000000",
				"01J00000000000000000000I00"))
		}
		return ulidOf(at.UnixMilli(), 1+a.IntN(2))
	case uuid:
		if a.oneIn(8) {
			return keyValue(uuid, a.IntN(100))
		}
		return uuidOf(at.UnixMilli(), 1+a.IntN(2)) // generators do not write the smallest key of a millisecond
	case bigint:
		switch a.encoding(k) {
		case "snowflake":
			return (at.UnixMilli()-snowflakeEpoch)<<snowflakeShift + int64(a.IntN(3)-1)
		case "epoch_s":
			return at.Unix()
		}
		return at.UnixMilli()
	}
	return moment(at.UTC())
}

// encoding returns the encoding of the policy's clock of type k, or "".
func (a *author) encoding(k kind) string {
	for _, e := range a.policy.due {
		if e.clock != nil && e.clock.kind == k {
			return e.clock.encoding
		}
	}
	return ""
}

// hold adds random holds on the policy's table and on tables that its steps reach.
func (a *author) hold() {
	if !a.oneIn(3) {
		return
	}
	f := a.tableSet
	reach := []*table{f.item, f.item}
	for _, s := range a.policy.steps {
		if d, ok := s.(deletion); ok {
			reach = append(reach, d.cascades...)
			if d.related != nil {
				reach = append(reach, d.related.table)
			}
		}
		if u, ok := s.(update); ok && u.related != nil {
			reach = append(reach, u.related.table)
		}
	}
	for range 1 + a.IntN(3) {
		t := pick(a.dice, reach...)
		if len(a.data[t]) == 0 {
			continue
		}
		r := a.data[t][a.IntN(len(a.data[t]))]
		of := t.withAncestors()[max(0, len(t.withAncestors())-1-a.IntN(3))]
		h := hold{table: of, columns: t.key, plain: len(t.key) == 1 && !t.keyless && a.oneIn(2)}
		if a.oneIn(4) {
			h = hold{table: of, columns: []string{"n"}}
			switch {
			case t == f.item && of != t:
				h.columns = []string{a.col(pick(a.dice, "n", "kind"))}
			case t == f.item:
				h.columns = []string{a.col(pick(a.dice, "n", "kind", "owner"))}
			}
		}
		for _, name := range h.columns {
			h.values = append(h.values, r[name])
		}
		if h.values[0] != nil {
			a.holds = append(a.holds, h)
		}
	}
}
