package verifier

import (
	"fmt"
	"slices"
	"strings"
)

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
			*unknown = append(*unknown, fmt.Sprintf("%q", name))
		}
	}
	return codes
}

// Codes lists the checks that are made, sorted.
func (s Selection) Codes() []string {
	var list []string
	for code := range checks {
		if s.has(code) {
			list = append(list, code)
		}
	}
	slices.Sort(list)
	return list
}

// has says whether a check is to be made.
func (s Selection) has(code string) bool {
	return !s.skip[code] && (s.only == nil || s.only[code])
}

// any says whether one of several is. Whoever asks for what could not be looked at alone wants everything
// looked at.
func (s Selection) any(codes []string) bool {
	return slices.ContainsFunc(codes, func(code string) bool {
		return s.has(code) || !s.skip[code] && s.onlySight()
	})
}

func (s Selection) onlySight() bool {
	for code := range s.only {
		if checks[code].Group == Sight {
			return true
		}
	}
	return false
}

// shows says whether a finding belongs into the report. A check that is to be made and could not be is
// never kept back for its code alone: the report would call unseen what it was asked to look at conforming.
func (s Selection) shows(code string) bool {
	return s.has(code) || checks[code].Group == Sight && !s.skip[code]
}
