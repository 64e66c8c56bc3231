package tests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/policy"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// installRoles are roles that only these tests use, because all tests of a server share its roles.
var installRoles = policy.Roles{
	Owner:    "install_owner",
	Worker:   "install_worker",
	Runner:   "install_runner",
	Operator: "install_operator",
	Viewer:   `install viewer "1"`,
}

const installMigrator = "install_migrator"

// installable is a template database with a table that belongs to the migrating role.
var installable = pgtest.Template("installable", func(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, pgtest.MakeRole("install_migrator LOGIN")+pgtest.MakeRole("install_stranger LOGIN"))
	if err != nil {
		return err
	}
	var database string
	if err := conn.QueryRow(ctx, "SELECT current_database()").Scan(&database); err != nil {
		return err
	}
	script, err := install.Bootstrap(policy.Install{Schema: "keep", Roles: installRoles}, database, installMigrator)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, script+`
		CREATE SCHEMA app AUTHORIZATION install_migrator;
		CREATE TABLE app.m (id bigint, at timestamptz);
		ALTER TABLE app.m OWNER TO install_migrator;`)
	return err
})

// installDatabase clones the template, and grants CREATE on the clone. CREATE DATABASE does not
// copy privileges on the database.
func installDatabase(t *testing.T) *pgtest.DB {
	t.Helper()
	db := installable.Database(t)
	db.Exec(t, `DO $$ BEGIN
		EXECUTE format('GRANT CREATE ON DATABASE %I TO install_migrator', current_database());
	END $$`)
	return db
}

func installOptions() install.Options {
	return install.Options{
		Install: policy.Install{Schema: "keep", Scheduler: "none", Roles: installRoles},
		Path:    "migrations",
	}
}

// grow adds the migration that leads to the wanted objects to dir.
func grow(t *testing.T, dir fstest.MapFS, wanted ...generator.Object) {
	t.Helper()
	if _, err := kit.Next(dir, policy.Install{Roles: installRoles, SearchPath: []string{"app"}}, wanted); err != nil {
		t.Fatal(err)
	}
}

func installFunction(body string) generator.Object {
	return generator.Object{Kind: generator.KindFunction, Name: "keep.f()", As: generator.AsOwner, Policy: "p",
		SQL: "\n-- leading comment; with a semicolon\n" +
			"CREATE OR REPLACE FUNCTION keep.f() RETURNS text LANGUAGE plpgsql AS $function$" +
			body + "$function$;\nREVOKE ALL ON FUNCTION keep.f() FROM PUBLIC;\n",
		Drop: "DROP FUNCTION IF EXISTS keep.f();\n"}
}

func installIndex(name string) generator.Object {
	return generator.Object{Kind: generator.KindIndex, Name: "app." + name, As: generator.AsMigrator, Policy: "p",
		SQL: "DO $$ BEGIN PERFORM 1; END $$;\n-- next\nCREATE INDEX CONCURRENTLY IF NOT EXISTS " + name +
			" ON app.m (at);\n",
		Drop: "DROP INDEX CONCURRENTLY IF EXISTS app." + name + ";\n"}
}

const (
	bodyOne = "\n-- comment; ${HOME} $$ {{ . }}\nBEGIN  \n\n    RETURN 'größe; one';\nEND;\n"
	bodyTwo = "\nBEGIN\n    RETURN 'two';\nEND;\n"
)

func mustUp(t *testing.T, db *pgtest.DB, dir fs.FS, want int) {
	t.Helper()
	done, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	if err != nil {
		t.Fatalf("%+v", install.Diagnostics(err))
	}
	if len(done) != want {
		t.Fatalf("applied %v, want %d migrations", done, want)
	}
}

func mustDown(t *testing.T, db *pgtest.DB, dir fs.FS, all bool, want int) {
	t.Helper()
	o := installOptions()
	o.All = all
	done, err := install.Down(t.Context(), db.URL(installMigrator), dir, o)
	if err != nil {
		t.Fatalf("%+v", install.Diagnostics(err))
	}
	if len(done) != want {
		t.Fatalf("undid %v, want %d migrations", done, want)
	}
}

const liveBody = "SELECT coalesce(max(prosrc), '') FROM pg_proc WHERE pronamespace = 'keep'::regnamespace"

func liveIndexes(t *testing.T, db *pgtest.DB) []string {
	t.Helper()
	return pgtest.Column[string](t, db,
		"SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = "+
			"'app.m'::regclass AND indisvalid ORDER BY 1")
}

func TestMigrateUpAndDown(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne), installIndex("m_one"))
	mustDown(t, db, dir, true, 0)
	mustUp(t, db, dir, 2)
	mustUp(t, db, dir, 0)
	if diff := cmp.Diff(bodyOne, pgtest.Value[string](t, db, liveBody)); diff != "" {
		t.Errorf("body is not installed to the byte (-want +got)\n%s", diff)
	}
	grow(t, dir, installFunction(bodyTwo), installIndex("m_two"))
	mustUp(t, db, dir, 3)
	if diff := cmp.Diff([]string{"m_two"}, liveIndexes(t, db)); diff != "" {
		t.Error(diff)
	}
	mustDown(t, db, dir, false, 3)
	if diff := cmp.Diff(bodyOne, pgtest.Value[string](t, db, liveBody)); diff != "" {
		t.Errorf("Down does not restore the body to the byte (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"m_one"}, liveIndexes(t, db)); diff != "" {
		t.Error(diff)
	}
	mustDown(t, db, dir, true, 2)
	if pgtest.Value[bool](t, db, "SELECT to_regnamespace('keep') IS NOT NULL") || len(liveIndexes(t, db)) != 0 {
		t.Errorf("the last Down leaves the schema, or indexes: %v", liveIndexes(t, db))
	}
	mustUp(t, db, dir, 5)
}

// TestMigrateDownKeepsTheSchema checks that Down keeps a schema that existed before the
// installation, and one that the migrating role could not create again. Down drops the table of
// versions.
func TestMigrateDownKeepsTheSchema(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string][2]string{
		"before": {"CREATE SCHEMA keep AUTHORIZATION " + installRoles.Owner, ""},
		"no CREATE on the database": {"", `DO $$ BEGIN
			EXECUTE format('REVOKE CREATE ON DATABASE %I FROM install_migrator', current_database());
		END $$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, dir := installDatabase(t), fstest.MapFS{}
			grow(t, dir, installFunction(bodyOne))
			db.Exec(t, sql[0])
			mustUp(t, db, dir, 1)
			db.Exec(t, sql[1])
			mustDown(t, db, dir, true, 1)
			mustDown(t, db, dir, true, 0)
			if left := pgtest.Column[string](t, db,
				"SELECT relname::text FROM pg_class WHERE relnamespace = 'keep'::regnamespace"); len(left) > 0 {
				t.Errorf("schema keep contains %v after Down, want nothing", left)
			}
			mustUp(t, db, dir, 1)
		})
	}
}

func TestInstalledObjectsBelongToTheOwner(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne))
	mustUp(t, db, dir, 1)
	owners := pgtest.Column[string](t, db, `
		SELECT DISTINCT pg_get_userbyid(owner)::text FROM (
			SELECT nspowner FROM pg_namespace WHERE nspname = 'keep'
			UNION ALL SELECT relowner FROM pg_class WHERE relnamespace = 'keep'::regnamespace
			UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = 'keep'::regnamespace) AS o (owner)`)
	if diff := cmp.Diff([]string{installRoles.Owner}, owners); diff != "" {
		t.Error(diff)
	}
}

func TestStatusWritesNothing(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne), installIndex("m_one"))
	states := func() (states []bool) {
		all, err := install.Status(t.Context(), db.URL("install_stranger"), dir, installOptions())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			states = append(states, m.Applied && m.AppliedAt != "")
		}
		return states
	}
	if diff := cmp.Diff([]bool{false, false}, states()); diff != "" {
		t.Error(diff)
	}
	if pgtest.Value[bool](t, db, "SELECT to_regnamespace('keep') IS NOT NULL") {
		t.Error("status created the schema")
	}
	mustUp(t, db, dir, 2)
	db.Exec(t, `
		GRANT USAGE ON SCHEMA keep TO install_stranger;
		GRANT SELECT ON keep.goose_db_version TO install_stranger`)
	if diff := cmp.Diff([]bool{true, true}, states()); diff != "" {
		t.Error(diff)
	}
}

func TestStatementErrorSaysWhere(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	dir := fstest.MapFS{"00001_users_own.sql": {Data: []byte("-- +goose Up\r\nSELECT 1;\r\nSELECT 1;\r\n\r\n" +
		"-- +goose StatementBegin\r\nSELECT 'größe',\r\n  'ü' || nowhere;\r\n-- +goose StatementEnd\r\n-- +goose " +
		"Down\r\nSELECT 'größe';\r\n")}}
	_, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	var got *install.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	if want := `migrations/00001_users_own.sql:7:10: column "nowhere" does not exist [42703]`; got.Error() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStatementErrorSaysWhichOfMany checks the line of an execution error in a generated file.
// goose sends the file as one statement, and the server gives no position for such an error.
func TestStatementErrorSaysWhichOfMany(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	second := installFunction(bodyOne)
	second.Name = "keep.second()"
	second.SQL = "-- it fails\nSELECT 1;\n-- here; not there\nDO 'BEGIN RAISE EXCEPTION ''no''; END';\nSELECT 2;\n"
	grow(t, dir, installFunction(bodyOne), second)
	_, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	var got *install.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v", err)
	}
	lines := strings.Split(string(dir["00001_retention_policies.sql"].Data), "\n")
	if want := "DO 'BEGIN RAISE EXCEPTION ''no''; END';"; got.Message != "no" || lines[got.Position.Line-1] != want {
		t.Errorf("got %v, want the line of %s", got, want)
	}
}

func TestUpGoesOnWhereItFailed(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	broken := installIndex("m_two")
	broken.SQL = strings.Replace(broken.SQL, "(at)", "((1 / (id - 7)))", 1)
	grow(t, dir, installFunction(bodyOne), installIndex("m_one"), broken)
	db.Exec(t, "INSERT INTO app.m VALUES (7)")
	done, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	var got *install.Error
	if !errors.As(err, &got) || got.Code.String() != "22012" || len(done) != 0 {
		t.Fatalf("got %v and %v", done, err)
	}
	db.Exec(t, "DELETE FROM app.m; DROP INDEX app.m_two")
	mustUp(t, db, dir, 2)
	if diff := cmp.Diff([]string{"m_one", "m_two"}, liveIndexes(t, db)); diff != "" {
		t.Error(diff)
	}
}

func TestUpRefusesADirectoryThatDoesNotFit(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne))
	dir["00005_users_own.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nSELECT 1;\n")}
	mustUp(t, db, dir, 2)
	refused := func(part string) {
		t.Helper()
		_, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
		var check *install.Error
		if !errors.As(err, &check) || !strings.Contains(check.Message, part) || check.Hint == "" {
			t.Errorf("got %v, want %q and a hint", err, part)
		}
	}
	dir["00003_late.sql"] = dir["00005_users_own.sql"]
	refused("00005_users_own.sql is applied, but earlier files are not: 00003_late.sql")
	delete(dir, "00003_late.sql")
	delete(dir, "00005_users_own.sql")
	refused("the directory does not have: 5")
}

func TestSecondMigratorNamesTheFirst(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne))
	holder := db.Conn(t, installMigrator)
	pgtest.Exec(t, holder, "SET application_name = 'first'")
	pgtest.Exec(t, holder, "SELECT pg_advisory_lock(hashtextextended('pgretain migrate ' || $1, 0))", "keep")
	o := installOptions()
	o.LockTimeout = time.Millisecond
	_, err := install.Up(t.Context(), db.URL(installMigrator), dir, o)
	var check *install.Error
	pid := pgtest.Value[string](t, holder, "SELECT pg_backend_pid()::text")
	want := fmt.Sprintf(`another migration of schema "keep" is running in pid %s
Waited 1ms for its lock, which is held by role "install_migrator", application "first".
Wait for it to end; SELECT * FROM pg_stat_activity WHERE pid = %[1]s shows what it does.`, pid)
	if !errors.As(err, &check) {
		t.Fatalf("got %v", err)
	}
	if got := check.Message + "\n" + check.Detail + "\n" + check.Hint; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestUpEndsWithItsSession checks that Up stops when its session ends. The session holds the lock,
// and a second one would continue without it.
func TestUpEndsWithItsSession(t *testing.T) {
	t.Parallel()
	db := installDatabase(t)
	dir := fstest.MapFS{
		"00001_users_own.sql": {Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nSELECT " +
			"pg_terminate_backend(pg_backend_pid());\n")},
		"00002_users_own.sql": {Data: []byte("-- +goose Up\nCREATE TABLE app.late ();\n")},
	}
	done, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
	if err == nil || len(done) != 0 || pgtest.Value[bool](t, db, "SELECT to_regclass('app.late') IS NOT NULL") {
		t.Errorf("got %v and %v", done, err)
	}
}

// TestWaitingMigratorDoesNotHoldUpAnIndexBuild checks that a migrator that waits for the lock holds
// no snapshot. CREATE INDEX CONCURRENTLY in the session with the lock would wait for this snapshot.
func TestWaitingMigratorDoesNotHoldUpAnIndexBuild(t *testing.T) {
	t.Parallel()
	db, dir := installDatabase(t), fstest.MapFS{}
	grow(t, dir, installFunction(bodyOne), installIndex("m_one"))
	writer := db.Conn(t, installMigrator)
	pgtest.Exec(t, writer, "BEGIN; INSERT INTO app.m VALUES (1)")
	results := make(chan error, 2)
	up := func() {
		_, err := install.Up(t.Context(), db.URL(installMigrator), dir, installOptions())
		results <- err
	}
	go up()
	pgtest.Until(t, db, `SELECT count(*) > 0 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE NOT granted AND query LIKE 'CREATE INDEX CONC%' AND datname = current_database()`)
	go up()
	pgtest.Until(t, db, `SELECT count(*) > 0 FROM pg_stat_activity
		WHERE query LIKE '%pg_try_advisory_lock%' AND application_name = 'pgretain migrate'
		  AND datname = current_database() AND pid <> pg_backend_pid()`)
	pgtest.Exec(t, writer, "COMMIT")
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("%+v", install.Diagnostics(err))
		}
	}
	if diff := cmp.Diff([]string{"m_one"}, liveIndexes(t, db)); diff != "" {
		t.Error(diff)
	}
}
