// Package tests holds the behaviour tests that need a real PostgreSQL.
package tests

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
