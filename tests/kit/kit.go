// Package kit installs a policy into a database of its own, along the whole path: YAML, catalog
// snapshot, generated migrations, and install.Up as a role that is no superuser.
package kit

import (
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

// Migrator owns the application's tables and migrates.
const Migrator = "kit_migrator"

// Installed is a database in which the policies of one file are installed.
type Installed struct {
	*pgtest.DB
	File       *policy.File
	Migrations fstest.MapFS
	Catalog    *catalog.Snapshot // what the policies were compiled against last

	t      testing.TB
	runner *pgx.Conn
	viewer *pgx.Conn
}

// Option changes how Install goes about it.
type Option func(*settings)

type settings struct {
	before []string
	on     *pgtest.DB
}

// Before runs SQL as the superuser, ahead of the schema: extensions, say.
func Before(sql string) Option {
	return func(s *settings) { s.before = append(s.before, sql) }
}

// On installs in a database that exists, with pg_cron for example.
func On(db *pgtest.DB) Option { return func(s *settings) { s.on = db } }

// Install makes a database, runs schema as its migrating role, and installs the policies of yaml.
// "version" and "install: {scheduler: none}" are added where yaml has none. Who asks for the same
// again gets a clone.
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

// Prepare is Install without the policies: for what Compile or Migrate refuses.
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

// Parse reads a policy file with the additions that Install makes.
func Parse(yaml string) (*policy.File, diag.List) {
	if !strings.Contains(yaml, "install:") {
		yaml = "install: {scheduler: none}\n" + yaml
	}
	if !strings.Contains(yaml, "version:") {
		yaml = "version: 1\n" + yaml
	}
	return policy.Parse("retention.yaml", []byte(yaml))
}

// TryMigrate is Migrate for what the database refuses.
func (in *Installed) TryMigrate(t testing.TB, yaml string) ([]install.Migration, error) {
	t.Helper()
	in.Generate(t, yaml)
	return in.TryUp(t)
}

// Migrate generates the next step for yaml and applies it, after the server has parsed each
// expression, as "pgretain migrate up" has it do.
func (in *Installed) Migrate(t testing.TB, yaml string) {
	t.Helper()
	conn := in.Conn(t)
	in.generate(t, conn, yaml)
	pgtest.Exec(t, conn, "SET search_path = "+quote.Idents(in.File.Install.Path()))
	for _, check := range generator.Checks(in.File, in.Catalog) {
		if _, err := conn.Exec(t.Context(), check.SQL); err != nil {
			t.Errorf("%s compiles, and the server refuses it: %v", check.Expr.SQL, err)
		}
	}
	in.Up(t)
}

// Generate writes the next step for yaml, to be applied by Up or TryUp.
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

// Compile parses yaml and compiles it against a snapshot of all tables of the database.
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
		SearchPath: file.Install.SearchPath, Runtime: file.Install.Schema, Each: file.Words(),
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

// EachTables are those that policies for each schema name.
func EachTables(file *policy.File) []string {
	var names []string
	for _, p := range file.Policies {
		if file.EachOf(p) != nil {
			names = append(names, p.Table.String())
			for _, table := range file.Reads(p) {
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

// Up applies what is pending.
func (in *Installed) Up(t testing.TB) {
	t.Helper()
	if _, err := in.TryUp(t); err != nil {
		t.Fatalf("migrating: %s", text(install.Diagnostics(err), ""))
	}
}

// TryUp is Up for what may be refused.
func (in *Installed) TryUp(t testing.TB) ([]install.Migration, error) {
	return install.Up(t.Context(), in.URL(Migrator), in.Migrations, in.Options())
}

// TryDown undoes the last step, or everything.
func (in *Installed) TryDown(t testing.TB, all bool) ([]install.Migration, error) {
	o := in.Options()
	o.All = all
	return install.Down(t.Context(), in.URL(Migrator), in.Migrations, o)
}

// Options are those of the migrations.
func (in *Installed) Options() install.Options {
	return install.Options{Install: in.File.Install, Path: "migrations"}
}

// SetBatch is "batch: {rows: n}" of every policy, without a migration.
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
