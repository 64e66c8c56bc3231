package verifier

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
)

func (v *inspection) installedGroups() []group {
	return []group{
		{"the functions", v.checkRoutines},
		{"the runtime's tables and views", v.checkRelations},
		{"the registry", v.checkRegistry},
		{"what is paused", v.checkPaused},
		{"windows set at run time", v.checkWindows},
		{"whether the database is a copy", v.checkCopy},
	}
}

// pending reports what the migration directory has and the database has not.
func (v *inspection) pending() {
	for _, name := range v.opt.Pending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q is not applied", name),
			Hint: `Run "pgretain migrate up".`})
	}
	for _, name := range v.opt.CronPending {
		v.add(Finding{Code: codePending, Object: name, Message: fmt.Sprintf("migration %q of the jobs is not applied", name),
			Hint: `Run "pgretain migrate up --cron".`})
	}
}

// relation is a type, table, view or sequence in the runtime's schema.
type relation struct {
	Name, Kind, Owner string
	Open              []string // privileges of PUBLIC
}

var relationKinds = map[generator.Kind]string{generator.KindType: "c", generator.KindTable: "r", generator.KindView: "v", generator.KindStored: "r"}

func (v *inspection) checkRelations(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[relation](ctx, tx, v.query("relations"), v.install.Schema)
	if err != nil {
		return err
	}
	live := map[string]relation{}
	for _, r := range rows {
		live[v.install.Schema+"."+r.Name] = r
		if len(r.Open) > 0 {
			v.add(Finding{Code: codePublic, Object: v.install.Schema + "." + r.Name,
				Message: fmt.Sprintf("PUBLIC has %s on %q", strings.Join(r.Open, ", "), v.install.Schema+"."+r.Name),
				Hint:    fmt.Sprintf("REVOKE ALL ON %s.%s FROM PUBLIC.", v.install.Schema, r.Name)})
		}
	}
	for _, o := range v.objects(generator.KindType, generator.KindTable, generator.KindView, generator.KindStored) {
		r, ok := live[o.Name]
		switch {
		case !ok || r.Kind != relationKinds[o.Kind]:
			v.missing(o)
		case r.Owner != v.creator(o):
			v.about(o, Finding{Code: codeOwner, Message: fmt.Sprintf("%s %q has another owner", o.Kind, o.Name),
				Want: quoted(v.creator(o)), Got: quoted(r.Owner), Hint: repairHint})
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
		what, argument := fmt.Sprintf("policy %q is paused", p.Policy), "'"+p.Policy+"'"
		if p.Policy == "*" {
			what, argument = "all policies are paused", ""
		}
		f := Finding{Code: codePaused, Policy: p.Policy, Message: what,
			Detail: fmt.Sprintf("By %q at %s%s.", p.By, p.At, reason(p.Reason)),
			Hint:   fmt.Sprintf("SELECT %s.resume(%s).", v.install.Schema, argument)}
		if known := v.policy(p.Policy); known != nil {
			f.Position = known.Position
		}
		v.add(f)
	}
	return err
}

func reason(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

type origin struct{ Database, Installed, System string }

func (v *inspection) checkCopy(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[origin](ctx, tx, v.query("copy"))
	for _, o := range rows {
		v.add(Finding{Code: codeCopy, Position: v.install.Position, Message: "the database is a copy, and no run starts in it",
			Want: fmt.Sprintf("database %q of system %s", o.Database, o.Installed), Got: fmt.Sprintf("%q of system %s", v.server.Database, o.System),
			Hint: fmt.Sprintf("SELECT %s.adopt('why'), if rows are to be deleted here.", v.install.Schema)})
	}
	return err
}
