// Package behaviour holds what policies mean, each against an oracle that is written down
// independently of the generated SQL.
package behaviour

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
