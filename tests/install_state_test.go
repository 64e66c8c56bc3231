package tests

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/pgtest"
)

// twoSides are two branches of one history, each with a step of its own in a file of the same name.
func twoSides(t *testing.T) (base, ours, theirs fstest.MapFS) {
	t.Helper()
	base = fstest.MapFS{}
	grow(t, base, installFunction(bodyOne))
	ours, theirs = maps.Clone(base), maps.Clone(base)
	grow(t, ours, installFunction(bodyTwo))
	grow(t, theirs, installFunction(strings.Replace(bodyTwo, "two", "three", 1)))
	return base, ours, theirs
}

const versionTwo = "00002_retention_policies.sql"

// refusedBoth wants Up and Down to refuse with this message and a part of a hint.
func refusedBoth(t *testing.T, db *pgtest.DB, dir fstest.MapFS, message, hint string) {
	t.Helper()
	_, up := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	_, down := install.Down(t.Context(), db.URL(installMigrator), dir, installOptions(), true)
	for _, err := range []error{up, down} {
		var check *install.CheckError
		if !errors.As(err, &check) || check.Message != message || !strings.Contains(check.Hint, hint) {
			t.Errorf("got %+v, want %q", install.Diagnostics(err), message)
		}
	}
}

// A database that has one side of a fork applied refuses the directory where that side was written
// again, until it has gone back: then it ends up like any other.
func TestMigrateKnowsAnotherFileOfTheSameNumber(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	base, ours, theirs := twoSides(t)
	mustUp(t, db, theirs, 2)

	merged := maps.Clone(ours)
	grow(t, merged, installFunction(bodyOne))
	refusedBoth(t, db, merged, "the database was migrated with other files of these numbers: "+versionTwo, "pgretain migrate down")
	all, err := install.Status(t.Context(), db.URL(installMigrator), merged, installOptions())
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, m := range all {
		states = append(states, map[bool]string{true: "applied", false: "pending"}[m.Applied]+map[bool]string{true: " differs"}[m.Differs])
	}
	if diff := cmp.Diff([]string{"applied", "applied differs", "pending"}, states); diff != "" {
		t.Error(diff)
	}
	own := maps.Clone(base)
	own[versionTwo] = &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	refusedBoth(t, db, own, "the database was migrated with other files of these numbers: "+versionTwo, "pgretain migrate down")

	mustDown(t, db, theirs, false, 1)
	mustUp(t, db, merged, 2)
	if diff := cmp.Diff(bodyOne, pgtest.Value[string](t, db, liveBody)); diff != "" {
		t.Error(diff)
	}
}

func TestMigrateKnowsARenumberedFile(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	mustUp(t, db, ours, 2)
	renamed := maps.Clone(ours)
	renamed["00002_any_name.sql"] = renamed[versionTwo]
	delete(renamed, versionTwo)
	mustUp(t, db, renamed, 0)
	renamed["00007_any_name.sql"] = renamed["00002_any_name.sql"]
	delete(renamed, "00002_any_name.sql")
	refusedBoth(t, db, renamed, "the database has migrations that the directory has not: 2",
		"Version 2 is 00007_any_name.sql: give it back its number.")
}

// What another tool applied is not known by its state, and refuses nothing; our column is added to a
// table that lacks it, and files of the user's own have no state.
func TestMigrateAfterAnotherTool(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, theirs := twoSides(t)
	mustUp(t, db, ours, 2)
	db.Exec(t, "ALTER TABLE keep.goose_db_version DROP COLUMN pgretain_state")
	mustUp(t, db, theirs, 0)
	theirs["00003_own.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	grow(t, theirs, installFunction(bodyOne))
	mustUp(t, db, theirs, 2)
	history, err := generator.Read(theirs)
	if err != nil {
		t.Fatal(err)
	}
	recorded := pgtest.Column[string](t, db, "SELECT coalesce(pgretain_state, '') FROM keep.goose_db_version ORDER BY version_id")
	if diff := cmp.Diff([]string{"", "", "", "", history.State()}, recorded); diff != "" {
		t.Error(diff)
	}
}

// A pending file below an applied one: whose it is decides what to do.
func TestPendingBelowApplied(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	mustUp(t, db, ours, 2)
	db.Exec(t, "DELETE FROM keep.goose_db_version WHERE version_id = 1")
	_, err := install.Up(t.Context(), db.URL(installMigrator), ours, installOptions())
	var check *install.CheckError
	if !errors.As(err, &check) || check.Message != versionTwo+" is applied, but earlier files are not: 00001_retention_policies.sql" ||
		!strings.Contains(check.Hint, "Later generated files build on these.") {
		t.Errorf("got %+v", install.Diagnostics(err))
	}
}

// Migrations in Go belong to a program of the user's own: said before anything is changed.
func TestMigrationsInGoAreRefused(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	_, ours, _ := twoSides(t)
	ours["00003_own.go"] = &fstest.MapFile{Data: []byte("package migrations\n")}
	refusedBoth(t, db, ours, "the directory holds migrations in Go: 00003_own.go", "your own program")
	if pgtest.Value[bool](t, db, "SELECT to_regnamespace('keep') IS NOT NULL") {
		t.Error("the refusal created the schema")
	}
	ours["00003_own_test.go"] = ours["00003_own.go"]
	delete(ours, "00003_own.go")
	mustUp(t, db, ours, 2)
}
