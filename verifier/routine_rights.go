package verifier

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/generator"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
)

// routine is the live one with its rights and settings, and without what is compared in other ways.
func (live routine) routine() *pgparse.Routine {
	r := &pgparse.Routine{Definer: live.Definer, Volatility: live.Volatility, Parallel: live.Parallel, Strict: live.Strict,
		Leakproof: live.Leakproof, Cost: float64(live.Cost), Rows: float64(live.Rows), Support: live.Support, Settings: map[string]string{}}
	r.Signature.Set = live.Set
	for _, setting := range live.Settings {
		name, value, _ := strings.Cut(setting, "=")
		r.Settings[name] = value
	}
	return r
}

// clauses are those of CREATE FUNCTION that say with which rights a routine runs and what the server goes by when it
// calls it: in a fixed order, also where they say what goes without saying, and without the settings.
func clauses(r *pgparse.Routine) []string {
	number := func(n float64) string { return strconv.FormatFloat(float64(float32(n)), 'f', -1, 32) } // as pg_proc has it
	list := []string{"SECURITY INVOKER", strings.ToUpper(r.Volatility), "CALLED ON NULL INPUT", "NOT LEAKPROOF",
		"PARALLEL " + strings.ToUpper(r.Parallel), "COST " + number(r.Cost), "ROWS " + number(r.Rows), "SUPPORT " + r.Support}
	if r.Definer {
		list[0] = "SECURITY DEFINER"
	}
	if r.Strict {
		list[2] = "STRICT"
	}
	if r.Leakproof {
		list[3] = "LEAKPROOF"
	}
	return list
}

// attributes are the clauses and settings of a routine that need to be said.
func attributes(r *pgparse.Routine) string {
	usual := []string{"CALLED ON NULL INPUT", "NOT LEAKPROOF", "PARALLEL UNSAFE", "COST 100", "SUPPORT ", "ROWS 0"}
	if r.Signature.Set {
		usual[5] = "ROWS 1000"
	}
	list := slices.DeleteFunc(clauses(r), func(clause string) bool { return slices.Contains(usual, clause) })
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		list = append(list, "SET "+name+"="+r.Settings[name])
	}
	return strings.Join(list, " ")
}

// plainSetting is the name of a setting that needs no quotes.
var plainSetting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// alterHint changes what differs. ALTER cannot take a support function away, nor has it more than rights and
// settings for a procedure.
func alterHint(w wantedRoutine, live *pgparse.Routine) string {
	var list []string
	want, got := w.routine.Settings, live.Settings
	found := clauses(live)
	for i, clause := range clauses(w.routine) {
		switch {
		case clause == found[i] || strings.HasPrefix(clause, "ROWS ") && w.routine.Signature.Set != live.Signature.Set: // V003 has that
		case strings.HasPrefix(clause, "SUPPORT ") || w.routine.Procedure && i > 0:
			return repairHint
		default:
			list = append(list, clause)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			list = append(list, "RESET "+name)
		}
		if !plainSetting.MatchString(name) {
			return repairHint
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
	if len(list) == 0 {
		return repairHint
	}
	return fmt.Sprintf("ALTER %s %s %s;", sqlKind(w.Kind), objectSQL(w.Object), strings.Join(list, " "))
}

// expected leaves out what somebody granted to roles of the application, where that is allowed; never
// to PUBLIC, and never with the right to grant it on.
func expected(w wantedRoutine, live []string) []string {
	if !generator.ForApplications(w.Name) {
		return live
	}
	return slices.DeleteFunc(slices.Clone(live), func(privilege string) bool {
		return !slices.Contains(w.privileges, privilege) && !strings.HasPrefix(privilege, "=") && strings.HasSuffix(privilege, "=EXECUTE")
	})
}

// owned are the privileges once the owner is the right one: those of the old owner are then his.
func owned(privileges []string, from, to string) []string {
	if from == to {
		return privileges
	}
	return slices.DeleteFunc(append(slices.Clone(privileges), to+"=EXECUTE"), func(p string) bool { return strings.HasPrefix(p, from+"=") })
}

// grantHint takes away what is too much, and grants what is missing.
func grantHint(w wantedRoutine, got []string) string {
	on := fmt.Sprintf("EXECUTE ON %s %s", sqlKind(w.Kind), objectSQL(w.Object))
	grantee := func(privilege string) string {
		if role, _, _ := strings.Cut(privilege, "="); role != "" {
			return quote.Ident(role)
		}
		return "PUBLIC"
	}
	var list []string
	for _, p := range got {
		switch plain := strings.TrimSuffix(p, "*"); {
		case slices.Contains(w.privileges, p):
		case slices.Contains(w.privileges, plain):
			list = append(list, fmt.Sprintf("REVOKE GRANT OPTION FOR %s FROM %s;", on, grantee(p)))
		default:
			list = append(list, fmt.Sprintf("REVOKE %s FROM %s;", on, grantee(p)))
		}
	}
	for _, p := range w.privileges {
		if !slices.Contains(got, p) && !slices.Contains(got, p+"*") {
			list = append(list, fmt.Sprintf("GRANT %s TO %s;", on, grantee(p)))
		}
	}
	return strings.Join(list, " ")
}

// privilegeList is for people: "runner", "runner (with grant option)", "PUBLIC".
func privilegeList(privileges []string) string {
	return "EXECUTE for " + strings.Join(mapped(privileges, func(p string) string {
		grantee, privilege, _ := strings.Cut(p, "=")
		if grantee == "" {
			grantee = "PUBLIC"
		}
		if strings.HasSuffix(privilege, "*") {
			grantee += " (with grant option)"
		}
		return grantee
	}), ", ")
}
