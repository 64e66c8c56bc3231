package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
)

const runHelp = `Runs a policy, or all policies of a job in their order, exactly as pg_cron would, and waits for the
end. Progress goes to standard error: one line that changes on a terminal, a line every five
seconds elsewhere, nothing for runs under a second. Ctrl-C cancels the run; batches that were
committed stay deleted, and the run log says where it stopped.

Exit codes:
  0  every run ended "done", or "more" (its budget is spent, the next run goes on)
  1  a run failed, tripped its breaker, is paused, found another one at work ("busy"), or was cancelled
  2  could not run: no connection, no runtime, a standby, no such policy or job, no rights`

// order says what to run.
type order struct {
	policy, job, asOf, reason string
}

func runCommand(c *console) *cobra.Command {
	t := target{writes: true}
	var o order
	command := &cobra.Command{
		Use:               "run POLICY | --job JOB",
		Short:             "Run a policy or a job now",
		Long:              runHelp,
		Example:           "  pgretain run enqueued_messages_ttl --reason \"queue of bot 17 is full\"\n  pgretain run --job enqueued_messages",
		Args:              policyOrJob(&o),
		ValidArgsFunction: policyNames(&t),
		RunE: func(command *cobra.Command, _ []string) error {
			return c.run(command.Context(), &t, o)
		},
	}
	t.add(command)
	addAsOf(command, &o.asOf)
	command.Flags().StringVar(&o.job, "job", "", "run the policies of this `job`")
	command.Flags().StringVar(&o.reason, "reason", "", "a `text` for the run log")
	_ = command.RegisterFlagCompletionFunc("job", jobNames(&t)) // fails for an unknown flag only
	return command
}

// policyOrJob asks for one of the two.
func policyOrJob(o *order) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > 1, len(args) == 0 && o.job == "":
			return &usageError{"run needs the name of one policy, or --job"}
		case len(args) == 1 && o.job != "":
			return &usageError{"run takes a policy or --job, not both"}
		case len(args) == 1:
			o.policy = args[0]
		}
		return nil
	}
}

func (c *console) run(ctx context.Context, t *target, o order) error {
	s, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	w, err := c.watch(ctx, t, s.conn.PgConn().PID())
	if err != nil {
		return err
	}
	defer w.close()
	callErr := s.call(ctx, o)
	if callErr != nil {
		s.settle(ctx)
	}
	w.stop()
	runs, err := w.runs()
	if err != nil {
		return s.explain(err)
	}
	if len(runs) == 0 && callErr != nil {
		return s.explain(callErr)
	}
	return c.summarise(runs)
}

// call runs the procedure outside a transaction, since it commits after every batch.
func (s *session) call(ctx context.Context, o order) error {
	name, what := "run", o.policy
	if o.job != "" {
		name, what = "run_job", o.job
	}
	var outcome *string
	return s.conn.QueryRow(ctx, s.statement(name), what, orNull(o.asOf), orNull(o.reason)).Scan(&outcome)
}

// settle ends a run that a cancel left open, in the session that it ran in. Without a connection
// there is nothing to end: the next run of the table finds it abandoned.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = s.conn.Exec(ctx, s.statement("settle"))
}
