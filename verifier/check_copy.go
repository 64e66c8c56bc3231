package verifier

import "fmt"

var codeCopy = register("V013", Installed, "the database is a copy that nobody adopted")

func (v *inspection) isCopy(o origin) {
	v.add(Finding{Code: codeCopy, Position: v.install.Position, Message: "the database is a copy, and no run starts in it",
		Want: fmt.Sprintf("database %q of system %s", o.Database, o.Installed), Got: fmt.Sprintf("%q of system %s", v.server.Database, o.System),
		Detail: "Adopt it only if rows are to be deleted here.", Hint: fmt.Sprintf("SELECT %s('why');", v.runtime("adopt"))})
}
