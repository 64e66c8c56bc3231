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

// TestGolden compiles every case under testdata/golden and compares what is wanted because of the
// policy, the runtime left out, with the objects of the case.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "golden", 24) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			got := sqlFiles(t, compileCase(t, c))
			if diff := cmp.Diff(got, sqlFiles(t, compileCase(t, c))); diff != "" {
				t.Errorf("the same input gives other bytes (-first +second)\n%s", diff)
			}
			c.CompareAll(t, "want/*", got)
		})
	}
}

// cases are those of a corpus: a policy, tables that it needs besides those of testdata, and what
// becomes of it.
func cases(t *testing.T, corpus string, least int) []*fixture.Case {
	t.Helper()
	return fixture.Cases(t, filepath.Join("testdata", corpus), least, "policy.yaml", "catalog.json", "schema.sql",
		"stderr.txt", "want/*")
}

// compileCase compiles a case that must be accepted.
func compileCase(t *testing.T, c *fixture.Case) []Object {
	t.Helper()
	file, _ := parseCase(t, c)
	objects, list := Compile(file, snapshotOf(t, c), nil)
	if len(list) > 0 {
		t.Fatalf("%+v", list)
	}
	if len(objects) == 0 {
		t.Fatal("nothing is wanted")
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

// snapshotOf has the tables of a case, and those of testdata that it does not have.
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
		if !slices.ContainsFunc(own.Tables, func(o *catalog.Table) bool {
			return o.Schema == table.Schema &&
				o.Name == table.Name
		}) {
			own.Tables = append(own.Tables, table)
		}
	}
	if own.Types == nil {
		own.Types = common.Types
	}
	return own
}

// commonSnapshot is that of testdata/schema.sql.
func commonSnapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(fixture.ReadFile(t, "testdata/catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// ownObjects leaves the runtime out, and its rows of the registry except where the case is about
// the install.
func ownObjects(t *testing.T, file *policy.File, objects []Object) []Object {
	t.Helper()
	known := map[ID]bool{}
	for _, o := range Runtime(file.Install) {
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
	return "want/" + string(o.Kind) + "_" + name + ".sql"
}

// TestInvalid holds everything that is said of the policies under testdata/invalid, which the
// reader of the file accepts and the catalog snapshot refutes.
func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "invalid", 25) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			file, source := parseCase(t, c)
			objects, list := Compile(file, snapshotOf(t, c), nil)
			if objects != nil || !list.HasErrors() {
				t.Fatal("the policy is accepted")
			}
			var out bytes.Buffer
			renderList(t, &out, list, source)
			c.Compare(t, "stderr.txt", out.String())
		})
	}
}

// TestNoted holds what is said of policies that are accepted, and deserve a look.
func TestNoted(t *testing.T) {
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

// TestPages holds that every code has a page, and that the examples on it do what it says with
// the tables of testdata/schema.sql.
func TestPages(t *testing.T) {
	t.Parallel()
	pages.Check(t, func(t *testing.T, code, insteadOf, use string) {
		if list := compileExample(t, insteadOf); !slices.ContainsFunc(list,
			func(d diag.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("instead of: got %v", list)
		}
		if use == "" {
			return // the table is changed
		}
		if list := compileExample(t, use); slices.ContainsFunc(list,
			func(d diag.Diagnostic) bool { return d.Severity == diag.Error || d.Code == code }) {
			t.Errorf("use: got %v", list)
		}
	})
}

func compileExample(t *testing.T, source string) diag.List {
	t.Helper()
	file, list := policy.Parse("policy.yaml", []byte(source))
	if file == nil {
		t.Fatalf("the reader refuses the example: %v", list)
	}
	_, list = Compile(file, commonSnapshot(t), nil)
	return append(list, Notes(file, commonSnapshot(t))...)
}

// TestObjectsAreDocumented holds that the reference names every object of the runtime that people
// may use, and none that is gone.
func TestObjectsAreDocumented(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../docs/objects.md")
	objects := Runtime(policy.Install{Schema: "retention", Roles: policy.Roles{
		Owner: "retention_owner", Worker: "retention_worker", Runner: "retention_runner", Operator: "retention_operator", Viewer: "retention_viewer"}})
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

// TestTemplatesAreDocumented holds that the DBA's table has every template, and that its examples
// are there.
func TestTemplatesAreDocumented(t *testing.T) {
	t.Parallel()
	page := fixture.ReadFile(t, "../templates/README.md")
	names, err := fs.Glob(templates.FS, "*.sql.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+strings.TrimSuffix(name, ".sql.tmpl")+"`") {
			t.Errorf("templates/README.md does not speak of %s", name)
		}
	}
	for _, link := range regexp.MustCompile(`\]\((\.\./[^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("../templates", link[1])); err != nil {
			t.Error(err)
		}
	}
}
