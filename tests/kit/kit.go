// Package kit installs policies into a database that only one test uses. It goes the whole way of a
// user: a YAML file, a catalog snapshot, generated migrations, and install.Up as a role that is not
// a superuser.
package kit

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
	"pgretain/tests/pgtest"
)

// Migrator is the role that owns the application's tables and runs the migrations.
const Migrator = "kit_migrator"

// Installed is a database in which the policies of one file are installed.
type Installed struct {
	*pgtest.DB
	File       *policy.File
	Migrations fstest.MapFS
	Catalog    *catalog.Snapshot // the snapshot of the last Compile

	t      testing.TB
	runner *pgx.Conn
	viewer *pgx.Conn
}

// Option changes how Install and Prepare set up the database.
type Option func(*settings)

type settings struct {
	before []string
	on     *pgtest.DB
}

// Before runs SQL as the superuser before the schema is created, for example CREATE EXTENSION.
func Before(sql string) Option {
	return func(s *settings) { s.before = append(s.before, sql) }
}

// On installs into an existing database, for example one with pg_cron.
func On(db *pgtest.DB) Option { return func(s *settings) { s.on = db } }

// Install creates a database, executes the SQL of "schema" as the migrating role, and installs the
// policies of "yaml". It adds "version" and "install: {scheduler: none}" if the YAML lacks them. A
// second call with the same arguments returns a clone.
func Install(t testing.TB, schema, yaml string, options ...Option) *Installed {
	t.Helper()
	fresh := func() *Installed {
		t.Helper()
		in := Prepare(t, schema, yaml, options...)
		in.Migrate(t, yaml)
		return in
	}
	s := chosen(options)
	key := strings.Join(append(s.before, schema, yaml), "\x00")
	if file, _ := Parse(yaml); s.on != nil || file == nil || !isDefault(file.Install) || ofDatabase.MatchString(key) {
		return fresh()
	}
	r, _ := asked.LoadOrStore(key, &repeated{})
	return r.(*repeated).install(t, yaml, fresh)
}

func chosen(options []Option) (s settings) {
	for _, option := range options {
		option(&s)
	}
	return s
}

// Prepare works like Install, but installs no policy. Tests use it if they expect Compile or
// Migrate to fail.
func Prepare(t testing.TB, schema, yaml string, options ...Option) *Installed {
	t.Helper()
	file, list := Parse(yaml)
	if file == nil {
		t.Fatalf("the policy is refused:\n%s", text(list, yaml))
	}
	s := chosen(options)
	db, dir := s.on, fstest.MapFS{}
	if db == nil {
		db, dir = database(t, file)
	} else {
		bootstrap(t, db, file.Install)
	}
	for _, sql := range s.before {
		db.Exec(t, sql)
	}
	db.Exec(t, "SET ROLE "+Migrator+"; "+schema+"; RESET ROLE")
	return &Installed{DB: db, File: file, Migrations: dir, t: t}
}

// Parse makes the same additions to a policy file as Install, and reads it.
func Parse(yaml string) (*policy.File, diag.List) {
	if !strings.Contains(yaml, "install:") {
		yaml = "install: {scheduler: none}\n" + yaml
	}
	if !strings.Contains(yaml, "version:") {
		yaml = "version: 1\n" + yaml
	}
	return policy.Parse("retention.yaml", []byte(yaml))
}

// TryMigrate generates the next step for a policy file, applies it, and returns the error of the
// database.
func (in *Installed) TryMigrate(t testing.TB, yaml string) ([]install.Migration, error) {
	t.Helper()
	in.Generate(t, yaml)
	return in.TryUp(t)
}

// Migrate generates the next step for a policy file and applies it. Before that, the server parses
// each expression of the policies, as in "pgretain migrate up".
func (in *Installed) Migrate(t testing.TB, yaml string) {
	t.Helper()
	conn := in.Conn(t)
	in.generate(t, conn, yaml)
	pgtest.Exec(t, conn, "SET search_path = "+quote.Idents(in.File.Install.Path()))
	for _, check := range generator.Checks(in.File, in.Catalog) {
		if _, err := conn.Exec(t.Context(), check.SQL); err != nil {
			t.Errorf("%s compiles, but the server refuses it: %v", check.Expr.SQL, err)
		}
	}
	in.Up(t)
}

// Generate writes the next step for a policy file. Up or TryUp applies this step.
func (in *Installed) Generate(t testing.TB, yaml string) {
	t.Helper()
	in.generate(t, in.Conn(t), yaml)
}

func (in *Installed) generate(t testing.TB, conn *pgx.Conn, yaml string) {
	t.Helper()
	objects, list := in.compile(t, conn, yaml)
	if list.HasErrors() {
		t.Fatalf("the policy does not compile:\n%s", text(list, yaml))
	}
	if _, err := Next(in.Migrations, in.File.Install, objects); err != nil {
		t.Fatal(err)
	}
}

// Compile parses a policy file and compiles it against a snapshot of all tables of the database.
func (in *Installed) Compile(t testing.TB, yaml string) ([]generator.Object, diag.List) {
	t.Helper()
	return in.compile(t, in.Conn(t), yaml)
}

func (in *Installed) compile(t testing.TB, conn *pgx.Conn, yaml string) ([]generator.Object, diag.List) {
	t.Helper()
	file, list := Parse(yaml)
	if file == nil {
		return nil, list
	}
	in.File = file
	history, err := generator.Read(in.Migrations)
	if err != nil {
		t.Fatal(err)
	}
	request := inspect.Request{
		Tables:     pgtest.Column[string](t, in, allTables, file.Install.Schema),
		SearchPath: file.Install.SearchPath, Runtime: file.Install.Schema, Each: file.SchemaPatterns(),
	}
	request.Tables = append(request.Tables, EachTables(file)...)
	snapshot, _, err := inspect.Snapshot(t.Context(), conn, request)
	if err == nil {
		_, err = inspect.Types(t.Context(), conn, file, snapshot)
	}
	if err != nil {
		t.Fatal(err)
	}
	in.Catalog = snapshot
	return generator.Compile(file, snapshot, history)
}

// EachTables returns the names of the tables for which the file has a policy for each schema.
func EachTables(file *policy.File) []string {
	var names []string
	for _, p := range file.Policies {
		if file.EachOf(p) != nil {
			names = append(names, p.Table.String())
			for _, table := range slices.Concat(file.Reads(p), p.Changes()) {
				names = append(names, table.String())
			}
		}
	}
	return names
}

const allTables = `
	SELECT n.nspname || '.' || c.relname
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'cron', $1)
	ORDER BY 1`

// Up applies the pending migrations.
func (in *Installed) Up(t testing.TB) {
	t.Helper()
	if _, err := in.TryUp(t); err != nil {
		t.Fatalf("migrating: %s", text(install.Diagnostics(err), ""))
	}
}

// TryUp applies the pending migrations and returns the error, if the database refuses one.
func (in *Installed) TryUp(t testing.TB) ([]install.Migration, error) {
	return install.Up(t.Context(), in.URL(Migrator), in.Migrations, in.Options())
}

// TryDown reverts the last migration, or all of them.
func (in *Installed) TryDown(t testing.TB, all bool) ([]install.Migration, error) {
	o := in.Options()
	o.All = all
	return install.Down(t.Context(), in.URL(Migrator), in.Migrations, o)
}

// Options returns the options with which this package applies and reverts migrations.
func (in *Installed) Options() install.Options {
	return install.Options{Install: in.File.Install, Path: "migrations"}
}

// SetBatch sets "batch: {rows: n}" for every policy, without a migration.
func (in *Installed) SetBatch(rows int) {
	in.t.Helper()
	in.DB.Exec(in.t, "UPDATE "+quote.Ident(in.File.Install.Schema)+".policy SET batch_rows = $1, batch_time_ms = NULL",
		rows)
}

func text(list diag.List, yaml string) string {
	var out strings.Builder
	_ = list.Render(&out, map[string][]byte{"retention.yaml": []byte(yaml)}, false)
	return out.String()
}
