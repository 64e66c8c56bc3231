package verifier

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/parallel"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
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

// routine is the live one with its rights and settings, and without what is compared in other ways.
func (live routine) routine() *pgparse.Routine {
	r := &pgparse.Routine{Definer: live.Definer, Volatility: live.Volatility, Parallel: live.Parallel, Strict: live.Strict,
		Leakproof: live.Leakproof, Cost: float64(live.Cost), Rows: float64(live.Rows), Support: live.Support, Settings: map[string]string{}}
	r.Signature.Set = live.Set
	for _, setting := range live.Settings {
		name, value, _ := strings.Cut(setting, "=")
		r.Settings[name] = value
	}
	return r
}

// clauses are those of CREATE FUNCTION that say with which rights a routine runs and what the server goes by when it
// calls it: in a fixed order, also where they say what goes without saying, and without the settings.
func clauses(r *pgparse.Routine) []string {
	number := func(n float64) string { return strconv.FormatFloat(float64(float32(n)), 'f', -1, 32) } // as pg_proc has it
	list := []string{"SECURITY INVOKER", strings.ToUpper(r.Volatility), "CALLED ON NULL INPUT", "NOT LEAKPROOF",
		"PARALLEL " + strings.ToUpper(r.Parallel), "COST " + number(r.Cost), "ROWS " + number(r.Rows), "SUPPORT " + r.Support}
	if r.Definer {
		list[0] = "SECURITY DEFINER"
	}
	if r.Strict {
		list[2] = "STRICT"
	}
	if r.Leakproof {
		list[3] = "LEAKPROOF"
	}
	return list
}

// attributes are the clauses and settings of a routine that need to be said.
func attributes(r *pgparse.Routine) string {
	usual := []string{"CALLED ON NULL INPUT", "NOT LEAKPROOF", "PARALLEL UNSAFE", "COST 100", "SUPPORT ", "ROWS 0"}
	if r.Signature.Set {
		usual[5] = "ROWS 1000"
	}
	list := slices.DeleteFunc(clauses(r), func(clause string) bool { return slices.Contains(usual, clause) })
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		list = append(list, "SET "+name+"="+r.Settings[name])
	}
	return strings.Join(list, " ")
}

// plainSetting is the name of a setting that needs no quotes.
var plainSetting = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// alterHint changes what differs. ALTER cannot take a support function away, nor has it more than rights and
// settings for a procedure.
func alterHint(w wantedRoutine, live *pgparse.Routine) string {
	var list []string
	want, got := w.routine.Settings, live.Settings
	found := clauses(live)
	for i, clause := range clauses(w.routine) {
		switch {
		case clause == found[i] || strings.HasPrefix(clause, "ROWS ") && w.routine.Signature.Set != live.Signature.Set: // V003 has that
		case strings.HasPrefix(clause, "SUPPORT ") || w.routine.Procedure && i > 0:
			return repairHint
		default:
			list = append(list, clause)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			list = append(list, "RESET "+name)
		}
		if !plainSetting.MatchString(name) {
			return repairHint
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value := want[name]
		if name != "search_path" { // which pg_proc has as the names of schemas, in quotes where they need them
			value = quote.Literal(value)
		}
		if live, there := got[name]; !there || live != want[name] {
			list = append(list, "SET "+name+" = "+value)
		}
	}
	if len(list) == 0 {
		return repairHint
	}
	return fmt.Sprintf("ALTER %s %s %s;", sqlKind(w.Kind), objectSQL(w.Object), strings.Join(list, " "))
}

// expected leaves out what somebody granted to roles of the application, where that is allowed; never
// to PUBLIC, and never with the right to grant it on.
func expected(w wantedRoutine, live []string) []string {
	if !generator.ForApplications(w.Name) {
		return live
	}
	return slices.DeleteFunc(slices.Clone(live), func(privilege string) bool {
		return !slices.Contains(w.privileges, privilege) && !strings.HasPrefix(privilege, "=") && strings.HasSuffix(privilege, "=EXECUTE")
	})
}

// owned are the privileges once the owner is the right one: those of the old owner are then his.
func owned(privileges []string, from, to string) []string {
	if from == to {
		return privileges
	}
	return slices.DeleteFunc(append(slices.Clone(privileges), to+"=EXECUTE"), func(p string) bool { return strings.HasPrefix(p, from+"=") })
}

// grantHint takes away what is too much, and grants what is missing.
func grantHint(w wantedRoutine, got []string) string {
	on := fmt.Sprintf("EXECUTE ON %s %s", sqlKind(w.Kind), objectSQL(w.Object))
	grantee := func(privilege string) string {
		if role, _, _ := strings.Cut(privilege, "="); role != "" {
			return quote.Ident(role)
		}
		return "PUBLIC"
	}
	var list []string
	for _, p := range got {
		switch plain := strings.TrimSuffix(p, "*"); {
		case slices.Contains(w.privileges, p):
		case slices.Contains(w.privileges, plain):
			list = append(list, fmt.Sprintf("REVOKE GRANT OPTION FOR %s FROM %s;", on, grantee(p)))
		default:
			list = append(list, fmt.Sprintf("REVOKE %s FROM %s;", on, grantee(p)))
		}
	}
	for _, p := range w.privileges {
		if !slices.Contains(got, p) && !slices.Contains(got, p+"*") {
			list = append(list, fmt.Sprintf("GRANT %s TO %s;", on, grantee(p)))
		}
	}
	return strings.Join(list, " ")
}

// privilegeList is for people: "runner", "runner (with grant option)", "PUBLIC".
func privilegeList(privileges []string) string {
	return "EXECUTE for " + strings.Join(mapped(privileges, func(p string) string {
		grantee, privilege, _ := strings.Cut(p, "=")
		if grantee == "" {
			grantee = "PUBLIC"
		}
		if strings.HasSuffix(privilege, "*") {
			grantee += " (with grant option)"
		}
		return grantee
	}), ", ")
}
