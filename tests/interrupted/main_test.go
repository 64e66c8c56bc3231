// Package interrupted kills migrations at every statement, before it, after it and while it runs. A
// second migration must succeed. Then the database equals one whose migration nobody interrupted.
package interrupted

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
