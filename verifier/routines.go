package verifier

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
)

var codesOfRoutines = []string{codeMissing, codeDiffers, codeSettings, codeOwner, codePrivileges, codeOrphan}

// routine is a live function or procedure; N is its place among the wanted ones, 0 for none.
type routine struct {
	N                    int
	Found                bool
	Name                 string
	SQL                  *string // the name as SQL takes it
	Kind, Language, Body string  // Kind is pg_proc.prokind
	Definer              bool
	Volatility           string // "volatile", "stable", "immutable"
	Settings             []string
	Owner                string
	Privileges           []string
	Strict, Leakproof    bool
	Parallel             string // "unsafe", "restricted", "safe"
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
	kind       string // pg_proc.prokind
	owner      string
	privileges []string
}

func (v *inspection) checkRoutines(r reading) error {
	wanted, err := parallel.Each(v.objects(generator.KindFunction, generator.KindProcedure), v.wantedRoutine)
	if err != nil {
		return err
	}
	live, err := collectRows[routine](r, "routines", v.install.Schema, wanted)
	for _, found := range live {
		switch {
		case found.Found && (found.N == 0 && found.SQL == nil || found.Parameters == nil):
			return inspect.ErrChanged
		case found.N == 0:
			name := v.install.Schema + "." + found.Name
			v.about(generator.Object{Kind: generator.KindFunction, Name: name}, message{Code: codeOrphan,
				Message: fmt.Sprintf("function %q is wanted by no policy", name),
				Detail:  "Functions in this schema come from migrations only: one of your own belongs into another schema.",
				Hint:    fmt.Sprintf("DROP ROUTINE %s;", *found.SQL)})
		case !found.Found:
			v.missing(wanted[found.N-1].Object)
		default:
			v.compareRoutine(wanted[found.N-1], found)
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
	w := wantedRoutine{Object: o, Name: parsed.Name, Arguments: append([]string{}, parsed.Arguments...), Of: o.Table,
		routine: parsed, kind: "f", owner: v.creator(o)}
	if parsed.Procedure {
		w.kind = "p"
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
	return distinct(mapped(append([]string{owner}, o.Grants...), func(role string) string { return role + "=EXECUTE" }))
}

// kindWords are for pg_proc.prokind.
var kindWords = map[string]string{"f": "a function in ", "p": "a procedure in ", "a": "an aggregate in ", "w": "a window function in "}

func (v *inspection) compareRoutine(w wantedRoutine, live routine) {
	if w.As == generator.AsMigrator { // nobody knows its name here; checkOwners says what it must be
		w.owner, w.privileges = live.Owner, grantees(w.Object, live.Owner)
	}
	differs := func(m message) {
		m.Message = fmt.Sprintf("%s %q %s", w.Kind, w.Object.Name, m.Message)
		if m.Hint == "" {
			m.Hint = repairHint
		}
		v.about(w.Object, m)
	}
	if live.Kind != w.kind || live.Language != w.routine.Language {
		differs(message{Code: codeDiffers, Message: "is declared in another way",
			Want: kindWords[w.kind] + w.routine.Language, Got: kindWords[live.Kind] + live.Language})
	}
	if want, got, hint := compareSignature(w, live); hint != "" {
		differs(message{Code: codeDiffers, Message: "has other parameters or another result", Want: want, Got: got, Hint: hint})
	}
	if want, got := unixLines(w.routine.Body), unixLines(live.Body); want != got {
		differs(message{Code: codeDiffers, Message: "has another body", Detail: firstDifference(want, got)})
	}
	if want, got := attributes(w.routine), attributes(live.routine()); want != got {
		m := message{Code: codeSettings, Message: "runs with other rights or settings", Want: want, Got: got}
		if live.Kind == w.kind {
			m.Hint = alterHint(w, live.routine())
		}
		differs(m)
	}
	if live.Owner != w.owner {
		v.ownerDiffers(w.Object, w.owner, live.Owner)
	}
	slices.Sort(live.Privileges)
	if !slices.Equal(w.privileges, expected(w, live.Privileges)) {
		differs(message{Code: codePrivileges, Message: "has other privileges", Want: privilegeList(w.privileges), Got: privilegeList(live.Privileges),
			Hint: grantHint(w, expected(w, owned(live.Privileges, live.Owner, w.owner)))})
	}
}

// unixLines undoes what a client on Windows makes of a body.
func unixLines(body string) string { return strings.ReplaceAll(body, "\r\n", "\n") }

// redefineHint is for what CREATE OR REPLACE refuses to change.
const redefineHint = "Drop it, for CREATE OR REPLACE cannot change that. " + repairHint

// compareSignature is about parameters and results. There is no hint where nothing is wrong with them.
func compareSignature(w wantedRoutine, live routine) (want, got, hint string) {
	if live.Kind != w.kind {
		return "", "", "" // another kind is called in another way
	}
	wanted := w.routine.Signature
	found, err := pgparse.ParseSignature(*live.Parameters, live.Result)
	if err != nil { // there is nothing of the kind in what was generated
		list := mapped(wanted.Parameters, pgparse.Parameter.String)
		return "(" + strings.Join(list, ", ") + ") " + wanted.Result(), "(" + *live.Parameters + ") RETURNS " + live.Result, redefineHint
	}
	if live.TableGone { // it may have another name: then the type of its rows has, too, which is no fault of the function
		found.Returns = wanted.Returns
	}
	if wanted.SameAs(found) {
		return "", "", ""
	}
	want, got = differing(wanted, found)
	return want, got, signatureHint(wanted, found)
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
