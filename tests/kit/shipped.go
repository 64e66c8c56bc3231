package kit

import (
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/policy"
	"pgretain/tests/fixture"
	"pgretain/tests/pgtest"
)

// origins maps the directory of an example to its *pgtest.Origin, a server with the example
// installed.
var origins sync.Map

// Shipped installs an example from its checked-in files, on a server that only this test uses. It
// executes roles.sql if the directory has this file. Then it executes schema.sql as the migrating
// role, and the migrations that the generator writes for the example. The example is installed once
// per test binary, and each test gets a copy. pg_cron has the jobs, but starts no job before a test
// calls StartJobs.
func Shipped(t testing.TB, dir string) *Installed {
	t.Helper()
	origin, _ := origins.LoadOrStore(dir, &pgtest.Origin{})
	db := origin.(*pgtest.Origin).Copy(t, func(db *pgtest.DB) {
		in := shippedOn(t, db, dir)
		in.Up(t)
		in.DB.Exec(t, "UPDATE cron.job SET active = false")
	})
	db.Exec(t, `
		SELECT retention.adopt('a copy for a test');
		UPDATE cron.job SET nodename = current_setting('cron.host')`)
	return &Installed{DB: db, File: shippedPolicy(t, dir), Migrations: migrations(t, dir), t: t}
}

// ShippedFiles works like Shipped, but applies no migration.
func ShippedFiles(t testing.TB, dir string) *Installed {
	t.Helper()
	return shippedOn(t, pgtest.CronServer(t), dir)
}

func shippedOn(t testing.TB, db *pgtest.DB, dir string) *Installed {
	t.Helper()
	file := shippedPolicy(t, dir)
	bootstrap(t, db, file.Install)
	if _, err := os.Stat(filepath.Join(dir, "roles.sql")); err == nil {
		db.Exec(t, fixture.ReadFile(t, dir, "roles.sql"))
	}
	db.Exec(t, "SET ROLE "+Migrator+"; "+fixture.ReadFile(t, dir, "schema.sql")+"; RESET ROLE")
	return &Installed{DB: db, File: file, Migrations: migrations(t, dir), t: t}
}

func shippedPolicy(t testing.TB, dir string) *policy.File {
	t.Helper()
	yaml := fixture.ReadFile(t, dir, "retention.yaml")
	file, list := policy.Parse("retention.yaml", []byte(yaml))
	if file == nil {
		t.Fatalf("the policy is refused:\n%s", text(list, yaml))
	}
	return file
}

// WantedObjects returns the objects that the generator wants for an example, compiled from the
// example's policy file and catalog snapshot.
func (in *Installed) WantedObjects(t testing.TB, dir string) []generator.Object {
	t.Helper()
	snapshot := Snapshot(t, dir)
	in.Catalog = snapshot
	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	wanted, list := generator.Compile(in.File, snapshot, history)
	if list.HasErrors() {
		t.Fatalf("the policy does not compile:\n%s", text(list, fixture.ReadFile(t, dir, "retention.yaml")))
	}
	return wanted
}

// Snapshot returns the catalog snapshot of an example.
func Snapshot(t testing.TB, dir string) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(fixture.ReadFile(t, dir, catalog.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// StartJobs activates the jobs, so that pg_cron starts them.
func (in *Installed) StartJobs() {
	in.t.Helper()
	in.DB.Exec(in.t, "UPDATE cron.job SET active = true")
}

// CopyExample copies an example into a directory of the test, and writes its migrations there.
func CopyExample(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, "migrations")
	if err := os.RemoveAll(path); err != nil { // of a call of "pgretain generate"
		t.Fatal(err)
	}
	if err := os.CopyFS(path, migrations(t, dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// generated maps the directory of an example to its migrations, a fstest.MapFS.
var generated sync.Map

// migrations returns the migrations that the generator writes for an example.
func migrations(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	if files, ok := generated.Load(dir); ok {
		return maps.Clone(files.(fstest.MapFS))
	}
	in := &Installed{File: shippedPolicy(t, dir), Migrations: fstest.MapFS{}}
	if _, err := Next(in.Migrations, in.File.Install, in.WantedObjects(t, dir)); err != nil {
		t.Fatal(err)
	}
	generated.Store(dir, in.Migrations)
	return maps.Clone(in.Migrations)
}
