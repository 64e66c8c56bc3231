package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/policy"
)

func (c *console) bootstrapCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "bootstrap",
		Short: "Print the script for the DBA: roles, memberships, pg_cron",
		Long: `Prints a script that a DBA runs once in the database, as a superuser or as the provider's
administrator. The script creates the roles of the policy file and extension pg_cron, and grants
memberships and pg_monitor. It adds what is missing, removes nothing, and may be run again. The
command does not connect to a database. With --apply it connects as the DBA and runs the script;
--migrator must then name the migrating role.

If schema cron is in another database, --cron prints the script to run there afterwards.

By default, database and migrating role come from the connection settings.

Exit codes:
  0  printed, or run
  1  the policy has errors
  2  a file could not be read, or the database or the role is unknown; with --apply: the server refused a statement`,
		Example: `  pgretain bootstrap --database shop --migrator shop_owner | psql -v ON_ERROR_STOP=1 --dbname shop
  pgretain bootstrap --migrator shop_owner --apply --database-url postgres://postgres@localhost/shop`,
		RunE: c.inDatabases(&f, (*console).bootstrap),
	}
	f.addPolicy(command)
	f.addDatabaseURL(command)
	command.Flags().StringVar(&f.Database, "database", "",
		"the `name` of the database (default: install.database, or the database of the connection settings)")
	command.Flags().StringVar(&f.Migrator, "migrator", "",
		"the `role` that runs \"pgretain migrate\" (default: the user of the connection settings)")
	command.Flags().BoolVar(&f.Cron, "cron", false,
		"print the script for the database with schema cron, if that is another database")
	command.Flags().BoolVar(&f.Apply, "apply", false,
		"run the script as the user of the connection settings, instead of printing it")
	return command
}

// bootstrap prints the script that a DBA runs once, or executes it.
func (c *console) bootstrap(ctx context.Context, _ []string) error {
	project, err := readProject(c.Policy)
	if err != nil {
		return err
	}
	config, err := install.Settings(c.DatabaseURL)
	if err != nil {
		return err
	}
	migrator, database, in := cmp.Or(c.Migrator, config.User), c.Database, project.file.Install
	if in.Database != policy.AnyDatabase {
		database = cmp.Or(database, in.Database)
	}
	// libpq uses the user's name as the last default
	database = cmp.Or(database, config.Database, migrator)
	script, err := install.Bootstrap(in, database, migrator)
	if c.Cron {
		script, err = install.BootstrapCron(in.In(database), migrator)
	}
	switch {
	case err != nil:
		return err
	case !c.Apply:
		c.printf("%s", script)
		return nil
	case c.Migrator == "":
		return usagef("--apply requires --migrator, because the DBA connects")
	}
	return install.Run(ctx, c.DatabaseURL, script, func(d diag.Diagnostic) { c.show(diag.List{d}, nil) })
}
