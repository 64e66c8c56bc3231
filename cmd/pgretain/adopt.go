package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) adoptCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "adopt",
		Short: "Allow runs in this copy of a database",
		Long: `Allows runs in this database. In a restored backup, a clone or a promoted standby, no run starts before
that. See docs/copies.md.
In psql: SELECT retention.adopt('why')

Exit codes:
  0  adopted
  2  could not adopt: no connection, a standby, no privilege`,
		Example: `  pgretain adopt --reason "failover of 3 May"`,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, _ []string) error {
			return c.call(ctx, statement{name: "adopt"}, c.Reason)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	return command
}
