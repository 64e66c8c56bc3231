package verifier

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// pending reports what the migration directories have and the databases have not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name), Hint: "pgretain migrate up"})
	}
	for _, name := range v.opt.CronPending {
		v.add(message{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: "pgretain migrate up --cron"})
	}
}

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(codeNotInstalled) {
		v.nothingRead("There is no such schema.", `Run "pgretain migrate up", or check that this is the right database.`)
		return
	}
	v.add(message{Code: codeNotInstalled, Position: v.install.Position,
		Message: fmt.Sprintf("schema %q does not exist in database %q", v.install.Schema, v.server.Database),
		Detail:  "It was never migrated, or the connection leads to another database.", Hint: "pgretain migrate up"})
}

// nothingRead: nothing can be checked in the runtime's schema. It is said where something should have been.
func (v *inspection) nothingRead(detail, hint string) {
	if slices.ContainsFunc(v.opt.Checks.Codes(), func(code string) bool { return checks[code].Group != Tables }) {
		v.add(message{Code: codeUnreadable, Severity: diag.Unknown, Position: v.install.Position,
			Message: fmt.Sprintf("could not check anything in schema %q", v.install.Schema), Detail: detail, Hint: hint})
	}
}

// standby says as of when everything is that the report says, and what it cannot say.
func (v *inspection) standby() {
	f := message{Code: codeStandby, Severity: Info, Position: v.install.Position, Message: "the server is a standby",
		Detail: "It has replayed all that it got."}
	if behind := v.server.Clock.Sub(v.server.Now).Round(time.Millisecond); !v.server.Now.Equal(v.server.Clock) {
		f.Detail = fmt.Sprintf("Everything is as of %s, %s ago; what happened since it does not know.", instant(v.server.Now), behind)
	}
	v.add(f)
	if !v.opt.Checks.any([]string{codeScheduler, codeLastRun}) {
		return
	}
	what := "whether a run that is written down as running is at work"
	if v.install.Scheduler == "pg_cron" {
		what = "whether the pg_cron scheduler is running and starts jobs, and " + what
	}
	v.add(message{Code: codeOnlyPrimary, Severity: diag.Unknown, Position: v.install.Position,
		Message: "some of it only the primary can tell", Detail: "Not looked at: " + what + ".",
		Hint: "Verify the primary, or leave this out: --skip V094."})
}

// relation is a type, table, view or sequence in the runtime's schema.
type relation struct {
	Name, Kind, Owner string
	Open              []string // privileges of PUBLIC
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(r reading) error {
	live := map[string]relation{}
	err := each(r, "relations", func(found relation) {
		name := v.install.Schema + "." + found.Name
		live[name] = found
		if len(found.Open) > 0 {
			v.add(message{Code: codePublic, Object: name, Message: fmt.Sprintf("PUBLIC has %s on %q", strings.Join(found.Open, ", "), name),
				Hint: fmt.Sprintf("REVOKE ALL ON %s FROM PUBLIC;", own(name))})
		}
	}, v.install.Schema)
	if err != nil {
		return err
	}
	for _, o := range v.relations() {
		switch found, ok := live[o.Name]; {
		case !ok || found.Kind != relationKinds[o.Kind]:
			v.missing(o)
		case found.Owner != v.creator(o):
			v.ownerDiffers(o, v.creator(o), found.Owner)
		}
	}
	return nil
}

func (v *inspection) missing(o generator.Object) {
	kind := o.Kind
	if kind == generator.KindStored { // a table to those who read it
		kind = generator.KindTable
	}
	v.about(o, message{Code: codeMissing, Message: fmt.Sprintf("%s %q is missing", kind, o.Name), Hint: repairHint})
}

func (v *inspection) ownerDiffers(o generator.Object, want, got string) {
	v.about(o, message{Code: codeOwner, Message: fmt.Sprintf("%s %q has another owner", o.Kind, o.Name),
		Want: quoted(want), Got: quoted(got), Hint: fmt.Sprintf("ALTER %s %s OWNER TO %s;", sqlKind(o.Kind), objectSQL(o), ident(want))})
}

func (v *inspection) checkPaused(r reading) error {
	type pause struct{ Policy, By, At, Reason string }
	v.paused = map[string]bool{}
	return each(r, "paused", func(p pause) {
		v.paused[p.Policy] = true
		what, argument := fmt.Sprintf("policy %q is paused", p.Policy), quote.Literal(p.Policy)
		if p.Policy == "*" {
			what, argument = "all policies are paused", ""
		}
		v.add(message{Code: codePaused, Policy: p.Policy, Position: v.position(p.Policy), Message: what,
			Detail: fmt.Sprintf("By %q at %s%s.", p.By, p.At, reason(p.Reason)),
			Hint:   fmt.Sprintf("SELECT %s(%s);", v.runtime("resume"), argument)})
	})
}

func (v *inspection) checkCopy(r reading) error {
	return each(r, "copy", func(origin struct{ Why string }) {
		v.add(message{Code: codeCopy, Position: v.install.Position, Message: "the database is a copy, and no run starts in it",
			Got: origin.Why, Detail: "Adopt it only if rows are to be deleted here.", Hint: "SELECT " + v.runtime("adopt") + "('why');"})
	})
}

// checkSequences finds sequences that would give out a number that a row of their table has.
func (v *inspection) checkSequences(r reading) error {
	type behind struct {
		Table, Sequence string
		Largest         int64
	}
	return each(r, "sequences_behind", func(b behind) {
		sequence := v.install.Schema + "." + b.Sequence
		v.add(message{Code: codeSequenceBehind, Object: sequence,
			Message: fmt.Sprintf("sequence %q is behind table %q", sequence, v.install.Schema+"."+b.Table),
			Detail:  fmt.Sprintf("The next number is one that the table has, or a smaller one; the largest is %d. Functions that write there fail (23505).", b.Largest),
			Hint:    fmt.Sprintf("SELECT setval(%s, %d);", quote.Literal(v.runtime(ident(b.Sequence))), b.Largest)})
	})
}

// checkWindows reports windows that set_window() gave policies: for information where one holds.
func (v *inspection) checkWindows(r reading) error {
	type window struct {
		Policy, Own, Value, By, At, Reason string
		Holds                              bool
	}
	return each(r, "windows", func(w window) {
		f := message{Code: codeWindowSet, Severity: Info, Policy: w.Policy, Position: v.position(w.Policy), Want: w.Own, Got: w.Value,
			Message: fmt.Sprintf("the window of policy %q was set at run time", w.Policy),
			Detail:  fmt.Sprintf("By %q at %s%s. NULL takes it back.", w.By, w.At, reason(w.Reason)),
			Hint:    fmt.Sprintf("SELECT %s(%s, NULL, 'why');", v.runtime("set_window"), quote.Literal(w.Policy))}
		if !w.Holds {
			f.Severity = diag.Drift
			f.Message = fmt.Sprintf("the window that was set for policy %q does not hold", w.Policy)
			f.Detail += " Its runs go by the policy's own."
		}
		v.add(f)
	})
}
