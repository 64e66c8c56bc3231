package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// idleRuns is how often a run with nothing due is measured.
const idleRuns = 20

// nothing measures runs that find no due row. This is the cost of a policy that runs every few
// minutes.
func (s *session) nothing(ctx context.Context) (results []result, err error) {
	for _, part := range []struct {
		table   string
		measure func(context.Context, *database) ([]result, error)
	}{{"queue", idleByRank}, {"message", idleByAge}, {"message", idleAfterDelete}} {
		d, err := s.fresh(ctx, part.table)
		if err != nil {
			return nil, err
		}
		some, err := part.measure(ctx, d)
		if err = errors.Join(err, d.drop(ctx)); err != nil {
			return nil, err
		}
		results = append(results, some...)
	}
	return results, nil
}

// idleByRank measures policies by rank on a table in which no device has more rows than a policy
// keeps.
func idleByRank(ctx context.Context, d *database) ([]result, error) {
	return d.idleAll(ctx, []idle{
		{way: way{name: "delete_rank", sql: query("delete_rank_none")}},
		{way: way{name: "cap", policy: "cap_reached_by_none"}},
	})
}

// idleByAge measures policies by age while no row is old enough.
func idleByAge(ctx context.Context, d *database) ([]result, error) {
	return d.idleAll(ctx, []idle{
		{way: way{name: "delete", sql: query("delete")}},
		{way: way{name: "range", policy: "range"}},
		{way: way{name: "range_new_session", policy: "range"}, newSession: true},
		{way: way{name: "own_guard", policy: "own_guard"}},
	})
}

// idleAfterDelete measures runs after a run that deleted half of the rows. A snapshot still sees
// these rows, so their index entries remain where the next run begins to read.
func idleAfterDelete(ctx context.Context, d *database) (results []result, err error) {
	due := d.rows / 2
	err = d.withSnapshot(ctx, true, func() error {
		if _, err := d.idle(ctx, idle{way: way{policy: "range"}, due: due}, 1); err != nil {
			return err
		}
		results, err = d.idleAll(ctx, []idle{
			{way: way{name: "range", policy: "range"}, due: due, snapshot: true},
			{way: way{name: "range_an_hour_later", policy: "range"}, due: due, snapshot: true, later: true},
			{way: way{name: "delete", sql: query("delete")}, due: due, snapshot: true},
		})
		return err
	})
	return results, err
}

// idle is one way that is measured while no row is due.
type idle struct {
	way
	due        int64 // number of deleted rows before the cutoff
	snapshot   bool  // a session keeps a snapshot open
	newSession bool  // each run has a new session, as with pg_cron
	later      bool  // the log says that the previous run was an hour ago
}

func (d *database) idleAll(ctx context.Context, all []idle) ([]result, error) {
	var results []result
	for _, i := range all {
		samples, err := d.idle(ctx, i, idleRuns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", i.name, err)
		}
		r := result{Bench: "nothing", Way: i.name, Snapshot: i.snapshot}
		r.Milliseconds, r.spread = milliseconds(samples)
		results = append(results, r)
		d.say("nothing due: %s%s, %.2f ms", i.name, with(i.snapshot), r.Milliseconds)
	}
	return results, nil
}

// idle measures a way the given number of times.
func (d *database) idle(ctx context.Context, i idle, runs int) (samples []sample, err error) {
	conn, err := d.connect(ctx, i.role())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for range runs {
		if conn, err = d.next(ctx, i, conn); err != nil {
			return nil, err
		}
		m, err := d.timed(ctx, func() error { return i.run(ctx, conn, i.due) })
		if err != nil {
			return nil, err
		}
		samples = append(samples, m)
	}
	return samples, nil
}

// next prepares one more run and returns its session.
func (d *database) next(ctx context.Context, i idle, conn *pgx.Conn) (*pgx.Conn, error) {
	if i.later {
		if _, err := d.conn.Exec(ctx, query("age_log")); err != nil {
			return conn, err
		}
	}
	if !i.newSession {
		return conn, nil
	}
	fresh, err := d.connect(ctx, i.role())
	if err != nil {
		return conn, err
	}
	return fresh, conn.Close(ctx)
}
