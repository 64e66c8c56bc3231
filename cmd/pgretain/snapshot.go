package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/sandbox"
	"pgretain/policy"
)

const snapshotHelp = `Writes the catalog snapshot: columns, keys, indexes, foreign keys and triggers of the tables that the
policy names and of all that a delete from them can reach. Check the file in and review it; "lint"
and "generate" read it, so that they need no database.

The tables are read from a live database, or from a schema file that is loaded into a throw-away
server (see "pgretain sandbox"; the file must be plain SQL, without psql commands).

Exit codes:
  0  written
  1  the policy has errors, or names tables that do not exist
  2  could not run: unreadable file, no connection, no PostgreSQL on this machine`

func snapshotCommand(c *console) *cobra.Command {
	var p paths
	var url, schema string
	command := &cobra.Command{
		Use:     "snapshot",
		Short:   "Write what the tables look like, from a database or a schema file",
		Long:    snapshotHelp,
		Example: "  pgretain snapshot\n  pgretain snapshot --schema schema.sql",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if schema != "" && url != "" {
				return &usageError{"--schema and --database-url exclude each other"}
			}
			return c.snapshot(command.Context(), p, url, schema)
		},
	}
	p.addPolicy(command)
	p.addCatalog(command)
	addDatabaseURL(command, &url)
	command.Flags().StringVar(&schema, "schema", "", "load this SQL `file` into a throw-away server instead")
	return command
}

func (c *console) snapshot(ctx context.Context, p paths, url, schema string) error {
	project, err := readProject(p.policy)
	if err != nil {
		return err
	}
	c.show(project.notes, project.sources)
	read := func(conn *pgx.Conn) (*catalog.Snapshot, error) { return project.inspect(ctx, conn) }
	snapshot, err := withDatabase(ctx, url, schema, read)
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := catalog.Write(&content, snapshot); err != nil {
		return err
	}
	if err := writeAll([]output{{p.catalogFile(), []string{content.String()}}}, true); err != nil {
		return err
	}
	c.printf("%s: %s\n", p.catalogFile(), plural(len(snapshot.Tables), "table"))
	return nil
}

// withDatabase calls read with a connection to the database, or to a throw-away server that holds
// the schema file.
func withDatabase(ctx context.Context, url, schema string, read func(*pgx.Conn) (*catalog.Snapshot, error)) (*catalog.Snapshot, error) {
	if schema == "" {
		conn, err := install.Connect(ctx, url)
		if err != nil {
			return nil, err
		}
		defer closeConn(conn)
		return read(conn)
	}
	text, err := os.ReadFile(schema)
	if err != nil {
		return nil, unreadable("schema file", schema, err, "Name another file with --schema.")
	}
	server, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		return nil, sandboxError(err)
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	conn, err := pgx.Connect(ctx, server.URL("", ""))
	if err != nil {
		return nil, fmt.Errorf("connecting to the sandbox: %w", err)
	}
	defer closeConn(conn)
	if err := load(ctx, conn, schema, string(text)); err != nil {
		return nil, err
	}
	return read(conn)
}

// inspect reads the tables of the project, and complains about those that do not exist.
func (p *project) inspect(ctx context.Context, conn *pgx.Conn) (*catalog.Snapshot, error) {
	tables := tablesOf(p.file)
	request := inspect.Request{SearchPath: p.file.Install.SearchPath, Runtime: p.file.Install.Schema}
	for _, t := range tables {
		request.Tables = append(request.Tables, t.name)
	}
	snapshot, unknown, err := inspect.Snapshot(ctx, conn, request)
	if err != nil {
		return nil, err
	}
	if list := unknownTables(tables, unknown, conn.Config().Database); len(list) > 0 {
		return nil, &problems{list, p.sources}
	}
	return snapshot, nil
}

func unknownTables(tables []mention, unknown []string, database string) diag.List {
	missing := map[string]bool{}
	for _, name := range unknown {
		missing[name] = true
	}
	var list diag.List
	for _, t := range tables {
		if missing[t.name] && !t.created {
			list.Add(diag.Diagnostic{
				Position: t.position,
				Message:  fmt.Sprintf("table %s does not exist in database %s", quoted(t.name), quoted(database)),
				Hint:     "Check the name and install.search_path, or create the table first.",
			})
		}
	}
	return list.Unique()
}

const schemaHelp = `Prints the JSON Schema of the policy file, for editors: which keys there are and what kind of
value each has. What the SQL in it means only "pgretain lint" knows.

Exit codes:
  0  printed`

func schemaCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the policy file", Long: schemaHelp, Args: noArguments,
		Example: "  pgretain schema > retention.schema.json",
		RunE: func(*cobra.Command, []string) error {
			c.printf("%s", policy.Schema)
			return nil
		},
	}
}
