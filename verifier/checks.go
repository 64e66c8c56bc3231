// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, foreign keys that deletes reach, overdue rows, and
// privileges.
//
// It only reads, in short READ ONLY transactions, one per probe, so that it never holds up a
// concurrent index build. An object that its role cannot see is reported as unknown, never as
// missing or as correct. Every kind of finding has a stable code and a page in docs/checks.
//
// verifier.go lists all probes in their order, and probe.go runs them. The queries of sql/verify
// return facts, and package messages puts them into words. The other files prepare the parameters
// of these queries, and compare what only Go can compare.
package verifier

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
)

// Selection says which checks to make. The zero Selection means all checks.
type Selection struct {
	only map[diag.Code]bool // the selected checks; nil means all
	skip map[diag.Code]bool
}

// UnknownChecks is the error of Select. It lists names that are neither a code nor a group.
type UnknownChecks []string

func (names UnknownChecks) Error() string {
	return fmt.Sprintf("there is no check or group %s", strings.Join(names, ", "))
}

// Select selects the checks that "only" names, without the checks that "skip" names. An empty
// "only" means all checks. Names are codes or groups, in upper or lower case. The error is an
// UnknownChecks.
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

// codesOf returns the codes of the named checks and groups. It appends names that do not exist to
// "unknown".
func codesOf(names []string, unknown *UnknownChecks) map[diag.Code]bool {
	codes := map[diag.Code]bool{}
	for _, name := range names {
		known := false
		for _, code := range (Selection{}).Codes() {
			if strings.EqualFold(name, code.String()) || strings.EqualFold(name, string(code.Group())) {
				codes[code], known = true, true
			}
		}
		if !known {
			*unknown = append(*unknown, quoted(name))
		}
	}
	return codes
}

// Codes returns the codes of the selected checks, sorted.
func (s Selection) Codes() []diag.Code {
	return slices.DeleteFunc(diag.Codes(), func(code diag.Code) bool { return code.Group() == "" || !s.has(code) })
}

// The method "has" reports whether a check is selected.
func (s Selection) has(code diag.Code) bool {
	return !s.skip[code] && (s.only == nil || s.only[code])
}

// The method "any" reports whether at least one of several checks is selected. It is always true if
// only checks of group Sight are selected, because they need all probes.
func (s Selection) any(codes []diag.Code) bool {
	visibility := false
	for code := range s.only {
		visibility = visibility || code.Group() == messages.Sight
	}
	return slices.ContainsFunc(codes, func(code diag.Code) bool { return s.has(code) || !s.skip[code] && visibility })
}

// shows reports whether findings with this code belong in the report. If a selected check could not
// be made, the report always says so. Otherwise the report would say "conforming" about something
// that nobody checked.
func (s Selection) shows(code diag.Code) bool {
	return s.has(code) || code.Group() == messages.Sight && !s.skip[code]
}
