package verifier

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
)

// routine is a live function or procedure; N is its place among the wanted ones, 0 for none.
type routine struct {
	N                    int
	Found                bool
	Name                 string
	SQL                  *string // the name as SQL takes it
	Kind, Language, Body string
	Definer              bool
	Volatility           string
	Settings             []string
	Owner                string
	Privileges           []string
	Strict, Leakproof    bool
	Parallel             string
	Cost, Rows           float32
	Support              string
	Set, TableGone       bool
	Parameters           *string // as PostgreSQL prints them
	Result               string  // in the same way; "" of a procedure
}

// wantedRoutine is a routine as its object's SQL declares it.
type wantedRoutine struct {
	generator.Object `json:"-"`
	Name             string   `json:"name"`
	Arguments        []string `json:"arguments"`
	Of               string   `json:"table"`

	routine    *pgparse.Routine
	owner      string
	privileges []string
}

// String says what it is, for messages.
func (w wantedRoutine) String() string { return fmt.Sprintf("%s %q", w.Kind, w.Object.Name) }

func (v *inspection) checkRoutines(ctx context.Context, tx pgx.Tx) error {
	wanted, err := parallel.Each(v.objects(generator.KindFunction, generator.KindProcedure), v.wantedRoutine)
	if err != nil {
		return err
	}
	live, err := seen[routine](ctx, tx, v.query("routines"), v.install.Schema, wanted)
	for _, r := range live {
		switch {
		case r.Found && (r.N == 0 && r.SQL == nil || r.Parameters == nil):
			return inspect.ErrChanged
		case r.N == 0:
			v.functionOrphan(r)
		case !r.Found:
			v.missing(wanted[r.N-1].Object)
		default:
			v.compareRoutine(wanted[r.N-1], r)
		}
	}
	return err
}

// wantedRoutine reads what an object's SQL says.
func (v *inspection) wantedRoutine(o generator.Object) (wantedRoutine, error) {
	parsed, err := pgparse.ParseRoutine(o.SQL)
	if err != nil {
		return wantedRoutine{}, fmt.Errorf("reading the wanted %s %q: %w", o.Kind, o.Name, err)
	}
	w := wantedRoutine{Object: o, Name: parsed.Name, Arguments: parsed.Arguments, Of: o.Table, routine: parsed, owner: v.creator(o)}
	if w.Arguments == nil {
		w.Arguments = []string{}
	}
	w.privileges = grantees(o, w.owner)
	return w, nil
}

var setRole = regexp.MustCompile(`(?m)^SET LOCAL ROLE "?([^";]+)"?;$`)

// creator is who owns what an object's SQL creates: it may take on another role first.
func (v *inspection) creator(o generator.Object) string {
	before, _, _, _ := pgparse.CutBody(o.SQL)
	if strings.Contains(before, "SET LOCAL ROLE ") { // which is seldom, and found at once
		if found := setRole.FindStringSubmatch(before); found != nil {
			return found[1]
		}
	}
	if o.As == generator.AsRunner {
		return v.runner()
	}
	return v.owner()
}

// grantees are the privileges that an object should have: its owner's and those granted.
func grantees(o generator.Object, owner string) []string {
	list := []string{owner + "=EXECUTE"}
	for _, role := range o.Grants {
		list = append(list, role+"=EXECUTE")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (v *inspection) compareRoutine(w wantedRoutine, live routine) {
	if w.As == generator.AsMigrator { // nobody knows its name here; checkOwners says what it must be
		w.owner, w.privileges = live.Owner, grantees(w.Object, live.Owner)
	}
	if live.Kind != kindLetter(w.routine) || live.Language != w.routine.Language {
		v.declarationDiffers(w, live)
	}
	v.compareSignature(w, live)
	if want, got := unixLines(w.routine.Body), unixLines(live.Body); want != got {
		v.bodyDiffers(w, want, got)
	}
	if want, got := wantedPromises(w.routine), livePromises(live); !want.equal(got) {
		hint := repairHint
		if live.Kind == kindLetter(w.routine) {
			hint = alterHint(w, want, got)
		}
		v.settingsDiffer(w, want, got, hint)
	}
	if live.Owner != w.owner {
		v.ownerDiffers(w.Object, w.owner, live.Owner)
	}
	slices.Sort(live.Privileges)
	if !slices.Equal(w.privileges, v.expected(w, live.Privileges)) {
		v.privilegesDiffer(w, live.Owner, live.Privileges)
	}
}

// expected leaves out what somebody granted to roles of the application, where that is allowed; never
// to PUBLIC, and never with the right to grant it on.
func (v *inspection) expected(w wantedRoutine, live []string) []string {
	if !generator.ForApplications(w.Name) {
		return live
	}
	return slices.DeleteFunc(slices.Clone(live), func(privilege string) bool {
		return !slices.Contains(w.privileges, privilege) && !strings.HasPrefix(privilege, "=") && strings.HasSuffix(privilege, "=EXECUTE")
	})
}

func kindLetter(r *pgparse.Routine) string {
	if r.Procedure {
		return "p"
	}
	return "f"
}

// unixLines undoes what a client on Windows makes of a body.
func unixLines(body string) string { return strings.ReplaceAll(body, "\r\n", "\n") }
