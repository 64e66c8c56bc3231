package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
)

const annotated = `-- +goose NO TRANSACTION
-- +goose up
SELECT 1;
-- +goose StatementBegin
SELECT 'größe',
       nowhere;
-- +goose StatementEnd
RESET ROLE;
RESET ROLE;
-- +goose StatementBegin
SELECT 2;
-- the second; says nothing

SELECT E'\'; three';
SELECT 4
-- +goose StatementEnd
--  +goose	DOWN
SELECT 1; -- last
`

const several = "SELECT 2;\n-- the second; says nothing\n\nSELECT E'\\'; three';\nSELECT 4"

// TestStatementsOfAFile checks that find returns the lines of the statements that goose sends, also
// of equal statements and of several statements in one text.
func TestStatementsOfAFile(t *testing.T) {
	t.Parallel()
	m := Migration{content: annotated}
	for rest, sent := range map[string]map[string][]int{
		m.content: {
			"SELECT 1;":                        {3},
			"SELECT 'größe',\n       nowhere;": {5},
			"RESET ROLE;":                      {8, 9},
			several:                            {11},
			"SELECT 5":                         {0},
		},
		m.down(): {"SELECT 1; -- last": {18}, "RESET ROLE;": {0}},
	} {
		for text, want := range sent {
			s, got := session{running: m, rest: rest}, []int{}
			for range want {
				line := 0
				if start := s.find(text); start >= 0 {
					line = place("", annotated, start, 0).Line
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q (-want +got)\n%s", text, diff)
			}
		}
	}
}

func TestStatementErrorFindsItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start    int
		position int32
		want     diag.Position
	}{
		"start":            {strings.Index(annotated, "SELECT 1;"), 0, at(3, 1, 1)},
		"characters":       {strings.Index(annotated, "SELECT 'g"), 12, at(5, 12, 1)},
		"second line":      {strings.Index(annotated, "SELECT 'g"), 24, at(6, 8, 1)},
		"no statement's":   {-1, 13, at(1, 1, 0)},
		"file of one text": {0, 30, at(2, 5, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := statementError("f.sql", annotated, c.start, &pgconn.PgError{Position: c.position})
			if diff := cmp.Diff(c.want, got.Position); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestRefusedFindsItsPlace checks the position of an error in a file that was sent as one text.
func TestRefusedFindsItsPlace(t *testing.T) {
	t.Parallel()
	got := Refused("f.sql", "é;\nab c", &pgconn.PgError{Position: 6})
	if diff := cmp.Diff(at(2, 3, 1), got.Position); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func at(line, column, width int) diag.Position {
	return diag.Position{File: "f.sql", Line: line, Column: column, Width: width}
}
