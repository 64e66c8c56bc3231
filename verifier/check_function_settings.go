package verifier

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/quote"
)

var codeSettings = register("V004", Installed, "a function runs with other rights or settings")

func (v *inspection) settingsDiffer(w wantedRoutine, want, got promises, hint string) {
	v.about(w.Object, Finding{Code: codeSettings, Message: w.String() + " runs with other rights or settings", Want: want.String(),
		Got: got.String(), Hint: hint})
}

// alterHint changes what differs. ALTER cannot take a support function away, nor has it more than rights and
// settings for a procedure.
func alterHint(w wantedRoutine, want, got promises) string {
	var list []string
	live := got.clauses()
	for i, clause := range want.clauses() {
		switch {
		case clause == live[i] || strings.HasPrefix(clause, "ROWS ") && want.set != got.set: // V003 has that
		case strings.HasPrefix(clause, "SUPPORT ") || w.routine.Procedure && i > 0:
			return repairHint
		default:
			list = append(list, clause)
		}
	}
	settings, ok := alterSettings(want.settings, got.settings)
	if list = append(list, settings...); !ok || len(list) == 0 {
		return repairHint
	}
	return fmt.Sprintf("ALTER %s %s %s;", sqlKind(w.Kind), routineSQL(w.Object.Name), strings.Join(list, " "))
}

// plainSetting is the name of a setting that needs no quotes.
var plainSetting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

func alterSettings(want, got map[string]string) (list []string, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			list = append(list, "RESET "+name)
		}
		if !plainSetting.MatchString(name) {
			return nil, false
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value := want[name]
		if name != "search_path" { // which pg_proc has as the names of schemas, in quotes where they need them
			value = quote.Literal(value)
		}
		if live, there := got[name]; !there || live != want[name] {
			list = append(list, "SET "+name+" = "+value)
		}
	}
	return list, true
}
