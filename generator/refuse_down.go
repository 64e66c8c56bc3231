package generator

import (
	"slices"
	"strings"
)

// refuseDown is what a way begins with that drops the table of holds, "" for any other. It stops while holds
// are in force, whatever tool applies it.
func refuseDown(actions []action) string {
	drops := func(kind Kind, name string) int {
		return slices.IndexFunc(actions, func(a action) bool {
			return a.verb == verbDrop && a.object.Kind == kind && strings.HasSuffix(a.object.Name, name)
		})
	}
	i := drops(KindFunction, "._refuse_down()")
	if i < 0 || drops(KindTable, ".hold") < 0 {
		return ""
	}
	return "\n" + execute("refuse_down.sql.tmpl", struct{ Function sqlText }{sqlText(actions[i].object.Name)})
}
