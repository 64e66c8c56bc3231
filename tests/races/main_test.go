// Package races tests runs while other sessions work on the same rows. It also tests the state
// after a run was cancelled, terminated or killed. If a common SQL statement for the same purpose
// takes the wrong rows, the test first shows this with the plain statement.
package races

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
