package kit

import (
	"bytes"
	"context"
	"strings"
	"sync"
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
	_, err := install.Up(ctx, address+separator+"user="+Migrator, dir, install.Options{Install: own, Path: "migrations"})
	return err
})

// database is a clone of the template for a default install, else an empty database.
func database(t testing.TB, file *policy.File) (*pgtest.DB, fstest.MapFS) {
	t.Helper()
	own, migrated := standard()
	if file.Install.Schema != own.Schema || file.Install.Roles != own.Roles {
		db := pgtest.Database(t)
		bootstrap(t, db, file.Install)
		return db, fstest.MapFS{}
	}
	db := runtime.Database(t)
	db.Exec(t, "GRANT CREATE ON SCHEMA public TO "+Migrator)
	db.Exec(t, "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO "+Migrator+"', current_database()); END $$")
	dir := fstest.MapFS{}
	for name, f := range migrated { // tests edit files
		dir[name] = &fstest.MapFile{Data: bytes.Clone(f.Data)}
	}
	return db, dir
}

// Next writes the step to the wanted objects into a directory, and returns its files.
func Next(dir fstest.MapFS, in policy.Install, wanted []generator.Object) ([]generator.File, error) {
	history, err := generator.Read(dir)
	if err != nil {
		return nil, err
	}
	files, err := generator.Next(history, wanted, generator.NextOptions{Roles: in.Roles, SearchPath: in.Path()})
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Content())}
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
