package generator

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgretain/policy"
	"pgretain/templates"
)

// TestObjectsAreDocumented holds that the reference names every object of the runtime that people
// may use, and none that is gone.
func TestObjectsAreDocumented(t *testing.T) {
	t.Parallel()
	page := readText(t, "../docs/objects.md")
	objects, err := Runtime(policy.Install{Schema: "retention", Roles: policy.Roles{
		Owner: "retention_owner", Worker: "retention_worker", Runner: "retention_runner", Operator: "retention_operator", Viewer: "retention_viewer"}})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, o := range objects {
		name := strings.SplitN(o.Name, "(", 2)[0]
		known[name] = true
		if !strings.HasPrefix(name, "retention._") && !regexp.MustCompile(regexp.QuoteMeta(name)+`\b`).MatchString(page) {
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
	page := readText(t, "../templates/README.md")
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
