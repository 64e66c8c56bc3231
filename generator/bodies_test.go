package generator

import (
	"os"
	"path/filepath"
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
	var paths []string
	for _, pattern := range []string{"../examples/*/retention.yaml", "../tests/corpus/*/retention.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 5 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		paths = append(paths, found...)
	}
	bodies := 0
	for _, path := range paths {
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
