package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) holdCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "hold TABLE COLUMN=VALUE [COLUMN=VALUE...]",
		Short: "Prevent every policy from taking rows",
		Long: `Places a hold: no policy takes rows of the table with these values, present or future rows. The hold
ends with "pgretain release", or at the time of --until. The command needs a reason. The types of the
columns parse the values. The command waits for batches in progress.
In psql: SELECT * FROM retention.place_hold('public.enqueued_messages', '{"device_key": "d7"}', 'why')

Exit codes:
  0  held; the answer has the number of the hold, and how many rows it holds now
  2  could not hold: no connection, no such table or column, no reason, no privilege`,
		Example: `  pgretain hold public.enqueued_messages id=4711 --reason "case 7"
  pgretain hold public.enqueued_messages device_key=d7 --reason "case 8" --until 2027-01-01`,
		Args: atLeast(2),
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			values, err := columnValues(args[1:])
			if err != nil {
				return err
			}
			return c.call(ctx, statement{name: "hold"}, args[0], values, c.Reason, c.Until)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	command.Flags().StringVar(&f.Until, "until", "",
		"the `time` at which the hold ends; without a zone, it is in the time zone of the install")
	f.addFleet(command)
	return command
}
