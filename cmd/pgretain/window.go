package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) windowCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "window POLICY INTERVAL|default",
		Short: "Change the window of a policy",
		Long: `Changes the window of a policy, from the next run on. The policy must have bounds for it (at_least).
"default" restores the window of the policy file. The command needs a reason.
In psql: SELECT retention.set_window('enqueued_messages_ttl', '3 days', 'why')

Exit codes:
  0  done
  2  could not change it: no connection, no such policy, a window out of bounds, no privilege`,
		Example: `  pgretain window enqueued_messages_ttl "3 days" --reason "the disk is full"
  pgretain window enqueued_messages_ttl default --reason "the disk has free space again"`,
		Args:              between(2, 2),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			return c.call(ctx, statement{name: "window"}, args[0], args[1], c.Reason)
		}),
	}
	f.addRuntime(command)
	f.addReason(command)
	return command
}
