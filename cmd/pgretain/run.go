package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
)

// order says what to run.
type order struct {
	policy, job, asOf, reason, format string
	first, yes                        bool
}

func runCommand(c *console) *cobra.Command {
	t := target{writes: true}
	var o order
	command := verb("run", func(ctx context.Context, _ []string) error {
		return t.with(ctx, func(s *session) error {
			if o.first {
				return c.first(ctx, &t, s, o)
			}
			runs, err := c.runs(ctx, &t, s, o)
			if err != nil {
				return err
			}
			return c.summarise(runs, o.format)
		})
	})
	command.Args = o.policyOrJob
	command.ValidArgsFunction = completeNames(&t.policy, policyNames, false)
	t.add(command)
	addAsOf(command, &o.asOf)
	addFormat(command, &o.format)
	command.Flags().StringVar(&o.job, "job", "", "run the policies of this `job`")
	command.Flags().StringVar(&o.reason, "reason", "", "a `text` for the run log")
	command.Flags().BoolVar(&o.first, "first", false, "show what is due, ask, and take all of it, past the breaker; without a policy or job of all")
	command.Flags().BoolVar(&o.yes, "yes", false, "with --first: do not ask")
	_ = command.RegisterFlagCompletionFunc("job", completeNames(&t.policy, jobNames, true)) // fails for an unknown flag only
	return command
}

// policyOrJob asks for one of the two.
func (o *order) policyOrJob(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1, len(args) == 0 && o.job == "" && !o.first:
		return usagef("run needs the name of one policy, or --job")
	case len(args) == 1 && o.job != "":
		return usagef("run takes a policy or --job, not both")
	case o.yes && !o.first:
		return usagef("--yes goes with --first")
	case len(args) == 1:
		o.policy = args[0]
	}
	return nil
}

// runs runs a policy or a job, shows progress, and says how its runs ended. A call that failed in a run is no error here.
func (c *console) runs(ctx context.Context, t *target, s *session, o order) (runs []outcome, err error) {
	err = t.with(ctx, func(beside *session) error {
		w := &watch{session: beside, pid: s.conn.PgConn().PID()}
		if err := w.row(ctx, "last_run").Scan(&w.last); err != nil {
			return err
		}
		stop := w.begin(ctx, display{c.err, terminalWidth(c.err)})
		failed := s.call(ctx, o)
		if failed != nil {
			s.settle(ctx)
		}
		stop()
		if runs, err = w.runs(); err == nil && len(runs) == 0 {
			err = failed
		}
		return err
	})
	return runs, err
}

// first takes what has become due before there was a policy: it shows the numbers, asks once, and lets runs pass the
// breaker up to them. Ages are measured at one instant, so that no row becomes due meanwhile. It may be called again.
func (c *console) first(ctx context.Context, t *target, s *session, o order) error {
	if err := s.row(ctx, "as_of", orNull(o.asOf)).Scan(&o.asOf); err != nil {
		return err
	}
	list, err := s.previewEach(ctx, o.policy, o.job, previewRequest{asOf: o.asOf})
	if err == nil && len(list) == 0 && o.job != "" {
		err = &install.CheckError{Message: "there is no job " + quoted(o.job) + " that runs policies"}
	}
	if err != nil {
		return err
	}
	if o.format == "text" {
		c.printPreviews(list)
	}
	stopped := slices.ContainsFunc(list, func(p preview) bool { return p.StoppedBy != nil })
	list = slices.DeleteFunc(list, func(p preview) bool { return p.StoppedBy != nil || p.Due == nil || *p.Due == 0 })
	if len(list) == 0 && stopped {
		return exitCode(1) // the list says why
	}
	all := int64(0)
	for _, p := range list {
		all += *p.Due
	}
	if all > 0 && !o.yes {
		question := fmt.Sprintf("Take up to %s rows, of %s?", count(all), plural(len(list), "policy"))
		if err := c.agree(ctx, question); err != nil {
			return err
		}
	}
	runs := []outcome{}
	for _, p := range list {
		more, err := c.takeAll(ctx, t, s, o, p)
		runs = append(runs, more...)
		if err != nil {
			_ = c.summarise(runs, o.format) // the error is worse than how runs ended
			return err
		}
		if len(more) > 0 && more[len(more)-1].Code == "57014" { // cancelled
			break
		}
	}
	err = c.summarise(runs, o.format)
	if err == nil && stopped {
		err = exitCode(1)
	}
	return err
}

// takeAll runs a policy as often as its budgets ask for, until as many rows are gone as were due.
func (c *console) takeAll(ctx context.Context, t *target, s *session, o order, p preview) (all []outcome, err error) {
	o.policy, o.job = p.Policy, ""
	for left := *p.Due; left > 0; {
		if p.WouldTrip {
			_, err := s.conn.Exec(ctx, s.statement("accept"), p.Policy, cmp.Or(o.reason, "the first run"), fmt.Sprint(left))
			if err != nil {
				return all, err
			}
		}
		runs, err := c.runs(ctx, t, s, o)
		all = append(all, runs...)
		if err != nil || len(runs) != 1 || runs[0].State != "more" || runs[0].Taken == 0 {
			return all, err
		}
		left -= runs[0].Taken
	}
	return all, nil
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

// outcome is how one run ended, from the run log. The names are those of the JSON format.
type outcome struct {
	ID        int64            `json:"run"`
	Policy    string           `json:"policy"`
	State     string           `json:"state"`
	Taken     int64            `json:"taken"`
	Scanned   int64            `json:"scanned"`
	Kept      map[string]int64 `json:"kept"`
	Contended int64            `json:"contended"`
	Refused   int64            `json:"refused"`
	Cascaded  map[string]int64 `json:"cascaded"`
	Seconds   float64          `json:"seconds"`
	Code      string           `json:"sqlstate"`
	Message   string           `json:"message"`
	Done      string           `json:"-"` // what became of the rows
}

// summarise prints one line per run, and why those that went wrong did.
func (c *console) summarise(runs []outcome, format string) error {
	t := table{columns: []string{"POLICY", ">RUN", "ENDED", ">TAKEN", ">SCANNED", ">KEPT", ">CONTENDED", ">REFUSED", ">CASCADED", ">TOOK"}}
	var list diag.List
	code := 0
	for _, r := range runs {
		t.add(r.Policy, fmt.Sprint(r.ID), r.State, count(r.Taken)+" "+r.Done, count(r.Scanned), total(r.Kept),
			count(r.Contended), count(r.Refused), total(r.Cascaded), seconds(r.Seconds))
		if r.State != "done" && r.State != "more" { // the next run goes on
			list.Add(r.diagnostic())
			code = max(code, r.exit())
		}
	}
	if format == "json" {
		if err := c.document("runs", runs); err != nil {
			return err
		}
	} else {
		t.print(c.out)
	}
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
		hint = fmt.Sprintf("Look with \"pgretain preview %s\" and \"pgretain verify\".", r.Policy)
	case "paused":
		verb = "is paused"
		hint = `"pgretain status" says what to do about it.`
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

// total adds up the values of maps.
func total(counts ...map[string]int64) string {
	sum := int64(0)
	for _, one := range counts {
		for _, n := range one {
			sum += n
		}
	}
	return count(sum)
}
