package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (c *console) resumeCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "resume [POLICY]",
		Short: "Let a paused policy run again",
		Long: `Resumes a policy that "pgretain pause POLICY" paused. Without a policy, undoes a "pgretain
pause" without a policy.
In psql: SELECT retention.resume('enqueued_messages_ttl')

Exit codes:
  0  done; the answer says whether anything was paused
  2  could not resume: no connection, no privilege`,
		Example:           `  pgretain resume enqueued_messages_ttl`,
		Args:              between(0, 1),
		ValidArgsFunction: proposePolicy,
		RunE: c.inDatabases(&f, func(c *console, ctx context.Context, args []string) error {
			return c.call(ctx, statement{name: "resume"}, optional(args))
		}),
	}
	f.addRuntime(command)
	f.addFleet(command)
	return command
}
