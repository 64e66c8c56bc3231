package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) whyCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "why POLICY COLUMN=VALUE [COLUMN=VALUE...]",
		Short: "Show whether a run would take a row, and what keeps it",
		Long: `Shows for each row with these values whether a run would take it. If not, it shows what keeps the row:
a guard, a hold, or its clock ("not due"). It also shows until when, if that is known.
In psql: SELECT * FROM retention.why('enqueued_messages_ttl', '4711')

Exit codes:
  0  shown, or there is no such row
  2  could not tell: no connection, no such policy or column, no privilege`,
		Example:           `  pgretain why enqueued_messages_ttl id=4711`,
		Args:              atLeast(2),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			values, err := columnValues(args[1:])
			if err != nil {
				return err
			}
			of := statement{name: "why", reads: true, none: "the table has no such row"}
			return c.call(ctx, of, args[0], values, c.AsOf)
		}),
	}
	f.addRuntime(command)
	f.addAsOf(command)
	return command
}
