package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) acceptCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "accept POLICY",
		Short: "Let the next run of a policy pass its breaker",
		Long: `Lets the next run of a policy pass its breaker, once, as long as the policy is not changed. With
--rows N the run passes if at most N rows are due; if more are due, it trips and takes no row.
Without --rows the run may take all rows that are due. Then the breaker must have stopped the last
run. "pgretain preview POLICY" shows how many rows are due. If the breaker stopped runs of several
jobs, --run says which one. The acceptance is for the scope of that run alone.
In psql: SELECT retention.accept('enqueued_messages_ttl', 'why', 66000)

Exit codes:
  0  accepted
  2  could not accept: no connection, no such policy, its breaker stopped no run, no privilege`,
		Example: "  pgretain accept enqueued_messages_ttl " +
			`--reason "rows from before the policy" --rows 66000`,
		Args:              between(1, 1),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			return c.call(ctx, statement{name: "accept"}, args[0], c.Reason, c.Rows, c.Run)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	command.Flags().StringVar(&f.Rows, "rows", "",
		"how many `rows` may be due at most (default: any number, if the breaker stopped the last run)")
	command.Flags().StringVar(&f.Run, "run", "",
		"the number of the `run` that the breaker stopped (default: the only one)")
	return command
}
