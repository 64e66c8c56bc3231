package verifier

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/quote"
)

var codePrivileges = register("V006", Installed, "a function has other privileges")

func (v *inspection) privilegesDiffer(w wantedRoutine, owner string, got []string) {
	v.about(w.Object, Finding{Code: codePrivileges, Message: w.String() + " has other privileges", Want: privilegeList(w.privileges),
		Got: privilegeList(got), Hint: grantHint(w, v.expected(w, owned(got, owner, w.owner)))})
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
	on := fmt.Sprintf("EXECUTE ON %s %s", sqlKind(w.Kind), routineSQL(w.Object.Name))
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

// grantee is the role of "role=EXECUTE" as SQL takes it.
func grantee(privilege string) string {
	if role, _, _ := strings.Cut(privilege, "="); role != "" {
		return ident(role)
	}
	return "PUBLIC"
}

// privilegeList is for people: "runner", "runner (with grant option)", "PUBLIC".
func privilegeList(privileges []string) string {
	var names []string
	for _, p := range privileges {
		grantee, privilege, _ := strings.Cut(p, "=")
		if grantee == "" {
			grantee = "PUBLIC"
		}
		if strings.HasSuffix(privilege, "*") {
			grantee += " (with grant option)"
		}
		names = append(names, grantee)
	}
	return "EXECUTE for " + strings.Join(names, ", ")
}

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
