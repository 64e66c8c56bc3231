package verifier

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pgretain/internal/pgparse"
)

// promises are with which rights and settings a routine runs, and what the server goes by when it calls it.
type promises struct {
	definer              bool
	volatility, parallel string
	strict, leakproof    bool
	set                  bool // its result
	cost, rows           float32
	support              string
	settings             map[string]string
}

func wantedPromises(r *pgparse.Routine) promises {
	return promises{definer: r.Definer, volatility: r.Volatility, parallel: r.Parallel, strict: r.Strict, leakproof: r.Leakproof,
		set: r.Signature.Set, cost: float32(r.Cost), rows: float32(r.Rows), support: r.Support, settings: r.Settings}
}

// The letters of pg_proc.provolatile and proparallel.
var (
	volatilities = map[string]string{"i": "immutable", "s": "stable", "v": "volatile"}
	parallels    = map[string]string{"s": "safe", "r": "restricted", "u": "unsafe"}
)

func livePromises(r routine) promises {
	p := promises{definer: r.Definer, volatility: volatilities[r.Volatility], parallel: parallels[r.Parallel], strict: r.Strict,
		leakproof: r.Leakproof, set: r.Set, cost: r.Cost, rows: r.Rows, support: r.Support, settings: map[string]string{}}
	for _, setting := range r.Settings {
		name, value, _ := strings.Cut(setting, "=")
		p.settings[name] = value
	}
	return p
}

func (p promises) equal(other promises) bool {
	return reflect.DeepEqual(p, other) || p.String() == other.String()
}

// clauses are those of CREATE FUNCTION, also where they say what it takes for granted, in a fixed order and
// without the settings.
func (p promises) clauses() []string {
	list := []string{"SECURITY INVOKER", strings.ToUpper(p.volatility), "CALLED ON NULL INPUT", "NOT LEAKPROOF",
		"PARALLEL " + strings.ToUpper(p.parallel), "COST " + number(p.cost), "ROWS " + number(p.rows), "SUPPORT " + p.support}
	if p.definer {
		list[0] = "SECURITY DEFINER"
	}
	if p.strict {
		list[2] = "STRICT"
	}
	if p.leakproof {
		list[3] = "LEAKPROOF"
	}
	return list
}

// granted are the clauses that need not be said; those of a set have more rows.
var granted = []string{"CALLED ON NULL INPUT", "NOT LEAKPROOF", "PARALLEL UNSAFE", "COST 100", "SUPPORT "}

func (p promises) String() string {
	rows := "ROWS 0"
	if p.set {
		rows = "ROWS 1000"
	}
	list := slices.DeleteFunc(p.clauses(), func(clause string) bool { return clause == rows || slices.Contains(granted, clause) })
	for _, name := range slices.Sorted(maps.Keys(p.settings)) {
		list = append(list, "SET "+name+"="+p.settings[name])
	}
	return strings.Join(list, " ")
}

func number(n float32) string { return strconv.FormatFloat(float64(n), 'f', -1, 32) }
