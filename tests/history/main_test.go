// Package history takes installations through the life of their policy files: step by step forward,
// and back.
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

// down undoes the last step.
func down(t *testing.T, in *kit.Installed) {
	t.Helper()
	done, err := in.TryDown(t, false)
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
	files, err := kit.Next(in.Migrations, in.File.Install, wanted)
	if err != nil {
		t.Fatal(err)
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
