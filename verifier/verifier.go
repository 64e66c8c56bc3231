package verifier

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/messages"
	"pgretain/internal/report"
	"pgretain/policy"
)

// Options say what to check besides the catalog.
type Options struct {
	Pending []string      // file names of migrations that are not applied
	Tool    Tool          // program that applies the migrations
	Counts  bool          // count overdue rows, which reads these rows
	Timeout time.Duration // timeout of each statement, 5 s by default; a check that exceeds it is unknown
	Checks  Selection     // checks to make; all by default

	// Snapshot and History are the inputs from which the wanted objects were compiled. An object
	// that Snapshot lacks is newer than the snapshot. If Snapshot is nil, no check compares it.
	Snapshot *catalog.Snapshot
	History  *generator.History

	// Cron is a session in the database of schema cron, if that is another database. CronRefused
	// says why there is no session.
	Cron        *pgx.Conn
	CronRefused error
	CronPending []string // migrations of jobs that are not applied there
}

// Verify compares the policy file and the wanted objects with the database of conn. The wanted
// objects include those of the runtime. Verify only reads. An error means that the verification
// could not run. If the role cannot see an object, the report has a finding.
func Verify(
	ctx context.Context, conn *pgx.Conn, file *policy.File, wanted []generator.Object, opt Options,
) (*Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = 5 * time.Second
	}
	v := &inspection{
		conn: conn, file: file, source: file, install: file.Install, wanted: wanted, asked: wanted, opt: opt,
		policies: map[string]*policy.Policy{}, uncounted: map[string]bool{}, unfit: map[string]bool{},
		changed: map[string]bool{}, affected: map[string][]string{}, reasons: map[string][]string{},
		report: &Report{Log: report.Log{Verb: "verify", File: file.Path, Findings: []Finding{}}, Objects: len(wanted),
			Policies: len(file.Policies), Checks: opt.Checks.Codes()},
	}
	for _, p := range file.Policies {
		v.policies[p.Name] = p
	}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verifying: %w", err)
	}
	v.addLacks()
	v.drop()
	v.suppress()
	v.oneCause()
	v.report.sort()
	return v.report, nil
}

// inspection is the state of one verification.
type inspection struct {
	conn     *pgx.Conn
	file     *policy.File              // the file with instances in place of policies for each schema
	source   *policy.File              // the file as written
	policies map[string]*policy.Policy // policies of file by name
	install  policy.Install
	wanted   []generator.Object // wanted objects, including objects of instances
	asked    []generator.Object // wanted objects without objects of instances
	opt      Options
	report   *Report
	server   server
	complete bool // no check was left out because the runtime, or a privilege in it, was missing

	// Probes set the following fields, which later probes read.
	zones     []*time.Location          // possible time zones of the schedules; none if unknown
	scheduled []scheduledRun            // runs of all jobs, computed on first use
	attempts  []messages.FailedAttempts // jobs that pg_cron could not run, by name; nil if unknown
	lacks     []lack                    // probes that failed because a role lacks a privilege
	// live tables, or the snapshot if policies do not fit them; nil without a snapshot
	effective        *catalog.Snapshot
	reach            json.RawMessage     // what statements of policies do to tables; nil if it could not be read
	schemaUnreadable bool                // the role may not read a schema of the search path
	unfit            map[string]bool     // policies that do not fit the catalog
	changed          map[string]bool     // policies that do not fit the catalog for more than a name
	affected         map[string][]string // maps the message of a finding to the policies that it affects
	reasons          map[string][]string // maps the message of a finding to what runs say that it stops
	uncounted        map[string]bool     // policies whose rows could not be counted; a finding reports them
	unsettled        []generator.Object  // objects of instances that must still be re-created or dropped
}

// server describes the server, the database and the role of the inspection.
type server struct {
	Database, User string
	Now            time.Time
	Installed      bool // the runtime's schema exists
	Usage          bool // the role has USAGE on the runtime's schema
	SchemaOwner    string
	Clock          time.Time // time of the server; Now is earlier on a standby that lags behind
	Standby        bool
	Major          string // major version
}

func (v *inspection) run(ctx context.Context) error {
	err := v.read(ctx, v.conn, func(r reading) (err error) {
		v.server, err = collectRow[server](r, "server", v.install.Schema)
		return err
	})
	if err != nil {
		return err
	}
	v.pending()
	if v.server.Standby {
		v.standby()
	}
	switch {
	case !v.server.Installed:
		v.notInstalled()
		v.expand(nil, nil)
		return v.ask(ctx, v.tableProbes())
	case !v.server.Usage:
		v.nothingRead(messages.SchemaClosed(v.install.Schema, v.server.User, v.connectHint()))
		v.expand(nil, nil)
		return v.ask(ctx, append(v.tableProbes(), v.snapshotProbe()))
	}
	v.oneRole()
	if len(v.objects(generator.KindEach)) > 0 { // all other probes need the instances
		err := v.ask(ctx, []probe{{about: "the schemas that policies are for", codes: v.opt.Checks.Codes(),
			check: v.readInstances}})
		if err != nil || v.file == v.source {
			return err
		}
	}
	v.complete = true
	return v.ask(ctx, v.probes())
}

// probes returns all probes in their order. Some probes use data or findings of earlier probes.
func (v *inspection) probes() []probe {
	counts, roles := v.opt.Counts, !v.install.Roles.None
	cron, live := v.install.Scheduler == "pg_cron", !v.server.Standby
	schema := v.install.Schema
	checkCron := withRowSecurity(v.checkCron)
	if v.install.CronElsewhere() {
		checkCron = v.checkCronElsewhere
	}
	return slices.Concat([]probe{
		{about: "the functions", codes: codesOfRoutines, check: v.checkRoutines},
		{about: "the runtime's tables and views", codes: []diag.Code{messages.CodeMissing, messages.CodeOwner},
			check: v.checkRelations},
		{about: "the privileges in the runtime's schema", codes: []diag.Code{messages.CodePrivileges},
			check: v.checkPrivileges},
		{about: "what the runtime's tables and views are made of",
			codes: []diag.Code{messages.CodeIntercepted, messages.CodeNotAsInstalled}, check: v.checkMakeup},
		{about: "the sequences of the runtime", codes: []diag.Code{messages.CodeSequenceBehind},
			check: reports(v, func(s messages.BehindSequence) message { return messages.SequenceBehind(schema, s) },
				"sequences_behind")},
		{about: "the registry", codes: []diag.Code{messages.CodeRowMissing, messages.CodeRowDiffers,
			messages.CodeRowOrphan}, check: v.checkRegistry},
		{about: "what is paused", codes: []diag.Code{messages.CodePaused},
			check: reports(v, func(p messages.Pause) message { return messages.Paused(schema, p) }, "paused")},
		{about: "windows set at run time", codes: []diag.Code{messages.CodeWindowSet},
			check: reports(v, func(w messages.SetWindow) message { return messages.WindowSet(schema, w) }, "windows")},
		{about: "whether the database is a copy", codes: []diag.Code{messages.CodeCopy}, check: v.checkCopy},
	}, v.tableProbes(), []probe{
		{about: "the indexes", codes: codesOfIndexes, check: v.checkIndexes},

		{about: "the zone in which schedules are meant",
			codes: []diag.Code{messages.CodeLate, messages.CodeNotYet, messages.CodeLastRun, messages.CodeMissed,
				messages.CodeEmpty, messages.CodeRefused, messages.CodeOverdue,
				messages.CodeKeepUp}, check: v.readZone},
		{skip: !cron, about: "the jobs in pg_cron", codes: codesOfCron, check: checkCron},
		{skip: !cron || !live, about: "pg_cron's scheduler", codes: []diag.Code{messages.CodeScheduler,
			messages.CodeCronStart},
			check: withRowSecurity(v.checkScheduler)},
		{skip: !cron || !live, about: "jobs that pg_cron could not start", codes: []diag.Code{messages.CodeCronStart},
			check: v.checkStarts},
		{about: "the runs", codes: []diag.Code{messages.CodeLastRun, messages.CodeLate, messages.CodeMissed,
			messages.CodeNotYet, messages.CodeEmpty, messages.CodeRefused},
			check: v.checkRuns},

		{about: "holds", codes: []diag.Code{messages.CodeUnfitHold}, check: reports(v, messages.UnfitHold,
			"unfit_holds")},
		{about: "what policies rely on", codes: []diag.Code{messages.CodeUnexpected, messages.CodeIndexDiffers},
			check: v.checkUnexpected},
		{about: "what is within reach of deletes", check: v.readReach,
			codes: []diag.Code{messages.CodeReferencingIndex, messages.CodeBlocked, messages.CodeTrigger,
				messages.CodeIdentity, messages.CodeKeyOff}},
		{about: "row security", codes: []diag.Code{messages.CodeRowSecurity}, check: v.checkRowSecurity},
		{more: v.reachProbes},

		v.snapshotProbe(),
		{skip: v.opt.Snapshot == nil, about: "the time zone of the database",
			codes: []diag.Code{messages.CodeLocalClock},
			check: v.checkZone},
		{skip: !roles, about: "the worker's privileges", codes: []diag.Code{messages.CodeTableRights},
			check: v.checkRights},
		{about: "the worker's privileges on functions", codes: []diag.Code{messages.CodeTableRights},
			check: v.checkFunctionRights},
		{needs: "_denied(text[])", about: "whether the worker can evaluate the policies",
			codes: []diag.Code{messages.CodeTableRights}, check: v.checkConditions},
		{skip: !roles, about: "the worker's privileges in functions", codes: []diag.Code{messages.CodeTableRights},
			check: v.checkBodyRights},
		{more: v.expressionProbes},

		{skip: !counts, more: v.overdueProbes},
		{skip: !counts, about: "rows that are held", codes: []diag.Code{messages.CodeLostRow},
			check: reports(v, func(l messages.LostRows) message { return messages.LostRow(schema, v.worker(), l) },
				"lost_rows", countLimit)},
		{skip: !counts, more: v.factProbes},
		{skip: !counts, more: v.defaultProbes},
		{about: "runs that spent their budgets", codes: []diag.Code{messages.CodeKeepUp}, check: v.checkKeepUp},

		{about: "the roles", codes: []diag.Code{messages.CodePublic, messages.CodeRole, messages.CodeHandRights,
			messages.CodeExcess}, check: v.checkRoles},
		{about: "the settings of the runner's sessions", codes: []diag.Code{messages.CodeKeyOff, messages.CodeRole},
			check: v.checkSessions},
		{about: "who may detach and drop what policies take", codes: []diag.Code{messages.CodeTakeRights},
			check: v.checkOwners},
		{needs: "_plans(text[], boolean)", about: "the plans of the batches", codes: codesOfPlans, check: v.checkPlans},
		{needs: "_guard_plans(text[])", about: "the plans of guards", codes: []diag.Code{messages.CodeGuardReadsAll},
			check: v.checkGuardPlans},
	})
}

// tableProbes returns the probes that do not need the runtime.
func (v *inspection) tableProbes() []probe {
	covered := v.file.Coverage != nil
	return []probe{
		{about: "the tables that the policies name", check: v.checkTables,
			codes: append([]diag.Code{messages.CodeNoTable}, codesOfPlans...)},
		{about: "the columns that the policies make sure of", codes: []diag.Code{messages.CodeColumn},
			check: v.checkEnsured},
		{skip: !covered, about: `the names under "coverage"`, codes: []diag.Code{messages.CodeCoverageName},
			check: v.checkCoverageNames},
		{skip: !covered, about: "tables without a policy", codes: []diag.Code{messages.CodeUncovered},
			check: v.checkCoverage},
	}
}

func (v *inspection) snapshotProbe() probe {
	return probe{skip: v.opt.Snapshot == nil, about: "the catalog snapshot",
		codes: append([]diag.Code{messages.CodeSnapshot, messages.CodeExpression}, codesOfPlans...),
		check: v.checkSnapshot}
}

// The method "add" adds a finding. If the finding has no position, it has the position of its
// policy. If it has no severity, its severity is Drift.
func (v *inspection) add(m message) {
	if m.Position == (diag.Position{}) {
		m.Position = v.position(m.Policy)
	}
	v.addKind("", m)
}

// addToInstall adds a finding at the "install" of the policy file.
func (v *inspection) addToInstall(m message) {
	m.Position = v.install.Position
	v.add(m)
}

func (v *inspection) addKind(kind generator.Kind, m message) {
	m.Severity = cmp.Or(m.Severity, diag.Drift)
	v.report.Findings = append(v.report.Findings, report.Finding{Diagnostic: m, Group: string(m.Code.Group()),
		Kind: string(kind)})
}

// about adds a finding on an object.
func (v *inspection) about(o generator.Object, m message) {
	m.Object, m.Table, m.Position = o.Name, o.Table, o.Position
	m.Policy = cmp.Or(m.Policy, o.Policy)
	v.addKind(o.Kind, m)
}

// found reports whether one of the checks has a finding about a policy, a table or another object.
func (v *inspection) found(about string, codes ...diag.Code) bool {
	return slices.ContainsFunc(v.report.Findings, func(f Finding) bool {
		access := f.Policy == about || f.Object == about || f.Table == about ||
			f.Code == messages.CodeUnexpected && v.unfit[about]
		return access && slices.Contains(codes, f.Code) && f.Severity != Info
	})
}

// causes maps the code of a check to the codes of other checks, whose findings explain its
// findings. Both findings must be about the same table, or about the same policy if neither names a
// table. The method drop handles messages.CodeExpression.
var causes = map[diag.Code][]diag.Code{
	messages.CodeNoIndex:      codesOfTables,
	messages.CodeOtherPlan:    codesOfTables,
	messages.CodeIndexMissing: {messages.CodeNoTable},
}

// codesOfTables are the checks on a missing or unfit table and its indexes.
var codesOfTables = []diag.Code{messages.CodeNoTable, messages.CodeIndexMissing, messages.CodeIndexInvalid,
	messages.CodeIndexDiffers, messages.CodeSnapshot}

// aName reports whether a message of the runtime says that a name in a policy may now mean another
// object.
func aName(message string) bool {
	return strings.Contains(message, " is gone, and ") || strings.Contains(message, " is new, and ")
}

// drop removes findings that follow from other findings, and findings that were not selected. If
// the server refuses an expression because a name has no meaning, two findings may report that. The
// finding on the expression stays, because it has the error and the line. A finding on names is
// removed if the server refuses an expression of every policy that the finding affects.
func (v *inspection) drop() {
	follows := func(f Finding) bool {
		if f.Code == messages.CodeExpression {
			return v.changed[f.Policy] || v.found(f.Policy, messages.CodeNoTable)
		}
		return cmp.Or(f.Table, f.Policy) != "" && v.found(cmp.Or(f.Table, f.Policy), causes[f.Code]...)
	}
	v.report.Findings = slices.DeleteFunc(slices.Clone(v.report.Findings), follows)
	named := func(f Finding) bool {
		accepted := func(policy string) bool { return !v.found(policy, messages.CodeExpression) }
		affected := append(v.affected[f.Message], f.Policy)
		return f.Code == messages.CodeUnexpected && aName(f.Message) && v.opt.Checks.shows(messages.CodeExpression) &&
			!slices.ContainsFunc(affected, accepted)
	}
	v.report.Findings = slices.DeleteFunc(slices.Clone(v.report.Findings), named)
	for i, f := range v.report.Findings {
		// the statements would drop a correct index
		if f.Code == messages.CodeIndexDiffers && v.found(f.Policy, messages.CodeUnexpected, messages.CodeExpression) {
			v.report.Findings[i].Hint = "First correct the catalog, or the expression that the " +
				"server refuses."
		}
	}
	v.report.Findings = slices.DeleteFunc(v.report.Findings,
		func(f Finding) bool { return !v.opt.Checks.shows(f.Code) })
}

// objects returns the wanted objects of some kinds.
func (v *inspection) objects(kinds ...generator.Kind) []generator.Object {
	var list []generator.Object
	for _, o := range v.wanted {
		if slices.Contains(kinds, o.Kind) {
			list = append(list, o)
		}
	}
	return list
}

// position returns the position of a policy or report in the file; the zero position if there is
// none.
func (v *inspection) position(name string) diag.Position {
	if p := v.policies[name]; p != nil {
		return p.Position
	}
	for _, q := range v.file.Reports {
		if q.Name == name {
			return q.Position
		}
	}
	return diag.Position{}
}

// The method owner returns the role that owns the runtime. The method worker returns the role that
// evaluates policies, and the method runner the role that runs jobs. With "roles: none" all three
// return the owner of the schema.
func (v *inspection) owner() string  { return v.role(v.install.Roles.Owner) }
func (v *inspection) worker() string { return v.role(v.install.Roles.Worker) }
func (v *inspection) runner() string { return v.role(v.install.Roles.Runner) }

func (v *inspection) role(name string) string {
	if v.install.Roles.None {
		return v.server.SchemaOwner
	}
	return name
}
