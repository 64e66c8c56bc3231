package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) holdsCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "holds",
		Short: "List the holds in force",
		Long: `Lists the holds in force: the table and the values, the end, who placed the hold, and why.
In psql: SELECT * FROM retention.hold WHERE released_at IS NULL AND (until IS NULL OR until > now())

Exit codes:
  0  listed
  2  could not list: no connection, no privilege`,
		Example: `  pgretain holds --json`,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, _ []string) error {
			return c.call(ctx, statement{name: "holds", reads: true, none: "no holds are in force"})
		}),
	}
	f.addRuntime(command)
	f.addFleet(command)
	return command
}
