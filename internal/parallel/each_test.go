package parallel

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEach checks that Each returns the results in the order of the items.
func TestEach(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 7, 8, 9, 1000} {
		var items, want []int
		for i := range n {
			items, want = append(items, i), append(want, i*i)
		}
		got, err := Each(items, func(i int) (int, error) { return i * i, nil })
		if err != nil || len(got) != n || n > 0 && !cmp.Equal(want, got) {
			t.Errorf("the squares of %d items are %v, %v", n, got, err)
		}
	}
}

// TestEachError checks that Each returns the error of the first item that fails.
func TestEachError(t *testing.T) {
	t.Parallel()
	odd := func(i int) (int, error) {
		if i%2 == 1 {
			return 0, fmt.Errorf("%d is odd", i)
		}
		return i, nil
	}
	if got, err := Each([]int{2, 4, 5, 6, 7}, odd); got != nil || err == nil || err.Error() != "5 is odd" {
		t.Errorf("got %v, %v", got, errors.Unwrap(err))
	}
}

// TestStart checks that Start calls the function once, before its results are needed. Every call of
// the returned function returns the same results.
func TestStart(t *testing.T) {
	t.Parallel()
	called := make(chan int, 2)
	results := Start(func() (int, error) {
		called <- 7
		return 7, errors.New("seven")
	})
	first := <-called
	for range 2 {
		if got, err := results(); got != first || err == nil || err.Error() != "seven" {
			t.Errorf("got %d, %v", got, err)
		}
	}
	if len(called) != 0 {
		t.Error("Start called the function twice")
	}
}
