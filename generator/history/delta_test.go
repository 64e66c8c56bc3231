package history_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/tests/fixture"
)

const deltaBefore = `
version: 1
protect: [app.rolled]
policies:
  notes:
    table: app.note
    where: "state = 'done'"
    due: {age: {column: made_at, older_than: 7 days}}
    keep: {open: "EXISTS (SELECT FROM app.review v WHERE v.note_id = t.id AND v.open)"}
    then: [delete]
  served: {table: app.served, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  loans:
    table: app.loan
    ensure: {created_at: {type: timestamptz, default: now()}}
    due: {age: {column: created_at, older_than: 30 days}}
    then: [delete]
reports:
  newest: {query: "SELECT max(at) AS newest FROM app.served"}
jobs:
  nightly: {schedule: "17 3 * * *", run: [notes, served, newest]}
`

// deltas are changes of deltaBefore with the expected lines in the heads of the next files. A line
// has the form "file: sign kind name", with the words of the change for a policy.
var deltas = map[string]struct {
	change func(string) string
	want   []string
}{
	"nothing": {replaced(), nil},
	"comments and blanks": {replaced("policies:", "# why\n\npolicies:  # here\n", "    then: [delete]",
		"\n    then: [delete] # gone"), nil},
	"another indentation": {replaced(
		"    table: app.note\n", "        table:    app.note\n",
		"    where", "        where",
		"    due: {age: {column: made_at", "        due: {age: {column: made_at",
		"    keep", "        keep",
		"    then", "        then",
	), nil},
	"block instead of flow": {replaced("due: {age: {column: made_at, older_than: 7 days}}",
		"due:\n      age:\n        older_than: 7 days\n        column: made_at"), nil},
	"order of keys": {replaced(
		`{schedule: "17 3 * * *", run: [notes, served, newest]}`,
		`{run: [notes, served, newest], schedule: "17 3 * * *"}`,
		"{table: app.served, due: {age: {column: at, older_than: 30 days}}, then: [delete]}",
		"{then: [delete], due: {age: {older_than: 30 days, column: at}}, table: app.served}",
	), nil},
	"order of policies": {lastFirst, nil},
	"defaults spelled out": {replaced("version: 1",
		"version: 1\ndefaults: {batch: {rows: 50000, time: 50ms, lock_timeout: 100ms}, budget: {time: 10m}, "+
			"breaker: {rows: 5000000, fraction: 0.5}, throttle: {busy: 100%}}"), nil},
	"install spelled out": {replaced("version: 1",
		"version: 1\ninstall: {schema: retention, search_path: [public], time_zone: UTC, scheduler: pg_cron}"), nil},
	"a default in the policy": {replaced("then: [delete]\n  served",
		"then: [delete]\n    batch: {rows: 50000, time: 50ms}\n  served"), nil},
	"an equal window": {replaced("older_than: 7 days", "older_than: 7 day"), nil},
	"an anchor":       {replaced("older_than: 7 days", "older_than: &week 7 days"), nil},
	"defaults of all": {replaced("version: 1", "version: 1\ndefaults: {batch: {rows: 100}}"),
		all("batch: sized for 50 ms, at most 50,000 rows -> 100 rows")},
	"a bound of one": {replaced("then: [delete]\n  served", "then: [delete]\n    batch: {rows: 100}\n  served"),
		[]string{"policies: ~ policy notes: batch: sized for 50 ms, at most 50,000 rows -> 100 rows"}},
	"description": {replaced("    table: app.note", "    description: old\n    table: app.note"),
		[]string{"policies: ~ policy notes: with about: old"}},
	"protect": {replaced("[app.rolled]", "[app.rolled, app.transfer]"),
		[]string{`policies: ~ install install: protect: "app.rolled" -> "app.rolled", "app.transfer"`}},
	"time zone": {replaced("version: 1", "version: 1\ninstall: {time_zone: Europe/Berlin}"),
		append(all("due: ... days back -> ... days back (days of Europe/Berlin)"),
			"policies: ~ policy newest: the same definition, other SQL",
			`policies: ~ install install: time_zone: "UTC" -> "Europe/Berlin"`)},
	"search path": {replaced("version: 1", "version: 1\ninstall: {search_path: [public, app]}"),
		append(all("the same definition, other SQL"), "policies: ~ policy newest: the same definition, other SQL",
			`policies: ~ install install: search_path: "public" -> "public, app"`)},
	"order in a job": {replaced("[notes, served, newest]", "[served, notes, newest]"),
		[]string{"policies: ~ job nightly: runs: ... notes, then served, then newest -> ... served, then notes, " +
			"then newest"}},
	"another schedule": {replaced("17 3", "18 3"),
		[]string{"policies: ~ cron retention.nightly: SQL: SELECT retention._schedule_job('retention.nightly', " +
			"'17 3 * ... -> SELECT retention._schedule_job('retention.nightly', '18 3 * ...",
			"policies: ~ job nightly: runs: on schedule 17 3 * ... -> on schedule 18 3 * ..."}},
	"one more schedule": {replaced(`"17 3 * * *"`, `["17 3 * * *", "@reboot"]`),
		[]string{"policies: + cron retention.nightly#2",
			"policies: ~ job nightly: runs: ... *, in job ... -> ... * and @reboot, in job ..."}},
	"a job renamed": {replaced("nightly:", "night:"),
		[]string{"policies: - cron retention.nightly", "policies: + job night", "policies: + cron retention.night",
			"policies: - job nightly"}},
	"no jobs": {replaced("jobs:\n  nightly: {schedule: \"17 3 * * *\", run: [notes, served, newest]}\n", ""),
		[]string{"policies: - cron retention.nightly", "policies: - job nightly"}},
	"no scheduler": {replaced("version: 1", "version: 1\ninstall: {scheduler: none}"),
		[]string{"policies: - cron retention.nightly", `policies: ~ install install: scheduler: "pg_cron" -> "none"`}},
	"a column's default": {replaced("default: now()", "default: \"now() - interval '1 day'\""),
		[]string{"tables: ~ column app.loan.created_at: " +
			"SQL: ... (now()) -> ... (now() - interval '1 day'); SQL: ... (now()) -> ... (now() - interval '1 day')"}},
	"a report": {replaced("max(at)", "min(at)"),
		[]string{"policies: ~ policy newest: asks: SELECT max(at) AS newest ... -> SELECT min(at) AS newest ..."}},
	"a report removed": {
		replaced(
			"reports:\n  newest: {query: \"SELECT max(at) AS newest FROM app.served\"}\n", "",
			", newest]", "]",
		),
		[]string{
			"policies: ~ job nightly: runs: ... served, then newest -> ... served",
			"policies: - policy newest",
		}},
	"another window": {replaced("older_than: 7 days", "older_than: 8 days"),
		[]string{"policies: ~ policy notes: due: ... 7 days back -> ... 8 days back"}},
	"another index": {replaced("where: \"state = 'done'\"", "where: \"state = 'gone'\""),
		[]string{"indexes: + index app.pgretain_note", "drop_indexes: - index app.pgretain_note",
			"policies: ~ policy notes: where: state = 'done' -> state = 'gone'"}},
	"a policy that reads more": {
		replaced(
			"EXISTS (SELECT FROM app.review v",
			"EXISTS (SELECT FROM app.config) OR EXISTS (SELECT FROM app.review v",
		),
		[]string{
			"tables: + privilege app.config",
			"policies: ~ policy notes: keeps: open: EXISTS (SELECT FROM app.review v ... -> " +
				"open: EXISTS (SELECT FROM app.config) OR EXISTS (SELECT FROM app.review v ...",
		}},
}

// all returns the lines for a change of every policy of the file.
func all(words string) []string {
	return []string{"policies: ~ policy loans: " + words, "policies: ~ policy notes: " + words,
		"policies: ~ policy served: " + words}
}

// replaced returns a function that replaces the first occurrence of the first text of each pair by
// the second text.
func replaced(pairs ...string) func(string) string {
	return func(s string) string {
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(s, pairs[i]) {
				panic("not in the file: " + pairs[i])
			}
			s = strings.Replace(s, pairs[i], pairs[i+1], 1)
		}
		return s
	}
}

// lastFirst moves the last policy to the front.
func lastFirst(s string) string {
	start := strings.Index(s, "  loans:")
	end := strings.Index(s, "reports:")
	return s[:start][:strings.Index(s, "  notes:")] + s[start:end] + s[strings.Index(s, "  notes:"):start] + s[end:]
}

// TestDelta checks that a change of the policy file gives exactly the expected changes of objects,
// and that a second step is empty.
func TestDelta(t *testing.T) {
	t.Parallel()
	for name, c := range deltas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			deltaStep(t, dir, deltaBefore)
			after := c.change(deltaBefore)
			files := deltaStep(t, dir, after)
			want := slices.Sorted(slices.Values(c.want))
			if diff := cmp.Diff(want, deltaLines(files)); diff != "" {
				t.Errorf("lines of the heads (-want +got)\n%s", diff)
			}
			if more := deltaStep(t, dir, after); len(more) > 0 {
				t.Errorf("Next writes a second step for the same file: %v", deltaLines(more))
			}
		})
	}
}

var (
	deltaName = regexp.MustCompile(`^[0-9]+_(?:pgretain|retention)_(.*)\.sql$`)
	headLine  = regexp.MustCompile(`(?m)^--   ([-+~]) ([a-z]+) "(.*?)(?:_[0-9a-f]{8})?"(: .*)?$`)
)

// deltaLines returns the lines of the heads in the form of deltas, sorted.
func deltaLines(files []generator.File) []string {
	var lines []string
	for _, f := range files {
		for _, m := range headLine.FindAllStringSubmatch(f.Text, -1) {
			lines = append(lines, deltaName.FindStringSubmatch(f.Name)[1]+": "+m[1]+" "+m[2]+" "+m[3]+m[4])
		}
	}
	slices.Sort(lines)
	return lines
}

// TestDeltaRefuses checks that a change which no migration can make is refused at its line with a
// hint, and that no file is written.
func TestDeltaRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(string) string
		want   string
		line   int
	}{
		"schema": {replaced("version: 1", "version: 1\ninstall: {schema: keep}"),
			`schema "retention" in the migrations, "keep" in the policy file`, 3},
		"owner": {replaced("version: 1", "version: 1\ninstall: {roles: {owner: o}}"),
			`owner "retention_owner" in the migrations, "o" in the policy file`, 3},
		"runner": {replaced("version: 1", "version: 1\ninstall: {roles: {runner: r}}"),
			`runner "retention_runner" in the migrations, "r" in the policy file`, 3},
		"viewer": {replaced("version: 1", "version: 1\ninstall: {roles: {viewer: v}}"),
			`roles that may read "retention_worker, retention_runner, retention_operator, retention_viewer" ` +
				`in the migrations, ` +
				`"retention_worker, retention_runner, retention_operator, v" in the policy file`, 3},
		"no roles": {replaced("version: 1", "version: 1\ninstall: {roles: none}"),
			`owner "retention_owner" in the migrations, roles: none in the policy file`, 3},
		"a column's type": {replaced("type: timestamptz", "type: timestamp"),
			`an earlier migration added column "created_at" of table "app.loan" with another type`, 14},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			deltaStep(t, dir, deltaBefore)
			files, list := tryDelta(t, dir, c.change(deltaBefore))
			if len(list) != 1 || !strings.Contains(list[0].Message, c.want) || list[0].Position.Line != c.line ||
				list[0].Hint == "" || len(files) > 0 {
				t.Errorf("got %v %+v, want %q in line %d with a hint", deltaLines(files), list, c.want, c.line)
			}
		})
	}
}

// TestDeltaColumnTypeFollowsTheTable checks that "ensure" may have another type than the earlier
// migration if the table has that type.
func TestDeltaColumnTypeFollowsTheTable(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{}
	deltaStep(t, dir, deltaBefore)
	file, _ := policy.Parse("retention.yaml", []byte(replaced("type: timestamptz", "type: timestamp")(deltaBefore)))
	snapshot := deltaSnapshot(t, file)
	loan := snapshot.Table("app.loan")
	loan.Columns = append(loan.Columns, catalog.Column{Name: "created_at", Type: "timestamp without time zone"})
	if _, list := generator.Compile(file, snapshot, mustRead(t, dir)); list.HasErrors() {
		t.Errorf("the table has the new type, but Compile refuses it: %v", list)
	}
}

// TestDeltaOfUnchangedArchive checks that the next step is empty if an earlier migration creates an
// archive that the snapshot does not contain.
func TestDeltaOfUnchangedArchive(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{}
	archive := "{archive: {into: app.old_served, create: true, set: {run_id: run.id}}}"
	yaml := replaced("at, older_than: 30 days}}, then: [delete]", "at, older_than: 30 days}}, then: ["+
		archive+", delete]")(deltaBefore)
	deltaStep(t, dir, yaml)
	if files := deltaStep(t, dir, yaml); len(files) > 0 {
		t.Errorf("got %+v, want no files", files)
	}
}

// deltaStep adds the next step for a policy file to the directory, and returns its files.
func deltaStep(t *testing.T, dir fstest.MapFS, yaml string) []generator.File {
	t.Helper()
	files, list := tryDelta(t, dir, yaml)
	if len(list) > 0 {
		t.Fatalf("%v\n%s", list, yaml)
	}
	addFiles(t, dir, files)
	return files
}

// tryDelta returns the next step for a policy file, or the diagnostics that refuse it.
func tryDelta(t *testing.T, dir fstest.MapFS, yaml string) ([]generator.File, diag.List) {
	t.Helper()
	file, list := policy.Parse("retention.yaml", []byte(yaml))
	if list.HasErrors() {
		t.Fatalf("%v\n%s", list, yaml)
	}
	history := mustRead(t, dir)
	objects, list := generator.Compile(file, deltaSnapshot(t, file), history)
	if faults := generator.Faults(file, deltaSnapshot(t, file), history); !slices.Equal(faults, list.Unique()) {
		t.Errorf("Faults returns %v, but Compile %v", faults, list)
	}
	if list.HasErrors() {
		return nil, list
	}
	files, err := generator.Next(history, objects, generator.NextOptions{Roles: file.Install.Roles,
		SearchPath: file.Install.Path(), Trust: file.Install.Trust})
	var refused *generator.ObjectError
	if errors.As(err, &refused) {
		return nil, diag.List{refused.Diagnostic()}
	} else if err != nil {
		t.Fatal(err)
	}
	return files, nil
}

func deltaSnapshot(t *testing.T, file *policy.File) *catalog.Snapshot {
	t.Helper()
	snapshot, err := catalog.Read(fixture.ReadFile(t, "../testdata/catalog.json"))
	if err != nil {
		t.Fatal(err)
	}
	snapshot.SearchPath = file.Install.SearchPath
	return snapshot
}
