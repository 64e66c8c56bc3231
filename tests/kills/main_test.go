// Package kills ends sessions, backends and the server while policies run, at instants that chance
// chose, and holds that nothing was lost, doubled or left.
package kills

import (
	"os"
	"strconv"
	"testing"
	"time"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// fireVariable asks for 500 deaths, seedVariable repeats the choice of instants.
const (
	fireVariable = "PGRETAIN_TEST_FIRE"
	seedVariable = "PGRETAIN_TEST_SEED"
)

func deaths() int {
	if os.Getenv(fireVariable) != "" {
		return 500
	}
	return 8
}

func seed(t *testing.T) uint64 {
	text := os.Getenv(seedVariable)
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return n
}
