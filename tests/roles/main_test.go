// Package roles tests the privileges of each role, with a session per role. Roles belong to the
// whole server, so each test starts a server of its own.
package roles

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
