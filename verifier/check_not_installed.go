package verifier

import "fmt"

var codeNotInstalled = register("V001", Installed, "the runtime is not installed")

func (v *inspection) notInstalled() {
	if !v.opt.Checks.has(codeNotInstalled) {
		v.nothingRead("There is no such schema.", `Run "pgretain migrate up", or check that this is the right database.`)
		return
	}
	v.add(Finding{Code: codeNotInstalled, Position: v.install.Position,
		Message: fmt.Sprintf("schema %q does not exist in database %q", v.install.Schema, v.server.Database),
		Detail:  "It was never migrated, or the connection leads to another database.",
		Hint:    "pgretain migrate up"})
}
