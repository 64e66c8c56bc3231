package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/policy"
)

func bootstrapCommand(c *console) *cobra.Command {
	var p paths
	var database, migrator string
	var cron, apply bool
	command := verb("bootstrap", func(ctx context.Context, _ []string) error {
		script, err := p.bootstrapScript(database, migrator, cron)
		switch {
		case err != nil:
			return err
		case !apply:
			c.printf("%s", script)
			return nil
		case migrator == "":
			return usagef("--apply needs --migrator: the connection is that of the DBA")
		}
		return install.Run(ctx, p.url, script, func(d diag.Diagnostic) { c.show(diag.List{d}, nil) })
	})
	p.add(command, "policy", "database-url")
	command.Flags().StringVar(&database, "database", "", "the `name` of the database (default: install.database, or that of the connection settings)")
	command.Flags().StringVar(&migrator, "migrator", "", "the `role` that runs \"pgretain migrate\" (default: the user of the connection settings)")
	command.Flags().BoolVar(&cron, "cron", false, "for the database where schema cron lives, if that is another one; run after the script without it")
	command.Flags().BoolVar(&apply, "apply", false, "run the script as the user of the connection settings, do not print it")
	return command
}

func (p paths) bootstrapScript(database, migrator string, cron bool) (string, error) {
	project, err := readProject(p.policy)
	if err != nil {
		return "", err
	}
	config, err := install.Settings(p.url)
	if err != nil {
		return "", err
	}
	migrator = cmp.Or(migrator, config.User)
	in := project.file.Install
	if in.Database != policy.AnyDatabase {
		database = cmp.Or(database, in.Database)
	}
	database = cmp.Or(database, config.Database, migrator) // the last one as libpq has it
	if cron {
		return install.BootstrapCron(in.In(database), migrator)
	}
	return install.Bootstrap(in, database, migrator)
}
