package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"pgretain/internal/install"
)

const bootstrapHelp = `Prints a script that a DBA runs once in the database, as a superuser or as the provider's
administrator: the roles of the policy file, membership for the migrating role, pg_monitor and
pg_cron. It adds what is missing, takes nothing away and may be run again. Connects to nothing.

Where schema cron lives in another database, --cron prints what must be run there afterwards.

Database and migrating role come from the connection settings unless they are named.

Exit codes:
  0  printed
  1  the policy has errors
  2  a file could not be read, or no database or role is known`

func bootstrapCommand(c *console) *cobra.Command {
	var p paths
	var url, database, migrator string
	var cron bool
	command := &cobra.Command{
		Use:     "bootstrap",
		Short:   "Print the script for the DBA: roles, memberships, pg_cron",
		Long:    bootstrapHelp,
		Example: "  pgretain bootstrap --database shop --migrator shop_owner | psql --dbname shop",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			return c.bootstrap(p, url, database, migrator, cron)
		},
	}
	p.addPolicy(command)
	addDatabaseURL(command, &url)
	command.Flags().StringVar(&database, "database", "", "the `name` of the database (default: install.database, or that of the connection settings)")
	command.Flags().StringVar(&migrator, "migrator", "", "the `role` that runs \"pgretain migrate\" (default: the user of the connection settings)")
	command.Flags().BoolVar(&cron, "cron", false, "for the database where schema cron lives, if that is another one; run after the script without it")
	return command
}

func (c *console) bootstrap(p paths, url, database, migrator string, cron bool) error {
	project, err := readProject(p.policy)
	if err != nil {
		return err
	}
	config, err := install.Settings(url)
	if err != nil {
		return err
	}
	if database == "" {
		database = cmp.Or(project.file.Install.Database, config.Database)
	}
	if migrator == "" {
		migrator = config.User
	}
	if database == "" {
		database = migrator // as libpq has it
	}
	script, err := install.Bootstrap(project.file.Install, database, migrator)
	if cron {
		script, err = install.BootstrapCron(project.file.Install, migrator)
	}
	if err != nil {
		return err
	}
	c.printf("%s", script)
	return nil
}
