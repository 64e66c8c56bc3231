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

// bootstrapping: roles belong to the server, and two statements about one role at once may fail.
var bootstrapping sync.Mutex

// standard is a default install: its section of the policy file, and the migration of the runtime.
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

// isDefault says whether the template has the runtime that an install section asks for.
func isDefault(in policy.Install) bool {
	own, _ := standard()
	return in.Schema == own.Schema && in.Roles == own.Roles
}

// runtime is a database in which the runtime of a default install is migrated already: that part
// is the same for all policies.
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

// database is a clone of the template for a default install, else an empty database.
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

// grant is the privilege on a database, which no clone has of its template.
const grant = "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO " + Migrator + "', current_database()); " +
	"END $$"

// copied are files that a test may edit.
func copied(files fstest.MapFS) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, f := range files {
		dir[name] = &fstest.MapFile{Data: bytes.Clone(f.Data)}
	}
	return dir
}

// asked are the installs that were asked for, by what was asked for.
var asked sync.Map

// ofDatabase matches SQL about the database as a whole, which clones do not inherit.
var ofDatabase = regexp.MustCompile(`(?i)\bdatabase\b`)

// repeated is an install that several tests ask for: the second makes a template of its own, and
// all from then on have clones of that.
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
		return fresh() // which fails as that of the template did
	}
	return r.clone(t)
}

// Clones makes a template of a default install as it is now, with the policies of yaml, and returns
// what makes clones of it. The sessions of this one are ended, and must not be used again.
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

// Next writes the step to the wanted objects into a directory, and returns its files.
func Next(dir fstest.MapFS, in policy.Install, wanted []generator.Object) ([]generator.File, error) {
	history, err := generator.Read(dir)
	if err != nil {
		return nil, err
	}
	files, err := generator.Next(history, wanted, generator.NextOptions{Roles: in.Roles, SearchPath: in.Path(),
		Trust: in.Trust})
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

// bootstrapDatabase is what a DBA does before the first migration.
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
