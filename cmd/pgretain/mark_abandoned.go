package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) markAbandonedCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "mark-abandoned",
		Short: "Mark runs as abandoned whose session has ended",
		Long: `Marks runs as "abandoned" in the run log that are "running" there although their session has ended. The
next run of the same table does the same.
In psql: SELECT retention.mark_abandoned()

Exit codes:
  0  done; the answer says how many runs
  2  could not mark them: no connection, no privilege`,
		Example: `  pgretain mark-abandoned`,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, _ []string) error {
			return c.call(ctx, statement{name: "mark-abandoned"})
		}),
	}
	f.addRuntime(command)
	return command
}
