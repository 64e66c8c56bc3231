package pgretain_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain"
)

const tables = `{"version": 1, "tables": [{"schema": "public", "name": "note", "kind": "table", "columns": [
	{"name": "id", "type": "bigint", "not_null": true},
	{"name": "at", "type": "timestamp with time zone", "not_null": true}],
	"primary_key": ["id"]}]}`

const notesOld = `version: 1
policies:
  note_old: {table: public.note, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
`

// compiled compiles a policy file for the table note.
func compiled(t *testing.T, yaml string) (*pgretain.Program, error) {
	t.Helper()
	catalog, err := pgretain.ReadCatalog([]byte(tables))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := pgretain.Parse("retention.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return pgretain.Compile(parsed, catalog)
}

// TestCompileReportsAllErrors compiles a file with two errors that need the tables, and checks
// their codes and places.
func TestCompileReportsAllErrors(t *testing.T) {
	t.Parallel()
	_, err := compiled(t, strings.ReplaceAll(notesOld, "column: at", "column: wrote")+
		"  gone_old: {table: public.gone, due: {age: {column: at, older_than: 30 days}}, then: [delete]}\n")
	list, ok := errors.AsType[pgretain.Diagnostics](err)
	if !ok {
		t.Fatalf("Compile returned %v, want Diagnostics", err)
	}
	var got []string
	for _, d := range list {
		if d.Severity == pgretain.Error {
			got = append(got, d.Code+" "+strings.SplitN(d.String(), " ", 2)[0])
		}
	}
	if diff := cmp.Diff([]string{"P051 retention.yaml:3:54:", "P050 retention.yaml:4:21:"}, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s\n%v", diff, err)
	}
}

// TestWarnings checks that a policy which no job runs compiles, with a warning.
func TestWarnings(t *testing.T) {
	t.Parallel()
	program, err := compiled(t, notesOld)
	if err != nil {
		t.Fatal(err)
	}
	if text := program.Warnings().Error(); !strings.Contains(text, "[L020]") {
		t.Errorf("the warnings do not say that no job runs the policy:\n%s", text)
	}
	if text := program.Explain("nothing"); text != "" {
		t.Errorf("an unknown name is explained: %s", text)
	}
}

// TestMigrationsOfAnEditedDirectory checks that a migration that somebody has edited is refused,
// with its name.
func TestMigrationsOfAnEditedDirectory(t *testing.T) {
	t.Parallel()
	program, err := compiled(t, notesOld)
	if err != nil {
		t.Fatal(err)
	}
	files, err := program.Migrations(fstest.MapFS{})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dir, last := fstest.MapFS{}, files[len(files)-1].Name
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	dir[last].Data = []byte(strings.ReplaceAll(string(dir[last].Data), "30 days", "3 days"))
	_, err = program.Migrations(dir)
	if list, ok := errors.AsType[pgretain.Diagnostics](err); !ok || list[0].File != last {
		t.Errorf("an edited directory: got %v, want Diagnostics about %s", err, last)
	}
}

// TestJobMigrations checks that the job of a policy file with pg_cron in another database has a
// migration of its own.
func TestJobMigrations(t *testing.T) {
	t.Parallel()
	program, err := compiled(t, "install: {cron_database: postgres, database: shop}\n"+notesOld+
		"jobs: {nightly: {schedule: \"0 3 * * *\", run: [note_old]}}\n")
	if err != nil {
		t.Fatal(err)
	}
	here, err := program.Migrations(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := program.JobMigrations(fstest.MapFS{})
	if err != nil || len(elsewhere) != 1 || !strings.Contains(elsewhere[0].Text, "put cron ") {
		t.Fatalf("the jobs: %v, %v", elsewhere, err)
	}
	for _, f := range here {
		if strings.Contains(f.Text, "put cron ") {
			t.Errorf("%s schedules a job", f.Name)
		}
	}
}

// TestNames checks the names and the order of policies and reports.
func TestNames(t *testing.T) {
	t.Parallel()
	parsed, err := pgretain.Parse("retention.yaml", []byte(notesOld+"reports: {notes: {query: SELECT 1}}\n"+
		"jobs: {nightly: {schedule: \"0 3 * * *\", run: [note_old, notes]}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"note_old", "notes"}, parsed.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
