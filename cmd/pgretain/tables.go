package main

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/sandbox"
	"pgretain/policy"
	"pgretain/verifier"
)

// withTables calls a function with a connection to the database of the tables. With --schema, the
// connection is to a temporary server on which the schema file was executed.
func (c *console) withTables(ctx context.Context, do func(*pgx.Conn) error) error {
	switch {
	case c.Schema == "":
		return connected(ctx, c.DatabaseURL, do)
	case c.DatabaseURL != "":
		return usagef("--schema and --database-url exclude each other")
	}
	schema, err := readSchema(c.Schema)
	if err != nil {
		return err
	}
	return withSandbox(ctx, sandbox.Options{Cron: schema.cron}, func(_ *sandbox.Server, conn *pgx.Conn) error {
		if err := createRoles(ctx, conn, schema.roles); err != nil {
			return err
		}
		if err := load(ctx, conn, schema.path, schema.text); err != nil {
			return err
		}
		return do(conn)
	})
}

// inspect reads the tables of the project, or all tables if it has no policies. If withInstall is
// true, it also reads what the database has of the install. It returns an error for tables that do
// not exist.
func (p *project) inspect(ctx context.Context, conn *pgx.Conn, withInstall bool) (*catalog.Snapshot, error) {
	tables := tablesOf(p.file)
	request := inspect.Request{
		SearchPath: p.file.Install.SearchPath,
		Runtime:    p.file.Install.Schema,
		All:        len(p.file.Policies) == 0,
		Each:       p.file.SchemaPatterns(),
		Tables:     lists.Map(tables, func(m *mention) string { return m.name }),
		Install:    withInstall,
		Worker:     p.file.Install.Roles.Worker,
	}
	snapshot, unknown, err := inspect.Snapshot(ctx, conn, request)
	if err != nil {
		return nil, err
	}
	var list diag.List
	for _, t := range tables {
		if slices.Contains(unknown, t.name) && !t.Created {
			d := messages.NotInDatabase(t.name, conn.Config().Database)
			d.Position = t.Position
			list.Add(d)
		}
	}
	if len(list) > 0 {
		return nil, &problems{list.Unique(), p.sources}
	}
	answers, err := inspect.Types(ctx, conn, p.file, snapshot)
	for _, a := range answers {
		if a.Err != nil {
			d := install.Said(a.Err)
			d.Severity, d.Position, d.Code = diag.Warning, a.Expr.Position, messages.CodeExpressionRefused
			p.notes.Add(d)
		}
	}
	return snapshot, err
}

// noteServer adds warnings about the server. A clock has no time zone, and the database has another
// time zone than the policy. Or row security hides rows from the worker.
func (p *project) noteServer(ctx context.Context, conn *pgx.Conn, snapshot *catalog.Snapshot) error {
	clocks, err := verifier.LocalClocks(ctx, conn, p.file, snapshot)
	if err != nil {
		return err
	}
	secured, err := verifier.RowSecurity(ctx, conn, p.file, snapshot)
	p.notes = slices.Concat(p.notes, clocks, secured).Unique()
	return err
}

// mention is a table that the policy file names, with the first position. The field "name" is the
// name to look up in the database.
type mention struct {
	policy.NamedTable
	name string
}

// tablesOf lists every table that a policy file names, in YAML or in SQL, in the order of first
// appearance. It leaves out tables of the runtime, because migrations create them. It also leaves
// out PostgreSQL's own tables.
func tablesOf(file *policy.File) []*mention {
	var list []*mention
	seen := map[string]*mention{}
	for _, m := range file.NamedTables() {
		if m.SQL && m.Schema == file.Install.Schema {
			continue
		}
		name := strings.TrimPrefix(m.String(), ".")
		if seen[name] == nil {
			seen[name] = &mention{m, name}
			list = append(list, seen[name])
		}
		seen[name].Created = seen[name].Created || m.Created
	}
	return list
}

// schemaFile is a file that creates the application's tables.
type schemaFile struct {
	path, text string
	roles      []string // roles that the file needs
	cron       bool     // the file creates extension pg_cron
}

func readSchema(path string) (schemaFile, error) {
	text, err := readFile("schema file", path, "Name another file with --schema.")
	if err != nil {
		return schemaFile{}, err
	}
	// loading reports syntax errors
	roles, extensions, _ := pgparse.RolesAndExtensions(withoutMeta(string(text)))
	return schemaFile{path, string(text), roles, slices.Contains(extensions, "pg_cron")}, nil
}

// load executes an SQL file. An error contains the position in the file.
func load(ctx context.Context, conn *pgx.Conn, path, text string) error {
	err := send(ctx, conn, withoutMeta(text))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return install.Refused(path, text, server)
	}
	return err
}

// send executes statements and ignores their results.
func send(ctx context.Context, conn *pgx.Conn, sql string) error {
	_, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	return err
}

// createRoles creates the roles that do not exist.
func createRoles(ctx context.Context, conn *pgx.Conn, names []string) error {
	var create string
	s := session{conn: conn}
	if err := s.row(ctx, "rehearsal/missing_roles", names).Scan(&create); err != nil {
		return err
	}
	return send(ctx, conn, create)
}

// pgDumpMeta matches the two psql commands that pg_dump writes into every script.
var pgDumpMeta = regexp.MustCompile(`(?m)^\\(?:un)?restrict .*$`)

// withoutMeta replaces the lines of pgDumpMeta by blanks, so that all positions stay the same.
func withoutMeta(text string) string {
	return pgDumpMeta.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
}
