package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// Blueprint is a database that is built once per test binary and cloned for every test.
type Blueprint struct {
	name  string
	build func(context.Context, *pgx.Conn) error
	made  func() (string, error) // returns the template's name
}

// Template registers a template. When the first test asks for a clone, the function "build" fills
// the template as the superuser. Keep the result in a package variable.
func Template(name string, build func(ctx context.Context, conn *pgx.Conn) error) *Blueprint {
	b := &Blueprint{name: name, build: build}
	b.made = sync.OnceValues(b.make)
	return b
}

// Database clones the template for the test.
func (b *Blueprint) Database(t testing.TB) *DB {
	t.Helper()
	s := require(t)
	template, err := b.made()
	if err != nil {
		t.Fatalf("building template %s: %v", b.name, describe(err))
	}
	return s.database(t, template)
}

// Template returns a Blueprint with the present content of the database. It ends all sessions of
// db, and the caller must not use db afterwards.
func (db *DB) Template(t testing.TB) *Blueprint {
	t.Helper()
	db.end(t)
	name, err := db.server.template(db.Name, db.Name)
	if err != nil {
		t.Fatalf("making a template: %v", err)
	}
	return &Blueprint{name: name, made: func() (string, error) { return name, nil }}
}

// template copies a database to a template that exists until all tests have run.
func (s *server) template(title, source string) (name string, err error) {
	name = uniqueName("pgretain_template_" + title)
	if err := s.admin(createDatabase(name, source)); err != nil {
		return "", err
	}
	if s.sandbox == nil { // the server keeps running after the tests
		AtEnd(func() {
			if err := s.admin("DROP DATABASE " + quote.Ident(name) + " WITH (FORCE)"); err != nil {
				fmt.Printf("dropping template %s: %v\n", name, err)
			}
		})
	}
	return name, nil
}

func (b *Blueprint) make() (string, error) {
	s, err := shared()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), MaxWait)
	defer cancel()
	name, err := s.template(b.name, "template0")
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, s.url(name, ""))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx) // a database with sessions cannot be cloned
	return name, b.build(ctx, conn)
}
