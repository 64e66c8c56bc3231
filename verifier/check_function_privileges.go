package verifier

import "strings"

var codePrivileges = register("V006", Installed, "a function has other privileges")

func (v *inspection) privilegesDiffer(w wantedRoutine, got []string) {
	v.about(w.Object, Finding{Code: codePrivileges, Message: w.String() + " has other privileges", Want: privilegeList(w.privileges),
		Got: privilegeList(got), Hint: "GRANT and REVOKE until they agree; nobody else may call it."})
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
