// Package pgtest gives every test a database of its own on a real PostgreSQL: one throw-away
// server per test binary, or the one that PGRETAIN_TEST_DATABASE_URL names.
//
// Roles belong to the whole server and are shared by all databases, hence by all tests that run
// at the same time: create them in a template, tolerate that they exist, and never drop them.
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

// URLVariable names the environment variable with the URL of a superuser on a server to use
// instead of a throw-away one. Its other databases are not touched.
const URLVariable = "PGRETAIN_TEST_DATABASE_URL"

// server is where the databases of a test binary are made.
type server struct {
	url     func(database, user string) string
	sandbox *sandbox.Server // nil where URLVariable names the server
	idle    chan *pgx.Conn  // sessions of admin, to be used again: a new one costs as much as a database
}

func newServer(url func(database, user string) string, s *sandbox.Server) *server {
	return &server{url, s, make(chan *pgx.Conn, 4)}
}

// shared starts the server of this test binary at the first use.
var shared = sync.OnceValues(func() (*server, error) {
	if external := os.Getenv(URLVariable); external != "" {
		return externalServer(external)
	}
	s, err := sandbox.Start(context.Background(), steady(sandbox.Options{}))
	if err != nil {
		return nil, err
	}
	AtEnd(func() { _ = s.Stop() }) // it stops with the process at the latest
	return newServer(s.URL, s), nil
})

// steady keeps autovacuum from changing statistics meanwhile: how often it comes by hangs on how
// long the tests take. Tests with many partitions or schemas lock all of them, side by side with
// others.
func steady(options sandbox.Options) sandbox.Options {
	settings := map[string]string{"autovacuum": "off", "max_locks_per_transaction": "256",
		"max_prepared_transactions": "4"}
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

// ending holds what Main does last, in reverse order.
var ending struct {
	sync.Mutex
	do []func()
}

// AtEnd has Main call f after the tests, before those that were registered earlier.
func AtEnd(f func()) {
	ending.Lock()
	defer ending.Unlock()
	ending.do = append(ending.do, f)
}

// Main is the whole TestMain of a package that uses pgtest: it runs the tests, removes templates
// and stops the server.
func Main(m *testing.M) {
	code := m.Run()
	for _, f := range slices.Backward(ending.do) {
		f()
	}
	os.Exit(code)
}

// require returns the shared server. Without PostgreSQL a test is skipped, in CI it fails.
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
	if conn == nil || conn.Ping(ctx) != nil { // which closes it, where the server was restarted
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
