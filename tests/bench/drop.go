package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
)

// dropPolicy is the policy of bench "drop", on a table with daily partitions.
const dropPolicy = `version: 1
install: {scheduler: none}
policies:
  days: {partitions_of: day, due: {age: {older_than: 30 days}}, then: [drop]}
`

// dropPartitions measures a run that drops seven partitions, each in a new session, by the
// processor time of the server's process. The table has no other partitions, or 500.
func (s *session) dropPartitions(ctx context.Context) (results []result, err error) {
	for _, way := range []string{"seven", "seven_of_500"} {
		others := map[string]int{"seven": 1, "seven_of_500": 493}[way]
		p, err := s.project(ctx, "drop_"+way, dropPolicy, "GRANT CREATE ON SCHEMA public TO "+migrator,
			fmt.Sprintf(query("drop_tables"), others))
		if err != nil {
			return nil, err
		}
		if _, _, err := p.command(ctx, "generate"); err != nil {
			return nil, err
		}
		if err := p.migrate(ctx); err != nil {
			return nil, err
		}
		var samples []sample
		for range s.rounds {
			m, err := p.dropSeven(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", way, err)
			}
			samples = append(samples, m)
		}
		r := result{Bench: "drop", Way: way}
		r.Milliseconds, r.spread = milliseconds(samples)
		results = append(results, r)
		p.say("partitions dropped: %s, %.2f ms of the processor", way, r.Milliseconds)
	}
	return results, nil
}

// dropSeven creates seven partitions and runs the policy that drops them.
func (p *project) dropSeven(ctx context.Context) (m sample, err error) {
	owner, err := pgx.Connect(ctx, p.url(migrator))
	if err != nil {
		return m, err
	}
	if _, err = owner.Exec(ctx, "CALL seven_days()"); err != nil {
		return m, errors.Join(err, owner.Close(ctx))
	}
	if err := owner.Close(ctx); err != nil {
		return m, err
	}
	conn, err := pgx.Connect(ctx, p.url("retention_runner"))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	var outcome string
	if err := conn.QueryRow(ctx, "CALL retention.run('days', '2024-02-07 12:00+00')",
		pgx.QueryExecModeSimpleProtocol).Scan(&outcome); err != nil {
		return m, err
	}
	var taken int
	if _, err := fmt.Sscanf(outcome, "days: done (run %d): %d of", new(int), &taken); err != nil || taken != 7 {
		return m, fmt.Errorf("the run ended with %q, want 7 partitions taken (%v)", outcome, err)
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", conn.PgConn().PID()))
	if err != nil {
		return m, err
	}
	var nanoseconds int64
	_, err = fmt.Sscan(string(text), &nanoseconds)
	return sample{took: time.Duration(nanoseconds)}, err
}
