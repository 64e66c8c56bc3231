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
	roles     []string // owner, worker, runner, operator, viewer, application
	privilege string
	names     []string
}

var grantLine = regexp.MustCompile(`\('([a-z ]+)', '(EXECUTE|SELECT|INSERT|UPDATE|DELETE|OWNER)',\s+'([a-z_\s]+)'\)`)

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
	names := map[string]string{"owner": roles.Owner, "worker": roles.Worker, "runner": roles.Runner, "operator": roles.Operator, "viewer": roles.Viewer}
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

// workersWrites are the privileges that the list gives the worker on a table of the runtime, but SELECT.
func workersWrites(name string, kind Kind, roles policy.Roles) []string {
	var list []string
	for _, g := range grantList() {
		if kind == KindTable && !roles.None && slices.Contains(g.names, name) && slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, g.privilege) {
			list = append(list, g.privilege)
		}
	}
	return list
}

// ownedByWorker says whether the list hands an object of the runtime over to the worker.
func ownedByWorker(name string, kind Kind) bool {
	return kind == KindFunction && slices.ContainsFunc(grantList(), func(g grant) bool {
		return g.privilege == "OWNER" && slices.Contains(g.names, name)
	})
}

// ForApplications says whether a function of the runtime may be granted to roles of the application by hand.
func ForApplications(name string) bool {
	return slices.ContainsFunc(grantList(), func(g grant) bool {
		return slices.Contains(g.roles, "application") && slices.Contains(g.names, name)
	})
}
