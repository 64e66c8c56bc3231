package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"pgretain/internal/install"
)

func bootstrapCommand(c *console) *cobra.Command {
	var p paths
	var database, migrator string
	var cron bool
	command := verb("bootstrap", func(context.Context, []string) error { return c.bootstrap(p, database, migrator, cron) })
	p.add(command, "policy", "database-url")
	command.Flags().StringVar(&database, "database", "", "the `name` of the database (default: install.database, or that of the connection settings)")
	command.Flags().StringVar(&migrator, "migrator", "", "the `role` that runs \"pgretain migrate\" (default: the user of the connection settings)")
	command.Flags().BoolVar(&cron, "cron", false, "for the database where schema cron lives, if that is another one; run after the script without it")
	return command
}

func (c *console) bootstrap(p paths, database, migrator string, cron bool) error {
	project, err := readProject(p.policy)
	if err != nil {
		return err
	}
	config, err := install.Settings(p.url)
	if err != nil {
		return err
	}
	migrator = cmp.Or(migrator, config.User)
	database = cmp.Or(database, project.file.Install.Database, config.Database, migrator) // the last one as libpq has it
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
