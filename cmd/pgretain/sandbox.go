package main

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/install"
	"pgretain/internal/pgparse"
	"pgretain/internal/sandbox"
)

// sandbox starts a throw-away server and stops it when ctx ends.
func (c *console) sandbox(ctx context.Context, _ []string) error {
	return withSandbox(ctx, sandbox.Options{Cron: c.Cron}, func(server *sandbox.Server, conn *pgx.Conn) error {
		if err := loadExample(ctx, conn, c.Example); err != nil {
			return err
		}
		closeConn(conn)
		c.printf("%s\n", server.URL("", ""))
		c.notef("\npsql '%s'\n\nCtrl-C stops the server and removes it.\n", server.URL("", ""))
		<-ctx.Done()
		return server.Stop()
	})
}

// withSandbox calls do with a throw-away server and a connection to it.
func withSandbox(ctx context.Context, options sandbox.Options, do func(*sandbox.Server, *pgx.Conn) error) error {
	server, err := sandbox.Start(ctx, options)
	if err != nil {
		return sandboxError(err)
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	return server.With(ctx, "", "", func(conn *pgx.Conn) error { return do(server, conn) })
}

// sandboxError shows what is missing on the machine, with the hint of how to get it.
func sandboxError(err error) error {
	if missing, ok := errors.AsType[*sandbox.MissingError](err); ok {
		return &install.CheckError{Message: missing.What, Hint: missing.Hint}
	}
	return err
}

// loadExample runs the files of an example, schema before data.
func loadExample(ctx context.Context, conn *pgx.Conn, dir string) error {
	if dir == "" {
		return nil
	}
	for _, name := range []string{"schema.sql", "data.sql"} {
		path := filepath.Join(dir, name)
		if name == "data.sql" && missing(path) {
			continue
		}
		text, err := readFile("file of the example", path, "Name another directory with --example.")
		if err == nil {
			err = load(ctx, conn, path, string(text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// schemaFile makes the application's tables.
type schemaFile struct {
	path, text string
	roles      []string // that it takes for granted
	cron       bool     // it has extension pg_cron
}

func readSchema(path string) (schemaFile, error) {
	text, err := readFile("schema file", path, "Name another file with --schema.")
	if err != nil {
		return schemaFile{}, err
	}
	roles, extensions, _ := pgparse.Needs(withoutMeta(string(text))) // what cannot be parsed is refused when it is loaded
	return schemaFile{path, string(text), roles, slices.Contains(extensions, "pg_cron")}, nil
}

// load runs a file of SQL; an error names the place in it.
func load(ctx context.Context, conn *pgx.Conn, path, text string) error {
	err := send(ctx, conn, withoutMeta(text))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return install.Refused(path, text, server)
	}
	return err
}

// send runs statements that need no answer.
func send(ctx context.Context, conn *pgx.Conn, sql string) error {
	_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

// createRoles creates those of the roles that do not exist.
func createRoles(ctx context.Context, conn *pgx.Conn, names []string) error {
	var create string
	s := session{conn: conn}
	if err := s.row(ctx, "rehearsal/missing_roles", names).Scan(&create); err != nil {
		return err
	}
	return send(ctx, conn, create)
}

// pgDumpMeta are the two commands for psql that pg_dump writes into every script.
var pgDumpMeta = regexp.MustCompile(`(?m)^\\(?:un)?restrict .*$`)

// withoutMeta leaves their lines empty, so that all others keep their numbers.
func withoutMeta(text string) string {
	return pgDumpMeta.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
}
