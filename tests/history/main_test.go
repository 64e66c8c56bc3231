// Package history tests sequences of changes to a policy file. It applies the migrations of each
// change, and undoes them.
package history

import (
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

// down undoes the last migration.
func down(t *testing.T, in *kit.Installed) {
	t.Helper()
	done, err := in.TryDown(t, false)
	if err != nil {
		t.Fatalf("undoing the last migration: %v %+v", err, install.Diagnostics(err))
	}
	if len(done) == 0 {
		t.Fatal("down undid no migration")
	}
}

// wantCatalog compares the catalog of the database with an earlier one, or with that of another
// database.
func wantCatalog(t *testing.T, in *kit.Installed, want []string, when string) {
	t.Helper()
	if diff := cmp.Diff(want, kit.Catalog(t, in.DB, in.File.Install.Schema)); diff != "" {
		t.Fatalf("the catalog differs %s (-want +got)\n%s", when, diff)
	}
}

// grow generates the migration that leads to the wanted objects, and returns its files.
func grow(t *testing.T, in *kit.Installed, wanted []generator.Object) []generator.File {
	t.Helper()
	files, err := kit.Next(in.Migrations, in.File.Install, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// names returns the sorted names of files.
func names(dir fstest.MapFS) []string {
	var list []string
	for name := range dir {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
