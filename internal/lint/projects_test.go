package lint_test

import (
	"bytes"
	"strings"
	"testing"

	"pgretain/internal/catalog"
	"pgretain/internal/lint"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

// TestProjects compares the findings for the examples and for policies of real projects with
// testdata/projects.txt. After an update of that file, check that each line is true and useful.
func TestProjects(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, project := range fixture.Projects(t, "../..") {
		lintProject(t, &out, project)
	}
	fixture.CompareFile(t, "testdata/projects.txt", out.String())
}

func lintProject(t *testing.T, out *strings.Builder, project *fixture.Case) {
	t.Helper()
	source, name := project.Text("retention.yaml"), project.Name+"/retention.yaml"
	file, list := policy.Parse(name, []byte(source))
	if file == nil {
		t.Fatalf("%s: %+v", name, list)
	}
	list = lint.Check(file, snapshot(t, project.Text(catalog.FileName)))
	if list.HasErrors() {
		t.Errorf("%s has errors", name)
	}
	if len(list) == 0 {
		return
	}
	var text bytes.Buffer
	if err := list.Render(&text, map[string][]byte{name: []byte(source)}, false); err != nil {
		t.Fatal(err)
	}
	out.WriteString(text.String() + "\n")
}
