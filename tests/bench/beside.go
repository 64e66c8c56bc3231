package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// beside is what another session commits during a measurement: small transactions at fixed moments.
type beside struct {
	sql       string
	perSecond int
}

// during does something while the transactions are committed, and answers how long the slowest but
// one of a hundred of them took, reckoned from its moment: one that had to wait delays the next
// ones, and that counts.
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

// commit goes on until it is stopped; took gets the milliseconds of each transaction.
func (b *beside) commit(stop <-chan struct{}, transact func() error, took *[]float64) error {
	pause := time.Second / time.Duration(b.perSecond)
	for due := time.Now(); ; due = due.Add(pause) {
		select {
		case <-stop:
			return nil
		case <-time.After(time.Until(due)):
		}
		if err := transact(); err != nil {
			return fmt.Errorf("beside the measurement: %w", err)
		}
		*took = append(*took, time.Since(due).Seconds()*1000)
	}
}
