package verifier

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	verifysql "pgretain/sql/verify"
)

// Options say what to check beyond the catalog.
type Options struct {
	Pending []string      // migrations that are not applied, by file name
	Counts  bool          // count overdue rows, which costs what counting costs
	Timeout time.Duration // per statement, default 5s; what takes longer is unknown
	Checks  Selection     // what to check, default everything

	// Snapshot is what the wanted objects were compiled with, and History; what it lacks has come since. nil:
	// not known, and nobody looks whether it is still true.
	Snapshot *catalog.Snapshot
	History  *generator.History

	// Cron is a session in the database where schema cron lives, if that is another one; CronRefused
	// says why there is none.
	Cron        *pgx.Conn
	CronRefused error
	CronPending []string // migrations of the jobs that are not applied there
}

// Verify compares the wanted objects, those of the runtime included, and the policy file with the
// database of conn. It only reads. An error means that it could not run; what a role cannot see is
// a finding of the report.
func Verify(ctx context.Context, conn *pgx.Conn, file *policy.File, wanted []generator.Object, opt Options) (*Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = 5 * time.Second
	}
	v := &inspection{
		conn: conn, file: file, install: file.Install, wanted: wanted, opt: opt,
		report: &Report{File: file.Path, Objects: len(wanted), Policies: len(file.Policies), Checks: opt.Checks.Codes()},
	}
	v.policies = map[string]*policy.Policy{}
	for _, p := range file.Policies {
		v.policies[p.Name] = p
	}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verifying: %w", err)
	}
	v.suppress()
	v.report.sort()
	return v.report, nil
}

// inspection is one verification under way.
type inspection struct {
	conn    *pgx.Conn
	file    *policy.File
	install policy.Install
	wanted  []generator.Object
	opt     Options
	server  server
	zone    *time.Location     // in which schedules are meant; nil: unknown
	failed  map[string]attempt // what pg_cron could not run, by the name of its job
	paused  map[string]bool    // policies that somebody paused; "*" is all of them
	graph   *reachGraph        // what deletes may meet; nil: could not be read
	asked   []asked            // what facts functions are asked about
	report  *Report

	believed *catalog.Snapshot // the tables as they are, or the snapshot where the policies do not fit them; nil without
	locked   map[string]uint32 // tables of the snapshot that somebody has to himself, by name
	closed   []string          // schemas of the expressions that the role may not look into
	unseen   map[string]bool   // policies that name a table there

	policies map[string]*policy.Policy // of the file, by name
	passedBy []generator.Object        // indexes whose tables are locked
	damaged  map[string]bool           // tables that are not there, and those whose indexes are not as they should be
	mayCount bool                      // the function that counts may be called
	notRead  map[string]bool           // policies whose rows could not be counted, which has a finding
	begun    map[string]time.Time      // since when "policy x" and "job y" can run, once it was read
	complete bool                      // nothing was left out for want of the runtime, or of rights in it
}

// server is where and as whom the inspection looks.
type server struct {
	Database, User string
	Now            time.Time
	SeesSessions   bool
	Installed      bool // the schema is there
	Usage          bool // and may be used
	SchemaOwner    string
	Clock          time.Time // of the server; Now is earlier on a standby that lags behind
	Standby        bool
}

func (v *inspection) run(ctx context.Context) error {
	if err := v.read(ctx, v.readServer); err != nil {
		return err
	}
	v.pending()
	if v.server.Standby {
		v.standby()
	}
	switch {
	case !v.server.Installed:
		v.notInstalled()
		return v.all(ctx, v.tableGroups())
	case !v.server.Usage:
		v.nothingRead(fmt.Sprintf("Role %q has no USAGE on it.", v.server.User), v.connectHint())
		return v.all(ctx, append(v.tableGroups(), v.snapshotGroups()...))
	}
	// Some groups depend on what those before them read.
	for _, groups := range []func() []group{v.installedGroups, v.tableGroups, v.indexGroups, v.lockedIndexGroups, v.ownIndexGroups,
		v.scheduleGroups, v.startGroups, v.logGroups, v.reachGroups, v.snapshotGroups, v.lockedSnapshotGroups, v.rightGroups, v.expressionGroups,
		v.overdueGroups, v.holdGroups, v.factGroups, v.askedGroups, v.keepUpGroups, v.privilegeGroups, v.ownerGroups, v.planGroups} {
		if err := v.all(ctx, groups()); err != nil {
			return err
		}
	}
	v.complete = true
	return nil
}

// read runs f in a READ ONLY transaction of its own, with settings that do not depend on the
// session. READ COMMITTED: no snapshot outlives a statement.
func (v *inspection) read(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	return v.readOn(ctx, v.conn, f)
}

// readOn is read in another session.
func (v *inspection) readOn(ctx context.Context, conn *pgx.Conn, f func(context.Context, pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error {
		timeout := strconv.FormatInt(max(v.opt.Timeout.Milliseconds(), 1), 10)
		if _, err := tx.Exec(ctx, v.query("settings"), timeout); err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// obeyRowSecurity is for what reads tables that are not the runtime's, until the transaction's end. Elsewhere what a
// role may not see is an error.
func (v *inspection) obeyRowSecurity(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, v.query("row_security_on"))
	return err
}

func (v *inspection) readServer(ctx context.Context, tx pgx.Tx) error {
	var err error
	v.server, err = one[server](ctx, tx, v.query("server"), v.install.Schema)
	return err
}

// add appends a finding, if it was asked for; without a severity it is drift.
func (v *inspection) add(f Finding) {
	if !v.opt.Checks.shows(f.Code) {
		return
	}
	f.Group = checks[f.Code].Group
	if f.Severity == "" {
		f.Severity = diag.Drift
	}
	v.report.Findings = append(v.report.Findings, f)
}

// about adds a finding on a wanted object.
func (v *inspection) about(o generator.Object, f Finding) {
	f.Kind, f.Object, f.Table, f.Position = o.Kind, o.Name, o.Table, o.Position
	if f.Policy == "" {
		f.Policy = o.Policy
	}
	v.add(f)
}

// objects are the wanted ones of a kind.
func (v *inspection) objects(kinds ...generator.Kind) []generator.Object {
	var list []generator.Object
	for _, o := range v.wanted {
		for _, k := range kinds {
			if o.Kind == k {
				list = append(list, o)
			}
		}
	}
	return list
}

func (v *inspection) query(name string) string { return verifysql.Query(name, v.install.Schema) }

// owner is the role that owns the runtime; with "roles: none" whoever owns the schema.
func (v *inspection) owner() string {
	if v.install.Roles.None {
		return v.server.SchemaOwner
	}
	return v.install.Roles.Owner
}

// worker is the role that evaluates policies; with "roles: none" the owner.
func (v *inspection) worker() string {
	if v.install.Roles.None {
		return v.server.SchemaOwner
	}
	return v.install.Roles.Worker
}

func (v *inspection) runner() string {
	if v.install.Roles.None {
		return v.server.SchemaOwner
	}
	return v.install.Roles.Runner
}

// many reads the rows of a query into T, by the position of its fields.
func many[T any](ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]T, error) {
	rows, _ := tx.Query(ctx, sql, args...) // rows give the same error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

// seen is many of what is in PostgreSQL's own catalog. Where its functions answer NULL instead of a name, a
// definition or a size, they lost sight of what the statement's snapshot still has.
func seen[T any](ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]T, error) {
	list, err := many[T](ctx, tx, sql, args...)
	if null := (pgx.ScanArgError{}); errors.As(err, &null) {
		err = fmt.Errorf("%w: %w", inspect.ErrChanged, err)
	}
	return list, err
}

// one reads the only row of a query.
func one[T any](ctx context.Context, tx pgx.Tx, sql string, args ...any) (T, error) {
	rows, _ := tx.Query(ctx, sql, args...) // rows give the same error
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[T])
}

// promises are with which rights and settings a routine runs, and what the server goes by when it calls it.
type promises struct {
	definer              bool
	volatility, parallel string
	strict, leakproof    bool
	set                  bool // its result
	cost, rows           float32
	support              string
	settings             map[string]string
}

func wantedPromises(r *pgparse.Routine) promises {
	return promises{definer: r.Definer, volatility: r.Volatility, parallel: r.Parallel, strict: r.Strict, leakproof: r.Leakproof,
		set: r.Signature.Set, cost: float32(r.Cost), rows: float32(r.Rows), support: r.Support, settings: r.Settings}
}

// The letters of pg_proc.provolatile and proparallel.
var (
	volatilities = map[string]string{"i": "immutable", "s": "stable", "v": "volatile"}
	parallels    = map[string]string{"s": "safe", "r": "restricted", "u": "unsafe"}
)

func livePromises(r routine) promises {
	p := promises{definer: r.Definer, volatility: volatilities[r.Volatility], parallel: parallels[r.Parallel], strict: r.Strict,
		leakproof: r.Leakproof, set: r.Set, cost: r.Cost, rows: r.Rows, support: r.Support, settings: map[string]string{}}
	for _, setting := range r.Settings {
		name, value, _ := strings.Cut(setting, "=")
		p.settings[name] = value
	}
	return p
}

func (p promises) equal(other promises) bool {
	return reflect.DeepEqual(p, other) || p.String() == other.String()
}

// clauses are those of CREATE FUNCTION, also where they say what it takes for granted, in a fixed order and
// without the settings.
func (p promises) clauses() []string {
	list := []string{"SECURITY INVOKER", strings.ToUpper(p.volatility), "CALLED ON NULL INPUT", "NOT LEAKPROOF",
		"PARALLEL " + strings.ToUpper(p.parallel), "COST " + number(p.cost), "ROWS " + number(p.rows), "SUPPORT " + p.support}
	if p.definer {
		list[0] = "SECURITY DEFINER"
	}
	if p.strict {
		list[2] = "STRICT"
	}
	if p.leakproof {
		list[3] = "LEAKPROOF"
	}
	return list
}

// granted are the clauses that need not be said; those of a set have more rows.
var granted = []string{"CALLED ON NULL INPUT", "NOT LEAKPROOF", "PARALLEL UNSAFE", "COST 100", "SUPPORT "}

func (p promises) String() string {
	rows := "ROWS 0"
	if p.set {
		rows = "ROWS 1000"
	}
	list := slices.DeleteFunc(p.clauses(), func(clause string) bool { return clause == rows || slices.Contains(granted, clause) })
	for _, name := range slices.Sorted(maps.Keys(p.settings)) {
		list = append(list, "SET "+name+"="+p.settings[name])
	}
	return strings.Join(list, " ")
}

func number(n float32) string { return strconv.FormatFloat(float64(n), 'f', -1, 32) }

// sessionSetting is one with which sessions of the runner begin.
type sessionSetting struct {
	Name, Value  string
	Milliseconds *float64 // of a time
	Of           string   // "role", "database", "both", "all", "server"
}

// runnersSettings are those of some names that something sets.
func (v *inspection) runnersSettings(ctx context.Context, tx pgx.Tx, names ...string) ([]sessionSetting, error) {
	return seen[sessionSetting](ctx, tx, v.query("session_settings"), v.runner(), names)
}

// resetHint takes a setting back where it is set.
func (v *inspection) resetHint(s sessionSetting) string {
	role, database := ident(v.runner()), ident(v.server.Database)
	where := map[string]string{
		"both":     fmt.Sprintf("ALTER ROLE %s IN DATABASE %s", role, database),
		"role":     fmt.Sprintf("ALTER ROLE %s", role),
		"database": fmt.Sprintf("ALTER DATABASE %s", database),
		"all":      "ALTER ROLE ALL",
		"server":   "ALTER SYSTEM",
	}[s.Of]
	hint := where + " RESET " + s.Name + ";"
	if s.Of == "server" {
		hint += " SELECT pg_reload_conf();"
	}
	return hint
}
