package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
)

func (c *console) snapshotCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "snapshot",
		Short: "Write the definitions of the tables, from a database or a schema file",
		Long: `Writes the catalog snapshot. It has the columns, keys, indexes, foreign keys and triggers of the
tables that the policy names, and of all tables that a delete from them can reach. It also has the
types of clocks and windows that are expressions. The server parses these expressions, but executes
none. Commit the file and review its changes. "lint" and "generate" read it instead of a database.

The tables are read from a live database, or from a schema file that is loaded into a temporary
server (see "pgretain sandbox"). The schema file must be plain SQL without psql commands. Without a
policy file, the snapshot has all tables.

Exit codes:
  0  written
  1  the policy has errors, or names tables that do not exist
  2  could not run: unreadable file, no connection, no PostgreSQL on this machine`,
		Example: `  pgretain snapshot
  pgretain snapshot --schema schema.sql`,
		RunE: c.inDatabases(&f, (*console).snapshot),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addDatabaseURL(command)
	command.Flags().StringVar(&f.Schema, "schema", "", "load this SQL `file` into a temporary server instead")
	return command
}

// snapshot reads the tables of the policy file. It reads all tables if there is no policy file and
// --policy is not set.
func (c *console) snapshot(ctx context.Context, _ []string) error {
	project, err := c.project()
	if err != nil {
		return err
	}
	var snapshot *catalog.Snapshot
	err = c.withTables(ctx, func(conn *pgx.Conn) (err error) {
		if snapshot, err = project.inspect(ctx, conn, true); err == nil && c.Schema == "" {
			err = project.noteServer(ctx, conn, snapshot)
		}
		return err
	})
	c.show(project.notes, project.sources)
	if err != nil {
		return err
	}
	if err := writeAll([]output{{c.catalogFile(), snapshot.Text()}}, true); err != nil {
		return err
	}
	c.printf("%s: %s\n", c.catalogFile(), plural(len(snapshot.Tables), "table"))
	return nil
}
