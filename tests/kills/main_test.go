// Package kills ends sessions, backends and the server at random instants while policies run. It
// checks that no row is lost, taken twice or left.
package kills

import (
	"os"
	"strconv"
	"testing"
	"time"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// seedVariable repeats the random choices of an earlier test run.
const seedVariable = "PGRETAIN_TEST_SEED"

// killCount returns the number of kills.
func killCount() int {
	if kit.Fire() {
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
