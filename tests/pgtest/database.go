package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
	"pgretain/internal/sandbox"
)

// DB is the database of one test. The methods Exec and Query share one superuser session, so only
// one goroutine may call them. Several goroutines may call the other methods.
type DB struct {
	Name   string
	Server *sandbox.Server // nil if PGRETAIN_TEST_DATABASE_URL is set; a test must not kill a shared server

	server  *server
	session func() (*pgx.Conn, error)
}

// Database creates an empty database for the test, from template0.
func Database(t testing.TB) *DB {
	t.Helper()
	return require(t).database(t, "template0")
}

// database clones a template and drops the clone when the test ends.
func (s *server) database(t testing.TB, template string) *DB {
	t.Helper()
	db := s.open(t, uniqueName("pgretain_test_"+t.Name()))
	if err := s.admin(createDatabase(db.Name, template)); err != nil {
		t.Fatalf("creating a database for the test: %v", err)
	}
	t.Cleanup(func() { db.drop(t) })
	return db
}

// createDatabase returns a CREATE DATABASE statement that copies the template's files. If
// checkpoints do not wait for the disk, copying files takes half the time of STRATEGY wal_log.
func createDatabase(name, template string) string {
	return "CREATE DATABASE " + quote.Ident(name) + " TEMPLATE " + quote.Ident(template) + " STRATEGY file_copy"
}

// open returns a DB for an existing database.
func (s *server) open(t testing.TB, name string) *DB {
	db := &DB{Name: name, Server: s.sandbox, server: s}
	db.session = sync.OnceValues(func() (*pgx.Conn, error) {
		conn, err := pgx.Connect(context.Background(), db.URL(""))
		if err == nil {
			t.Cleanup(func() { _ = conn.Close(context.Background()) })
		}
		return conn, err
	})
	return db
}

// Reopen returns a DB for the same database, with a new session. Tests use it after a crash, which
// ends the old session.
func (db *DB) Reopen(t testing.TB) *DB {
	return db.server.open(t, db.Name)
}

// Copy creates another database with the same content. It ends all sessions of db, and the caller
// must not use db afterwards.
func (db *DB) Copy(t testing.TB) *DB {
	t.Helper()
	db.end(t)
	return db.server.database(t, db.Name)
}

// end ends the sessions of a database. PostgreSQL does not clone a database that has sessions.
func (db *DB) end(t testing.TB) {
	t.Helper()
	if err := db.server.admin("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = " +
		quote.Literal(db.Name)); err != nil {
		t.Fatalf("ending the sessions of a database: %v", err)
	}
}

// drop drops the database. If the test failed and the server keeps running after the tests, drop
// keeps the database.
func (db *DB) drop(t testing.TB) {
	if t.Failed() && db.server.sandbox == nil {
		t.Logf("database kept: %s", db.URL(""))
		return
	}
	if t.Failed() {
		t.Logf("database %s is removed together with its server; set %s to keep it", db.Name, URLVariable)
	}
	if err := db.server.admin("DROP DATABASE " + quote.Ident(db.Name) + " WITH (FORCE)"); err != nil {
		t.Errorf("dropping the database of the test: %v", err)
	}
}

// URL returns the URL of the database for a user; "" is the superuser.
func (db *DB) URL(user string) string { return db.server.url(db.Name, user) }

// Conn opens a session as user, by default the superuser. The session is closed when the test ends.
func (db *DB) Conn(t testing.TB, user ...string) *pgx.Conn {
	t.Helper()
	conn, err := db.Connect(t.Context(), user...)
	if err != nil {
		t.Fatalf("connecting to the database of the test: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Connect opens a session, which the caller closes, or returns an error. It is for tests in which
// the server refuses the connection or crashes.
func (db *DB) Connect(ctx context.Context, user ...string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, db.URL(strings.Join(user, "")))
}

// Exec runs SQL as the superuser and returns the number of rows of the last statement. Without
// arguments, sql may have several statements.
func (db *DB) Exec(t testing.TB, sql string, args ...any) int64 {
	t.Helper()
	conn, err := db.session()
	if err != nil {
		t.Fatalf("connecting to the database of the test: %v", err)
	}
	return Exec(t, conn, sql, args...)
}

// Query makes DB a Querier, so that Value and Column accept it.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	conn, err := db.session()
	if err != nil {
		return nil, err
	}
	return conn.Query(ctx, sql, args...)
}

// MakeRole returns SQL that creates a role unless it exists. Roles belong to the server, and tests
// that run at the same time create the same roles. The definition is the text after CREATE ROLE,
// for example "anna LOGIN".
func MakeRole(definition string) string {
	return `DO $$
		BEGIN
			CREATE ROLE ` + definition + `;
		EXCEPTION WHEN duplicate_object OR unique_violation THEN
			NULL;
		END $$;`
}

// Exec runs SQL in a session and returns the number of rows of the last statement. Without
// arguments, sql may have several statements.
func Exec(t testing.TB, conn *pgx.Conn, sql string, args ...any) int64 {
	t.Helper()
	if len(args) > 0 {
		tag, err := conn.Exec(t.Context(), sql, args...)
		failed(t, sql, err)
		return tag.RowsAffected()
	}
	// Like psql -c, several statements form one transaction unless sql contains BEGIN or COMMIT.
	results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
	failed(t, sql, err)
	if len(results) == 0 {
		return 0
	}
	return results[len(results)-1].CommandTag.RowsAffected()
}

// uniqueName returns a database name of at most 63 bytes that no other test uses.
func uniqueName(text string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, text)
	return fmt.Sprintf("%.52s_%s", plain, strings.ToLower(rand.Text()[:10]))
}
