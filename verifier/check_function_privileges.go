package verifier

import (
	"fmt"
	"slices"
	"strings"
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
