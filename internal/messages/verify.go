package messages

import "pgretain/internal/diag"

// The groups of the verifier's checks. The text of a report has a heading for each group.
const (
	Installed    diag.Group = "installed"    // functions, tables, registry, migrations
	Tables       diag.Group = "tables"       // the policy file and the catalog snapshot against the tables
	Indexes      diag.Group = "indexes"      // definitions, and plans that use them
	Schedule     diag.Group = "schedule"     // pg_cron's jobs and the run log
	Reach        diag.Group = "reach"        // what deletes change in other tables, and what stops them
	Conformance  diag.Group = "conformance"  // rows that should have been taken
	Coverage     diag.Group = "coverage"     // tables without a policy
	Privileges   diag.Group = "privileges"   // roles and privileges
	Sight        diag.Group = "sight"        // what could not be checked
	Suppressions diag.Group = "suppressions" // findings that the policy file excludes from the verdict
)

// Groups returns the groups in the order of a report.
func Groups() []diag.Group {
	return []diag.Group{Installed, Tables, Indexes, Schedule, Reach, Conformance, Coverage, Privileges, Sight,
		Suppressions}
}

// The codes of the verifier. Each has a case in tests/testdata/drift.
var (
	CodeNotInstalled = diag.Declare("V001", Installed, "runtime is not installed")
	CodeMissing      = diag.Declare("V002", Installed, "object is missing")
	CodeDiffers      = diag.Declare("V003", Installed, "function differs from the generated one")
	CodeSettings     = diag.Declare("V004", Installed, "function runs with other rights or settings")
	CodeOwner        = diag.Declare("V005", Installed, "object has another owner")
	CodePrivileges   = diag.Declare("V006", Installed, "object has other privileges")
	CodeOrphan       = diag.Declare("V007", Installed, "function does not belong to a policy")
	CodeRowMissing   = diag.Declare("V008", Installed, "registry row is missing")
	CodeRowDiffers   = diag.Declare("V009", Installed, "registry row differs")
	CodeRowOrphan    = diag.Declare("V010", Installed, "registry row does not belong to the policy file")
	CodePending      = diag.Declare("V011", Installed, "migration is not applied")
	CodePaused       = diag.Declare("V012", Installed, "policy is paused")
	CodeCopy         = diag.Declare("V013", Installed, "database is a copy that nobody adopted")
	CodeWindowSet    = diag.Declare("V014", Installed, "window was set at run time")
	CodeUngenerated  = diag.Declare("V015", Installed, "policy file has changes that no migration has")
	CodeIntercepted  = diag.Declare("V016", Installed,
		"trigger, rule or foreign key acts on a table of the runtime")
	CodeNotAsInstalled   = diag.Declare("V017", Installed, "type, table or view of the runtime was changed")
	CodeSequenceBehind   = diag.Declare("V018", Installed, "sequence of the runtime is behind its table")
	CodeMember           = diag.Declare("V019", Installed, "schema has no instance of its policy")
	CodeIndexMissing     = diag.Declare("V020", Indexes, "index is missing")
	CodeIndexInvalid     = diag.Declare("V021", Indexes, "index is not usable")
	CodeIndexDiffers     = diag.Declare("V022", Indexes, "index differs from the one that was built")
	CodeIndexOrphan      = diag.Declare("V023", Indexes, "index of pgretain is wanted by no policy")
	CodeNoIndex          = diag.Declare("V024", Indexes, "no index finds the rows of a batch")
	CodeOtherPlan        = diag.Declare("V025", Indexes, "plan of a batch does not use its index")
	CodeReferencingIndex = diag.Declare("V026", Indexes, "no index on a foreign key that refers to deleted rows")
	CodeGuardReadsAll    = diag.Declare("V027", Indexes, "guard or join reads a whole table")
	CodeNoTable          = diag.Declare("V030", Tables, "table of the policy file does not exist")
	CodeSnapshot         = diag.Declare("V033", Tables, "table differs from the catalog snapshot")
	CodeExpression       = diag.Declare("V034", Tables, "server refuses an expression")
	CodeColumn           = diag.Declare("V035", Tables, "column that a migration added differs from the policy")
	CodeLocalClock       = diag.Declare("V036", Tables,
		"clock without a time zone in a database with another time zone")
	CodeCronMissing      = diag.Declare("V040", Schedule, "pg_cron job is missing")
	CodeCronDiffers      = diag.Declare("V041", Schedule, "pg_cron job differs")
	CodeCronInactive     = diag.Declare("V042", Schedule, "pg_cron job is not active")
	CodeCronOrphan       = diag.Declare("V043", Schedule, "pg_cron job does not belong to the policy file")
	CodeScheduler        = diag.Declare("V044", Schedule, "pg_cron scheduler is not running")
	CodeLate             = diag.Declare("V045", Schedule, "policy is late")
	CodeLastRun          = diag.Declare("V046", Schedule, "last run did not succeed")
	CodeMissed           = diag.Declare("V047", Schedule, "job could not run a policy")
	CodeNotYet           = diag.Declare("V048", Schedule, "job has not run yet")
	CodeCronStart        = diag.Declare("V049", Schedule, "pg_cron does not start jobs")
	CodeUnexpected       = diag.Declare("V050", Reach, "catalog differs from what the policy was generated for")
	CodeUnfitHold        = diag.Declare("V052", Reach, "table of a hold was changed")
	CodeBlocked          = diag.Declare("V053", Reach, "foreign key keeps rows that are due")
	CodeRowSecurity      = diag.Declare("V055", Reach, "row security stops the functions of a policy")
	CodeTrigger          = diag.Declare("V056", Reach, "trigger of the application runs in the batches")
	CodeIdentity         = diag.Declare("V058", Reach, "published table has no usable replica identity")
	CodeKeyOff           = diag.Declare("V059", Reach, "foreign key is disabled")
	CodeOverdue          = diag.Declare("V060", Conformance, "rows are overdue")
	CodeNoClock          = diag.Declare("V061", Conformance, "rows without a clock are never due")
	CodeFarAhead         = diag.Declare("V062", Conformance, "clock of rows is far in the future")
	CodeArchiveDiffers   = diag.Declare("V063", Conformance, "archive differs from the run log")
	CodeLostRow          = diag.Declare("V064", Conformance, "row of a hold is gone")
	CodeDefaultRows      = diag.Declare("V065", Conformance, "old rows are in a DEFAULT partition")
	CodeKeepUp           = diag.Declare("V066", Conformance, "policy does not keep up with new rows")
	CodeNoInstant        = diag.Declare("V067", Conformance, "values of a clock do not fit its encoding")
	CodePublic           = diag.Declare("V070", Privileges, "PUBLIC has a privilege on the runtime's schema")
	CodeRole             = diag.Declare("V072", Privileges, "role is missing or has the wrong attributes")
	CodeTableRights      = diag.Declare("V074", Privileges, "role lacks a privilege that it needs")
	CodeNoRoles          = diag.Declare("V075", Privileges, "one role does everything")
	CodeTakeRights       = diag.Declare("V076", Privileges, "tables that a policy drops belong to another role")
	CodeHandRights       = diag.Declare("V077", Privileges, "role can delete or change a policy's rows by hand")
	CodeExcess           = diag.Declare("V079", Privileges, "role can do more than pgretain needs")
	CodeUncovered        = diag.Declare("V080", Coverage, "table without policy, protection or exemption")
	CodeCoverageName     = diag.Declare("V081", Coverage, "schema or exemption does not exist")
	CodeEmpty            = diag.Declare("V082", Conformance, "runs leave due rows and take none")
	CodeRefused          = diag.Declare("V083", Conformance, "rows are refused")
	CodeUnreadable       = diag.Declare("V090", Sight, "check could not be made")
	CodeTimeout          = diag.Declare("V091", Sight, "check took too long")
	CodeChanging         = diag.Declare("V092", Sight, "object changed during the check")
	CodeStandby          = diag.Declare("V093", Sight, "server is a standby")
	CodeOnlyPrimary      = diag.Declare("V094", Sight, "check needs the primary")
	CodeSuppressionEnded = diag.Declare("V095", Suppressions, "suppression has ended or is not yet in force")
	CodeSuppressionIdle  = diag.Declare("V096", Suppressions, "suppression matches no finding")
)
