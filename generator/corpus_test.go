package generator

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/templates"
	"pgretain/tests/fixture"
)

// TestGolden compiles every case under testdata/golden, and compares the objects of the policies
// with the files of the case. It leaves out the objects of the runtime. It also checks that a
// second compilation gives the same bytes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "golden", 24) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got := sqlFiles(t, compileCase(t, c))
			if diff := cmp.Diff(got, sqlFiles(t, compileCase(t, c))); diff != "" {
				t.Errorf("two compilations of the same input differ (-first +second)\n%s", diff)
			}
			c.CompareAll(t, "want/*", got)
		})
	}
}

// cases returns the cases of a corpus. A case contains a policy, tables that it adds to those of
// testdata, and the expected output.
func cases(t *testing.T, corpus string, least int) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, filepath.Join("testdata", corpus), least, "policy.yaml", "catalog.json", "schema.sql",
		"stderr.txt", "want/*")
}

// compileCase compiles a case. It fails the test if there are diagnostics.
func compileCase(t *testing.T, c *fixture.Case) []Object {
	t.Helper()
	file, _ := parseCase(t, c)
	objects, list := Compile(file, snapshotOf(t, c), nil)
	if len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	if len(objects) == 0 {
		t.Fatal("Compile returns no objects")
	}
	return ownObjects(t, file, objects)
}

func parseCase(t *testing.T, c *fixture.Case) (*policy.File, []byte) {
	t.Helper()
	source := []byte(c.Text("policy.yaml"))
	file, list := policy.Parse("policy.yaml", source)
	if file == nil {
		var out bytes.Buffer
		renderList(t, &out, list, source)
		t.Fatalf("Parse refuses the policy file\n%s", out.String())
	}
	return file, source
}

func renderList(t *testing.T, out *bytes.Buffer, list diag.List, source []byte) {
	t.Helper()
	if err := list.Render(out, map[string][]byte{"policy.yaml": source}, false); err != nil {
		t.Fatal(err)
	}
}

// snapshotOf returns a snapshot with the tables of a case, and with the tables of testdata that the
// case does not replace.
func snapshotOf(t *testing.T, c *fixture.Case) *catalog.Snapshot {
	t.Helper()
	common := commonSnapshot(t)
	if !c.Has("catalog.json") {
		return common
	}
	own, err := catalog.Read(c.Text("catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range common.Tables {
		same := func(o *catalog.Table) bool { return o.String() == table.String() }
		if !slices.ContainsFunc(own.Tables, same) {
			own.Tables = append(own.Tables, table)
		}
	}
	if own.Types == nil {
		own.Types = common.Types
	}
	return own
}

// commonSnapshot returns the snapshot of testdata/schema.sql.
func commonSnapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(fixture.ReadFile(t, "testdata/catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// ownObjects returns the objects without those of the runtime. It keeps the registry row of the
// install only if the policy file has a key "install".
func ownObjects(t *testing.T, file *policy.File, objects []Object) []Object {
	t.Helper()
	ofRuntime := map[ID]bool{}
	for _, o := range Runtime(file.Install) {
		ofRuntime[o.ID()] = true
	}
	hasInstall := bytes.Contains(file.Source, []byte("\ninstall:"))
	return slices.DeleteFunc(objects, func(o Object) bool {
		return ofRuntime[o.ID()] || o.Kind == KindInstall && !hasInstall
	})
}

// sqlFiles returns a file for each object: the creating role, the SQL, and the SQL that drops the
// object.
func sqlFiles(t *testing.T, objects []Object) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, o := range objects {
		name := fileName(o)
		if _, twice := files[name]; twice {
			t.Fatalf("two objects have the file name %s", name)
		}
		files[name] = "-- as " + string(o.As) + "\n" + o.SQL + "\n-- to drop it\n" + o.Drop
	}
	return files
}

// fileName returns the kind and the name of an object, without characters that a file system or a
// shell may not accept.
func fileName(o Object) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, strings.SplitN(o.Name, "(", 2)[0])
	if strings.Contains(o.Name, "[]") {
		name += ".array" // there is also a function of this name for one value
	}
	return "want/" + string(o.Kind) + "_" + name + ".sql"
}

// TestInvalid compares the diagnostics of the cases under testdata/invalid with their stderr.txt.
// Parse accepts these policies, and Compile refuses them because of the snapshot.
func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "invalid", 25) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			file, source := parseCase(t, c)
			objects, list := Compile(file, snapshotOf(t, c), nil)
			if objects != nil || !list.HasErrors() {
				t.Fatal("Compile accepts the policy")
			}
			var out bytes.Buffer
			renderList(t, &out, list, source)
			c.Compare(t, "stderr.txt", out.String())
		})
	}
}

// TestNotes compares the warnings for the cases under testdata/noted with their stderr.txt. Compile
// accepts these policies.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "noted", 1) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			file, source := parseCase(t, c)
			if _, list := Compile(file, snapshotOf(t, c), nil); len(list) > 0 {
				t.Fatal(list)
			}
			var out bytes.Buffer
			renderList(t, &out, Notes(file, snapshotOf(t, c)), source)
			c.Compare(t, "stderr.txt", out.String())
		})
	}
}

var pages = fixture.Pages{Directory: "../docs/checks", From: "P050", To: "P100"}

func TestCodesAreShown(t *testing.T) {
	t.Parallel()
	pages.RequireCases(t, append(cases(t, "invalid", 1), cases(t, "noted", 1)...), "stderr.txt")
}

// TestPages checks that every code has a page. It compiles the examples of the page with the tables
// of testdata/schema.sql. The first example must give the code, and the second one must not.
func TestPages(t *testing.T) {
	t.Parallel()
	pages.Check(t, func(t *testing.T, code, insteadOf, use string) {
		hasCode := func(d diag.Diagnostic) bool { return d.Code.String() == code }
		if list := compileExample(t, insteadOf); !slices.ContainsFunc(list, hasCode) {
			t.Errorf("example under \"instead of\": got %v, want %s", list, code)
		}
		if use == "" {
			return // the solution changes the table
		}
		refused := func(d diag.Diagnostic) bool { return d.Severity == diag.Error || hasCode(d) }
		if list := compileExample(t, use); slices.ContainsFunc(list, refused) {
			t.Errorf("example under \"use\": got %v, want no error and no %s", list, code)
		}
	})
}

func compileExample(t *testing.T, source string) diag.List {
	t.Helper()
	file, list := policy.Parse("policy.yaml", []byte(source))
	if file == nil {
		t.Fatalf("Parse refuses the example: %v", list)
	}
	_, list = Compile(file, commonSnapshot(t), nil)
	return append(list, Notes(file, commonSnapshot(t))...)
}

// TestObjectsAreDocumented checks that docs/objects.md names every object of the runtime for
// people, and no object that does not exist.
func TestObjectsAreDocumented(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../docs/objects.md")
	objects := Runtime(policy.DefaultInstall("retention.yaml"))
	known := map[string]bool{}
	for _, o := range objects {
		name := strings.SplitN(o.Name, "(", 2)[0]
		known[name] = true
		if !strings.HasPrefix(name, "retention._") &&
			!regexp.MustCompile(regexp.QuoteMeta(name)+`\b`).MatchString(page) {
			t.Errorf("%s %s is not in docs/objects.md", o.Kind, name)
		}
	}
	for _, name := range regexp.MustCompile(`\bretention\.[a-z_]+`).FindAllString(page, -1) {
		if !known[name] {
			t.Errorf("docs/objects.md names %s, which does not exist", name)
		}
	}
}

// TestTemplatesAreDocumented checks that templates/README.md names every template, and that every
// file in its links exists.
func TestTemplatesAreDocumented(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../templates/README.md")
	names, err := fs.Glob(templates.FS, "*.sql.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+strings.TrimSuffix(name, ".sql.tmpl")+"`") {
			t.Errorf("templates/README.md does not name %s", name)
		}
	}
	for _, link := range regexp.MustCompile(`\]\((\.\./[^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("../templates", link[1])); err != nil {
			t.Error(err)
		}
	}
}
