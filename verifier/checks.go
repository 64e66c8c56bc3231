// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, reach of foreign keys, overdue rows and privileges.
//
// It only reads, in short READ ONLY transactions, one per probe, so that it never holds up a
// concurrent index build. What its role cannot see is unknown, never missing and never in order. Every
// kind of finding has a stable code and a page in docs/checks.
//
// verifier.go has the table of all probes, in their order; probe.go makes them; checks.go lists the checks. Most findings
// are rows that a query of sql/verify answers, words and all; a file per thing that is read (indexes.go, runs.go, ...) has
// what the queries ask about, and what only Go can compare.
package verifier

import (
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

// checks are the kinds of findings, by code.
var checks = map[string]Group{}

// register makes a check known and returns its code.
func register(code string, group Group, title string) string {
	checks[code] = group
	return diag.Register(code, title)
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
		for code, group := range checks {
			if strings.EqualFold(name, code) || strings.EqualFold(name, string(group)) {
				codes[code], known = true, true
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
		visibility = visibility || checks[code] == Sight
	}
	return slices.ContainsFunc(codes, func(code string) bool { return s.has(code) || !s.skip[code] && visibility })
}

// shows says whether a finding belongs into the report. A check that is to be made and could not be is
// never kept back for its code alone: the report would call unseen what it was asked to look at conforming.
func (s Selection) shows(code string) bool {
	return s.has(code) || checks[code] == Sight && !s.skip[code]
}

// The checks. Each code has a page in docs/checks and a case in tests/testdata/drift, and keeps its meaning for ever.
var (
	codeNotInstalled     = register("V001", Installed, "the runtime is not installed")
	codeMissing          = register("V002", Installed, "an object is missing")
	codeDiffers          = register("V003", Installed, "a function is not what was generated")
	codeSettings         = register("V004", Installed, "a function runs with other rights or settings")
	codeOwner            = register("V005", Installed, "an object has another owner")
	codePrivileges       = register("V006", Installed, "an object has other privileges")
	codeOrphan           = register("V007", Installed, "a function that no policy wants")
	codeRowMissing       = register("V008", Installed, "a registry row is missing")
	codeRowDiffers       = register("V009", Installed, "a registry row differs")
	codeRowOrphan        = register("V010", Installed, "a registry row that nobody wants")
	codePending          = register("V011", Installed, "a migration is not applied")
	codePaused           = register("V012", Installed, "a policy is paused")
	codeCopy             = register("V013", Installed, "the database is a copy that nobody adopted")
	codeWindowSet        = register("V014", Installed, "a window was set at run time")
	codeIntercepted      = register("V016", Installed, "something else acts on a table of the runtime")
	codeNotAsInstalled   = register("V017", Installed, "a type, table or view of the runtime is not as it was installed")
	codeSequenceBehind   = register("V018", Installed, "a sequence of the runtime is behind its table")
	codeIndexMissing     = register("V020", Indexes, "an index is missing")
	codeIndexInvalid     = register("V021", Indexes, "an index is not usable")
	codeIndexDiffers     = register("V022", Indexes, "an index is not the one that was built")
	codeNoIndex          = register("V024", Indexes, "no index leads a batch to its rows")
	codeOtherPlan        = register("V025", Indexes, "a batch would pass by the index that leads to its rows")
	codeReferencingIndex = register("V026", Indexes, "no index finds the rows that refer to deleted ones")
	codeNoTable          = register("V030", Tables, "a table that the policy file names does not exist")
	codeSnapshot         = register("V033", Tables, "a table is not as the catalog snapshot has it")
	codeExpression       = register("V034", Tables, "an expression that the server refuses")
	codeColumn           = register("V035", Tables, "a column that a migration made is not as the policy wants it")
	codeLocalClock       = register("V036", Tables, "a clock without a time zone in a database of another time zone")
	codeCronMissing      = register("V040", Schedule, "a pg_cron job is missing")
	codeCronDiffers      = register("V041", Schedule, "a pg_cron job differs")
	codeCronInactive     = register("V042", Schedule, "a pg_cron job is switched off")
	codeCronOrphan       = register("V043", Schedule, "a pg_cron job that nobody wants")
	codeScheduler        = register("V044", Schedule, "the pg_cron scheduler is not running")
	codeLate             = register("V045", Schedule, "a policy has not succeeded in time")
	codeLastRun          = register("V046", Schedule, "the last run went wrong")
	codeMissed           = register("V047", Schedule, "a job could not run a policy")
	codeNotYet           = register("V048", Schedule, "a job has not run yet")
	codeCronStart        = register("V049", Schedule, "pg_cron does not start jobs")
	codeUnexpected       = register("V050", Reach, "the catalog is not what a policy was made for")
	codeUnfitHold        = register("V052", Reach, "a hold cannot be honoured")
	codeBlocked          = register("V053", Reach, "a foreign key keeps rows that are due")
	codeRowSecurity      = register("V055", Reach, "row security stops the functions of a policy")
	codeTrigger          = register("V056", Reach, "a trigger of the application runs in the batches")
	codeIdentity         = register("V058", Reach, "a published table has no replica identity that serves")
	codeKeyOff           = register("V059", Reach, "a foreign key is switched off")
	codeOverdue          = register("V060", Conformance, "rows are overdue")
	codeNoClock          = register("V061", Conformance, "rows have no clock and never go")
	codeFarAhead         = register("V062", Conformance, "rows have a clock that lies far ahead")
	codeArchiveDiffers   = register("V063", Conformance, "an archive does not hold what the run log says")
	codeLostRow          = register("V064", Conformance, "a hold holds no row")
	codeNoInstant        = register("V067", Conformance, "values of a clock are no instants of its encoding")
	codeKeepUp           = register("V066", Conformance, "a policy does not keep up with what comes in")
	codePublic           = register("V070", Privileges, "everybody has a privilege on the runtime's schema")
	codeRole             = register("V072", Privileges, "a role is missing or has the wrong attributes")
	codeTableRights      = register("V074", Privileges, "a role lacks a privilege that it needs")
	codeNoRoles          = register("V075", Privileges, "one role does everything")
	codeTakeRights       = register("V076", Privileges, "tables that a policy drops belong to somebody else")
	codeHandRights       = register("V077", Privileges, "a role can delete or change a policy's rows by hand")
	codeExcess           = register("V079", Privileges, "a role can do more than pgretain needs")
	codeUncovered        = register("V080", Coverage, "a table without policy, protection or exemption")
	codeCoverageName     = register("V081", Coverage, "a schema or exemption that names nothing")
	codeEmpty            = register("V082", Conformance, "runs leave due rows and take none")
	codeRefused          = register("V083", Conformance, "rows are refused")
	codeMember           = register("V019", Installed, "a schema for which a policy is has no page of it")
	codeUnreadable       = register("V090", Sight, "a check could not be made")
	codeTimeout          = register("V091", Sight, "a check took too long")
	codeChanging         = register("V092", Sight, "an object changed while it was looked at")
	codeStandby          = register("V093", Sight, "the server is a standby")
	codeOnlyPrimary      = register("V094", Sight, "a standby cannot tell")
	codeSuppressionEnded = register("V095", Suppressions, "a suppression is past its end, or not yet in force")
	codeSuppressionIdle  = register("V096", Suppressions, "a suppression matches nothing")
)
