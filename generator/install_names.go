package generator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/policy"
)

const namesHint = "Keep install.schema and install.roles as they were. To live under other names, undo everything with " +
	"\"pgretain migrate down --all\" before the file changes, and generate into an empty directory: the run log goes with the schema."

// checkInstall refuses other names of schema and roles than those that the directory installs: tables,
// log and functions are there under the old ones, and belong to them.
func checkInstall(h *History, wanted []Object, roles policy.Roles) error {
	before, after := installSchema(h.Objects()), installSchema(wanted)
	switch {
	case before == "" || after == "": // nothing of the runtime, before or after
		return nil
	case before != after:
		return namesError(wanted, fmt.Sprintf("the migrations install into schema %q, the policy file says %q", before, after))
	}
	for _, as := range []As{AsOwner, AsRunner} {
		old, known := h.roles[as]
		now := map[As]string{AsOwner: roles.Owner, AsRunner: roles.Runner}[as]
		if roles.None {
			now = ""
		}
		if known && old != now && slices.ContainsFunc(wanted, func(o Object) bool { return o.As == as }) {
			return namesError(wanted, fmt.Sprintf("the migrations install with %s, the policy file says %s", roleWord(as, old), roleWord(as, now)))
		}
	}
	return checkGranted(h, wanted)
}

func roleWord(as As, role string) string {
	if role == "" {
		return "roles: none"
	}
	return fmt.Sprintf("%s %q", as, role)
}

var grantees = regexp.MustCompile(`(?m)^GRANT .* TO (.*);$`)

// checkGranted compares the roles that may look at the runtime's tables: operator and viewer own nothing.
func checkGranted(h *History, wanted []Object) error {
	for _, o := range wanted {
		before, had := h.Object(o.ID())
		if o.Kind != KindTable || !had {
			continue
		}
		old, now := grantees.FindAllStringSubmatch(before.SQL, -1), grantees.FindAllStringSubmatch(o.SQL, -1)
		for i := range min(len(old), len(now)) {
			if old[i][1] != now[i][1] {
				return namesError(wanted, fmt.Sprintf("the migrations let roles %s look, the policy file says %s", old[i][1], now[i][1]))
			}
		}
	}
	return nil
}

// installSchema is where the runtime's tables are.
func installSchema(objects []Object) string {
	for _, o := range objects {
		if o.Kind == KindTable {
			schema, _, _ := strings.Cut(o.Name, ".")
			return schema
		}
	}
	return ""
}

// namesError is said at the "install" of the file.
func namesError(wanted []Object, message string) error {
	e := &ObjectError{Kind: ErrInstall, Object: Object{Kind: KindInstall, Name: "install"}, Message: message, Hint: namesHint}
	for _, o := range wanted {
		if o.Kind == KindInstall {
			e.Object = o
		}
	}
	return e
}
