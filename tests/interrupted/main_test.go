// Package interrupted kills migrations: at every statement, before it, after it and while it runs.
// Whatever was killed, running it again finishes, and the database is the one of an install that
// nobody disturbed.
package interrupted

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
