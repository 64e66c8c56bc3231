package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"pgretain/internal/diag"
	"pgretain/internal/report"
)

// status shows the last runs and what needs attention, once or, with --watch, until ctx ends, each time on an empty screen where
// there is one. What is found the last time counts.
func (c *console) status(ctx context.Context, _ []string) error {
	if c.Watch != 0 && c.Watch < 100*time.Millisecond {
		return refuse("short watch", c.Watch)
	}
	return c.with(ctx, false, func(s *session) error {
		if c.Watch == 0 {
			return c.look(ctx, s)
		}
		var last error
		for {
			if terminalWidth(c.out) > 0 {
				c.printf("\x1b[H\x1b[2J")
			}
			code, found := exitCode(0), c.look(ctx, s)
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
	})
}

// look shows retention.status and retention.health(); an error among the latter is a finding.
func (c *console) look(ctx context.Context, s *session) error {
	type problem struct{ Severity, Policy, Problem, Hint string }
	var found struct{ Health []problem }
	var err error
	if c.JSON {
		var text json.RawMessage // which keeps the order of the columns
		if err = s.row(ctx, "status_json").Scan(&text); err == nil {
			err = errors.Join(report.WriteJSON(c.out, text), json.Unmarshal(text, &found))
		}
	} else {
		var text string
		if text, _, err = s.answer(ctx, "status"); err == nil {
			c.aligned(text)
			found.Health, err = rows[problem](ctx, s, "health")
		}
	}
	if err != nil {
		return err
	}
	var list diag.List
	for _, p := range found.Health {
		message := p.Problem
		if p.Policy != "" {
			message = p.Policy + ": " + message
		}
		list.Add(diag.Diagnostic{Severity: diag.Severity(p.Severity), Message: message, Hint: p.Hint})
	}
	if !c.JSON {
		c.show(list, nil)
	}
	if list.HasErrors() {
		return exitCode(1)
	}
	return nil
}
