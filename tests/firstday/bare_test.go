package firstday

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"pgretain/internal/install"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/tests/pgtest"
)

// TestOneDirectory applies one directory of twelve migrations of a service, and those of pgretain,
// with goose as a library: on a server without pg_cron and without roles, as a superuser, and on a
// server with pg_cron after bootstrap, as a role with few privileges.
func TestOneDirectory(t *testing.T) {
	t.Parallel()
	bare := pgtest.Server(t, sandbox.Options{})
	p := newUser(t, bare.Sibling(t, "development").URL(""))
	serviceMigrations(t, p)
	up(t, p, p.url)
	p.write("retention.yaml", `version: 1
policies:
  message_old: {table: shop.message, due: {age: {column: sent_at, older_than: 30 days}}, then: [delete]}
jobs:
  minutely: {schedule: "* * * * *", run: [message_old]}
`)
	p.run(0, "snapshot")
	p.run(0, "generate")
	p.run(0, "generate --migrations separate")
	with := func(t *testing.T, url string) *user { return &user{T: t, dir: p.dir, url: url} }

	t.Run("superuser without pg_cron", func(t *testing.T) {
		for _, name := range []string{"first", "second"} { // the second one finds the roles
			db := bare.Sibling(t, name)
			p := with(t, db.URL(""))
			if applied := up(t, p, p.url); applied <= len(statements) {
				t.Fatalf("goose applied %d files, want more than the service's %d", applied, len(statements))
			}
			db.Exec(t, "CALL retention.run('message_old')")
			expectMessages(t, db)
			p.run(0, "verify --migrations migrations --skip V040,V044")
			verdict := p.run(1, "verify --migrations migrations")
			for _, word := range []string{"V040", `job "retention.minutely" is not in pg_cron`} {
				if !strings.Contains(verdict, word) {
					t.Errorf("verify does not report %q:\n%s", word, verdict)
				}
			}
			down(t, p, db.URL(""), int64(len(statements)))
			if left := pgtest.Column[string](t, db, `SELECT c.relname::text FROM pg_class c
				WHERE c.relnamespace = to_regnamespace('retention')`); len(left) > 0 {
				t.Errorf("goose down leaves %q", left)
			}
			up(t, p, db.URL(""))
		}
	})
	t.Run("pgretain migrate up", func(t *testing.T) {
		fresh := pgtest.Server(t, sandbox.Options{}) // a server without roles
		db := fresh.Sibling(t, "container")
		p := with(t, db.URL(""))
		db.Exec(t, strings.Join(statements, ";"))
		output := p.says("migrate up --migrations separate", `warning: job "retention.minutely" is not scheduled`,
			`CALL retention.run_if_due('minutely')`)
		if strings.Count(output, "is not scheduled") != 1 {
			t.Errorf("migrate up does not warn once:\n%s", output)
		}
		db.Exec(t, "CALL retention.run_job('minutely')")
		expectMessages(t, db)
	})
	t.Run("no superuser and no roles", func(t *testing.T) {
		fresh := pgtest.Server(t, sandbox.Options{})
		db := fresh.Sibling(t, "staging")
		db.Exec(t, "CREATE ROLE deploy LOGIN")
		db.Exec(t, "ALTER DATABASE staging OWNER TO deploy")
		_, err := provider(t, p, db.URL("deploy")).Up(t.Context())
		want := "roles do not exist: retention_owner, retention_worker, retention_runner, retention_operator, " +
			"retention_viewer"
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 4000 {
			t.Errorf("goose up without roles: got %.4000v, want %q and a short text", err, want)
		}
	})
	t.Run("one role", func(t *testing.T) {
		db := bare.Sibling(t, "one_role")
		db.Exec(t, "CREATE ROLE team LOGIN; ALTER DATABASE one_role OWNER TO team")
		pgtest.Exec(t, db.Conn(t, "team"), strings.Join(statements, ";"))
		one := newUser(t, db.URL("team"))
		one.write("retention.yaml", strings.Replace(p.read("retention.yaml"), "policies:",
			"install: {roles: none, scheduler: none}\npolicies:", 1))
		one.run(0, "snapshot")
		one.run(0, "generate")
		up(t, one, one.url)
		pgtest.Exec(t, db.Conn(t, "team"), "CALL retention.run_job('minutely')")
		expectMessages(t, db)
		one.run(0, "verify --migrations migrations")
	})
	t.Run("bootstrap and pg_cron", func(t *testing.T) {
		db := pgtest.CronServer(t)
		db.Exec(t, "CREATE ROLE deploy LOGIN; GRANT CREATE ON SCHEMA public TO deploy")
		p := with(t, db.URL(""))
		file, _ := policy.Parse("retention.yaml", []byte(p.read("retention.yaml")))
		script, err := install.Bootstrap(file.Install, db.Name, "deploy")
		if err != nil {
			t.Fatal(err)
		}
		db.Exec(t, script)
		up(t, p, db.URL("deploy"))
		pgtest.Until(t, db, `SELECT EXISTS (SELECT FROM retention.run WHERE state = 'done' AND taken > 0)`)
		expectMessages(t, db)
		p.run(0, "verify")
		for _, command := range []string{"verify", "plan"} {
			output := p.run(2, command+" --migrations nowhere")
			if !strings.Contains(output, `there is no migration directory "nowhere"`) ||
				!strings.Contains(output, "install.migrations") {
				t.Errorf("pgretain %s does not report the missing directory:\n%s", command, output)
			}
		}
	})
}

// TestPreparation checks that a file which is not applied in one transaction creates nothing.
func TestPreparation(t *testing.T) {
	t.Parallel()
	db := pgtest.Server(t, sandbox.Options{}).Sibling(t, "autocommit")
	p := newUser(t, db.URL(""))
	db.Exec(t, "CREATE TABLE note (id bigint PRIMARY KEY, at timestamptz)")
	p.write("retention.yaml", `version: 1
policies:
  note_old: {table: note, due: {age: {column: at, older_than: 1 day}}, then: [delete]}
`)
	p.run(0, "snapshot")
	p.run(0, "generate --format flyway")
	preparation, _, _ := strings.Cut(p.read("migrations/V1__pgretain_runtime.sql"), "\n$schema$;\n")
	setting, block, _ := strings.Cut(preparation, "true);\n")
	conn := db.Conn(t) // each of the two statements is a transaction of its own
	pgtest.Exec(t, conn, setting+"true)")
	_, err := conn.Exec(t.Context(), block+"\n$schema$")
	if err == nil || !strings.Contains(err.Error(), "this file must be applied in one transaction") {
		t.Errorf("the block in a transaction of its own: got %v, want a refusal", err)
	}
	if pgtest.Value[bool](t, db, `SELECT to_regnamespace('retention') IS NOT NULL
		OR to_regrole('retention_owner') IS NOT NULL`) {
		t.Error("the refused file created the schema or a role")
	}
}

// statements are the twelve migrations of the service.
var statements = []string{
	"CREATE SCHEMA shop", "CREATE TABLE shop.customer (id bigint PRIMARY KEY)",
	"CREATE TABLE shop.message (id bigint PRIMARY KEY, customer_id bigint REFERENCES shop.customer)",
	"ALTER TABLE shop.message ADD COLUMN sent_at timestamptz", "INSERT INTO shop.customer VALUES (1), (2)",
	"INSERT INTO shop.message SELECT n, 1, now() - n * interval '1 day' FROM generate_series(1, 60) n",
	"CREATE INDEX message_customer ON shop.message (customer_id)",
	"ALTER TABLE shop.customer ADD COLUMN name text", "ALTER TABLE shop.message ADD COLUMN body text",
	"CREATE VIEW shop.recent AS SELECT id FROM shop.message WHERE sent_at > '2020-01-01'",
	"ALTER TABLE shop.customer ADD COLUMN mail text", "ALTER TABLE shop.message ALTER COLUMN sent_at SET NOT NULL",
}

// serviceMigrations writes the service's migrations as files for goose.
func serviceMigrations(t *testing.T, p *user) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(p.dir, "migrations"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, statement := range statements {
		p.write(fmt.Sprintf("migrations/%05d_service.sql", i+1), "-- +goose Up\n"+statement+";\n-- +goose Down\n")
	}
}

// provider returns goose as a library, with the user's directory of migrations.
func provider(t *testing.T, p *user, url string) *goose.Provider {
	t.Helper()
	pool, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, os.DirFS(filepath.Join(p.dir, "migrations")),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// up applies all pending migrations, and returns their number.
func up(t *testing.T, p *user, url string) int {
	t.Helper()
	done, err := provider(t, p, url).Up(t.Context())
	if err != nil {
		t.Fatalf("goose up: %.2000v", err)
	}
	return len(done)
}

// down undoes all migrations after a version.
func down(t *testing.T, p *user, url string, version int64) {
	t.Helper()
	if _, err := provider(t, p, url).DownTo(t.Context(), version); err != nil {
		t.Fatalf("goose down: %.2000v", err)
	}
}

// expectMessages checks that the run took exactly the messages that are older than 30 days.
func expectMessages(t *testing.T, db *pgtest.DB) {
	t.Helper()
	var want []int64
	for id := int64(1); id < 30; id++ {
		want = append(want, id)
	}
	if diff := cmp.Diff(want, pgtest.Column[int64](t, db, "SELECT id FROM shop.message ORDER BY id")); diff != "" {
		t.Errorf("rows of shop.message (-want +got):\n%s", diff)
	}
}
