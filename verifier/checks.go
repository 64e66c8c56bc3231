// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, reach of foreign keys, overdue rows and privileges.
//
// It only reads, in short READ ONLY transactions, one per probe, so that it never holds up a
// concurrent index build. What its role cannot see is unknown, never missing and never in order. Every
// kind of finding has a stable code and a page in docs/checks.
//
// verifier.go has the table of all probes, in their order; probe.go makes them; codes.go lists the checks; a
// file per thing that is read (indexes.go, runs.go, ...) has what probes read, compare and find.
package verifier

import (
	"cmp"
	"fmt"
	"maps"
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

// Check is a kind of finding.
type Check struct {
	Code  string // "V020"
	Group Group
	Title string // one line, lower case
}

var checks = map[string]Check{}

// register makes a check known and returns its code.
func register(code string, group Group, title string) string {
	checks[code] = Check{code, group, title}
	return diag.Register(code, title)
}

// Checks lists all of them, sorted by code.
func Checks() []Check {
	return slices.SortedFunc(maps.Values(checks), func(a, b Check) int { return cmp.Compare(a.Code, b.Code) })
}

// Selection says which checks to make; the zero Selection is all of them.
type Selection struct {
	only map[string]bool // by code; nil: all
	skip map[string]bool
}

// UnknownChecks is the error of Select: names that are neither a code nor a group.
type UnknownChecks []string

func (names UnknownChecks) Error() string {
	return fmt.Sprintf("there is no check or group %s", strings.Join(names, ", "))
}

// Select makes the checks that only names, without those that skip names; without only, all without
// those. The names are codes or groups, in any case. The error is an UnknownChecks.
func Select(only, skip []string) (Selection, error) {
	var unknown UnknownChecks
	s := Selection{skip: codesOf(skip, &unknown)}
	if len(only) > 0 {
		s.only = codesOf(only, &unknown)
	}
	if len(unknown) > 0 {
		return Selection{}, unknown
	}
	return s, nil
}

// codesOf looks names up.
func codesOf(names []string, unknown *UnknownChecks) map[string]bool {
	codes := map[string]bool{}
	for _, name := range names {
		known := false
		for _, c := range checks {
			if strings.EqualFold(name, c.Code) || strings.EqualFold(name, string(c.Group)) {
				codes[c.Code], known = true, true
			}
		}
		if !known {
			*unknown = append(*unknown, quoted(name))
		}
	}
	return codes
}

// Codes lists the checks that are made, sorted.
func (s Selection) Codes() []string {
	codes := slices.Sorted(maps.Keys(checks))
	return slices.DeleteFunc(codes, func(code string) bool { return !s.has(code) })
}

// has says whether a check is to be made.
func (s Selection) has(code string) bool {
	return !s.skip[code] && (s.only == nil || s.only[code])
}

// any says whether one of several is. Whoever asks for what could not be looked at alone wants everything
// looked at.
func (s Selection) any(codes []string) bool {
	visibility := false
	for code := range s.only {
		visibility = visibility || checks[code].Group == Sight
	}
	return slices.ContainsFunc(codes, func(code string) bool { return s.has(code) || !s.skip[code] && visibility })
}

// shows says whether a finding belongs into the report. A check that is to be made and could not be is
// never kept back for its code alone: the report would call unseen what it was asked to look at conforming.
func (s Selection) shows(code string) bool {
	return s.has(code) || checks[code].Group == Sight && !s.skip[code]
}
