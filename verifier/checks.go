package verifier

import (
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Group is a set of checks on one thing; the text of a report has a heading for each.
type Group string

// The groups, in the order of a report.
const (
	Installed   Group = "installed"   // functions, tables, registry, migrations
	Tables      Group = "tables"      // what the policy file and the catalog snapshot say of tables
	Indexes     Group = "indexes"     // definitions, and plans that use them
	Schedule    Group = "schedule"    // pg_cron's jobs and the run log
	Reach       Group = "reach"       // what deletes change beside their table, and what stops them
	Conformance Group = "conformance" // rows against the promise
	Coverage    Group = "coverage"    // tables that no policy is about
	Privileges  Group = "privileges"  // roles and rights
	Sight       Group = "sight"       // what could not be looked at

	Suppressions Group = "suppressions" // what the policy file leaves out of the verdict
)

// Groups lists them in the order of a report.
func Groups() []Group {
	return []Group{Installed, Tables, Indexes, Schedule, Reach, Conformance, Coverage, Privileges, Sight, Suppressions}
}

// Check is a kind of finding. Its code has a page in docs/checks, a case in tests/testdata/drift, and keeps its
// meaning for ever.
type Check struct {
	Code  string // "V020"
	Group Group
	Title string // one line, lower case
}

var checks = map[string]Check{}

// register makes a check known and returns its code. Each check has a file check_<words>.go of its own,
// which begins with this call and has all that the check says.
func register(code string, group Group, title string) string {
	checks[code] = Check{code, group, title}
	return diag.Register(code, title)
}

// Checks lists all of them, sorted by code.
func Checks() []Check {
	var list []Check
	for _, c := range checks {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Check) int { return strings.Compare(a.Code, b.Code) })
	return list
}
