package generator

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// TestBodies parses the body of every plpgsql function of the examples and of the jobs of real projects.
// It takes a millisecond or more a function, too long for lint: there the server does it, with --sandbox.
func TestBodies(t *testing.T) {
	t.Parallel()
	bodies := 0
	for _, path := range projects(t) {
		for _, o := range compileProject(t, path) {
			if o.Kind != KindFunction || o.Policy == "" || !strings.Contains(o.SQL, "LANGUAGE plpgsql") {
				continue
			}
			bodies++
			if err := pgparse.PLpgSQL(composite.ReplaceAllString(o.SQL, "v_out record;")); err != nil {
				t.Errorf("%s: %s: %v", path, o.Name, err)
			}
		}
	}
	if bodies < 200 {
		t.Errorf("%d bodies only", bodies)
	}
}

// TestVariablesAreReserved: a column with the name of a variable would be taken for it.
func TestVariablesAreReserved(t *testing.T) {
	t.Parallel()
	declared, seen := regexp.MustCompile(`(?m)^    (?:    )?(v_\w+) [a-z]`), map[string]bool{}
	for _, path := range projects(t) {
		for _, o := range compileProject(t, path) {
			if o.Kind != KindFunction || o.Policy == "" || !strings.HasSuffix(o.Name, "_take(retention.slice)") {
				continue
			}
			for _, found := range declared.FindAllStringSubmatch(o.SQL, -1) {
				if seen[found[1]] = true; !isGeneratedName(found[1]) {
					t.Errorf("%s: %s: %s is not reserved", path, o.Name, found[1])
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d variables only", len(seen))
	}
}

// projects are the examples and the jobs of real projects.
func projects(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"../examples/*/retention.yaml", "../tests/corpus/*/retention.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 5 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		paths = append(paths, found...)
	}
	return paths
}

func compileProject(t *testing.T, path string) []Object {
	t.Helper()
	source := readText(t, path)
	file, list := policy.Parse(path, []byte(source))
	if file == nil {
		t.Fatalf("%s: %+v", path, list)
	}
	f, err := os.Open(filepath.Join(filepath.Dir(path), catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	snapshot, err := catalog.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	objects, list := Compile(file, snapshot, nil)
	if list.HasErrors() {
		t.Fatalf("%s: %+v", path, list)
	}
	return objects
}
