package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"pgretain/internal/diag"
	"pgretain/internal/report"
)

func statusCommand(c *console) *cobra.Command {
	var t target
	var format string
	command := verb("status", func(ctx context.Context, _ []string) error {
		return t.with(ctx, func(s *session) error {
			if format == "json" {
				return c.statusJSON(ctx, s)
			}
			if err := c.statusText(ctx, s); err != nil {
				return err
			}
			return c.health(ctx, s)
		})
	})
	t.add(command)
	addFormat(command, &format)
	return command
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

// statusRow is one row of retention.status, -1 where it has no number.
type statusRow struct {
	Policy, Jobs, State, Started string
	Seconds                      float64
	Taken, Scanned, Holds        int64
	Paused, Done                 string // what becomes of the rows
}

func (c *console) statusText(ctx context.Context, s *session) error {
	list, err := rows[statusRow](ctx, s, "status")
	if err != nil {
		return err
	}
	orBlank := func(n int64) string {
		if n < 0 {
			return ""
		}
		return count(n)
	}
	t := table{columns: []string{"POLICY", "JOB", "LAST RUN", "STARTED", ">TOOK", ">TAKEN", ">SCANNED", ">HOLDS", "PAUSED"}}
	for _, r := range list {
		taken := orBlank(r.Taken)
		if taken != "" {
			taken += " " + r.Done
		}
		t.add(r.Policy, r.Jobs, r.State, r.Started, seconds(r.Seconds), taken, orBlank(r.Scanned), count(r.Holds), r.Paused)
	}
	t.print(c.out)
	return nil
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
