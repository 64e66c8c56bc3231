package migrations_test

import (
	"flag"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/migrations"
	"pgretain/policy"
)

var update = flag.Bool("update", false, "write the files again")

// TestFrozen holds the frozen runtime to sql/. Until a version is released "go generate" freezes it
// again.
func TestFrozen(t *testing.T) {
	t.Parallel()
	want := freeze(t)
	if *update {
		for _, file := range want {
			if err := os.WriteFile(file.Name, []byte(file.Content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil || len(names) != len(want) {
		t.Fatalf("%d frozen files, want %d (%v)", len(names), len(want), err)
	}
	for _, file := range want {
		got, err := fs.ReadFile(migrations.FS, file.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(file.Content, string(got)); diff != "" {
			t.Errorf("%s is not what sql/ gives; run \"make generate\" (-want +got):\n%s", file.Name, diff)
		}
	}
}

// TestFrozenIsHistory reads the frozen files as a migration directory.
func TestFrozenIsHistory(t *testing.T) {
	t.Parallel()
	history, err := generator.Read(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range runtime(t) {
		if !history.Has(object.ID()) {
			t.Errorf("%s %s is not in the frozen files", object.Kind, object.Name)
		}
	}
}

func freeze(t *testing.T) []generator.File {
	t.Helper()
	history, err := generator.Read(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := generator.Next(history, runtime(t), generator.NextOptions{
		Roles: defaults(t).Roles, SearchPath: []string{"pg_catalog", "pg_temp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func runtime(t *testing.T) []generator.Object {
	t.Helper()
	objects, err := generator.Runtime(defaults(t))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// defaults is the install of a policy file that says nothing about it.
func defaults(t *testing.T) policy.Install {
	t.Helper()
	file, diags := policy.Parse("retention.yaml", []byte("version: 1\npolicies: {p: {table: t, where: x, then: [delete]}}\n"))
	if file == nil {
		t.Fatal(diags)
	}
	return file.Install
}
