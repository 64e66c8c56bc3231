// Package hostile holds what roles that are not trusted can do to a database with policies:
// nothing.
package hostile

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const noon = "2024-03-31 12:00:00+00"
