package life_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// TestRemovalStep holds that the step of "pgretain generate --uninstall" removes everything, that
// its Down installs everything again, and that a later step can install it once more.
func TestRemovalStep(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, shop, shopPolicies)
	wanted, list := in.Compile(t, shopPolicies)
	if list.HasErrors() {
		t.Fatal(list)
	}
	installed := kit.Catalog(t, in.DB, "retention")
	writeRemoval(t, in)

	in.Up(t)
	never := pgtest.Database(t)
	never.Exec(t, mayCreate+"; SET ROLE "+kit.Migrator+"; "+shop+"; RESET ROLE")
	removed := withoutVersions(kit.Catalog(t, in.DB, "retention"))
	if diff := cmp.Diff(kit.Catalog(t, never, "retention"), removed); diff != "" {
		t.Errorf("a database without pgretain (-) differs from one after the step (+):\n%s", diff)
	}

	for range 2 {
		if _, err := in.TryDown(t, false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
			t.Errorf("Down of the step (+) differs from the install (-):\n%s", diff)
		}
		in.WantConforms(t, wanted)
		in.Up(t)
	}

	in.Migrate(t, shopPolicies)
	if diff := cmp.Diff(installed, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("a second install (+) differs from the first (-):\n%s", diff)
	}
}

// writeRemoval adds the step that removes everything to the migrations.
func writeRemoval(t *testing.T, in *kit.Installed) {
	t.Helper()
	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	file := in.File.Install
	files, err := generator.NextRemoval(history, generator.NextOptions{Roles: file.Roles, SearchPath: file.Path(),
		Trust: file.Trust})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		in.Migrations[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	if history, err = generator.Read(in.Migrations); err != nil || len(history.Objects()) > 0 {
		t.Fatalf("after the step the migrations install %d objects: %v", len(history.Objects()), err)
	}
}

// withoutVersions returns a catalog without the schema that keeps the table of versions.
func withoutVersions(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return strings.Contains(line, "goose_db_version") || strings.Contains(line, "schema retention")
	})
}

// TestDownBelowAChangeOfTheApplication holds that a step can be undone while the tables have a
// change that the older policies do not know. Until the change is undone as well, runs trip.
func TestDownBelowAChangeOfTheApplication(t *testing.T) {
	t.Parallel()
	const policies = "policies: {bills: {table: app.bill, due: {age: {column: paid_at, older_than: 30 days}}, " +
		"then: [{archive: {into: app.old_bill}}, delete]}}"
	in := kit.Install(t, shop, policies)
	older := kit.Catalog(t, in.DB, "retention")
	in.Exec(t, "SET ROLE "+kit.Migrator+`; ALTER TABLE app.bill ADD COLUMN note text;
		ALTER TABLE app.old_bill ADD COLUMN note text; RESET ROLE`)
	in.Migrate(t, policies)
	if _, err := in.TryDown(t, false); err != nil {
		t.Fatalf("undoing the step below the change: %v", err)
	}
	if state := in.Run("bills", "2026-01-01").State; state != "tripped" {
		t.Errorf("a run of the older policy ended %q", state)
	}
	if left := pgtest.Value[int](t, in, "SELECT count(*) FROM app.bill"); left != 2 {
		t.Errorf("%d of 2 bills are left", left)
	}
	in.Exec(t, "SET ROLE "+kit.Migrator+`; ALTER TABLE app.bill DROP COLUMN note;
		ALTER TABLE app.old_bill DROP COLUMN note; RESET ROLE`)
	if diff := cmp.Diff(older, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("both undone (+) differs from before (-):\n%s", diff)
	}
	if state := in.Run("bills", "2026-01-01").State; state != "done" {
		t.Errorf("after both were undone, a run ended %q", state)
	}
	if left := pgtest.Column[int](t, in, "SELECT id::int FROM app.bill"); !slices.Equal(left, []int{2}) {
		t.Errorf("bills %v are left", left)
	}
}
