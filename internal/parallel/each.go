// Package parallel runs independent pieces of work on all processors.
package parallel

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// workers is the number of items that Each processes at the same time. More workers than processors
// do no harm.
const workers = 8

// Each calls f for all items, several at a time, and returns the results in the order of the items.
// If several calls fail, it returns the error of the first item.
func Each[T, R any](items []T, f func(T) (R, error)) ([]R, error) { return Up(workers, items, f) }

// Up works like Each, with n items at a time.
func Up[T, R any](n int, items []T, f func(T) (R, error)) ([]R, error) {
	results, failed := make([]R, len(items)), make([]error, len(items))
	var next atomic.Int64
	var busy sync.WaitGroup
	for range min(n, len(items)) {
		busy.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				results[i], failed[i] = f(items[i])
			}
		})
	}
	busy.Wait()
	if err := cmp.Or(failed...); err != nil {
		return nil, err
	}
	return results, nil
}

// Start starts the function f in the background, and returns another function. That function waits
// until f has ended, and returns the results of f.
func Start[T any](f func() (T, error)) func() (T, error) {
	once := sync.OnceValues(f)
	go once()
	return once
}

// Remember returns a function that calls f once for each argument and caches the results. Callers
// must not change the results.
func Remember[K comparable, V any](f func(K) V) func(K) V {
	var known sync.Map
	return func(of K) V {
		value, _ := known.LoadOrStore(of, sync.OnceValue(func() V { return f(of) }))
		return value.(func() V)()
	}
}
