package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
)

func (c *console) runCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "run [POLICY | --job JOB | --first]",
		Short: "Run a policy or a job now",
		Long: `Runs a policy, or all policies of a job in their order, exactly like pg_cron, and waits for the end.
Progress goes to standard error: on a terminal one line that changes, otherwise one line every five
seconds. Runs under one second show no progress. Ctrl-C or SIGTERM stops the run: the server rolls
back the current batch, and keeps the rows of earlier batches. The run ends "stopped", and the next one
continues.

If all jobs of a policy have a scope, name one of these scopes with --scope. "--scope all" takes due
rows of the whole table.

With --dry-run the policies run one after the other, and everything is rolled back. Only the run log
keeps what each policy would take. Locks are held until the end. If another session waits for one of
them, the dry run ends after its batch and says so. "pgretain preview" counts one policy without locks.

--first is for a database with many old rows. It shows how many rows are due under the policy, under
the policies of the job, or under all policies, in the scopes of their jobs. It asks once, and takes
that many rows, even if the breaker would trip. If budgets require it, it starts several runs. If these
runs made more rows due, it asks again, until no row is due. After an interruption, run it again.

Exit codes:
  0  every run ended "done", or "more" (its budget is spent, and the next run continues)
  1  a run failed, tripped, was stopped by Ctrl-C, is paused, or is "busy" (another run of the table is
     in progress)
  2  could not run: no connection, no runtime, a standby, no such policy or job, no privilege`,
		Example: `  pgretain run enqueued_messages_ttl --reason "queue of bot 17 is full"
  pgretain run --job enqueued_messages
  pgretain run --job enqueued_messages --dry-run
  pgretain run positions --scope chain_id=501
  pgretain run --first`,
		Args:              between(0, 1),
		ValidArgsFunction: proposePolicy,
		RunE:              c.inDatabases(&f, (*console).run),
	}
	f.addRuntime(command)
	f.addScope(command)
	f.addAsOf(command)
	command.Flags().StringVar(&f.Job, "job", "", "run the policies of this `job`")
	_ = command.RegisterFlagCompletionFunc("job", proposeJobs) // fails only for an unknown flag
	command.Flags().StringVar(&f.Reason, "reason", "", "a `text` for the run log")
	command.Flags().BoolVar(&f.DryRun, "dry-run", false,
		"run, roll back, and record in the run log what the run would take")
	command.Flags().BoolVar(&f.First, "first", false,
		"show how many rows are due, ask, and take them even if the breaker would trip; by default of all policies")
	command.Flags().BoolVar(&f.Yes, "yes", false, "with --first: do not ask")
	return command
}

// run runs a policy or a job. With --first it takes the rows that became due before there were
// policies.
func (c *console) run(ctx context.Context, args []string) error {
	policy := strings.Join(args, "")
	switch {
	case policy == "" && c.Job == "" && !c.First:
		return usagef("run needs the name of one policy, or --job")
	case policy != "" && c.Job != "":
		return usagef("run takes a policy or --job, not both")
	case c.Yes && !c.First:
		return usagef("--yes requires --first")
	case c.DryRun && c.First:
		return usagef("run takes --dry-run or --first, not both")
	case policy == "" && c.Scope != "":
		return usagef("--scope needs the name of a policy, because jobs have scopes of their own")
	}
	if err := c.readScope(); err != nil {
		return err
	}
	return c.withSession(ctx, true, func(s *session) error {
		if err := s.send(ctx, "no_timeout"); err != nil {
			return err
		}
		if c.First {
			return c.first(ctx, s, policy)
		}
		asked := call{"run", policy, orNull(c.Scope)}
		if c.Job != "" {
			asked = call{"run_job", c.Job, nil}
		}
		runs, err := c.runs(ctx, s, asked)
		if err != nil && len(runs) == 0 {
			return err
		}
		ended := c.summarise(runs) // before the error, because these runs did end
		return cmp.Or(err, ended)
	})
}

// call is a procedure of the runtime with its arguments. scope is for a policy only.
type call struct {
	procedure, of string
	scope         *string
}

// runs runs a policy or a job and returns how the runs ended. It shows progress over a second
// connection, because the first one is busy. If a run fails or is stopped, the method returns its
// outcome and no error.
func (c *console) runs(ctx context.Context, s *session, asked call) (runs []outcome, err error) {
	err = c.withSession(ctx, true, func(beside *session) error {
		var last int64 // last run before the call
		if err := beside.row(ctx, "last_run").Scan(&last); err != nil {
			return err
		}
		var pid int32 // of the server's session; a pool tells the client another one
		if err := s.row(ctx, "pid").Scan(&pid); err != nil {
			return err
		}
		// Ctrl-C cancels the run, but not the query that reads how the run ended.
		watching, stop := context.WithCancel(context.WithoutCancel(ctx))
		var busy sync.WaitGroup
		busy.Go(func() { beside.follow(watching, pid, c.err) })
		args := []any{asked.of, orNull(c.AsOf), orNull(c.Reason), c.DryRun}
		if asked.procedure == "run" {
			args = append(args, asked.scope)
		}
		// The call is outside a transaction, because the procedure commits after every batch.
		failed := s.row(ctx, asked.procedure, args...).Scan(new(*string))
		if failed != nil {
			s.markAbandoned(ctx)
		}
		stop()
		busy.Wait() // the second connection is free again
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
		defer cancel()
		runs, err = rows[outcome](asking, beside, "runs", pid, last)
		// If all runs ended well, an error ended the call between two policies of a job.
		if err == nil && !slices.ContainsFunc(runs, func(r outcome) bool { return !r.well() }) {
			err = failed
		}
		if server, found := errors.AsType[*pgconn.PgError](err); found && c.DryRun && server.Code == "57014" {
			err = refuse("dry run stopped", server.Message)
		}
		return err
	})
	return runs, err
}

// markAbandoned marks a cancelled run as abandoned, in the session that ran it. If the connection
// is lost, it does nothing, and the next run of the policy marks the run.
func (s *session) markAbandoned(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = s.conn.Exec(ctx, s.statement("mark-abandoned"))
}

// first takes the rows that became due before there was a policy. It shows the numbers of due rows
// and asks for confirmation. Then it accepts that many rows, so that the breaker lets them pass. If
// the runs make rows due under other policies, it starts another round. All rounds have the same
// as_of, so no row becomes due because time passes. first may be called again.
func (c *console) first(ctx context.Context, s *session, policy string) error {
	if err := s.row(ctx, "as_of", orNull(c.AsOf)).Scan(&c.AsOf); err != nil {
		return err
	}
	instances, err := s.names(ctx, "instances", orNull(c.Job), orNull(policy))
	if err != nil {
		return err
	}
	code, runs := 0, []outcome{}
	for _, name := range instances {
		if err := s.row(ctx, "ensure_instance", name).Scan(new(string)); err != nil {
			c.show(install.Diagnostics(s.explain(ctx, err)), nil)
			code = 1
		}
	}
	left := map[string]int64{} // maps policy and scope to the rows that stay due; these rows start no further round
	for round, most := 1, 1; round <= most; round++ {
		list, err := c.previews(ctx, s, s.conn, policy, c.Job)
		if err == nil && len(list) == 0 && c.Job != "" {
			err = refuse("no job", c.Job)
		}
		if err != nil {
			return err
		}
		all, shown := int64(0), overview(slices.Clone(list))
		most = len(list) // a policy may make rows of the next policy due
		list = slices.DeleteFunc(list, func(p preview) bool {
			if p.StoppedBy != nil {
				code = 1 // the list shows the reason
			}
			if p.StoppedBy != nil || p.Due == nil || *p.Due <= left[p.Name()] {
				return true
			}
			all += *p.Due
			return false
		})
		if !c.JSON && (round == 1 || len(list) > 0) {
			c.aligned(say("previews", shown))
		}
		if len(list) == 0 && round == 1 && code != 0 {
			return exitCode(code)
		} else if len(list) == 0 {
			break
		} else if !c.Yes {
			err = c.agree(ctx, fmt.Sprintf("Take up to %s rows, of %s?", count(all), plural(len(list), "policy")))
		}
		if err != nil && round == 1 {
			return err
		} else if err != nil {
			break
		}
		for _, p := range list {
			more, err := c.takeAll(ctx, s, p)
			runs = append(runs, more...)
			if err != nil {
				_ = c.summarise(runs) // err is more important than the error of summarise
				return err
			}
			last := more[len(more)-1]
			if last.State == "stopped" {
				return c.summarise(runs)
			} else if left[p.Name()] = last.Contended + last.Refused; last.State != "done" {
				left[p.Name()] = math.MaxInt64
			}
		}
	}
	return cmp.Or(c.summarise(runs), exitError(code))
}

// takeAll runs a policy in a scope repeatedly, because a budget may end a run early. It stops when
// the runs have taken as many rows as were due.
func (c *console) takeAll(ctx context.Context, s *session, p preview) (all []outcome, err error) {
	for left := *p.Due; left > 0; {
		if p.WouldTrip {
			_, err := s.conn.Exec(ctx, s.statement("accept_scope"), p.Policy, cmp.Or(c.Reason, "the first run"),
				fmt.Sprint(left), p.scope())
			if err != nil {
				return all, err
			}
		}
		runs, err := c.runs(ctx, s, call{"run", p.Policy, p.scope()})
		all = append(all, runs...)
		if err != nil || len(runs) != 1 || runs[0].State != "more" || runs[0].Taken == 0 {
			return all, err
		}
		left -= runs[0].Taken
	}
	return all, nil
}

// outcome is how one run ended, as the run log says. The JSON names belong to the command's JSON
// format.
type outcome struct {
	ID        int64            `json:"run"`
	Policy    string           `json:"policy"`
	DryRun    bool             `json:"dry_run"`
	State     string           `json:"state"`
	Taken     int64            `json:"taken"`
	Scanned   int64            `json:"scanned"`
	Kept      map[string]int64 `json:"kept"`
	Contended int64            `json:"contended"`
	Refused   int64            `json:"refused"`
	Cascaded  map[string]int64 `json:"cascaded"`
	Seconds   seconds          `json:"seconds"`
	Code      string           `json:"sqlstate"`
	Message   string           `json:"message"`
	// "breaker", "catalog", "trust", "hold" or "clock"; "" if the run did not trip
	TrippedBy string `json:"tripped_by"`
	WayOut    string `json:"hint"` // command to type after a run that tripped
	Done      string `json:"-"`    // what was done with the rows, in words
}

// well reports whether the run ended without a problem. After "more" the next run continues.
func (o outcome) well() bool { return o.State == "done" || o.State == "more" }

// Ended returns the state in which the run ended, for a table.
func (o outcome) Ended() string {
	if o.DryRun {
		return "dry run, " + o.State
	}
	return o.State
}

// TakenWords returns how many rows the run took and what it did with them. For a dry run it returns
// only the number.
func (o outcome) TakenWords() string {
	if o.DryRun {
		return count(o.Taken)
	}
	return count(o.Taken) + " " + o.Done
}

// summarise prints one line per run. For each run that did not succeed it prints the reason.
func (c *console) summarise(runs []outcome) error {
	var list diag.List
	code := 0
	for _, r := range runs {
		if r.well() {
			continue
		}
		d := message("run", r)
		if d.Code = diag.SQLState(r.Code); r.State == "stopped" {
			d.Code = diag.Code{} // an error code would make a person's stop look like a fault
		}
		list.Add(d)
		code = max(code, 1)
		if r.State == "failed" && (r.Code == "P0002" || r.Code == "22023") {
			code = 2 // unknown policy or invalid as_of: no run was started
		}
	}
	err := c.result("runs", runs, "runs", runs)
	c.show(list, nil)
	return cmp.Or(err, exitError(code))
}

const (
	quiet    = time.Second            // shorter runs show no progress
	interval = 250 * time.Millisecond // time between two updates on a terminal
	sparse   = 5 * time.Second        // time between two lines in a file
)

// follow shows the progress of a backend's runs until ctx ends. It ignores errors, because the run
// itself reports them.
func (s *session) follow(ctx context.Context, pid int32, out io.Writer) {
	width, pause := terminalWidth(out), sparse
	if width > 0 {
		pause = interval
		defer fmt.Fprint(direct(out), erase)
	}
	for next := time.After(quiet); ; next = time.After(pause) {
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
		line, err := s.progress(ctx, pid)
		if err == nil {
			fmt.Fprint(direct(out), progressLine(diag.Plain(line), width))
		} else if !errors.Is(err, pgx.ErrNoRows) {
			return
		}
	}
}

// progress reads the progress once. The end of ctx does not cancel it, because that would close the
// connection.
func (s *session) progress(ctx context.Context, pid int32) (line string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = s.row(ctx, "progress", pid).Scan(&line)
	return line, err
}

const erase = "\r\x1b[K" // clears the line of a terminal

// progressLine returns a text that replaces the previous line on a terminal. width is the
// terminal's width, or 0 for none. A text that is too long is cut, because a wrapped line could not
// be replaced.
func progressLine(text string, width int) string {
	if width == 0 {
		return text + "\n"
	}
	letters := []rune(text)
	return erase + string(letters[:min(len(letters), width-1)])
}
