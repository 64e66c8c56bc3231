package generator

import (
	"strings"
	"testing"
)

// TestStatementsOfGoldenObjects checks that statements.txt allows every statement of the golden
// objects, and that a golden case has each kind of object.
func TestStatementsOfGoldenObjects(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, c := range cases(t, "golden", 24) {
		file, _ := parseCase(t, c)
		objects, _ := Compile(file, snapshotOf(t, c), nil)
		for _, o := range PolicyScripts(objects, file.Install.Roles) {
			for _, drops := range []bool{false, true} {
				a := action{object: o, drops: drops}
				if err := a.checkStatements(file.Install.Schema); err != nil {
					t.Errorf("%s: %s %q, dropped %t: %v", c.Name, o.Kind, o.Name, drops, err)
				}
				kinds[string(o.Kind)] = true
			}
		}
	}
	for heading := range forms() {
		if _, kind, _ := strings.Cut(heading, " "); !kinds[kind] && kind != "upgrade" {
			t.Errorf("no golden case has an object for %q of statements.txt", heading)
		}
	}
}
