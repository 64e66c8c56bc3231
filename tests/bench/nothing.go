package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// idleRuns is how often a run with nothing due is measured.
const idleRuns = 20

// nothing measures runs that find no row to delete: what a policy costs every few minutes.
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

// idleByRank: no device has too many rows.
func idleByRank(ctx context.Context, d *database) ([]result, error) {
	return d.idleAll(ctx, []idle{
		{way: way{name: "delete_rank", sql: query("delete_rank_none")}},
		{way: way{name: "cap", policy: "cap_reached_by_none"}},
	})
}

// idleByAge: no row is old enough.
func idleByAge(ctx context.Context, d *database) ([]result, error) {
	return d.idleAll(ctx, []idle{
		{way: way{name: "delete", sql: query("delete")}},
		{way: way{name: "range", policy: "range"}},
		{way: way{name: "range_new_session", policy: "range"}, newSession: true},
		{way: way{name: "own_guard", policy: "own_guard"}},
	})
}

// idleAfterDelete: right after a run that deleted half of the rows, all of which a snapshot still
// sees, so that they lie dead in the index where a run begins.
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

// idle is one way with no row left that is due.
type idle struct {
	way
	due        int64 // rows before the cutoff, gone by now
	snapshot   bool
	newSession bool // for every run, as pg_cron does
	later      bool // each as if an hour had passed since the last
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

// idle runs a way so many times.
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

// next prepares one more run, and says in which session.
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
