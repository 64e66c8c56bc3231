// Package model compares random policies with a model of the policy language in plain Go. The model
// follows docs/policy.md alone. It reads no SQL that pgretain generates, and calls no package of
// pgretain for a result.
package model

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
