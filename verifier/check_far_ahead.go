package verifier

import (
	"fmt"
	"strconv"
	"time"

	"pgretain/internal/diag"
)

var codeFarAhead = register("V062", Conformance, "rows have a clock that lies far ahead")

// farAhead is for information: an expiry in the year 9999 may well be meant. It is drift where all rows have
// one, and their numbers are instants in a smaller unit than the policy says.
func (v *inspection) farAhead(a asked, found facts) {
	p := a.policy
	f := Finding{Code: codeFarAhead, Severity: Info, Policy: p.Name, Position: a.clock.Position, Object: p.Table.String(),
		Message: fmt.Sprintf("%s of table %q %s a clock that lies far ahead and will not go under policy %q for years", counted(found.Ahead), p.Table,
			verb(found.Ahead, "has", "have"), p.Name),
		Detail: fmt.Sprintf("Their clocks are from %s to %s.", found.First, found.Last),
		Hint:   "Nothing, if they are meant to stay so long; otherwise find out who writes such instants."}
	if unit := smallerUnit(a.clock.Encoding.Kind, found, v.server.Now); unit != "" {
		f.Severity = diag.Drift
		f.Message = fmt.Sprintf("all rows of policy %q have clocks that lie far ahead: none will ever go", p.Name)
		f.Detail = fmt.Sprintf("The policy reads table %q by encoding %q, and its numbers, from %s to %s, are plausible in %s.", p.Table, a.clock.Encoding.Kind, found.First, found.Last, unit)
		f.Hint = `Correct "encoding", or write an "expression" that divides; then run "pgretain generate".`
	}
	v.add(f)
}

// smallerUnit is the unit in which numbers are instants of our time that lie far ahead as they are read, ""
// for none. One number for all rows is a word for "never".
func smallerUnit(encoding string, found facts, now time.Time) string {
	perSecond, known := map[string]float64{"epoch_s": 1, "epoch_ms": 1e3}[encoding]
	first, errFirst := strconv.ParseFloat(found.First, 64)
	last, errLast := strconv.ParseFloat(found.Last, 64)
	if !known || !found.AllAhead || first == last || errFirst != nil || errLast != nil {
		return ""
	}
	for _, unit := range []struct {
		name      string
		perSecond float64
	}{{"milliseconds", 1e3}, {"microseconds", 1e6}, {"nanoseconds", 1e9}} {
		if unit.perSecond > perSecond && ourTime(first/unit.perSecond, now) && ourTime(last/unit.perSecond, now) {
			return unit.name
		}
	}
	return ""
}

// ourTime says whether seconds since 1970 lie between 1990 and a hundred years from now.
func ourTime(seconds float64, now time.Time) bool {
	return seconds >= 631152000 && seconds <= float64(now.AddDate(100, 0, 0).Unix())
}
