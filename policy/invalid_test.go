package policy_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/policy"
)

var update = flag.Bool("update", false, "rewrite the expected messages")

// TestInvalid holds the whole stderr of every file under testdata/invalid.
func TestInvalid(t *testing.T) {
	t.Parallel()
	cases := directories(t, "testdata/invalid")
	if len(cases) < 60 {
		t.Fatalf("found %d cases, want at least 60", len(cases))
	}
	for _, dir := range cases {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			only(t, dir, "policy.yaml", "stderr.txt")
			source := read(t, filepath.Join(dir, "policy.yaml"))
			file, list := policy.Parse("policy.yaml", source)
			if file != nil || !list.HasErrors() {
				t.Fatal("the file is accepted")
			}
			var out bytes.Buffer
			if err := list.Render(&out, map[string][]byte{"policy.yaml": source}, false); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join(dir, "stderr.txt"), out.Bytes())
		})
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(read(t, path)), string(got)); diff != "" {
		t.Error(diff)
	}
}

func directories(t *testing.T, root string) []string {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var dirs []string
	for _, e := range entries {
		if !e.IsDir() {
			t.Errorf("%s belongs to no case", filepath.Join(root, e.Name()))
			continue
		}
		dirs = append(dirs, filepath.Join(root, e.Name()))
	}
	return dirs
}

// only fails on files that no test reads.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("%s is read by no test", filepath.Join(dir, e.Name()))
		}
	}
}

func readFile(path string) ([]byte, error) { return os.ReadFile(path) }

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := readFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
