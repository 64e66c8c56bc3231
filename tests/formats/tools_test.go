package formats

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx" for goose
	"github.com/jackc/tern/v2/migrate"
	"github.com/pressly/goose/v3"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/tests/kit"
)

// tool applies the pending migrations of a directory, and undoes the last n.
type tool struct {
	name   string
	format generator.Format
	up     func(*testing.T, *project)
	down   func(t *testing.T, p *project, n int)
	// leaves is a statement that drops the tool's own table of versions.
	leaves string
}

var toolsUnderTest = []tool{
	{"pgretain", generator.Goose, upOwn, downOwn, ""},
	{"goose", generator.Goose, upGoose, downGoose, "DROP TABLE goose_db_version"},
	{"tern", generator.Tern, upTern, downTern, "DROP TABLE schema_version"},
	{"psql", generator.Psql, upPsql, downPsql, ""},
	{"flyway", generator.Flyway, upFlyway, downFlyway, ""},
	{"plain", generator.Plain, upPlain, downPlain, ""},
}

func upOwn(t *testing.T, p *project) { p.in.Up(t) }

func downOwn(t *testing.T, p *project, n int) {
	for n > 0 {
		done, err := install.Down(t.Context(), p.in.URL(kit.Migrator), p.dir,
			install.Options{Install: p.in.File.Install, Path: "migrations"})
		if err != nil || len(done) == 0 {
			t.Fatalf("down undid %d migrations, want more: %v", len(done), err)
		}
		n -= len(done)
	}
}

// withGoose uses the goose library like the goose command does, with the version table in goose's
// default place.
func withGoose(t *testing.T, p *project, do func(context.Context, *goose.Provider) error) {
	t.Helper()
	db, err := sql.Open("pgx", p.in.URL(kit.Migrator))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, p.dir, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := do(t.Context(), provider); err != nil {
		t.Fatal(err)
	}
}

func upGoose(t *testing.T, p *project) {
	asMigrator(t, p, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{p.in.File.Install.Schema}.Sanitize()+
		` AUTHORIZATION `+pgx.Identifier{p.in.File.Install.Roles.Owner}.Sanitize())
	withGoose(t, p, func(ctx context.Context, g *goose.Provider) error {
		_, err := g.Up(ctx)
		return err
	})
}

func downGoose(t *testing.T, p *project, n int) {
	withGoose(t, p, func(ctx context.Context, g *goose.Provider) error {
		for range n {
			if _, err := g.Down(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

func withTern(t *testing.T, p *project, do func(context.Context, *migrate.Migrator) error) {
	t.Helper()
	migrator, err := migrate.NewMigrator(t.Context(), p.in.Conn(t, kit.Migrator), "public.schema_version")
	if err != nil {
		t.Fatal(err)
	}
	if err := migrator.LoadMigrations(p.dir); err != nil {
		t.Fatal(err)
	}
	if err := do(t.Context(), migrator); err != nil {
		t.Fatal(err)
	}
}

func upTern(t *testing.T, p *project) {
	withTern(t, p, func(ctx context.Context, m *migrate.Migrator) error { return m.Migrate(ctx) })
}

func downTern(t *testing.T, p *project, n int) {
	withTern(t, p, func(ctx context.Context, m *migrate.Migrator) error {
		version, err := m.GetCurrentVersion(ctx)
		if err != nil {
			return err
		}
		return m.MigrateTo(ctx, version-int32(n))
	})
}

// applied counts the migrations that psql, or psql instead of Flyway, has applied. Neither records
// them in the database.
var applied = map[*project]int{}

func upPsql(t *testing.T, p *project) {
	files := names(p.dir, ".up.sql")
	for _, name := range files[applied[p]:] {
		psql(t, p, name)
	}
	applied[p] = len(files)
}

func downPsql(t *testing.T, p *project, n int) {
	files := names(p.dir, ".up.sql")[:applied[p]]
	for _, name := range slices.Backward(files[len(files)-n:]) {
		psql(t, p, strings.TrimSuffix(name, ".up.sql")+".down.sql")
	}
	applied[p] -= n
}

func upFlyway(t *testing.T, p *project) {
	files := flywayNames(p.dir)
	for _, name := range files[applied[p]:] {
		flyway(t, p, name)
	}
	applied[p] = len(files)
}

func downFlyway(t *testing.T, p *project, n int) {
	files := flywayNames(p.dir)[:applied[p]]
	for _, name := range slices.Backward(files[len(files)-n:]) {
		flyway(t, p, "U"+name[1:])
	}
	applied[p] -= n
}

// flyway runs a file with psql, in the way Flyway does: in one transaction, unless the
// configuration of the file says otherwise.
func flyway(t *testing.T, p *project, name string) {
	t.Helper()
	if configuration(t, p.dir, name)["executeInTransaction"] == "false" {
		psql(t, p, name)
		return
	}
	psql(t, p, name, "--single-transaction")
}

// psql runs a file with the options of docs/migrators.md. It also sets a hostile client encoding,
// and psql variables that the file must not substitute.
func psql(t *testing.T, p *project, name string, flags ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.sql")
	if err := os.WriteFile(path, p.dir[name].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "x=substituted", "-v", "y=substituted",
		"-d", p.in.URL(kit.Migrator), "-f", path}, flags...)
	command := exec.CommandContext(t.Context(), "psql", args...)
	command.Env = append(os.Environ(), "PGCLIENTENCODING=LATIN1", "PGOPTIONS=-c client_min_messages=warning")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func upPlain(t *testing.T, p *project) {
	files := names(p.dir, ".up.sql")
	plain(t, p, files[applied[p]:])
	applied[p] = len(files)
}

func downPlain(t *testing.T, p *project, n int) {
	files := names(p.dir, ".up.sql")[:applied[p]]
	var down []string
	for _, name := range slices.Backward(files[len(files)-n:]) {
		down = append(down, strings.TrimSuffix(name, ".up.sql")+".down.sql")
	}
	plain(t, p, down)
	applied[p] -= n
}

// plain sends each file to the server as one query, which is one transaction. The session has
// switched to the migrating role and has a search path of its own. A file must change neither.
func plain(t *testing.T, p *project, files []string) {
	t.Helper()
	const login = "plain_login"
	p.in.DB.Exec(t, `RESET ROLE;
		DO $$ BEGIN
			CREATE ROLE `+login+` LOGIN;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
		END $$;
		GRANT `+kit.Migrator+" TO "+login)
	conn := p.in.Conn(t, login)
	found := func() (state string) {
		t.Helper()
		err := conn.QueryRow(t.Context(), "SELECT current_user || ' ' || current_setting('search_path')").Scan(&state)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	if _, err := conn.Exec(t.Context(), "SET ROLE "+kit.Migrator+"; SET search_path = tool, public"); err != nil {
		t.Fatal(err)
	}
	before := found()
	for _, name := range files {
		if _, err := conn.PgConn().Exec(t.Context(), string(p.dir[name].Data)).ReadAll(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after := found(); after != before {
			t.Errorf("after %s the session has role and search path %q, want %q", name, after, before)
		}
	}
}

func asMigrator(t *testing.T, p *project, sql string) {
	t.Helper()
	if _, err := p.in.Conn(t, kit.Migrator).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// names returns the names of the files that end in end, sorted.
func names(dir fs.FS, end string) []string {
	list, _ := fs.Glob(dir, "*"+end)
	return list
}
