package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/sandbox"
	"pgretain/policy"
)

func snapshotCommand(c *console) *cobra.Command {
	var p paths
	var schema string
	command := verb("snapshot", func(ctx context.Context, _ []string) error {
		if schema != "" && p.url != "" {
			return usagef("--schema and --database-url exclude each other")
		}
		return c.snapshot(ctx, p, schema)
	})
	p.add(command, "policy", "catalog", "database-url")
	command.Flags().StringVar(&schema, "schema", "", "load this SQL `file` into a throw-away server instead")
	return command
}

func (c *console) snapshot(ctx context.Context, p paths, schema string) error {
	project, err := readProject(p.policy)
	if err != nil {
		return err
	}
	c.show(project.notes, project.sources)
	var snapshot *catalog.Snapshot
	read := func(conn *pgx.Conn) (err error) {
		snapshot, err = project.inspect(ctx, conn)
		return err
	}
	if schema == "" {
		err = connected(ctx, p.url, read)
	} else {
		err = withSchema(ctx, schema, read)
	}
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

// connected calls do with a connection.
func connected(ctx context.Context, url string, do func(*pgx.Conn) error) error {
	conn, err := install.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer closeConn(conn)
	return do(conn)
}

// withSchema calls do with a connection to a throw-away server that holds the schema file.
func withSchema(ctx context.Context, path string, do func(*pgx.Conn) error) error {
	text, err := readSchema(path)
	if err != nil {
		return err
	}
	return withSandbox(ctx, sandbox.Options{}, func(_ *sandbox.Server, conn *pgx.Conn) error {
		if err := load(ctx, conn, path, text); err != nil {
			return err
		}
		return do(conn)
	})
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
	var list diag.List
	for _, t := range tables {
		if slices.Contains(unknown, t.name) && !t.created {
			list.Add(diag.Diagnostic{
				Position: t.position,
				Message:  fmt.Sprintf("table %q does not exist in database %q", t.name, conn.Config().Database),
				Hint:     "Check the name and install.search_path, or create the table first.",
			})
		}
	}
	if len(list) > 0 {
		return nil, &problems{list.Unique(), p.sources}
	}
	return snapshot, nil
}

// mention is a table's name where the policy file first has it.
type mention struct {
	name     string
	position diag.Position
	created  bool // by the policy, where it is missing
}

// tablesOf lists every table that a policy file names, in YAML or in SQL, in the order of their first mention. The
// runtime's own are left out: migrations make them, and no snapshot holds them.
func tablesOf(file *policy.File) []*mention {
	var list []*mention
	seen := map[string]*mention{}
	add := func(name string, at diag.Position) *mention {
		if seen[name] == nil {
			seen[name] = &mention{name: name, position: at}
			list = append(list, seen[name])
		}
		return seen[name]
	}
	sql := func(parts []policy.Part) {
		for _, part := range parts {
			expr, err := part.Parse()
			if err != nil {
				continue // it was parsed when the file was read
			}
			for _, t := range expr.Tables {
				switch t.Schema {
				case "":
					if t.Name != "batch" && t.Name != "partition" { // which the language has of its own
						add(t.Name, part.Expr.Position)
					}
				case "pg_catalog", "information_schema", file.Install.Schema:
				default:
					add(t.Schema+"."+t.Name, part.Expr.Position)
				}
			}
		}
	}
	for _, t := range file.Protect {
		add(t.String(), t.Position)
	}
	for _, p := range file.Policies {
		for _, use := range p.Uses() {
			m := add(use.Table.String(), use.Table.Position)
			m.created = m.created || use.Created
		}
		sql(p.Parts())
	}
	for _, report := range file.Reports {
		sql(report.Parts())
	}
	return list
}
