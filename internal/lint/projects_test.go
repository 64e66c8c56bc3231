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

// TestProjects lints the examples and the jobs of real projects. Whoever writes
// testdata/projects.txt again reads each line of it: what it says has to be true of the project,
// and worth saying.
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
