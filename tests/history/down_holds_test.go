package history

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/internal/install"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

const heldNotes = `
	CREATE SCHEMA app;
	CREATE TABLE app.note (id int PRIMARY KEY, owner text, at timestamptz NOT NULL);
	CREATE TABLE app.kept (id int PRIMARY KEY);
	INSERT INTO app.note SELECT i, 'o' || i % 5, '2024-01-01' FROM generate_series(1, 10) i`

const notesOld = "policies: {old: {table: app.note, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"

// downSQL returns the Down part of the migration that drops the table of holds. Another tool would
// run this part.
func downSQL(t *testing.T, in *kit.Installed) string {
	t.Helper()
	for _, file := range in.Migrations {
		if _, down, found := strings.Cut(string(file.Data), "-- +goose Down"); found &&
			strings.Contains(down, "retention._refuse_down()") {
			return down
		}
	}
	t.Fatal("no migration calls retention._refuse_down() in its Down part")
	return ""
}

func downAll(t *testing.T, in *kit.Installed, export string) ([]install.Migration, error) {
	t.Helper()
	o := in.Options()
	o.Export, o.All = export, true
	return install.Down(t.Context(), in.URL(kit.Migrator), in.Migrations, o)
}

// TestDownRefusesHolds checks that neither pgretain nor another tool drops the table of holds while
// a hold of any kind is in force. Holds that are released or have ended do not prevent it.
func TestDownRefusesHolds(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]string{
		"key":         "SELECT retention.place_hold('app.note', '3', 'case 8')",
		"until later": "SELECT retention.place_hold('app.note', '3', 'case 8', now() + interval '1 hour')",
		"second of two": "SELECT retention.place_hold('app.note', '4', 'case 7'); " +
			"SELECT retention.release_hold(1, 'over'); " +
			"SELECT retention.place_hold('app.note', '3', 'case 8')",
		"table of no policy": "SELECT retention.place_hold('app.kept', '3', 'case 8')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := kit.Install(t, heldNotes, notesOld)
			in.Exec(t, "GRANT USAGE ON SCHEMA app TO retention_worker; GRANT SELECT ON app.kept TO retention_worker")
			for statement := range strings.SplitSeq(place, "; ") {
				if err := in.Operator(statement); err != nil {
					t.Fatal(err)
				}
			}
			before := kit.Catalog(t, in.DB, "retention")
			done, err := downAll(t, in, "")
			var check *install.Error
			if !errors.As(err, &check) || len(done) > 0 || !strings.Contains(check.Detail, "case 8") ||
				strings.Contains(check.Detail, "case 7") ||
				!strings.Contains(check.Hint, "--export") {
				t.Errorf("down undid %d migrations, want none and an error about case 8: %+v", len(done), err)
			}
			wantCatalog(t, in, before, "after the refusal")
			down, conn := downSQL(t, in), in.Conn(t, kit.Migrator)
			_, err = conn.Exec(t.Context(), down)
			var server *pgconn.PgError
			if !errors.As(err, &server) || server.Code != "55000" || !strings.Contains(server.Detail, "case 8") {
				t.Errorf("the Down part run by another tool: %v, want SQLSTATE 55000 about case 8", err)
			}
			in.Exec(t, "UPDATE retention.hold SET until = '2024-01-01' WHERE released_at IS NULL")
			if _, err := downAll(t, in, ""); err != nil {
				t.Errorf("down after all holds have ended: %v", err)
			}
		})
	}
}

// TestDownWithAnotherTool checks that the Down part runs only if the setting
// pgretain.holds_exported lists all holds that are in force.
func TestDownWithAnotherTool(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, heldNotes, notesOld)
	for _, id := range []string{"3", "4"} {
		if err := in.Operator("SELECT retention.place_hold('app.note', $1, 'case 8')", id); err != nil {
			t.Fatal(err)
		}
	}
	conn := in.Conn(t, kit.Migrator)
	for setting, refused := range map[string]bool{"": true, "{1}": true, "{2}": true, "{2,1}": false} {
		sql := "BEGIN; SET LOCAL pgretain.holds_exported = '" + setting + "'; SELECT retention._refuse_down(); ROLLBACK"
		if _, err := conn.Exec(t.Context(), sql); (err != nil) != refused {
			t.Errorf("pgretain.holds_exported = %q: %v, want an error: %t", setting, err, refused)
		}
		pgtest.Exec(t, conn, "ROLLBACK")
	}
}

// TestDownOfAPolicy checks that a hold does not prevent undoing a migration that keeps the table of
// holds.
func TestDownOfAPolicy(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, heldNotes, notesOld)
	if err := in.Operator("SELECT retention.place_hold('app.note', '3', 'case 8')"); err != nil {
		t.Fatal(err)
	}
	down(t, in)
	if n := pgtest.Value[int](t, in, "SELECT count(*) FROM retention.hold"); n != 1 {
		t.Errorf("retention.hold has %d rows after down, want 1", n)
	}
}

// TestDownExports checks that down --all with an export file writes holds and log before it drops
// them. The rows of the file can be inserted after a new "up", and the next run keeps the held
// rows.
func TestDownExports(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, heldNotes, notesOld)
	for _, sql := range []string{
		"SELECT retention.place_hold('app.note', '3', E'case 8\nof \"x\"')",
		"SELECT retention.place_hold('app.note', '4', 'case 9')",
	} {
		if err := in.Operator(sql); err != nil {
			t.Fatal(err)
		}
	}
	in.Exec(t, "INSERT INTO app.note VALUES (11, 'o', '2023-12-01')")
	in.Done("old", "2024-01-02")
	export := filepath.Join(t.TempDir(), "export.jsonl")
	if _, err := downAll(t, in, export); err != nil {
		t.Fatalf("%v %+v", err, install.Diagnostics(err))
	}
	out, err := os.ReadFile(export)
	if err != nil {
		t.Fatal(err)
	}
	var holds []string
	tables := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var row struct {
			Table string
			Row   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		tables[row.Table]++
		if row.Table == "hold" {
			holds = append(holds, string(row.Row))
		}
	}
	if tables["hold"] != 2 || tables["run"] != 1 || tables["batch"] == 0 {
		t.Errorf("rows exported by table: %v, want 2 of hold, 1 of run, and some of batch", tables)
	}
	in.Up(t)
	slices.Reverse(holds)
	for _, hold := range holds {
		in.Exec(t, `INSERT INTO retention.hold OVERRIDING SYSTEM VALUE
			SELECT * FROM jsonb_populate_record(NULL::retention.hold, $1::jsonb)`, hold)
	}
	if o := in.Done("old", "2024-02-01"); o.Taken != 8 || o.Kept["hold"] != 2 {
		t.Errorf("the run took %d rows and kept %v, want 8 taken and 2 held", o.Taken, o.Kept)
	}
}
