package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// beside describes the transactions of another session during a measurement: one statement, at a
// fixed rate.
type beside struct {
	sql       string
	perSecond int
}

// during calls do while another session commits the transactions. It returns the 99th percentile of
// their durations in milliseconds. A duration counts from the moment at which the transaction was
// due, so a transaction that waits also makes the following ones late.
func (b *beside) during(ctx context.Context, d *database, do func() error) (p99 *float64, err error) {
	if b == nil {
		return nil, do()
	}
	conn, err := d.connect(ctx, "")
	if err != nil {
		return nil, err
	}
	stop, ended := make(chan struct{}), make(chan error, 1)
	var took []float64
	go func() {
		ended <- b.commit(stop, func() error { _, err := conn.Exec(ctx, b.sql); return err }, &took)
	}()
	err = do()
	close(stop)
	err = errors.Join(err, <-ended, conn.Close(ctx))
	if err != nil || len(took) == 0 {
		return nil, err
	}
	slices.Sort(took)
	return &took[(len(took)-1)*99/100], nil
}

// commit executes transact at the fixed rate until stop is closed. It appends each duration to
// took, in milliseconds.
func (b *beside) commit(stop <-chan struct{}, transact func() error, took *[]float64) error {
	pause := time.Second / time.Duration(b.perSecond)
	for due := time.Now(); ; due = due.Add(pause) {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Until(due)):
		}
		if err := transact(); err != nil {
			return fmt.Errorf("transaction beside the measurement: %w", err)
		}
		*took = append(*took, time.Since(due).Seconds()*1000)
	}
}
