package generator

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
)

// TestGolden compiles every case under testdata/golden and compares what is wanted because of the
// policy, the runtime left out, with the case's .sql files.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, dir := range cases(t, "golden", 24) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			got := sqlFiles(t, compileCase(t, dir))
			if diff := cmp.Diff(got, sqlFiles(t, compileCase(t, dir))); diff != "" {
				t.Errorf("the same input gives other bytes (-first +second)\n%s", diff)
			}
			want := filepath.Join(dir, "want")
			if *update {
				rewriteSQL(t, want, got)
			}
			if diff := cmp.Diff(readSQL(t, want), got); diff != "" {
				t.Errorf("golden differs (-want +got)\n%s", diff)
			}
		})
	}
}

// cases lists the directories of a corpus, each of which holds a policy and a snapshot.
func cases(t *testing.T, corpus string, least int) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("testdata", corpus, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < least {
		t.Fatalf("found %d cases, want at least %d", len(dirs), least)
	}
	for _, dir := range dirs {
		for _, entry := range readDir(t, dir) {
			if !slices.Contains([]string{"policy.yaml", "catalog.json", "schema.sql", "want", "stderr.txt"}, entry.Name()) {
				t.Errorf("%s is read by no test", filepath.Join(dir, entry.Name()))
			}
		}
	}
	return dirs
}

// compileCase compiles a case that must be accepted.
func compileCase(t *testing.T, dir string) []Object {
	t.Helper()
	file, _ := parseCase(t, dir)
	objects, list := Compile(file, snapshotOf(t, dir), nil)
	if len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	if len(objects) == 0 {
		t.Fatal("nothing is wanted")
	}
	if list := Diagnose(file, snapshotOf(t, dir), nil); len(list) > 0 {
		t.Fatalf("without texts something is wrong: %+v", list)
	}
	return ownObjects(t, file, objects)
}

func parseCase(t *testing.T, dir string) (*policy.File, []byte) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(dir, "policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	file, list := policy.Parse("policy.yaml", source)
	if file == nil {
		var out bytes.Buffer
		renderList(t, &out, list, source)
		t.Fatalf("the file itself is refused\n%s", out.String())
	}
	return file, source
}

func renderList(t *testing.T, out *bytes.Buffer, list diag.List, source []byte) {
	t.Helper()
	if err := list.Render(out, map[string][]byte{"policy.yaml": source}, false); err != nil {
		t.Fatal(err)
	}
}

func snapshotOf(t *testing.T, dir string) *catalog.Snapshot {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	snapshot, err := catalog.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// ownObjects leaves the runtime out, and its rows of the registry except where the case is about
// the install.
func ownObjects(t *testing.T, file *policy.File, objects []Object) []Object {
	t.Helper()
	runtime, err := Runtime(file.Install)
	if err != nil {
		t.Fatal(err)
	}
	known := map[ID]bool{}
	for _, o := range runtime {
		known[o.ID()] = true
	}
	shown := bytes.Contains(file.Source, []byte("\ninstall:"))
	return slices.DeleteFunc(objects, func(o Object) bool {
		return known[o.ID()] || o.Kind == KindInstall && !shown
	})
}

// sqlFiles renders each object as a file: who creates it, how, and how it goes.
func sqlFiles(t *testing.T, objects []Object) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, o := range objects {
		name := fileName(o)
		if _, twice := files[name]; twice {
			t.Fatalf("two objects are called %s", name)
		}
		files[name] = "-- as " + string(o.As) + "\n" + o.SQL + "\n-- to drop it\n" + o.Drop
	}
	return files
}

// fileName is the object's kind and name, without what a file system or a shell might mind.
func fileName(o Object) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.SplitN(o.Name, "(", 2)[0])
	if strings.Contains(o.Name, "[]") {
		name += ".array" // beside the function of one value
	}
	return string(o.Kind) + "_" + name + ".sql"
}

func readSQL(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, entry := range readDir(t, dir) {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = unixLines(string(content))
	}
	return files
}

func rewriteSQL(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readDir(t *testing.T, dir string) []fs.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
