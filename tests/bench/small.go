package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// smallRuns are the numbers of due rows of bench "small". Each table has ten times as many rows.
var smallRuns = []int{100, 1_000, 10_000, 100_000}

// small measures runs that take few rows, each in a new session, by the processor time of the
// server's process. It compares a policy with a loop of 5,000 rows that people write.
func (s *session) small(ctx context.Context) (results []result, err error) {
	var policies, jobs, tables strings.Builder
	for _, due := range smallRuns {
		fmt.Fprintf(&policies, "  p%d: {table: m%[1]d, due: {age: {column: at, older_than: 7 days}}, then: [delete]}\n",
			due)
		fmt.Fprintf(&jobs, "  j%d: {schedule: \"* * * * *\", run: [p%[1]d]}\n", due)
		fmt.Fprintf(&tables, "CALL small_table(%d, %d, '%s');", due, 9*due, migrator)
	}
	p, err := s.project(ctx, "small", "version: 1\ninstall: {scheduler: none}\npolicies:\n"+policies.String()+
		"jobs:\n"+jobs.String(), "GRANT CREATE ON SCHEMA public TO "+migrator, query("small"), tables.String(),
		"ANALYZE")
	if err != nil {
		return nil, err
	}
	if _, _, err := p.command(ctx, "generate"); err != nil {
		return nil, err
	}
	if err := p.migrate(ctx); err != nil {
		return nil, err
	}
	for _, due := range smallRuns {
		some, err := p.smallOf(ctx, due)
		if err != nil {
			return nil, fmt.Errorf("%d rows: %w", due, err)
		}
		results = append(results, some...)
	}
	return results, nil
}

// smallOf measures both ways by turns. It does not count the first run, which asks all questions.
func (p *project) smallOf(ctx context.Context, due int) (results []result, err error) {
	conn, err := pgx.Connect(ctx, p.url(""))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	ways := []struct{ name, role, call string }{
		{"run", tickRole, fmt.Sprintf("CALL retention.run_if_due('j%d')", due)},
		{"loop", migrator, fmt.Sprintf("CALL small_loop_%d()", due)},
	}
	samples := map[string][]sample{}
	for round := range 1 + max(9, p.rounds) {
		for _, w := range ways {
			if _, err := conn.Exec(ctx, fmt.Sprintf("CALL small_fill(%d)", due)); err != nil {
				return nil, err
			}
			if _, err := conn.Exec(ctx, fmt.Sprintf("VACUUM m%d", due)); err != nil {
				return nil, err
			}
			m, err := p.cost(ctx, w.role, w.call)
			if err != nil {
				return nil, err
			}
			var left int
			if err := conn.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM m%d WHERE id <= %[1]d", due)).Scan(
				&left); err != nil || left > 0 {
				return nil, fmt.Errorf("%s left %d due rows: %w", w.name, left, err)
			}
			if round > 0 {
				samples[w.name] = append(samples[w.name], m)
			}
		}
	}
	for _, w := range ways {
		r := result{Bench: "small", Way: fmt.Sprintf("%s_%d", w.name, due), Rows: int64(due)}
		r.Milliseconds, r.spread = milliseconds(samples[w.name])
		results = append(results, r)
		p.say("%d of %d rows due: %s, %.1f ms of the processor", due, 10*due, w.name, r.Milliseconds)
	}
	return results, nil
}
