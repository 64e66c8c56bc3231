package main

import (
	"context"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/inspect"
	"pgretain/internal/propose"
	"pgretain/policy"
)

func (c *console) initCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "init",
		Short: "Write a first policy file, from a database or a schema file",
		Long: `Writes a policy file with a proposal for each table that grows, and the catalog snapshot. A proposal
names the column by which rows become due. Its comments list the foreign keys of the table, the size
of the table, and the rows inserted per day. All proposals are commented out, and their windows are
guesses. Nothing is deleted until you uncomment a proposal. All other tables are listed under
"coverage", with a reason or with "undecided". The command asks no questions, overwrites no file, and
only reads the database.

The tables are read from a live database, or from a schema file. A schema file is loaded into a
temporary server, where the sizes of the tables are unknown.

Exit codes:
  0  written
  2  could not run: a file exists already, no tables, no connection, no PostgreSQL on this machine`,
		Example: `  pgretain init
  pgretain init --schema schema.sql --policy retention/policy.yaml`,
		RunE: c.inDatabases(&f, (*console).init),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addDatabaseURL(command)
	command.Flags().StringVar(&f.Schema, "schema", "", "load this SQL `file` into a temporary server instead")
	return command
}

// init writes a policy file with proposals, and the catalog snapshot with which lint checks it.
func (c *console) init(ctx context.Context, _ []string) error {
	for _, path := range []string{c.Policy, c.catalogFile()} {
		if !missing(path) {
			return refuse("exists", path)
		}
	}
	var snapshot *catalog.Snapshot
	var statistics *catalog.Statistics
	err := c.withTables(ctx, func(conn *pgx.Conn) (err error) {
		request := inspect.Request{SearchPath: []string{"public"}, Runtime: policy.DefaultInstall("").Schema}
		snapshot, statistics, err = inspect.Survey(ctx, conn, request)
		return err
	})
	if err != nil {
		return err
	}
	from := "database " + quoted(statistics.Database)
	if c.Schema != "" { // a schema file does not tell table sizes or the properties of the server
		from, statistics.Server, statistics.Ranges = filepath.Base(c.Schema), catalog.Server{HasCron: true}, nil
	}
	if len(snapshot.Tables) == 0 {
		return refuse("no tables", from)
	}
	written := propose.Write(snapshot, statistics, from)
	files := []output{{c.Policy, written.Text}, {c.catalogFile(), snapshot.Text()}}
	if err := writeAll(files, false); err != nil {
		return err
	}
	c.printf("%s: %s, %s without a proposal (%d undecided)\n", c.Policy, plural(written.Proposals, "proposal"),
		plural(written.Exempt, "table"), written.Undecided)
	c.printf("%s: %s\n", c.catalogFile(), plural(len(snapshot.Tables), "table"))
	return nil
}
