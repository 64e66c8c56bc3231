package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/report"
)

func (c *console) statusCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "status",
		Short: "Show how the last runs went",
		Long: `Shows how the last run of each policy ended, and then the problems that somebody must solve. The
numbers come from the run log. The command does not count rows.

Exit codes:
  0  no problems
  1  a policy does not take its due rows: a run failed or tripped, or a job is not active
  2  could not run: no connection, no runtime, no privilege`,
		Example: `  pgretain status
  pgretain status --format json
  pgretain status --watch                # again every two seconds, until Ctrl-C`,
		RunE: c.inDatabases(&f, (*console).status),
	}
	f.addRuntime(command)
	command.Flags().DurationVar(&f.Watch, "watch", 0,
		"show it again at this interval, until the command is interrupted")
	command.Flags().Lookup("watch").NoOptDefVal = "2s"
	f.addFleet(command)
	return command
}

// status shows retention.status and retention.health(), once or repeatedly. An error in health()
// sets the exit code.
func (c *console) status(ctx context.Context, _ []string) error {
	return c.withSession(ctx, false, func(s *session) error {
		if c.Watch != 0 {
			return c.watch(ctx, func() error { return c.look(ctx, s) })
		}
		return c.look(ctx, s)
	})
}

func (c *console) look(ctx context.Context, s *session) (err error) {
	type problem struct{ Severity, Message, Hint string }
	var found struct{ Health []problem }
	var text json.RawMessage // raw JSON keeps the order of the columns
	if c.JSON {
		if err = s.row(ctx, "status_json", s.order).Scan(&text); err == nil {
			err = errors.Join(report.WriteJSON(c.out, text), json.Unmarshal(text, &found))
		}
	} else if said, _, wrong := s.answer(ctx, "status", s.order); wrong != nil {
		err = wrong
	} else {
		c.aligned(said)
		found.Health, err = rows[problem](ctx, s, "health")
	}
	if err != nil {
		return err
	}
	var list diag.List
	for _, p := range found.Health {
		list.Add(diag.Diagnostic{Severity: diag.Severity(p.Severity), Message: p.Message, Hint: p.Hint})
	}
	if !c.JSON {
		c.show(list, nil)
	}
	if list.HasErrors() {
		return exitCode(1)
	}
	return nil
}

// watch calls look repeatedly until ctx ends. On a terminal it clears the screen each time. It
// returns the last result.
func (c *console) watch(ctx context.Context, look func() error) (last error) {
	if c.Watch < 100*time.Millisecond {
		return refuse("short watch", c.Watch)
	}
	for {
		if terminalWidth(c.out) > 0 {
			fmt.Fprint(direct(c.out), "\x1b[H\x1b[2J")
		}
		code, found := exitCode(0), look()
		switch {
		case ctx.Err() != nil:
			return last
		case found != nil && !errors.As(found, &code):
			return found
		}
		last = found
		select {
		case <-ctx.Done():
			return last
		case <-time.After(c.Watch):
		}
	}
}
