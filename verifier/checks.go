// Package verifier compares what a policy file wants with what a live database has: functions byte
// for byte, registry, indexes, schedule, foreign keys that deletes reach, overdue rows, and
// privileges.
//
// It only reads, in short READ ONLY transactions, one per probe, so that it never holds up a
// concurrent index build. An object that its role cannot see is reported as unknown, never as
// missing or as correct. Every kind of finding has a stable code and a page in docs/checks.
//
// verifier.go lists all probes in their order, probe.go runs them, and checks.go lists the checks.
// Most findings, with their texts, are rows that a query of sql/verify returns. The other files
// prepare the parameters of these queries, and compare what only Go can compare.
package verifier

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgretain/internal/diag"
)

// Group is a set of checks on one subject. The text of a report has a heading for each group.
type Group string

// These are the groups, in the order of a report.
const (
	Installed   Group = "installed"   // functions, tables, registry, migrations
	Tables      Group = "tables"      // the policy file and the catalog snapshot against the tables
	Indexes     Group = "indexes"     // definitions, and plans that use them
	Schedule    Group = "schedule"    // pg_cron's jobs and the run log
	Reach       Group = "reach"       // what deletes change in other tables, and what stops them
	Conformance Group = "conformance" // rows that should have been taken
	Coverage    Group = "coverage"    // tables without a policy
	Privileges  Group = "privileges"  // roles and privileges
	Sight       Group = "sight"       // what could not be checked

	Suppressions Group = "suppressions" // findings that the policy file excludes from the verdict
)

// Groups returns the groups in the order of a report.
func Groups() []Group {
	return []Group{Installed, Tables, Indexes, Schedule, Reach, Conformance, Coverage, Privileges, Sight, Suppressions}
}

// checks maps the codes of all checks to their groups.
var checks = map[string]Group{}

// register adds a check and returns its code.
func register(code string, group Group, title string) string {
	checks[code] = group
	return diag.Register(code, title)
}

// Selection says which checks to make. The zero Selection means all checks.
type Selection struct {
	only map[string]bool // codes of the selected checks; nil means all
	skip map[string]bool
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

// Codes returns the codes of the selected checks, sorted.
func (s Selection) Codes() []string {
	codes := slices.Sorted(maps.Keys(checks))
	return slices.DeleteFunc(codes, func(code string) bool { return !s.has(code) })
}

// The method "has" reports whether a check is selected.
func (s Selection) has(code string) bool {
	return !s.skip[code] && (s.only == nil || s.only[code])
}

// The method "any" reports whether at least one of several checks is selected. It is always true if
// only checks of group Sight are selected, because they need all probes.
func (s Selection) any(codes []string) bool {
	visibility := false
	for code := range s.only {
		visibility = visibility || checks[code] == Sight
	}
	return slices.ContainsFunc(codes, func(code string) bool { return s.has(code) || !s.skip[code] && visibility })
}

// shows reports whether findings with this code belong in the report. If a selected check could not
// be made, the report always says so. Otherwise the report would say "conforming" about something
// that nobody checked.
func (s Selection) shows(code string) bool {
	return s.has(code) || checks[code] == Sight && !s.skip[code]
}

// Each code has a page in docs/checks and a case in tests/testdata/drift. Its meaning never
// changes.
var (
	codeNotInstalled     = register("V001", Installed, "runtime is not installed")
	codeMissing          = register("V002", Installed, "object is missing")
	codeDiffers          = register("V003", Installed, "function differs from the generated one")
	codeSettings         = register("V004", Installed, "function runs with other rights or settings")
	codeOwner            = register("V005", Installed, "object has another owner")
	codePrivileges       = register("V006", Installed, "object has other privileges")
	codeOrphan           = register("V007", Installed, "function does not belong to a policy")
	codeRowMissing       = register("V008", Installed, "registry row is missing")
	codeRowDiffers       = register("V009", Installed, "registry row differs")
	codeRowOrphan        = register("V010", Installed, "registry row does not belong to the policy file")
	codePending          = register("V011", Installed, "migration is not applied")
	codePaused           = register("V012", Installed, "policy is paused")
	codeCopy             = register("V013", Installed, "database is a copy that nobody adopted")
	codeWindowSet        = register("V014", Installed, "window was set at run time")
	codeUngenerated      = register("V015", Installed, "policy file has changes that no migration has")
	codeIntercepted      = register("V016", Installed, "trigger, rule or foreign key acts on a table of the runtime")
	codeNotAsInstalled   = register("V017", Installed, "type, table or view of the runtime was changed")
	codeSequenceBehind   = register("V018", Installed, "sequence of the runtime is behind its table")
	codeIndexMissing     = register("V020", Indexes, "index is missing")
	codeIndexInvalid     = register("V021", Indexes, "index is not usable")
	codeIndexDiffers     = register("V022", Indexes, "index differs from the one that was built")
	codeIndexOrphan      = register("V023", Indexes, "index of pgretain is wanted by no policy")
	codeNoIndex          = register("V024", Indexes, "no index finds the rows of a batch")
	codeOtherPlan        = register("V025", Indexes, "plan of a batch does not use its index")
	codeReferencingIndex = register("V026", Indexes, "no index on a foreign key that refers to deleted rows")
	codeGuardReadsAll    = register("V027", Indexes, "guard or join reads a whole table")
	codeNoTable          = register("V030", Tables, "table of the policy file does not exist")
	codeSnapshot         = register("V033", Tables, "table differs from the catalog snapshot")
	codeExpression       = register("V034", Tables, "server refuses an expression")
	codeColumn           = register("V035", Tables, "column that a migration added differs from the policy")
	codeLocalClock       = register("V036", Tables, "clock without a time zone in a database with another time zone")
	codeCronMissing      = register("V040", Schedule, "pg_cron job is missing")
	codeCronDiffers      = register("V041", Schedule, "pg_cron job differs")
	codeCronInactive     = register("V042", Schedule, "pg_cron job is not active")
	codeCronOrphan       = register("V043", Schedule, "pg_cron job does not belong to the policy file")
	codeScheduler        = register("V044", Schedule, "pg_cron scheduler is not running")
	codeLate             = register("V045", Schedule, "policy is late")
	codeLastRun          = register("V046", Schedule, "last run did not succeed")
	codeMissed           = register("V047", Schedule, "job could not run a policy")
	codeNotYet           = register("V048", Schedule, "job has not run yet")
	codeCronStart        = register("V049", Schedule, "pg_cron does not start jobs")
	codeUnexpected       = register("V050", Reach, "catalog differs from what the policy was generated for")
	codeUnfitHold        = register("V052", Reach, "table of a hold was changed")
	codeBlocked          = register("V053", Reach, "foreign key keeps rows that are due")
	codeRowSecurity      = register("V055", Reach, "row security stops the functions of a policy")
	codeTrigger          = register("V056", Reach, "trigger of the application runs in the batches")
	codeIdentity         = register("V058", Reach, "published table has no usable replica identity")
	codeKeyOff           = register("V059", Reach, "foreign key is disabled")
	codeOverdue          = register("V060", Conformance, "rows are overdue")
	codeNoClock          = register("V061", Conformance, "rows without a clock are never due")
	codeFarAhead         = register("V062", Conformance, "clock of rows is far in the future")
	codeArchiveDiffers   = register("V063", Conformance, "archive differs from the run log")
	codeLostRow          = register("V064", Conformance, "row of a hold is gone")
	codeNoInstant        = register("V067", Conformance, "values of a clock do not fit its encoding")
	codeDefaultRows      = register("V065", Conformance, "old rows are in a DEFAULT partition")
	codeKeepUp           = register("V066", Conformance, "policy does not keep up with new rows")
	codePublic           = register("V070", Privileges, "PUBLIC has a privilege on the runtime's schema")
	codeRole             = register("V072", Privileges, "role is missing or has the wrong attributes")
	codeTableRights      = register("V074", Privileges, "role lacks a privilege that it needs")
	codeNoRoles          = register("V075", Privileges, "one role does everything")
	codeTakeRights       = register("V076", Privileges, "tables that a policy drops belong to another role")
	codeHandRights       = register("V077", Privileges, "role can delete or change a policy's rows by hand")
	codeExcess           = register("V079", Privileges, "role can do more than pgretain needs")
	codeUncovered        = register("V080", Coverage, "table without policy, protection or exemption")
	codeCoverageName     = register("V081", Coverage, "schema or exemption does not exist")
	codeEmpty            = register("V082", Conformance, "runs leave due rows and take none")
	codeRefused          = register("V083", Conformance, "rows are refused")
	codeMember           = register("V019", Installed, "schema has no instance of its policy")
	codeUnreadable       = register("V090", Sight, "check could not be made")
	codeTimeout          = register("V091", Sight, "check took too long")
	codeChanging         = register("V092", Sight, "object changed during the check")
	codeStandby          = register("V093", Sight, "server is a standby")
	codeOnlyPrimary      = register("V094", Sight, "check needs the primary")
	codeSuppressionEnded = register("V095", Suppressions, "suppression has ended or is not yet in force")
	codeSuppressionIdle  = register("V096", Suppressions, "suppression matches no finding")
)
