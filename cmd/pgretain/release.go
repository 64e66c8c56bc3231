package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) releaseCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "release HOLD",
		Short: "End a hold",
		Long: `Ends a hold now. Its row in retention.hold stays as a record. "pgretain holds" lists the numbers.
In psql: SELECT * FROM retention.release_hold(3, 'why')

Exit codes:
  0  released
  2  could not release: no connection, no such hold in force, no privilege`,
		Example: `  pgretain release 3 --reason "case 7 is closed"`,
		Args:    between(1, 1),
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			return c.call(ctx, statement{name: "release"}, args[0], c.Reason)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	return command
}
