package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// sample is one measurement.
type sample struct {
	rows     int64
	took     time.Duration
	wal      int64    // bytes
	flatness *float64 // time of the last quarter of the batches / first quarter; nil with few batches
	p99      *float64 // 99th percentile of the transactions beside the measurement, in milliseconds
}

func (s sample) rate() float64 { return float64(s.rows) / s.took.Seconds() }

// measure runs one way in a new session on a fresh copy of the rows. It returns an error unless
// exactly the due rows are deleted.
func (s *session) measure(ctx context.Context, job deletes, w way, snapshot bool) (m sample, err error) {
	d, err := s.fresh(ctx, job.table)
	if err != nil {
		return sample{}, err
	}
	defer func() { err = errors.Join(err, d.drop(ctx)) }()
	if err := d.caughtUp(ctx); err != nil {
		return sample{}, err
	}
	if _, err := d.conn.Exec(ctx, w.before); err != nil {
		return sample{}, err
	}
	due := int64(w.share * float64(s.rows))
	err = d.withSnapshot(ctx, snapshot, func() error {
		conn, err := d.connect(ctx, w.role())
		if err != nil {
			return err
		}
		p99, err := w.beside.during(ctx, d, func() error {
			return d.lagging(ctx, func() (err error) {
				m, err = d.timed(ctx, func() error { return w.run(ctx, conn, due) })
				return err
			})
		})
		m.p99 = p99
		return errors.Join(err, conn.Close(ctx))
	})
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w", w.name, err)
	}
	m.rows = due
	if w.policy != "" {
		// nil after a run of few batches
		if err := d.conn.QueryRow(ctx, query("flatness")).Scan(&m.flatness); err != nil {
			return sample{}, err
		}
	}
	return m, d.check(ctx, job, w, due)
}

// timed measures the duration of do, and the WAL that it writes.
func (d *database) timed(ctx context.Context, do func() error) (sample, error) {
	before, err := d.walBytes(ctx)
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	if err := do(); err != nil {
		return sample{}, err
	}
	took := time.Since(began)
	after, err := d.walBytes(ctx)
	return sample{took: took, wal: after - before}, err
}

func (d *database) walBytes(ctx context.Context) (bytes int64, err error) {
	err = d.conn.QueryRow(ctx, query("wal")).Scan(&bytes)
	return bytes, err
}

func (d *database) check(ctx context.Context, job deletes, w way, due int64) error {
	var left, wrong int64
	if err := d.conn.QueryRow(ctx, query(cmp.Or(job.check, "left")), due).Scan(&left, &wrong); err != nil {
		return err
	}
	if left != d.rows-due || wrong != 0 {
		return fmt.Errorf("%s left %d of %d rows, %d of them due; %d rows were due", w.name, left, d.rows, wrong, due)
	}
	return nil
}
