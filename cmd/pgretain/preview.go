package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

const previewHelp = `Counts what a run of a policy would find now, or at another instant, which may lie in the future:
rows that are due, rows that each guard keeps, the oldest and the newest due row, and whether the
run would start at all. Changes nothing.

Exit codes:
  0  counted
  2  could not run: no connection, no runtime, no such policy, no rights`

func previewCommand(c *console) *cobra.Command {
	var t target
	var asOf string
	command := &cobra.Command{
		Use:               "preview POLICY",
		Short:             "Count what a run would find",
		Long:              previewHelp,
		Example:           "  pgretain preview enqueued_messages_ttl\n  pgretain preview enqueued_messages_ttl --as-of 2027-01-01",
		Args:              oneArgument("the name of a policy"),
		ValidArgsFunction: policyNames(&t),
		RunE: func(command *cobra.Command, args []string) error {
			return c.preview(command.Context(), &t, args[0], asOf)
		},
	}
	t.add(command)
	addAsOf(command, &asOf)
	return command
}

func addAsOf(command *cobra.Command, asOf *string) {
	command.Flags().StringVar(asOf, "as-of", "", "the `instant` that ages are measured at (default: now), in the install's time zone\nunless it says otherwise")
}

// preview is one row of retention.preview.
type preview struct {
	due, limit                                      *int64
	kept, keptNull, oldest, newest, stoppedBy, asOf string
	wouldTrip                                       bool
}

func (c *console) preview(ctx context.Context, t *target, policy, asOf string) error {
	s, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	var p preview
	err = s.conn.QueryRow(ctx, s.statement("preview"), policy, orNull(asOf)).
		Scan(&p.due, &p.kept, &p.keptNull, &p.oldest, &p.newest, &p.limit, &p.wouldTrip, &p.stoppedBy, &p.asOf)
	if err != nil {
		return s.explain(err)
	}
	return c.printPreview(policy, p)
}

func (c *console) printPreview(policy string, p preview) error {
	kept, null := map[string]int64{}, map[string]int64{}
	if err := errors.Join(json.Unmarshal([]byte(p.kept), &kept), json.Unmarshal([]byte(p.keptNull), &null)); err != nil {
		return fmt.Errorf("reading the counts of guards: %w", err)
	}
	t := table{columns: []string{"POLICY", policy}}
	t.add("as of", p.asOf)
	t.add("due", orNone(p.due, "unknown"))
	for _, guard := range slices.Sorted(maps.Keys(kept)) {
		t.add("kept by "+guard, count(kept[guard])+undecided(null[guard]))
	}
	for _, line := range [][2]string{{"oldest", p.oldest}, {"newest", p.newest}} {
		if line[1] != "" {
			t.add(line[0], line[1])
		}
	}
	t.add("breaker", breaker(p))
	if p.stoppedBy != "" {
		t.add("would not start", p.stoppedBy)
	}
	t.print(c.out)
	return nil
}

// undecided tells of rows that a guard kept because it was NULL.
func undecided(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them because it was NULL", count(n))
}

func breaker(p preview) string {
	limit := orNone(p.limit, "none")
	if p.wouldTrip {
		return limit + ", would trip"
	}
	return limit
}

// orNone writes a number, or none where there is none.
func orNone(n *int64, none string) string {
	if n == nil {
		return none
	}
	return count(*n)
}

// orNull sends an empty text as NULL.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
