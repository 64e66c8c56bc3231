package life_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
)

// TestSquash replaces all steps of a directory by one, as docs/history.md says. A database that has
// the old steps needs no migration, and can undo the new one. A fresh database gets the same
// objects. A database that lacks the last old step is refused.
func TestSquash(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, shop, shopPolicies)
	behind := kit.Install(t, shop, shopPolicies)
	changed := strings.Replace(shopPolicies, "where: \"state = 'closed'\"", "where: \"state <> 'open'\"", 1)
	in.Migrate(t, changed)
	installed := kit.Catalog(t, in.DB, "retention")

	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	wanted, _ := in.Compile(t, changed)
	files, err := generator.Squash(history, wanted,
		generator.NextOptions{Roles: in.File.Install.Roles, SearchPath: in.File.Install.Path()})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	in.Migrations = fstest.MapFS{}
	for _, f := range files {
		in.Migrations[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	known, err := install.Status(t.Context(), in.URL(kit.Migrator), in.Migrations, in.Options())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range known {
		if m.State != "applied" {
			t.Errorf("%s is %s", m.Name, m.State)
		}
	}
	if len(known) != len(in.Migrations) {
		t.Errorf("status lists %d migrations, the directory has %d", len(known), len(in.Migrations))
	}
	in.Up(t)
	if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("migrating after the squash (+) changes the database (-):\n%s", diff)
	}
	in.WantConforms(t, wanted)

	behind.Migrations = in.Migrations
	if _, err := behind.TryUp(t); err == nil {
		t.Error("a database that lacks the last of the old steps is migrated")
	}

	fresh := kit.Prepare(t, shop, changed)
	if _, err := fresh.TryDown(t, true); err != nil { // the template has the runtime
		t.Fatal(err)
	}
	fresh.Migrations = in.Migrations
	fresh.Up(t)
	if diff := cmp.Diff(installed, kit.Catalog(t, fresh.DB, "retention")); diff != "" {
		t.Errorf("a fresh database (+) differs from one with the old steps (-):\n%s", diff)
	}

	window := strings.Replace(changed, "older_than: 30 days", "older_than: 40 days", 1)
	in.Migrate(t, window)
	if _, err := in.TryDown(t, true); err != nil {
		t.Fatal(err)
	}
	in.Up(t)
}

// TestSquashBesideOwnFile checks that a file of the user between the last files is refused. A new
// database would apply it in the middle of the step.
func TestSquashBesideOwnFile(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, shop, shopPolicies)
	changed := strings.Replace(shopPolicies, "older_than: 30 days", "older_than: 31 days", 1)
	in.Generate(t, changed)
	dir := fstest.MapFS{"00045_own.sql": {Data: []byte("-- +goose Up\n")}}
	for name, file := range in.Migrations {
		dir["000"+name[4:5]+"0"+name[5:]] = file
	}
	wanted, _ := in.Compile(t, changed)
	history, err := generator.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = generator.Squash(history, wanted, generator.NextOptions{Roles: in.File.Install.Roles,
		SearchPath: in.File.Install.Path()})
	if err == nil || !strings.Contains(err.Error(), "00045_own.sql: its number is between those") {
		t.Errorf("%v", err)
	}
}

// TestSquashCommand does the same with the command.
func TestSquashCommand(t *testing.T) {
	t.Parallel()
	app := newApplication(t)
	app.must("generate", "--squash") // the runtime, and then the policies
	app.wantSquashed(4)
	text := fixture.ReadFile(t, app.dir, "retention.yaml")
	app.write("retention.yaml", strings.Replace(text, "older_than: 30 days", "older_than: 31 days", 1))
	if code, _, stderr := app.pgretain("", "generate", "--squash"); code != 2 ||
		!strings.Contains(stderr, "does not have the present policy") {
		t.Errorf("squashing a directory without the present policy: exit code %d, %s", code, stderr)
	}
	app.usualWay()
	app.must("generate", "--squash")
	app.wantSquashed(4)
}

// wantSquashed checks that the directory has so many files, and that nothing is left to do.
func (app *application) wantSquashed(files int) {
	app.t.Helper()
	entries, err := os.ReadDir(filepath.Join(app.dir, "migrations"))
	if err != nil || len(entries) != files {
		app.t.Errorf("the directory has %d files, %v", len(entries), err)
	}
	if status := app.must("migrate", "status"); strings.Contains(status, "pending") {
		app.t.Errorf("after the squash:\n%s", status)
	}
	app.must("migrate", "up")
	if drift := app.found("verify"); len(drift) > 0 {
		app.t.Errorf("after the squash, verify reports:\n%s", said(drift))
	}
}
