package main

import (
	"errors"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/install"
)

// change is what a step does to one object: "+" new, "~" changed, "-" removed. Text is what a person
// reads of it; before and after are there for changed objects alone.
type change struct {
	sign, text    string
	before, after generator.Object
}

// changes tells what a step does to which object. New and changed objects of the runtime are only
// counted: there are about a hundred and nobody chose them. Of a changed policy the words say how.
func changes(history *generator.History, wanted []generator.Object) []change {
	list := make([]change, 0, len(wanted))
	runtime := map[string]int{}
	seen := map[generator.ID]bool{}
	note := func(sign string, o, before generator.Object) {
		if sign != "-" && ofRuntime(o) {
			runtime[sign]++
			return
		}
		text := string(o.Kind) + " " + o.Name
		if sign == "~" && o.Kind == generator.KindPolicy {
			text += ": " + generator.Differences(before.SQL, o.SQL)
		}
		list = append(list, change{sign, text, before, o})
	}
	for _, o := range wanted {
		seen[o.ID()] = true
		before, had := history.Object(o.ID())
		switch {
		case !had:
			note("+", o, o)
		case before.Hash() != o.Hash():
			note("~", o, before)
		}
	}
	for _, o := range history.Objects() {
		if !seen[o.ID()] {
			note("-", o, o)
		}
	}
	return append(runtimeChanges(runtime), list...)
}

func runtimeChanges(changed map[string]int) []change {
	var list []change
	for _, sign := range []string{"+", "~"} {
		if n := changed[sign]; n > 0 {
			list = append(list, change{sign: sign, text: "runtime: " + plural(n, "object")})
		}
	}
	return list
}

// ofRuntime says whether no policy of the file wants an object.
func ofRuntime(o generator.Object) bool {
	switch o.Kind {
	case generator.KindType, generator.KindTable, generator.KindUpgrade, generator.KindFunction, generator.KindProcedure, generator.KindView:
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
