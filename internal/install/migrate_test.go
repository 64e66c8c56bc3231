package install

import (
	"errors"
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
-- the second; says nothing

SELECT E'\'; three';
SELECT 4
--  +goose	DOWN
SELECT 1; -- last
`

// TestWaysOfAFile: what is sent of a file, and at which line of it.
func TestWaysOfAFile(t *testing.T) {
	t.Parallel()
	type sent struct {
		Line int
		Text string
	}
	m := Migration{file: file{content: annotated}}
	for up, want := range map[bool][]sent{
		true: {{3, "SELECT 1"}, {5, "SELECT 'größe',\n       nowhere"}, {8, "RESET ROLE"}, {9, "RESET ROLE"},
			{12, `SELECT E'\'; three'`}, {13, "SELECT 4"}},
		false: {{15, "SELECT 1"}},
	} {
		way, err := m.way(up)
		if err != nil {
			t.Fatal(err)
		}
		list, err := way.statements()
		if err != nil {
			t.Fatal(err)
		}
		var got []sent
		for _, p := range list {
			text, _, _ := strings.Cut(p.text, "--")
			got = append(got, sent{place("", annotated, p.at, 0).Line, text})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("up: %t (-want +got)\n%s", up, diff)
		}
	}
}

// TestFilesOfTheUserThatAreNotGooses: what goose refuses, or executes in another way, is not executed.
func TestFilesOfTheUserThatAreNotGooses(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"SELECT 1;\n", "-- +goose Down\n-- +goose Up\nSELECT 1;\n", "-- +goose Up\n-- +goose Up\nSELECT 1;\n",
		"SELECT 1;\n-- +goose Up\nSELECT 2;\n", "-- +goose Up\n-- +goose ENVSUB ON\nSELECT '${X}';\n", "-- +goose Up\n-- +goose Upp\nSELECT 1;\n",
	} {
		var check *CheckError
		if way, err := (Migration{Name: "1_own.sql", file: file{content: content}}).way(true); !errors.As(err, &check) || check.Hint == "" {
			t.Errorf("%q: got %q, %v", content, way.text, err)
		}
	}
	if way, err := (Migration{file: file{content: "-- Mine.\n\n-- +goose Up\nSELECT 1;\n"}}).way(false); err != nil || way.text != "" {
		t.Errorf("without a way back: %q, %v", way.text, err)
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

// A file that was sent as one text.
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
