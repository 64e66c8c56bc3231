package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) pauseCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "pause [POLICY]",
		Short: "Pause a policy, or all policies",
		Long: `Pauses a policy, or all policies, until "pgretain resume". No run starts. A run in progress ends before
its next batch.
In psql: SELECT retention.pause('enqueued_messages_ttl', 'why')

Exit codes:
  0  paused
  2  could not pause: no connection, no such policy, no privilege`,
		Example:           `  pgretain pause enqueued_messages_ttl --reason "release 42"`,
		Args:              between(0, 1),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			return c.call(ctx, statement{name: "pause"}, optional(args), c.Reason)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	f.addFleet(command)
	return command
}
