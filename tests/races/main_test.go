// Package races holds what a run does while others work on the same rows, and what is left of it
// after it was cancelled, terminated or killed. Where a usual statement would have taken the wrong
// rows, the test shows that first, with that statement in plain SQL.
package races

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
