package verifier

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls f for all items, on all processors, and gives the results in their order. Of several errors it
// gives that of the first item.
func each[T, R any](items []T, f func(T) (R, error)) ([]R, error) {
	results, failed := make([]R, len(items)), make([]error, len(items))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				results[i], failed[i] = f(items[i])
			}
		})
	}
	workers.Wait()
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}
