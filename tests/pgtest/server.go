// Package pgtest gives every test a separate database on a real PostgreSQL server. Each test binary
// starts a temporary server, unless PGRETAIN_TEST_DATABASE_URL names a server.
//
// Roles belong to the whole server. All databases share them, and so do all tests that run at the
// same time. Create roles in a template, accept that they exist already, and never drop them.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/sandbox"
)

// URLVariable is the name of an environment variable. It contains the URL of a server for a
// superuser. The tests use this server instead of a temporary server, and do not touch its other
// databases.
const URLVariable = "PGRETAIN_TEST_DATABASE_URL"

// server is the server on which the databases of a test binary are created.
type server struct {
	url     func(database, user string) string
	sandbox *sandbox.Server // nil if URLVariable names the server
	idle    chan *pgx.Conn  // sessions that admin reuses; opening one takes as long as creating a database
}

func newServer(url func(database, user string) string, s *sandbox.Server) *server {
	return &server{url, s, make(chan *pgx.Conn, 4)}
}

// shared starts the server of this test binary when it is first called.
var shared = sync.OnceValues(func() (*server, error) {
	if external := os.Getenv(URLVariable); external != "" {
		return externalServer(external)
	}
	s, err := sandbox.Start(context.Background(), steady(sandbox.Options{}))
	if err != nil {
		return nil, err
	}
	AtEnd(func() { _ = s.Stop() }) // without Stop, the server ends with the process
	return newServer(s.URL, s), nil
})

// steady adds the settings that tests rely on. Autovacuum is off, because it changes statistics at
// moments that depend on the speed of the tests. Some tests lock many partitions or schemas at the
// same time, so the settings allow more locks than the default.
func steady(options sandbox.Options) sandbox.Options {
	settings := map[string]string{
		"autovacuum":                "off",
		"max_locks_per_transaction": "256",
		"max_prepared_transactions": "4",
	}
	maps.Copy(settings, options.Settings)
	options.Settings = settings
	return options
}

func externalServer(text string) (*server, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "postgres" && base.Scheme != "postgresql" {
		return nil, fmt.Errorf("%s must be a URL that begins with postgres://", URLVariable)
	}
	return newServer(func(database, user string) string {
		u := *base
		if database != "" {
			u.Path, u.RawPath = "/"+database, "/"+url.PathEscape(database)
		}
		if user != "" {
			u.User = url.User(user)
		}
		return u.String()
	}, nil), nil
}

// ending holds the functions of AtEnd.
var ending struct {
	sync.Mutex
	do []func()
}

// AtEnd registers a function that Main calls after the tests. Main calls the last registered
// function first.
func AtEnd(f func()) {
	ending.Lock()
	defer ending.Unlock()
	ending.do = append(ending.do, f)
}

// Main is the body of TestMain in a package that uses pgtest. It runs the tests, drops templates
// and stops the server.
func Main(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(ending.do) {
		f()
	}
	os.Exit(code)
}

// require returns the shared server. Without PostgreSQL it skips the test; in CI it fails the test.
func require(t testing.TB) *server {
	t.Helper()
	s, err := shared()
	check(t, err)
	return s
}

func check(t testing.TB, err error) {
	t.Helper()
	var missing *sandbox.MissingError
	if errors.As(err, &missing) {
		say := t.Skipf
		if os.Getenv("CI") == "true" {
			say = t.Fatalf
		}
		say("%s. %s Or set %s.", missing.What, missing.Hint, URLVariable)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// admin runs one statement as the superuser in the server's own database.
func (s *server) admin(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), MaxWait)
	defer cancel()
	var conn *pgx.Conn
	select {
	case conn = <-s.idle:
	default:
	}
	if conn == nil || conn.Ping(ctx) != nil { // a failed Ping closes the connection, as after a restart
		var err error
		if conn, err = pgx.Connect(ctx, s.url("", "")); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, sql)
	select {
	case s.idle <- conn:
	default:
		_ = conn.Close(ctx)
	}
	return err
}
