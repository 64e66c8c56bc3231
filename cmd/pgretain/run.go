package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
)

// order says what to run.
type order struct {
	policy, job, asOf, reason string
}

func runCommand(c *console) *cobra.Command {
	t := target{writes: true}
	var o order
	command := verb("run", func(ctx context.Context, _ []string) error { return c.run(ctx, &t, o) })
	command.Args = o.policyOrJob
	command.ValidArgsFunction = completeNames(&t, false)
	t.add(command)
	addAsOf(command, &o.asOf)
	command.Flags().StringVar(&o.job, "job", "", "run the policies of this `job`")
	command.Flags().StringVar(&o.reason, "reason", "", "a `text` for the run log")
	_ = command.RegisterFlagCompletionFunc("job", completeNames(&t, true)) // fails for an unknown flag only
	return command
}

// policyOrJob asks for one of the two.
func (o *order) policyOrJob(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1, len(args) == 0 && o.job == "":
		return usagef("run needs the name of one policy, or --job")
	case len(args) == 1 && o.job != "":
		return usagef("run takes a policy or --job, not both")
	case len(args) == 1:
		o.policy = args[0]
	}
	return nil
}

func (c *console) run(ctx context.Context, t *target, o order) error {
	return t.with(ctx, func(s *session) error {
		w, err := c.watch(ctx, t, s.conn.PgConn().PID())
		if err != nil {
			return err
		}
		defer closeConn(w.conn)
		callErr := s.call(ctx, o)
		if callErr != nil {
			s.settle(ctx)
		}
		w.stop()
		runs, err := w.runs()
		if err != nil {
			return err
		}
		if len(runs) == 0 && callErr != nil {
			return callErr
		}
		return c.summarise(runs)
	})
}

// call runs the procedure outside a transaction, since it commits after every batch.
func (s *session) call(ctx context.Context, o order) error {
	name, what := "run", o.policy
	if o.job != "" {
		name, what = "run_job", o.job
	}
	var outcome *string
	return s.row(ctx, name, what, orNull(o.asOf), orNull(o.reason)).Scan(&outcome)
}

// settle ends a run that a cancel left open, in the session that it ran in. Without a connection
// there is nothing to end: the next run of the table finds it abandoned.
func (s *session) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = s.conn.Exec(ctx, s.statement("settle"))
}

// outcome is how one run ended, from the run log. Kept and Cascaded are JSON maps to numbers.
type outcome struct {
	ID                 int64
	Policy, State      string
	Taken, Scanned     int64
	Kept               string
	Contended, Refused int64
	Cascaded           string
	Seconds            float64
	Code, Message      string
}

// summarise prints one line per run, and why those that went wrong did.
func (c *console) summarise(runs []outcome) error {
	t := table{columns: []string{"POLICY", ">RUN", "ENDED", ">DELETED", ">SCANNED", ">KEPT", ">CONTENDED", ">REFUSED", ">CASCADED", ">TOOK"}}
	var list diag.List
	code := 0
	for _, r := range runs {
		t.add(r.Policy, fmt.Sprint(r.ID), r.State, count(r.Taken), count(r.Scanned), total(r.Kept),
			count(r.Contended), count(r.Refused), total(r.Cascaded), seconds(r.Seconds))
		if r.State != "done" && r.State != "more" { // the next run goes on
			list.Add(r.diagnostic())
			code = max(code, r.exit())
		}
	}
	t.print(c.out)
	c.show(list, nil)
	return ends(code)
}

// exit is 2 for a policy that does not exist and for an as_of that is refused: no run was started.
func (r outcome) exit() int {
	if r.State == "failed" && (r.Code == "P0002" || r.Code == "22023") {
		return 2
	}
	return 1
}

// diagnostic says why a run did not do its work.
func (r outcome) diagnostic() diag.Diagnostic {
	verb, hint := r.State, ""
	switch r.State {
	case "tripped":
		hint = fmt.Sprintf("Nothing was deleted. Look with \"pgretain preview %s\"; accept(%d, 'why') lets one run pass.", r.Policy, r.ID)
	case "paused":
		verb = "is paused"
		hint = fmt.Sprintf("SELECT * FROM health() in the schema of the runtime says what to do about policy %q.", r.Policy)
	case "busy":
		verb = "is busy"
	case "running":
		verb = "did not end"
	}
	d := diag.Diagnostic{Severity: diag.Error, Code: r.Code, Message: fmt.Sprintf("policy %q %s", r.Policy, verb), Hint: hint}
	if r.Message != "" {
		d.Message += ": " + r.Message
	}
	return d
}

// total adds up a JSON map.
func total(text string) string {
	counts := map[string]int64{}
	if json.Unmarshal([]byte(text), &counts) != nil {
		return "?"
	}
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	return count(sum)
}
