package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
