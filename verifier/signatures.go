package verifier

import (
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

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
