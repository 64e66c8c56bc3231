package generator

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// grant is a line of the list in sql/functions/_close.sql.
type grant struct {
	roles     []string // owner, runner, operator, viewer, application
	privilege string
	names     []string
}

var grantLine = regexp.MustCompile(`\('([a-z ]+)', '(EXECUTE|SELECT)',\s+'([a-z_\s]+)'\)`)

// grantList is that list.
var grantList = sync.OnceValue(func() []grant {
	text, _ := sqlfiles.Runtime.ReadFile("functions/_close.sql") // embedded; a test looks that the list is found
	var list []grant
	for _, found := range grantLine.FindAllStringSubmatch(string(text), -1) {
		list = append(list, grant{strings.Fields(found[1]), found[2], strings.Fields(found[3])})
	}
	return list
})

// listed are the roles to which the list gives an object of the runtime.
func listed(name string, kind Kind, roles policy.Roles) []string {
	privilege := map[Kind]string{KindFunction: "EXECUTE", KindProcedure: "EXECUTE", KindTable: "SELECT", KindView: "SELECT"}[kind]
	names := map[string]string{"owner": roles.Owner, "runner": roles.Runner, "operator": roles.Operator, "viewer": roles.Viewer}
	var list []string
	for _, g := range grantList() {
		for _, word := range g.roles {
			if g.privilege == privilege && slices.Contains(g.names, name) && names[word] != "" && !roles.None {
				list = append(list, names[word])
			}
		}
	}
	return list
}

// ForApplications says whether a function of the runtime may be granted to roles of the application by hand.
func ForApplications(name string) bool {
	return slices.ContainsFunc(grantList(), func(g grant) bool {
		return slices.Contains(g.roles, "application") && slices.Contains(g.names, name)
	})
}
