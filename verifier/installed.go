package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

var codesOfRoutines = []string{codeMissing, codeDiffers, codeSettings, codeOwner, codePrivileges, codeOrphan}

func (v *inspection) installedGroups() []group {
	return []group{
		{about: "the functions", codes: codesOfRoutines, check: v.checkRoutines},
		{about: "the runtime's tables and views", codes: []string{codeMissing, codeOwner, codePublic}, check: v.checkRelations},
		{about: "what the runtime's tables and views are made of", codes: []string{codeIntercepted, codeNotAsInstalled}, check: v.checkMakeup},
		{about: "the sequences of the runtime", codes: []string{codeSequenceBehind}, check: v.checkSequences},
		{about: "the registry", codes: []string{codeRowMissing, codeRowDiffers, codeRowOrphan}, check: v.checkRegistry},
		{about: "what is paused", codes: []string{codePaused, codeLate, codeNotYet, codeOverdue}, check: v.checkPaused},
		{about: "windows set at run time", codes: []string{codeWindowSet}, check: v.checkWindows},
		{about: "whether the database is a copy", codes: []string{codeCopy}, check: v.checkCopy},
	}
}

// relation is a type, table, view or sequence in the runtime's schema.
type relation struct {
	Name, Kind, Owner string
	Open              []string // privileges of PUBLIC
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(ctx context.Context, tx pgx.Tx) error {
	rows, err := seen[relation](ctx, tx, v.query("relations"), v.install.Schema)
	if err != nil {
		return err
	}
	live := map[string]relation{}
	for _, r := range rows {
		live[v.install.Schema+"."+r.Name] = r
		if len(r.Open) > 0 {
			v.relationPublic(r)
		}
	}
	for _, o := range v.relations() {
		r, ok := live[o.Name]
		switch {
		case !ok || r.Kind != relationKinds[o.Kind]:
			v.missing(o)
		case r.Owner != v.creator(o):
			v.ownerDiffers(o, v.creator(o), r.Owner)
		}
	}
	return nil
}

type pause struct{ Policy, By, At, Reason string }

func (v *inspection) checkPaused(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[pause](ctx, tx, v.query("paused"))
	v.paused = map[string]bool{}
	for _, p := range rows {
		v.paused[p.Policy] = true
		v.policyPaused(p)
	}
	return err
}

type origin struct{ Why string }

func (v *inspection) checkCopy(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[origin](ctx, tx, v.query("copy"))
	for _, o := range rows {
		v.isCopy(o)
	}
	return err
}

var codeNotInstalled = register("V001", Installed, "the runtime is not installed")

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(codeNotInstalled) {
		v.nothingRead("There is no such schema.", `Run "pgretain migrate up", or check that this is the right database.`)
		return
	}
	v.add(Finding{Code: codeNotInstalled, Position: v.install.Position,
		Message: fmt.Sprintf("schema %q does not exist in database %q", v.install.Schema, v.server.Database),
		Detail:  "It was never migrated, or the connection leads to another database.",
		Hint:    "pgretain migrate up"})
}

var codeMissing = register("V002", Installed, "an object is missing")

func (v *inspection) missing(o generator.Object) {
	kind := o.Kind
	if kind == generator.KindStored { // a table to those who read it
		kind = generator.KindTable
	}
	v.about(o, Finding{Code: codeMissing, Message: fmt.Sprintf("%s %q is missing", kind, o.Name), Hint: repairHint})
}

var codeOwner = register("V005", Installed, "an object has another owner")

func (v *inspection) ownerDiffers(o generator.Object, want, got string) {
	v.about(o, Finding{Code: codeOwner, Message: fmt.Sprintf("%s %q has another owner", o.Kind, o.Name),
		Want: quoted(want), Got: quoted(got), Hint: fmt.Sprintf("ALTER %s %s OWNER TO %s;", sqlKind(o.Kind), objectSQL(o), ident(want))})
}

// sqlKind is the word of SQL for a kind.
func sqlKind(kind generator.Kind) string {
	if kind == generator.KindStored {
		kind = generator.KindTable
	}
	return strings.ToUpper(string(kind))
}

// foreignTables are those of an owner whom a function's own owner is no member of; N is the function's place.
type foreignTables struct {
	N               int
	Table           string
	Count           int
	Owner, Function string
}

func (v *inspection) ownerGroups() []group {
	takers := v.takers()
	if len(takers) == 0 {
		return nil
	}
	var names []string
	for _, o := range takers {
		names = append(names, o.Policy)
	}
	return []group{{about: "who may detach and drop what policies take", codes: []string{codeTakeRights}, check: v.checkOwners, policies: distinct(names)}}
}

// takers are the functions that detach and drop tables.
func (v *inspection) takers() []generator.Object {
	var list []generator.Object
	for _, o := range v.objects(generator.KindFunction) {
		if o.As == generator.AsMigrator {
			list = append(list, o)
		}
	}
	return list
}

// checkOwners: only a table's owner may detach or drop it, so that the function which does
// must belong to a member of that role. New partitions may have another owner than the old ones.
func (v *inspection) checkOwners(ctx context.Context, tx pgx.Tx) error {
	takers := v.takers()
	var functions, tables []string
	for _, o := range takers {
		functions, tables = append(functions, o.Name), append(tables, o.Table)
	}
	rows, err := seen[foreignTables](ctx, tx, v.query("table_owners"), functions, tables)
	for _, r := range rows {
		v.takeRights(takers[r.N-1], r)
	}
	return err
}

var codePending = register("V011", Installed, "a migration is not applied")

// pending reports what the migration directory has and the database has not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name),
			Hint: "pgretain migrate up"})
	}
	for _, name := range v.opt.CronPending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: "pgretain migrate up --cron"})
	}
}

var codeCopy = register("V013", Installed, "the database is a copy that nobody adopted")

func (v *inspection) isCopy(o origin) {
	v.add(Finding{Code: codeCopy, Position: v.install.Position, Message: "the database is a copy, and no run starts in it",
		Got: o.Why, Detail: "Adopt it only if rows are to be deleted here.", Hint: "SELECT " + v.runtime("adopt") + "('why');"})
}

var codePaused = register("V012", Installed, "a policy is paused")

func (v *inspection) policyPaused(p pause) {
	what, argument := fmt.Sprintf("policy %q is paused", p.Policy), quote.Literal(p.Policy)
	if p.Policy == "*" {
		what, argument = "all policies are paused", ""
	}
	v.add(Finding{Code: codePaused, Policy: p.Policy, Position: v.position(p.Policy), Message: what,
		Detail: fmt.Sprintf("By %q at %s%s.", p.By, p.At, reason(p.Reason)),
		Hint:   fmt.Sprintf("SELECT %s(%s);", v.runtime("resume"), argument)})
}

var codeSequenceBehind = register("V018", Installed, "a sequence of the runtime is behind its table")

// lateSequence would give out a number that a row of its table has.
type lateSequence struct {
	Table, Sequence string
	Largest         int64
}

func (v *inspection) checkSequences(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[lateSequence](ctx, tx, v.query("sequences_behind"))
	for _, r := range rows {
		v.sequenceBehind(r)
	}
	return err
}

func (v *inspection) sequenceBehind(r lateSequence) {
	v.add(Finding{Code: codeSequenceBehind, Object: v.install.Schema + "." + r.Sequence,
		Message: fmt.Sprintf("sequence %q is behind table %q", v.install.Schema+"."+r.Sequence, v.install.Schema+"."+r.Table),
		Detail:  fmt.Sprintf("The next number is one that the table has, or a smaller one; the largest is %d. Functions that write there fail (23505).", r.Largest),
		Hint:    fmt.Sprintf("SELECT setval(%s, %d);", quote.Literal(v.runtime(sqlName(r.Sequence))), r.Largest)})
}

var codeWindowSet = register("V014", Installed, "a window was set at run time")

// windowWasSet is for information where the window holds.
func (v *inspection) windowWasSet(w windowSet) {
	f := Finding{Code: codeWindowSet, Severity: Info, Policy: w.Policy, Position: v.position(w.Policy), Want: w.Own, Got: w.Value,
		Message: fmt.Sprintf("the window of policy %q was set at run time", w.Policy),
		Detail:  fmt.Sprintf("By %q at %s%s. NULL takes it back.", w.By, w.At, reason(w.Reason)),
		Hint:    fmt.Sprintf("SELECT %s(%s, NULL, 'why');", v.runtime("set_window"), quote.Literal(w.Policy))}
	if !w.Holds {
		f.Severity = diag.Drift
		f.Message = fmt.Sprintf("the window that was set for policy %q does not hold", w.Policy)
		f.Detail += " Its runs go by the policy's own."
	}
	v.add(f)
}

// windowSet is a window that set_window() gave a policy.
type windowSet struct {
	Policy, Own, Value, By, At, Reason string
	Holds                              bool
}

// checkWindows reports windows that are not the policy file's: for information where one holds.
func (v *inspection) checkWindows(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[windowSet](ctx, tx, v.query("windows"))
	for _, w := range rows {
		v.windowWasSet(w)
	}
	return err
}
