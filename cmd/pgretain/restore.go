package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) restoreCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "restore POLICY RUN [COLUMN=VALUE...]",
		Short: "Restore the rows that a run took, or one of them",
		Long: `Restores the rows that a run archived, or updated with an "undo". With values for the columns of the
table's key, restores only the row with this key. The restored rows are held for 30 days, or until
--hold-until. Otherwise the next run would take them again.
In psql: SELECT * FROM retention.restore('old_items', 42, match => '{"id": 4711}')

Exit codes:
  0  restored; the answer says how many rows, and how many were refused
  2  could not restore: no connection, no such run or row, the policy neither archives nor has "undo", a run is in
     progress, no privilege`,
		Example: `  pgretain restore old_items 42
  pgretain restore old_items 42 id=4711`,
		Args:              atLeast(2),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			values, err := columnValues(args[2:])
			if err != nil {
				return err
			}
			return c.call(ctx, statement{name: "restore"}, args[0], args[1], values, c.HoldUntil)
		}),
	}
	f.addRuntime(command)
	command.Flags().StringVar(&f.HoldUntil, "hold-until", "",
		"the `time` at which the hold on the rows ends (default: 30 days from now)")
	return command
}
