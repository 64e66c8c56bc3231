package generator

import (
	"fmt"
	"strconv"
	"strings"

	"pgretain/policy"
)

// verb says what a policy does with its rows.
func (w *work) verb() string {
	switch {
	case w.policy.Partitions:
		return w.takes()
	case w.deletes():
		return "Deletes rows of"
	case w.updates():
		return "Updates rows of"
	}
	return "Works off rows of"
}

// what says in a few words what a pass takes.
func (w *work) what(p pass) string {
	text := w.verb() + " " + tableName(w.table)
	if p.clock != nil && p.nulls {
		text += " whose clock is NULL"
	} else if p.clock != nil {
		text += " " + describeClock(p.clock.source)
	}
	if p.beyond != nil {
		text += " past the first " + firstText(p.beyond)
		if len(p.beyond.source.Per) > 0 {
			var per []string
			for _, e := range p.beyond.source.Per {
				per = append(per, e.SQL)
			}
			text += " per " + strings.Join(per, ", ")
		}
	}
	return comment(text) + "."
}

func describeClock(c *policy.Clock) string {
	name := c.Column
	if c.Expression != nil {
		name = c.Expression.SQL
	}
	var windows []string
	for _, t := range c.Window.Tiers {
		if t.Never {
			windows = append(windows, "never")
			continue
		}
		windows = append(windows, windowText(t))
	}
	verb := "older than"
	switch c.Kind {
	case "expires":
		verb = "past by"
	case "position":
		return fmt.Sprintf("by their %s", name)
	}
	return fmt.Sprintf("whose %s is %s %s", name, verb, strings.Join(windows, " / "))
}

// windowText is a tier in the words of the file.
func windowText(t policy.Tier) string {
	switch {
	case t.Data == nil:
		return t.Interval.Text
	case t.Data.Value == nil:
		return t.Data.Else.Text
	}
	return t.Data.Unit + " of " + t.Data.Value.SQL
}

func firstText(r *ranked) string {
	if r.source.Count != nil {
		return r.source.Count.Value.SQL
	}
	return strconv.FormatInt(r.First, 10)
}
