package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/report"
)

func statusCommand(c *console) *cobra.Command {
	var t target
	var format string
	var watch time.Duration
	command := verb("status", func(ctx context.Context, _ []string) error {
		return t.with(ctx, func(s *session) error {
			show := c.statusText
			if format == "json" {
				show = c.statusJSON
			}
			if watch == 0 {
				return show(ctx, s)
			}
			return c.repeat(ctx, watch, func() error { return show(ctx, s) })
		})
	})
	t.add(command)
	addFormat(command, &format)
	command.Flags().DurationVar(&watch, "watch", 0, "look again after so long, until it is interrupted")
	command.Flags().Lookup("watch").NoOptDefVal = "2s"
	return command
}

// repeat looks again and again until ctx ends, each time on an empty screen where there is one. What is found the last
// time counts.
func (c *console) repeat(ctx context.Context, pause time.Duration, look func() error) error {
	if pause < 100*time.Millisecond {
		return &install.CheckError{Message: fmt.Sprintf("--watch=%s is too short", pause), Hint: "Write 100ms or more."}
	}
	var last error
	for {
		if isTerminal(c.out) {
			fmt.Fprint(c.out, "\x1b[H\x1b[2J")
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
		case <-time.After(pause):
		}
	}
}

// statusJSON keeps the order of the columns. An error among what needs attention is a finding.
func (c *console) statusJSON(ctx context.Context, s *session) error {
	var text json.RawMessage
	if err := s.row(ctx, "status_json").Scan(&text); err != nil {
		return err
	}
	var answer struct{ Health []struct{ Severity string } }
	if err := errors.Join(report.WriteJSON(c.out, text), json.Unmarshal(text, &answer)); err != nil {
		return err
	}
	for _, problem := range answer.Health {
		if problem.Severity == string(diag.Error) {
			return exitCode(1)
		}
	}
	return nil
}

// statusRow is one row of retention.status.
type statusRow struct {
	Policy, Jobs, State, Started string
	Seconds                      *float64
	Taken, Scanned               *int64
	Holds                        int64
	Paused, Done                 string // what becomes of the rows
}

func (c *console) statusText(ctx context.Context, s *session) error {
	list, err := rows[statusRow](ctx, s, "status")
	if err != nil {
		return err
	}
	t := table{columns: []string{"POLICY", "JOB", "LAST RUN", "STARTED", ">TOOK", ">TAKEN", ">SCANNED", ">HOLDS", "PAUSED"}}
	for _, r := range list {
		taken := orElse(r.Taken, func(n int64) string { return count(n) + " " + r.Done }, "")
		t.add(r.Policy, r.Jobs, r.State, r.Started, orElse(r.Seconds, seconds, ""), taken, orElse(r.Scanned, count, ""), count(r.Holds), r.Paused)
	}
	t.print(c.out)
	return c.health(ctx, s)
}

// health shows what needs attention; an error among it is a finding.
func (c *console) health(ctx context.Context, s *session) error {
	type problem struct{ Severity, Policy, Problem, Hint string }
	found, err := rows[problem](ctx, s, "health")
	if err != nil {
		return err
	}
	var list diag.List
	for _, p := range found {
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
