package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/internal/diag"
)

const statusHelp = `Shows for each policy how its last run went, and below what needs a person's attention. The numbers
come from the run log; nothing is counted anew.

Exit codes:
  0  nothing is wrong
  1  a policy does not delete what it should: a run failed or tripped, a job is switched off
  2  could not run: no connection, no runtime, no rights`

func statusCommand(c *console) *cobra.Command {
	var t target
	var format string
	command := &cobra.Command{
		Use:     "status",
		Short:   "Show how the last runs went",
		Long:    statusHelp,
		Example: "  pgretain status\n  pgretain status --format json",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			return c.status(command.Context(), &t, format)
		},
	}
	t.add(command)
	addFormat(command, &format)
	return command
}

func (c *console) status(ctx context.Context, t *target, format string) error {
	s, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	show := c.statusText
	if format == "json" {
		show = c.statusJSON
	}
	if err := show(ctx, s); err != nil {
		return s.explain(err)
	}
	return c.health(ctx, s)
}

func (c *console) statusJSON(ctx context.Context, s *session) error {
	var text string
	if err := s.conn.QueryRow(ctx, s.statement("status_json")).Scan(&text); err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, []byte(text), "", "  "); err != nil {
		return fmt.Errorf("reading the status: %w", err)
	}
	c.printf("%s\n", pretty.String())
	return nil
}

// statusRow is one row of retention.status, -1 where it has no number.
type statusRow struct {
	Policy, Jobs, State, Started string
	Seconds                      float64
	Taken, Scanned, Holds        int64
	Paused                       string
}

func (c *console) statusText(ctx context.Context, s *session) error {
	rows, _ := s.conn.Query(ctx, s.statement("status")) // rows give the same error
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[statusRow])
	if err != nil {
		return err
	}
	t := table{columns: []string{"POLICY", "JOB", "LAST RUN", "STARTED", ">TOOK", ">DELETED", ">SCANNED", ">HOLDS", "PAUSED"}}
	for _, r := range list {
		t.add(r.Policy, r.Jobs, r.State, r.Started, seconds(r.Seconds), orBlank(r.Taken), orBlank(r.Scanned),
			count(r.Holds), r.Paused)
	}
	t.print(c.out)
	return nil
}

// health shows what needs attention; an error among it is a finding.
func (c *console) health(ctx context.Context, s *session) error {
	type problem struct{ Severity, Policy, Problem, Hint string }
	rows, _ := s.conn.Query(ctx, s.statement("health")) // rows give the same error
	problems, err := pgx.CollectRows(rows, pgx.RowToStructByPos[problem])
	if err != nil {
		return s.explain(err)
	}
	var list diag.List
	for _, p := range problems {
		message := p.Problem
		if p.Policy != "" {
			message = p.Policy + ": " + message
		}
		list.Add(diag.Diagnostic{Severity: diag.Severity(p.Severity), Message: message, Hint: p.Hint})
	}
	c.show(list, nil)
	if list.HasErrors() {
		return exitCode(1)
	}
	return nil
}

// orBlank writes a number, nothing for -1.
func orBlank(n int64) string {
	if n < 0 {
		return ""
	}
	return count(n)
}

// seconds writes a duration for people, nothing for a negative one.
func seconds(s float64) string {
	switch {
	case s < 0:
		return ""
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// watch follows a run over a second connection: the first one is busy running.
type watch struct {
	*session
	pid    uint32
	last   int64 // the last run before ours
	cancel context.CancelFunc
	done   chan struct{}
}

const (
	quiet    = time.Second            // runs under this show nothing
	interval = 250 * time.Millisecond // between two looks, on a terminal
	sparse   = 5 * time.Second        // between two lines elsewhere
)

// watch begins to show progress of what the backend pid is going to run.
func (c *console) watch(ctx context.Context, t *target, pid uint32) (*watch, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	w := &watch{session: s, pid: pid, done: make(chan struct{})}
	if err := s.conn.QueryRow(ctx, s.statement("last_run")).Scan(&w.last); err != nil {
		s.close()
		return nil, s.explain(err)
	}
	// Ctrl-C cancels the run, not our view of how it ends.
	ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(w.done)
		w.show(ctx, display{c.err, isTerminal(c.err)})
	}()
	return w, nil
}

// stop ends the display; the connection is free for other questions afterwards.
func (w *watch) stop() {
	w.cancel()
	<-w.done
}

// show looks again and again until ctx ends. What it cannot read it does not show: the run itself
// reports what is wrong.
func (w *watch) show(ctx context.Context, d display) {
	defer d.clear()
	for pause := quiet; sleep(ctx, pause); pause = d.pause() {
		p, err := w.progress(ctx)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return
		}
		d.line(p.String())
	}
}

// sleep is false when ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// progress is one look at a run; due and left are negative where unknown.
type progress struct {
	policy           string
	due, taken, rate int64
	left             float64
}

func (w *watch) progress(ctx context.Context) (progress, error) {
	// The display's end must not cancel a look and with it the connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var p progress
	err := w.conn.QueryRow(ctx, w.statement("progress"), w.pid).Scan(&p.policy, &p.due, &p.taken, &p.rate, &p.left)
	return p, err
}

func (p progress) String() string {
	parts := []string{count(p.taken) + " rows"}
	if p.due >= 0 {
		parts[0] = fmt.Sprintf("%s of %s rows", count(p.taken), count(p.due))
	}
	parts = append(parts, count(p.rate)+" rows/s")
	if p.left >= 0 {
		parts = append(parts, seconds(p.left)+" left")
	}
	return p.policy + ": " + p.bar() + strings.Join(parts, ", ")
}

// bar is twenty characters wide, and missing where the end is not known.
func (p progress) bar() string {
	if p.due <= 0 {
		return ""
	}
	full := int(min(20*p.taken/p.due, 20))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", 20-full) + "] "
}

// display writes lines, one over the other on a terminal.
type display struct {
	w        io.Writer
	terminal bool
}

func (d display) pause() time.Duration {
	if d.terminal {
		return interval
	}
	return sparse
}

func (d display) line(text string) {
	if d.terminal {
		fmt.Fprintf(d.w, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintln(d.w, text)
}

func (d display) clear() {
	if d.terminal {
		fmt.Fprint(d.w, "\r\x1b[K")
	}
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

// runs reads what the watched backend has run. It works after Ctrl-C too.
func (w *watch) runs() ([]outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	rows, _ := w.conn.Query(ctx, w.statement("runs"), w.pid, w.last) // rows give the same error
	return pgx.CollectRows(rows, pgx.RowToStructByPos[outcome])
}

// couldNotStart are the codes of a policy that does not exist and of an as_of that nobody may ask
// for: the run never was one.
var couldNotStart = map[string]bool{"P0002": true, "22023": true}

// summarise prints one line per run, and why those that went wrong did.
func (c *console) summarise(runs []outcome) error {
	t := table{columns: []string{"POLICY", ">RUN", "ENDED", ">DELETED", ">SCANNED", ">KEPT", ">CONTENDED", ">REFUSED", ">CASCADED", ">TOOK"}}
	var list diag.List
	code := exitCode(0)
	for _, r := range runs {
		t.add(r.Policy, fmt.Sprint(r.ID), r.State, count(r.Taken), count(r.Scanned), total(r.Kept),
			count(r.Contended), count(r.Refused), total(r.Cascaded), seconds(r.Seconds))
		if d, bad := r.diagnostic(); bad {
			list.Add(d)
			code = max(code, r.exit())
		}
	}
	t.print(c.out)
	c.show(list, nil)
	if code != 0 {
		return code
	}
	return nil
}

func (r outcome) exit() exitCode {
	if r.State == "failed" && couldNotStart[r.Code] {
		return 2
	}
	return 1
}

// diagnostic says why a run did not do its work; "more" is no fault.
func (r outcome) diagnostic() (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Severity: diag.Error, Code: r.Code, Message: fmt.Sprintf("policy %q %s", r.Policy, r.verb())}
	if r.Message != "" {
		d.Message += ": " + r.Message
	}
	switch r.State {
	case "done", "more":
		return d, false
	case "tripped":
		d.Hint = fmt.Sprintf("Nothing was deleted. Look with \"pgretain preview %s\"; accept(%d, 'why') lets one run pass.", r.Policy, r.ID)
	case "paused":
		d.Hint = fmt.Sprintf("SELECT * FROM health() in the schema of the runtime says what to do about policy %q.", r.Policy)
	}
	return d, true
}

func (r outcome) verb() string {
	switch r.State {
	case "paused", "busy":
		return "is " + r.State
	case "running":
		return "did not end"
	}
	return r.State
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
