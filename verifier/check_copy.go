package verifier

var codeCopy = register("V013", Installed, "the database is a copy that nobody adopted")

func (v *inspection) isCopy(o origin) {
	v.add(Finding{Code: codeCopy, Position: v.install.Position, Message: "the database is a copy, and no run starts in it",
		Got: o.Why, Detail: "Adopt it only if rows are to be deleted here.", Hint: "SELECT " + v.runtime("adopt") + "('why');"})
}
