// Package history takes installations through the life of their policy files: step by step forward,
// and back.
package history

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// options are those of install for an installation.
func options(in *kit.Installed) install.Options {
	return install.Options{Install: in.File.Install, Path: "migrations"}
}

// down undoes the last step.
func down(t *testing.T, in *kit.Installed) {
	t.Helper()
	done, err := install.Down(t.Context(), in.URL(kit.Migrator), in.Migrations, options(in), false)
	if err != nil {
		t.Fatalf("undoing a step: %v %+v", err, install.Diagnostics(err))
	}
	if len(done) == 0 {
		t.Fatal("there was nothing to undo")
	}
}

// wantCatalog compares the database with an earlier dump of it, or of another one.
func wantCatalog(t *testing.T, in *kit.Installed, want []string, when string) {
	t.Helper()
	if diff := cmp.Diff(want, kit.Catalog(t, in.DB, in.File.Install.Schema)); diff != "" {
		t.Fatalf("%s the catalog differs (-want +got)\n%s", when, diff)
	}
}

// grow writes the step to wanted into the directory of an installation and returns its files.
func grow(t *testing.T, in *kit.Installed, wanted []generator.Object) []generator.File {
	t.Helper()
	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	files, err := generator.Next(history, wanted, generator.NextOptions{
		Roles: in.File.Install.Roles, SearchPath: []string{"pg_catalog", "public", "pg_temp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		in.Migrations[f.Name] = &fstest.MapFile{Data: []byte(f.Content())}
	}
	if dir := os.Getenv("PGRETAIN_KEEP_MIGRATIONS"); dir != "" {
		for name, f := range in.Migrations {
			_ = os.WriteFile(dir+"/"+name, f.Data, 0o644)
		}
	}
	return files
}

// names are the names of files, sorted.
func names(dir fstest.MapFS) []string {
	var list []string
	for name := range dir {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
