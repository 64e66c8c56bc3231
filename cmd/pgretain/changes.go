package main

import (
	"errors"
	"fmt"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/install"
)

// changes tells in one line each what a step does to which object: + new, ~ changed, - removed.
// New and changed objects of the runtime are only counted: there are about a hundred and nobody
// chose them.
func changes(history *generator.History, wanted []generator.Object) []string {
	var lines []string
	runtime := map[string]int{}
	seen := map[generator.ID]bool{}
	note := func(sign string, o generator.Object) {
		if sign != "-" && ofRuntime(o) {
			runtime[sign]++
			return
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", sign, o.Kind, o.Name))
	}
	for _, o := range wanted {
		seen[o.ID()] = true
		before, had := history.Object(o.ID())
		switch {
		case !had:
			note("+", o)
		case before.Hash() != o.Hash():
			note("~", o)
		}
	}
	for _, o := range history.Objects() {
		if !seen[o.ID()] {
			note("-", o)
		}
	}
	return append(runtimeLines(runtime), lines...)
}

func runtimeLines(changed map[string]int) []string {
	var lines []string
	for _, sign := range []string{"+", "~"} {
		if n := changed[sign]; n > 0 {
			lines = append(lines, fmt.Sprintf("%s runtime: %s", sign, plural(n, "object")))
		}
	}
	return lines
}

// ofRuntime says whether no policy of the file wants an object.
func ofRuntime(o generator.Object) bool {
	switch o.Kind {
	case generator.KindType, generator.KindTable, generator.KindFunction, generator.KindProcedure, generator.KindView:
		return o.Policy == ""
	}
	return false
}

// explain shows what Next refuses with the source of the policy.
func (p *project) explain(err error) error {
	var refused *generator.ObjectError
	if !errors.As(err, &refused) {
		return err
	}
	return &problems{append(diag.List{}, install.Diagnostics(err)...), p.sources}
}
