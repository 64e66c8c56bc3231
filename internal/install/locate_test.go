package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/diag"
)

const located = `-- +goose Up
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

-- +goose Down
SELECT 1;
`

const several = "SELECT 2;\n-- the second; says nothing\nSELECT E'\\'; three';\nSELECT 4"

func TestStatementErrorFindsItsPlace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		times     int
		done      int
		down      bool
		position  int32
		want      diag.Position
	}{
		"start":                  {statement: "SELECT 1;", times: 1, want: at(2, 1, 1)},
		"same text in Down":      {statement: "SELECT 1;", times: 1, down: true, want: at(17, 1, 1)},
		"characters":             {statement: "SELECT 'größe',\n       nowhere;", times: 1, position: 12, want: at(4, 12, 1)},
		"second line":            {statement: "SELECT 'größe',\n       nowhere;", times: 1, position: 24, want: at(5, 8, 1)},
		"second time":            {statement: "RESET ROLE;", times: 2, want: at(8, 1, 1)},
		"of several, the second": {statement: several, times: 1, done: 1, want: at(12, 1, 1)},
		"of several, the last":   {statement: several, times: 1, done: 2, want: at(13, 1, 1)},
		"of several, with place": {statement: several, times: 1, done: 1, position: 46, want: at(12, 8, 1)},
		"not in the file":        {statement: "INSERT INTO goose_db_version", times: 1, position: 13, want: at(1, 1, 0)},
		"nothing sent":           {want: at(1, 1, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := statementError("f.sql", located, !c.down, &trace{last: c.statement, times: c.times, done: c.done},
				&pgconn.PgError{Position: c.position})
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
