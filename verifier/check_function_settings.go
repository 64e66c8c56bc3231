package verifier

var codeSettings = register("V004", Installed, "a function runs with other rights or settings")

func (v *inspection) settingsDiffer(w wantedRoutine, want, got string) {
	v.about(w.Object, Finding{Code: codeSettings, Message: w.String() + " runs with other rights or settings", Want: want, Got: got, Hint: repairHint})
}
