// Package parallel uses all processors for work whose parts do not depend on each other.
package parallel

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// workers is how many items are worked on at the same time; more than processors does no harm.
const workers = 8

// Each calls f for all items, several at a time, and gives the results in their order. Of several errors it
// gives that of the first item.
func Each[T, R any](items []T, f func(T) (R, error)) ([]R, error) { return Up(workers, items, f) }

// Up is Each with as many at a time as n says.
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

// Start begins with f; what it returns waits for its results.
func Start[T any](f func() (T, error)) func() (T, error) {
	once := sync.OnceValues(f)
	go once()
	return once
}

// Remember is f, which is called once for each argument. Nobody may change what it returns.
func Remember[K comparable, V any](f func(K) V) func(K) V {
	var known sync.Map
	return func(of K) V {
		value, ok := known.Load(of)
		if !ok {
			value = f(of)
			known.Store(of, value)
		}
		return value.(V)
	}
}
