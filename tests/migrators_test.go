package tests

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"pgretain/generator"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const migratorsSchema = `
	CREATE SCHEMA app;
	CREATE TABLE app.lines (id bigint PRIMARY KEY, at timestamptz NOT NULL);
	INSERT INTO app.lines SELECT n, now() FROM generate_series(1, 500) n`

const migratorsPolicy = `policies:
  lines_old: {table: app.lines, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
`

// plainGoose returns the goose library as a program or the goose command uses it by default:
// without a lock.
func plainGoose(t *testing.T, db *pgtest.DB, user string, dir fs.FS) *goose.Provider {
	t.Helper()
	pool, err := sql.Open("pgx", db.URL(user))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, dir, goose.WithLogger(goose.NopLogger()),
		goose.WithTableName("retention.goose_db_version"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

// migrated returns the catalog after a single migrator has applied the migrations.
func migrated(t *testing.T) []string {
	t.Helper()
	in := kit.Prepare(t, migratorsSchema, migratorsPolicy)
	in.Generate(t, migratorsPolicy)
	if _, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	return kit.Catalog(t, in.DB, "retention")
}

// sameAsAlone checks that the catalog is the same as after a single migrator, and that each version
// is recorded once.
func sameAsAlone(t *testing.T, in *kit.Installed, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("the catalog differs from that after a single migrator (-want +got):\n%s", diff)
	}
	doubled := pgtest.Column[int64](t, in.DB,
		"SELECT version_id FROM retention.goose_db_version GROUP BY 1 HAVING count(*) > 1")
	if len(doubled) > 0 {
		t.Errorf("versions recorded more than once: %v", doubled)
	}
}

// holdSnapshot opens a transaction with a snapshot. CREATE INDEX CONCURRENTLY waits for it until
// release is called.
func holdSnapshot(t *testing.T, db *pgtest.DB) (release func()) {
	t.Helper()
	reader := db.Conn(t)
	pgtest.Exec(t, reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM app.lines")
	return func() { pgtest.Exec(t, reader, "COMMIT") }
}

const building = `SELECT count(*) = 1 FROM pg_stat_progress_create_index p
	WHERE p.datname = current_database() AND p.phase LIKE 'waiting for old snapshots%'`

// TestSecondGooseRefusesAnIndexThatIsBeingBuilt starts a second migrator, without a lock, while the
// first one builds an index. The second one fails with an error that names the first one's process,
// and does no damage.
func TestSecondGooseRefusesAnIndexThatIsBeingBuilt(t *testing.T) {
	t.Parallel()
	want := migrated(t)
	in := kit.Prepare(t, migratorsSchema, migratorsPolicy)
	in.Generate(t, migratorsPolicy)
	release := holdSnapshot(t, in.DB)
	first := make(chan error, 1)
	go func() {
		_, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(context.Background())
		first <- err
	}()
	pgtest.Until(t, in.DB, building)
	pid := pgtest.Value[string](t, in.DB,
		"SELECT pid::text FROM pg_stat_progress_create_index WHERE datname = current_database()")
	refused := func(who string, err error) {
		t.Helper()
		server := serverError(err)
		if server == nil || server.Code != "55006" || !strings.HasSuffix(server.Message, "is being built by pid "+pid) {
			t.Errorf("%s: got %v, want SQLSTATE 55006 that names pid %s", who, err, pid)
		}
	}
	for range 2 {
		_, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(t.Context())
		refused("goose", err)
	}
	_, err := stranger(t, in.DB).Exec(t.Context(), "SELECT retention._set_aside_invalid_index('app', $1)",
		wantedIndex(t, in))
	refused("a role that may not see what others do", err)
	release()
	if err := <-first; err != nil {
		t.Error(err)
	}
	if done, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(t.Context()); err != nil || len(done) != 0 {
		t.Errorf("Up after all migrations are applied: %v, %v; want none", done, err)
	}
	in.DB.Exec(t, "REVOKE EXECUTE ON FUNCTION retention._set_aside_invalid_index(text, text) FROM migrators_stranger")
	in.DB.Exec(t, "REVOKE USAGE ON SCHEMA app, retention FROM migrators_stranger")
	sameAsAlone(t, in, want)
}

// stranger returns a session of a role that sees other sessions, but not what they do.
func stranger(t *testing.T, db *pgtest.DB) *pgx.Conn {
	t.Helper()
	db.Exec(t, pgtest.MakeRole("migrators_stranger LOGIN")+`
		GRANT USAGE ON SCHEMA app, retention TO migrators_stranger;
		GRANT EXECUTE ON FUNCTION retention._set_aside_invalid_index(text, text) TO migrators_stranger`)
	conn := db.Conn(t, "migrators_stranger")
	if pgtest.Value[bool](t, conn, `SELECT bool_or(index_relid IS NOT NULL) FROM pg_stat_progress_create_index
		WHERE datname = current_database()`) {
		t.Fatal("role migrators_stranger sees which index is built, want NULL")
	}
	return conn
}

func serverError(err error) *pgconn.PgError {
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		err = partial.Err
	}
	var server *pgconn.PgError
	errors.As(err, &server)
	return server
}

// TestTwoGoosesAtOnce starts two migrators at the same time on an empty database, while a snapshot
// delays the index build. A migrator that fails tries again, as a deployment does. In the end each
// migration is applied once.
func TestTwoGoosesAtOnce(t *testing.T) {
	t.Parallel()
	want := migrated(t)
	in := kit.Prepare(t, migratorsSchema, migratorsPolicy)
	in.Generate(t, migratorsPolicy)
	release := holdSnapshot(t, in.DB)
	begin, ended := make(chan struct{}), make(chan error, 2)
	for range 2 {
		go func() {
			<-begin
			ended <- upAgain(t, in)
		}()
	}
	close(begin)
	pgtest.Until(t, in.DB, building)
	release()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if done, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(t.Context()); err != nil || len(done) != 0 {
		t.Errorf("Up after all migrations are applied: %v, %v; want none", done, err)
	}
	sameAsAlone(t, in, want)
}

// upAgain repeats Up until it succeeds or pgtest.MaxWait has passed.
func upAgain(t *testing.T, in *kit.Installed) error {
	ctx, cancel := context.WithTimeout(context.Background(), pgtest.MaxWait)
	defer cancel()
	for {
		_, err := plainGoose(t, in.DB, kit.Migrator, in.Migrations).Up(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		t.Log(err)
	}
}

// TestInvalidIndexUnderBothNames checks that the migration replaces invalid indexes under the
// index's own name and under the name with suffix _invalid.
func TestInvalidIndexUnderBothNames(t *testing.T) {
	t.Parallel()
	want := migrated(t)
	in := kit.Prepare(t, migratorsSchema, migratorsPolicy)
	in.Generate(t, migratorsPolicy)
	goose := plainGoose(t, in.DB, kit.Migrator, in.Migrations)
	if _, err := goose.UpTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	in.DB.Exec(t, "INSERT INTO app.lines VALUES (501, now())")
	name := wantedIndex(t, in)
	leaveInvalid(t, in.DB, name)
	leaveInvalid(t, in.DB, name+"_invalid")
	if _, err := goose.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.DB.Exec(t, "DELETE FROM app.lines WHERE id = 501")
	sameAsAlone(t, in, want)
}

// wantedIndex returns the name of the policy's index.
func wantedIndex(t *testing.T, in *kit.Installed) string {
	t.Helper()
	objects, _ := in.Compile(t, migratorsPolicy)
	for _, o := range objects {
		if o.Kind == generator.KindIndex {
			return strings.TrimPrefix(o.Name, "app.")
		}
	}
	t.Fatal("the generator wants no index for the policy")
	return ""
}

// leaveInvalid leaves an invalid index: its build fails at the last row.
func leaveInvalid(t *testing.T, db *pgtest.DB, name string) {
	t.Helper()
	conn := db.Conn(t, kit.Migrator)
	_, err := conn.Exec(t.Context(), "CREATE INDEX CONCURRENTLY "+
		pgx.Identifier{name}.Sanitize()+" ON app.lines ((1 / (501 - id)))")
	if serverError(err) == nil || serverError(err).Code != "22012" {
		t.Fatalf("CREATE INDEX: %v, want SQLSTATE 22012", err)
	}
}

// TestCRLFCheckoutInstallsTheSame checks that migrations with CRLF line ends, as git may check them
// out, lead to the same catalog.
func TestCRLFCheckoutInstallsTheSame(t *testing.T) {
	t.Parallel()
	want := migrated(t)
	in := kit.Prepare(t, migratorsSchema, migratorsPolicy)
	in.Generate(t, migratorsPolicy)
	for _, file := range in.Migrations {
		file.Data = []byte(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
	}
	in.Up(t)
	sameAsAlone(t, in, want)
	in.Generate(t, migratorsPolicy)
	in.Up(t)
	sameAsAlone(t, in, want)
}
