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
	switch o.As {
	case generator.AsRunner:
		return v.runner()
	case generator.AsWorker:
		return v.worker()
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

// redefineHint is for what CREATE OR REPLACE refuses to change.
const redefineHint = "Drop it, for CREATE OR REPLACE cannot change that. " + repairHint

// compareSignature is about parameters and results.
func (v *inspection) compareSignature(w wantedRoutine, live routine) {
	if live.Kind != kindLetter(w.routine) {
		return // another kind is called in another way
	}
	want := w.routine.Signature
	got, err := pgparse.ParseSignature(*live.Parameters, live.Result)
	if live.TableGone { // it may have another name: then the type of its rows has, too, which is no fault of the function
		got.Returns = want.Returns
	}
	switch {
	case err != nil: // there is nothing of the kind in what was generated
		v.signatureDiffers(w, whole(want), "("+*live.Parameters+") RETURNS "+live.Result, redefineHint)
	case !want.SameAs(got):
		wantText, gotText := differing(want, got)
		v.signatureDiffers(w, wantText, gotText, signatureHint(want, got))
	}
}

func whole(s pgparse.Signature) string {
	var list []string
	for _, p := range s.Parameters {
		list = append(list, p.String())
	}
	return "(" + strings.Join(list, ", ") + ") " + s.Result()
}

// differing leaves out what is the same in both.
func differing(want, got pgparse.Signature) (string, string) {
	a, b := want.Parameters, got.Parameters
	for len(a) > 0 && len(b) > 0 && a[0].SameAs(b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].SameAs(b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var wanted, found []string
	for i := range max(len(a), len(b)) {
		if len(a) == len(b) && a[i].SameAs(b[i]) {
			continue
		}
		if i < len(a) {
			wanted = append(wanted, a[i].String())
		}
		if i < len(b) {
			found = append(found, b[i].String())
		}
	}
	if want.Result() != got.Result() {
		wanted, found = append(wanted, want.Result()), append(found, got.Result())
	}
	return listed(wanted), listed(found)
}

func listed(parts []string) string {
	if len(parts) == 0 {
		return "nothing more"
	}
	return strings.Join(parts, ", ")
}

// signatureHint: CREATE OR REPLACE changes defaults and adds them, and nothing else of a signature.
func signatureHint(want, got pgparse.Signature) string {
	replaces := slices.EqualFunc(want.Parameters, got.Parameters, func(a, b pgparse.Parameter) bool {
		b.Meaning = a.Meaning
		return a.SameAs(b) && (b.Default == "" || a.Default != "")
	})
	if replaces && want.Result() == got.Result() {
		return repairHint
	}
	return redefineHint
}

var codeDiffers = register("V003", Installed, "a function is not what was generated")

func (v *inspection) declarationDiffers(w wantedRoutine, live routine) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " is declared in another way",
		Want: declaration(kindLetter(w.routine), w.routine.Language), Got: declaration(live.Kind, live.Language), Hint: repairHint})
}

func (v *inspection) signatureDiffers(w wantedRoutine, want, got, hint string) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " has other parameters or another result", Want: want, Got: got, Hint: hint})
}

func (v *inspection) bodyDiffers(w wantedRoutine, want, got string) {
	v.about(w.Object, Finding{Code: codeDiffers, Message: w.String() + " has another body", Detail: firstDifference(want, got), Hint: repairHint})
}

func declaration(kind, language string) string {
	word := map[string]string{"f": "a function", "p": "a procedure", "a": "an aggregate", "w": "a window function"}[kind]
	return word + " in " + language
}

// firstDifference names the first line of a body that differs.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("Line %d of the body is one too many: %s", i+1, excerpt(b[i]))
		case i >= len(b):
			return fmt.Sprintf("Line %d of the body is missing: %s", i+1, excerpt(a[i]))
		case a[i] != b[i]:
			return fmt.Sprintf("Line %d of the body should be %s and is %s.", i+1, excerpt(a[i]), excerpt(b[i]))
		}
	}
	return ""
}

var codeOrphan = register("V007", Installed, "a function that no policy wants")

func (v *inspection) functionOrphan(live routine) {
	name := v.install.Schema + "." + live.Name
	v.add(Finding{Code: codeOrphan, Kind: generator.KindFunction, Object: name, Message: fmt.Sprintf("function %q is wanted by no policy", name),
		Detail: "Functions in this schema come from migrations only: one of your own belongs into another schema.",
		Hint:   fmt.Sprintf("DROP ROUTINE %s;", *live.SQL)})
}
