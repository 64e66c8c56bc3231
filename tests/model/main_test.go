// Package model compares policies that chance wrote with a model of the language in plain Go, which
// was written from docs/policy.md alone: it reads no SQL that pgretain generates and calls none of
// its packages for an answer.
package model

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
