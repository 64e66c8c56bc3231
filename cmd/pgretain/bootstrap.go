package main

import (
	"cmp"
	"context"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/policy"
)

// bootstrap prints the script that a DBA runs once, or runs it.
func (c *console) bootstrap(ctx context.Context, _ []string) error {
	script, err := c.bootstrapScript()
	switch {
	case err != nil:
		return err
	case !c.Apply:
		c.printf("%s", script)
		return nil
	case c.Migrator == "":
		return usagef("--apply needs --migrator: the connection is that of the DBA")
	}
	return install.Run(ctx, c.DatabaseURL, script, func(d diag.Diagnostic) { c.show(diag.List{d}, nil) })
}

func (c *console) bootstrapScript() (string, error) {
	project, err := readProject(c.Policy)
	if err != nil {
		return "", err
	}
	config, err := install.Settings(c.DatabaseURL)
	if err != nil {
		return "", err
	}
	migrator, database, in := cmp.Or(c.Migrator, config.User), c.Database, project.file.Install
	if in.Database != policy.AnyDatabase {
		database = cmp.Or(database, in.Database)
	}
	database = cmp.Or(database, config.Database, migrator) // the last one as libpq has it
	if c.Cron {
		return install.BootstrapCron(in.In(database), migrator)
	}
	return install.Bootstrap(in, database, migrator)
}
