package kit

import (
	"context"
	"slices"
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

// runtime is a database in which the runtime of a default install is migrated already: that part
// is the same for all policies.
var runtime = pgtest.Template("kit", func(ctx context.Context, conn *pgx.Conn) error {
	file, list := Parse("policies: {p: {table: t, where: true, then: [delete]}}")
	if file == nil {
		return &install.CheckError{Message: text(list, "")}
	}
	if err := bootstrapDatabase(ctx, conn, file.Install); err != nil {
		return err
	}
	dir, err := runtimeMigration(file)
	if err != nil {
		return err
	}
	address, separator := conn.Config().ConnString(), "?"
	if strings.Contains(address, separator) {
		separator = "&"
	}
	_, err = install.Up(ctx, address+separator+"user="+Migrator, dir, install.Options{Install: file.Install, Path: "migrations"})
	return err
})

// database is a clone of the template for a default install, else an empty database.
func database(t testing.TB, file *policy.File) (*pgtest.DB, fstest.MapFS) {
	t.Helper()
	standard, _ := Parse("policies: {p: {table: t, where: true, then: [delete]}}")
	if file.Install.Schema != standard.Install.Schema || file.Install.Roles != standard.Install.Roles {
		db := pgtest.Database(t)
		bootstrap(t, db, file.Install)
		return db, fstest.MapFS{}
	}
	db := runtime.Database(t)
	db.Exec(t, "GRANT CREATE ON SCHEMA public TO "+Migrator)
	db.Exec(t, "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO "+Migrator+"', current_database()); END $$")
	dir, err := runtimeMigration(standard)
	if err != nil {
		t.Fatal(err)
	}
	return db, dir
}

func runtimeMigration(file *policy.File) (fstest.MapFS, error) {
	objects, err := generator.Runtime(file.Install)
	if err != nil {
		return nil, err
	}
	dir := fstest.MapFS{}
	return dir, next(dir, file, objects)
}

func next(dir fstest.MapFS, file *policy.File, objects []generator.Object) error {
	history, err := generator.Read(dir)
	if err != nil {
		return err
	}
	files, err := generator.Next(history, objects, generator.NextOptions{
		Roles: file.Install.Roles, SearchPath: slices.Concat([]string{"pg_catalog"}, file.Install.SearchPath, []string{"pg_temp"}),
	})
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Content())}
	}
	return err
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
	_, err := conn.Exec(ctx, `DO $$ BEGIN
		IF to_regrole('`+Migrator+`') IS NULL THEN CREATE ROLE `+Migrator+` LOGIN; END IF;
	END $$`)
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
