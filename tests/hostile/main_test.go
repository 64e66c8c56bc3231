// Package hostile checks that roles that are not trusted cannot make pgretain execute their code or
// take other rows.
package hostile

import (
	"testing"

	"pgretain/tests/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const noon = "2024-03-31 12:00:00+00"
