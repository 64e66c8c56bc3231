package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// printPreview is the report on one policy: what is due and what stays, whether a run would start and
// how long it would take; then what goes, table by table, the locks, and what is not known.
func (c *console) printPreview(p preview) {
	t := table{columns: []string{"POLICY", p.Policy}}
	t.add("as of", p.AsOf)
	t.add("due", p.orMore(p.Due)+about(p.Bytes))
	for _, guard := range slices.Sorted(maps.Keys(p.Kept)) {
		t.add("kept by "+guard, count(p.Kept[guard])+undecided(p.KeptNull[guard]))
	}
	for _, line := range []struct {
		name  string
		value *string
	}{{"oldest", p.Oldest}, {"newest", p.Newest}} {
		if line.value != nil {
			t.add(line.name, *line.value)
		}
	}
	if p.Due != nil && p.OneRun != nil && *p.OneRun < *p.Due {
		t.add("one run takes", fmt.Sprintf("%s, oldest first: %s runs or more", count(*p.OneRun), count((*p.Due+*p.OneRun-1) / *p.OneRun)))
	}
	if p.Seconds != nil {
		t.add("takes", fmt.Sprintf("about %s, by the pace of the last %d runs", seconds(*p.Seconds), p.BasedOn))
	}
	t.add("breaker", p.breaker())
	if p.StoppedBy != nil {
		t.add("would not start", *p.StoppedBy)
	}
	t.print(c.out)
	c.printEffects(p.Effects)
}

// printEffects shows what goes, changes and comes, to all that is due.
func (c *console) printEffects(list []effect) {
	if len(list) == 0 {
		return
	}
	t := table{columns: []string{"STEP", "EFFECT", "TABLE", ">ROWS", ">ABOUT", "BY FOREIGN KEY"}}
	locks := table{columns: []string{"LOCKS ON", ""}}
	var notes []string
	for _, e := range list {
		t.add(fmt.Sprint(e.Step), e.Effect, e.Table, orNone(e.Rows, "unknown"), orEmpty(e.Bytes), orText(e.Path))
		if e.Locks != nil && !slices.ContainsFunc(locks.rows, func(row []string) bool { return row[0] == e.Table && row[1] == *e.Locks }) {
			locks.add(e.Table, *e.Locks)
		}
		if e.Note != nil {
			notes = append(notes, fmt.Sprintf("step %d, %s %s: %s", e.Step, e.Effect, e.Table, *e.Note))
		}
	}
	c.printf("\n")
	t.print(c.out)
	c.printf("\n")
	locks.print(c.out)
	if len(notes) > 0 {
		c.printf("\n%s\n", strings.Join(notes, "\n"))
	}
}

// printPreviews is one line for each policy, and their sum.
func (c *console) printPreviews(list []preview) {
	t := table{columns: []string{"POLICY", ">DUE", ">ABOUT", ">KEPT", "OLDEST", "A RUN"}}
	var due int64
	more := ""
	for _, p := range list {
		kept := int64(0)
		for _, n := range p.Kept {
			kept += n
		}
		state := "starts"
		switch {
		case p.StoppedBy != nil:
			state = "would not start: " + *p.StoppedBy
		case p.WouldTrip:
			state = "would trip: the breaker allows " + orNone(p.Limit, "all")
		}
		t.add(p.Policy, p.orMore(p.Due), orEmpty(p.Bytes), count(kept), orText(p.Oldest), state)
		if p.Due != nil {
			due += *p.Due
		}
		if p.Capped {
			more = " or more"
		}
	}
	t.add("", "", "", "", "", "")
	t.add("all", count(due)+more, "", "", "", "")
	t.print(c.out)
}

// orMore writes a number that may have been counted to a limit.
func (p preview) orMore(n *int64) string {
	text := orNone(n, "unknown")
	if p.Capped {
		text += " or more"
	}
	return text
}

func (p preview) breaker() string {
	limit := orNone(p.Limit, "none")
	if p.WouldTrip {
		return limit + ", would trip"
	}
	return limit
}

// undecided tells of rows that a guard kept because it was NULL.
func undecided(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them because it was NULL", count(n))
}

// orNone writes a number, or none where there is none.
func orNone(n *int64, none string) string {
	if n == nil {
		return none
	}
	return count(*n)
}

// about writes an estimated size behind a number of rows.
func about(bytes *int64) string {
	if bytes == nil || *bytes == 0 {
		return ""
	}
	return ", about " + size(*bytes)
}

func orEmpty(bytes *int64) string {
	if bytes == nil {
		return ""
	}
	return size(*bytes)
}

func orText(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// size writes bytes as PostgreSQL does, in units of 1024.
func size(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 10*1024 && i < len(units)-1 {
		n = (n + 512) / 1024
		i++
	}
	return count(n) + " " + units[i]
}
