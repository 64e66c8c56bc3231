package lint_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"pgretain/internal/lint"
	"pgretain/policy"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestProjects lints the examples and the jobs of real projects. Whoever writes testdata/projects.txt
// again reads each line of it: what it says has to be true of the project, and worth saying.
func TestProjects(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, pattern := range []string{"../../examples/*/retention.yaml", "../../tests/corpus/*/retention.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) < 5 {
			t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			project(t, &out, path)
		}
	}
	golden(t, "testdata/projects.txt", out.String())
}

func project(t *testing.T, out *strings.Builder, path string) {
	t.Helper()
	source, dir := read(t, path), filepath.Dir(path)
	name := filepath.Base(dir) + "/retention.yaml"
	file, list := policy.Parse(name, []byte(source))
	if file == nil {
		t.Fatalf("%s: %+v", path, list)
	}
	list = lint.Check(file, snapshot(t, filepath.Join(dir, "retention.catalog.json")))
	if list.HasErrors() {
		t.Errorf("%s has errors", path)
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
