package internal

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSQLStates checks that docs/runs.md lists exactly the SQLSTATEs of class PR that the runtime
// and the generated functions raise, and that each code that they handle is raised somewhere.
func TestSQLStates(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| (PR[0-9A-Z]{3}) \|`).FindAllSubmatch(page, -1) {
		listed = append(listed, string(row[1]))
	}
	raises := regexp.MustCompile(`(?:RAISE SQLSTATE|ERRCODE =|code :=) '(PR[0-9A-Z]{3})'`)
	names := regexp.MustCompile(`'(PR[0-9A-Z]{3})'`)
	raised, named := map[string]bool{}, map[string]bool{}
	for _, dir := range []string{"../sql", "../templates"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := fs.ReadFile(os.DirFS(dir), path)
			for _, match := range raises.FindAllSubmatch(text, -1) {
				raised[string(match[1])] = true
			}
			for _, match := range names.FindAllSubmatch(text, -1) {
				named[string(match[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(raised)), listed); diff != "" {
		t.Errorf("SQLSTATEs that are raised (-) and in docs/runs.md (+):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(raised))); diff != "" {
		t.Errorf("SQLSTATEs that are named (-) and raised (+):\n%s", diff)
	}
}
