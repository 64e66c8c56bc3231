// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, reach of foreign keys, overdue rows and privileges.
//
// It only reads, in short READ ONLY transactions, one per group of checks, so that it never holds up a
// concurrent index build. What its role cannot see is unknown, never missing and never in order. Every
// kind of finding has a stable code and a page in docs/checks.
//
// A file check_<words>.go is one check: it begins with the call of register, and has all that the check
// says, but does not read. The other files read, compare and call the checks: verifier.go has the order
// in which groups read, a file per thing that is read (indexes.go, log.go, ...) the groups themselves.
package verifier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
	"pgretain/internal/inspect"
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

// group is a set of checks that reads in one transaction. It runs if one of its checks is to be made.
type group struct {
	about string // completes "could not check ..."
	// codes are the checks that it makes, and those of later groups that go by what it reads. Those that say
	// what could not be looked at belong to every group.
	codes []string
	check func(context.Context, pgx.Tx) error
	// policies are what it looks at, where it looks at several at once: if it fails, none of them was checked.
	policies []string
}

// all runs groups one after the other. What the server refuses becomes a finding; an error means
// that the connection or the context is gone.
func (v *inspection) all(ctx context.Context, groups []group) error {
	for _, g := range groups {
		if !v.opt.Checks.any(g.codes) {
			continue
		}
		err := v.readTwice(ctx, g.check)
		var refused *pgconn.PgError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case vanished(err):
			v.changingMeanwhile(g, err)
		case illegible(err) != "":
			v.answerUnread(g, illegible(err))
		case errors.As(err, &refused) && !v.conn.IsClosed():
			v.refused(g, refused)
		default:
			return fmt.Errorf("checking %s: %w", g.about, err)
		}
	}
	return nil
}

// readTwice looks once more at what vanished while it was looked at.
func (v *inspection) readTwice(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	before := len(v.report.Findings)
	err := v.read(ctx, f)
	if vanished(err) {
		v.report.Findings = v.report.Findings[:before]
		err = v.read(ctx, f)
	}
	return err
}

// vanished says whether PostgreSQL lost sight of an object that the statement's snapshot still has: its
// functions answer NULL then (seen has that), where they do not fail with internal_error.
func vanished(err error) bool {
	var refused *pgconn.PgError
	return errors.Is(err, inspect.ErrChanged) || errors.As(err, &refused) && refused.Code == "XX000"
}

// illegible says what is wrong with an answer that is none: a function that somebody changed may answer
// NULL, and a row that somebody wrote may hold an infinite instant. "" is for all other errors.
func illegible(err error) string {
	var value pgx.ScanArgError
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &value):
		what, _, _ := strings.Cut(value.Err.Error(), " into *")
		return fmt.Sprintf("%s in column %q", what, value.FieldName)
	case errors.Is(err, pgx.ErrNoRows), errors.Is(err, pgx.ErrTooManyRows), errors.As(err, &syntax), errors.As(err, &kind):
		return err.Error()
	}
	return ""
}

// refused is about what the server did not let a group do.
func (v *inspection) refused(g group, err *pgconn.PgError) {
	switch err.Code {
	case foreignCode: // V050 says it
	case "40001": // serialization_failure: on a standby, a conflict with recovery
		v.inTheWay(g, err)
	case "57014", "55P03": // query_canceled by statement_timeout, lock_not_available
		v.tookTooLong(g, err)
	default:
		v.unreadable(g, err)
	}
}

// unchecked says, for a detail, which policies a group did not get to.
func (g group) unchecked() string {
	const named = 10
	names := slices.Clone(g.policies)
	for i, name := range names {
		names[i] = quoted(name)
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return " This was not checked for policy " + names[0] + "."
	case n <= named:
		return " This was not checked for policies " + strings.Join(names, ", ") + "."
	default:
		return fmt.Sprintf(" This was not checked for policies %s and %d more.", strings.Join(names[:named], ", "), n-named)
	}
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

func quoted(text string) string { return `"` + text + `"` }

func excerpt(line string) string {
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > 80 {
		line = string(runes[:80]) + "..."
	}
	return quoted(line)
}

// reason is what somebody gave, for the end of a sentence.
func reason(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// distinct sorts, and drops repetitions; it is never nil, which would be NULL to the server.
func distinct(names []string) []string {
	list := append([]string{}, names...)
	slices.Sort(list)
	return slices.Compact(list)
}
