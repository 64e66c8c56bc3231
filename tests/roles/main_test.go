// Package roles holds the tests of least privilege: who may do what, each as a role of its own over
// a connection of its own. Roles belong to a whole server, so that every test starts one.
package roles

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
