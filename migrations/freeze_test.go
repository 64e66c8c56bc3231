package migrations_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/migrations"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

var update = flag.Bool("update", false, "write the files again")

// released are the files that databases have applied, each with the SHA-256 of its bytes. They never
// change: a release adds its files here.
var released = map[string]string{
	"00001_pgretain_runtime.sql": "558746fad1fabced1e3c4f860fb3428f45711fa30825c6ffb979361dbc93fa90",
}

// TestReleasedNeverChange holds the released files to their bytes.
func TestReleasedNeverChange(t *testing.T) {
	t.Parallel()
	for name, want := range released {
		content, err := fs.ReadFile(migrations.FS, name)
		if got := fmt.Sprintf("%x", sha256.Sum256(content)); err != nil || got != want {
			t.Errorf("%s is released and has changed: SHA-256 %s, want %s (%v)", name, got, want, err)
		}
	}
}

// TestFrozen holds the files after the released ones to sql/: they are the step from the released
// version to this one. Until it is released "go generate" writes them again.
func TestFrozen(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, file := range freeze(t) {
		want[file.Name] = file.Content()
	}
	if *update {
		write(t, want)
		return
	}
	got := map[string]string{}
	for _, name := range unreleased(t) {
		content, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files are not what sql/ gives; run \"make generate\" (-want +got):\n%s", diff)
	}
}

func write(t *testing.T, files map[string]string) {
	t.Helper()
	for _, name := range unreleased(t) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func unreleased(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return released[name] != "" })
}

// TestFrozenIsHistory reads the frozen files as a migration directory: it installs exactly the runtime.
func TestFrozenIsHistory(t *testing.T) {
	t.Parallel()
	history, err := generator.Read(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[generator.ID]string{}, map[generator.ID]string{}
	for _, object := range runtime(t) {
		want[object.ID()] = object.SQL + object.Drop
	}
	for _, object := range history.Objects() {
		got[object.ID()] = object.SQL + object.Drop
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the frozen files install something else (-want +got):\n%s", diff)
	}
}

// TestTablesNeverChange compares each type and table with the frozen files alone: whoever edits one
// reads here what to do instead.
func TestTablesNeverChange(t *testing.T) {
	t.Parallel()
	history, err := generator.Read(releasedFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range history.Objects() {
		if object.Kind != generator.KindTable && object.Kind != generator.KindType && object.Kind != generator.KindUpgrade {
			continue
		}
		if !slices.ContainsFunc(runtime(t), func(o generator.Object) bool { return o.ID() == object.ID() && o.SQL == object.SQL }) {
			t.Errorf("%s %s is released and differs; write sql/upgrades/<version>/<name>.sql instead", object.Kind, object.Name)
		}
	}
}

// TestViewsNameTheirColumns: "*" would be the columns of the day on which the view was made, and
// installs of two ages would differ.
func TestViewsNameTheirColumns(t *testing.T) {
	t.Parallel()
	for _, object := range runtime(t) {
		if object.Kind == generator.KindView && regexp.MustCompile(`(?i)SELECT\s+(\w+\.)?\*`).MatchString(object.SQL) {
			t.Errorf("view %s selects *", object.Name)
		}
	}
}

// TestVersion holds the functions that know the runtime's version to the constant.
func TestVersion(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, object := range runtime(t) {
		name, _, _ := strings.Cut(object.Name, "(")
		texts[name] = object.SQL
	}
	for name, text := range map[string]string{
		"retention._version":     "SELECT '" + sqlfiles.Version + "'",
		"retention._stop_reason": "i.runtime_version <> '" + sqlfiles.Version + "'",
	} {
		if !strings.Contains(texts[name], text) {
			t.Errorf("%s does not say %s:\n%s", name, text, texts[name])
		}
	}
}

// releasedFiles are the released part of the directory.
func releasedFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for name := range released {
		content, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		dir[name] = &fstest.MapFile{Data: content}
	}
	return dir
}

// freeze is the step from what is released to sql/.
func freeze(t *testing.T) []generator.File {
	t.Helper()
	history, err := generator.Read(releasedFiles(t))
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
