package kit

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/policy"
	"pgretain/tests/pgtest"
)

// bootstrapping serializes the creation of roles. Roles belong to the server, and two concurrent
// statements about one role may fail.
var bootstrapping sync.Mutex

// standard returns the install section of a default policy file, and the migration that installs
// the runtime for it.
var standard = sync.OnceValues(func() (policy.Install, fstest.MapFS) {
	file, list := Parse("policies: {p: {table: t, where: true, then: [delete]}}")
	if file == nil {
		panic(text(list, ""))
	}
	dir := fstest.MapFS{}
	if _, err := Next(dir, file.Install, generator.Runtime(file.Install)); err != nil {
		panic(err)
	}
	return file.Install, dir
})

// isDefault reports whether the template has the runtime that an install section needs.
func isDefault(in policy.Install) bool {
	own, _ := standard()
	return in.Schema == own.Schema && in.Roles == own.Roles
}

// runtime is a template database into which the runtime of a default install is migrated. The
// runtime is the same for all policies.
var runtime = pgtest.Template("kit", func(ctx context.Context, conn *pgx.Conn) error {
	own, dir := standard()
	if err := bootstrapDatabase(ctx, conn, own); err != nil {
		return err
	}
	address, separator := conn.Config().ConnString(), "?"
	if strings.Contains(address, separator) {
		separator = "&"
	}
	_, err := install.Up(ctx, address+separator+"user="+Migrator, dir,
		install.Options{Install: own, Path: "migrations"})
	return err
})

// database clones the template for a default install. For any other install it creates an empty
// database.
func database(t testing.TB, file *policy.File) (*pgtest.DB, fstest.MapFS) {
	t.Helper()
	_, migrated := standard()
	if !isDefault(file.Install) {
		db := pgtest.Database(t)
		bootstrap(t, db, file.Install)
		return db, fstest.MapFS{}
	}
	db := runtime.Database(t)
	db.Exec(t, "GRANT CREATE ON SCHEMA public TO "+Migrator+"; "+grant)
	return db, copied(migrated)
}

// grant gives the migrator CREATE on the current database. CREATE DATABASE does not copy the
// privileges of a template.
const grant = `DO $$ BEGIN
	EXECUTE format('GRANT CREATE ON DATABASE %I TO ` + Migrator + `', current_database());
END $$`

// copied returns a copy of the files, which a test may edit.
func copied(files fstest.MapFS) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, f := range files {
		dir[name] = &fstest.MapFile{Data: bytes.Clone(f.Data)}
	}
	return dir
}

// asked maps the arguments of a call of Install to a *repeated.
var asked sync.Map

// ofDatabase matches SQL about the database as a whole. Clones do not inherit settings and
// privileges of a database.
var ofDatabase = regexp.MustCompile(`(?i)\bdatabase\b`)

// repeated is an install that several tests may ask for. The first call installs into a database of
// its own. The second call builds a template; it and all later calls get clones of the template.
type repeated struct {
	before atomic.Bool
	made   sync.Once
	clone  func(testing.TB) *Installed
}

func (r *repeated) install(t testing.TB, yaml string, fresh func() *Installed) *Installed {
	t.Helper()
	if !r.before.Swap(true) {
		return fresh()
	}
	r.made.Do(func() { r.clone = fresh().Clones(t, yaml) })
	if r.clone == nil {
		return fresh() // fails for the same reason as the template
	}
	return r.clone(t)
}

// Clones makes a template of a default install in its present state, with the policies of the
// parameter "yaml". It returns a function that clones the template. Clones ends all sessions of the
// installation. Callers must not use the installation afterwards.
func (in *Installed) Clones(t testing.TB, yaml string) func(testing.TB) *Installed {
	t.Helper()
	template := in.DB.Template(t)
	return func(t testing.TB) *Installed {
		t.Helper()
		clone := &Installed{DB: template.Database(t), Migrations: copied(in.Migrations), Catalog: in.Catalog, t: t}
		clone.File, _ = Parse(yaml)
		clone.Exec(t, grant+`; UPDATE retention.install SET database_name = current_database();
			UPDATE retention.policy SET installed_at = now(); UPDATE retention.job SET installed_at = now()`)
		return clone
	}
}

// Next generates the migration that leads to the wanted objects, adds it to dir, and returns its
// files.
func Next(dir fstest.MapFS, in policy.Install, wanted []generator.Object) ([]generator.File, error) {
	history, err := generator.Read(dir)
	if err != nil {
		return nil, err
	}
	files, err := generator.Next(history, wanted,
		generator.NextOptions{Roles: in.Roles, SearchPath: in.Path(), Trust: in.Trust})
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	return files, err
}

func bootstrap(t testing.TB, db *pgtest.DB, in policy.Install) {
	t.Helper()
	if err := bootstrapDatabase(t.Context(), db.Conn(t), in); err != nil {
		t.Fatal(err)
	}
}

// bootstrapDatabase does what a DBA does before the first migration.
func bootstrapDatabase(ctx context.Context, conn *pgx.Conn, in policy.Install) error {
	bootstrapping.Lock()
	defer bootstrapping.Unlock()
	_, err := conn.Exec(ctx, pgtest.MakeRole(Migrator+" LOGIN"))
	if err != nil {
		return err
	}
	script, err := install.Bootstrap(in, conn.Config().Database, Migrator)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, script+"GRANT CREATE ON SCHEMA public TO "+Migrator)
	return err
}
