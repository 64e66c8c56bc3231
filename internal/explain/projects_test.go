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

// TestProjects compares the descriptions of the examples and of policies of real projects with
// testdata/projects.txt. After an update of that file, check that each line is true.
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

// explained writes the descriptions of the policies and reports of a file, without default bounds.
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

// TestConstructs compares the descriptions of the generator's golden cases, which use every
// construct of the policy language, with testdata/constructs.txt.
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
			tables.Tables = append(own.Tables, tables.Tables...) // of two tables with the same name the first counts
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
