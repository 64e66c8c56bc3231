package explain_test

import (
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/explain"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestProjects explains the examples and the jobs of real projects. Whoever writes
// testdata/projects.txt again reads each line of it: what it says has to be what the policy does.
func TestProjects(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, project := range fixture.Projects(t, "../..") {
		tables, err := catalog.Read(project.Text(catalog.FileName))
		if err != nil {
			t.Fatal(err)
		}
		explained(t, &out, project.Name, project.Text("retention.yaml"), tables)
	}
	fixture.CompareFile(t, "testdata/projects.txt", out.String())
}

// explained writes what the policies and reports of a file do, but for the bounds that hold by
// default.
func explained(t *testing.T, out *strings.Builder, name, source string, tables *catalog.Snapshot) {
	t.Helper()
	file, list := policy.Parse("retention.yaml", []byte(source))
	if file == nil {
		t.Fatalf("%s: %+v", name, list)
	}
	objects, list := generator.Compile(file, tables, nil)
	if list.HasErrors() {
		t.Fatalf("%s: %+v", name, list)
	}
	out.WriteString("== " + name + "\n")
	for _, o := range objects {
		var lines []explain.Line
		for _, l := range o.Words {
			if !l.Extra || l.Key == "ensures" || l.Key == "triggers" {
				lines = append(lines, l)
			}
		}
		if len(lines) > 0 && o.Kind != generator.KindInstall {
			out.WriteString(string(o.Kind) + " " + o.Name + "\n" + explain.Text("  ", lines))
		}
	}
	out.WriteString("\n")
}

// TestConstructs explains the cases of the generator, which have each construct of the language.
func TestConstructs(t *testing.T) {
	t.Parallel()
	cases := fixture.Cases(t, "../../generator/testdata/golden", 24, "policy.yaml", "catalog.json", "schema.sql",
		"want/*")
	var out strings.Builder
	for _, c := range cases {
		tables := readCatalog(t, "../../generator/testdata/catalog.json")
		tables.SearchPath = nil // each case has its own
		if c.Has("catalog.json") {
			own, err := catalog.Read(c.Text("catalog.json"))
			if err != nil {
				t.Fatal(err)
			}
			tables.Tables = append(own.Tables, tables.Tables...) // of two with one name the first counts
		}
		explained(t, &out, c.Name, c.Text("policy.yaml"), tables)
	}
	fixture.CompareFile(t, "testdata/constructs.txt", out.String())
}

func readCatalog(t *testing.T, path string) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(fixture.ReadFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}
