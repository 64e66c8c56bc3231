package migrations_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/migrations"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	"pgretain/tests/fixture"
)

// TestMigrationsMatchSQL compares the migration files with sql/. "go generate" writes the files
// again.
func TestMigrationsMatchSQL(t *testing.T) {
	t.Parallel()
	want, got := map[string]string{}, map[string]string{}
	for _, file := range written(t) {
		want[file.Name] = file.Text
		if *fixture.Update {
			if err := os.WriteFile(file.Name, []byte(file.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	names, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		got[name] = fixture.ReadFile(t, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files are not what sql/ gives; run \"make generate\" (-want +got):\n%s", diff)
	}
}

// TestReadInstallsTheRuntime reads the files as a migration directory, and checks that they install
// exactly the objects of the runtime.
func TestReadInstallsTheRuntime(t *testing.T) {
	t.Parallel()
	history, err := generator.Read(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[generator.ID]string{}, map[generator.ID]string{}
	for _, object := range runtime(t) {
		want[object.ID()] = object.SQL + object.Drop
	}
	for _, object := range history.Objects() {
		got[object.ID()] = object.SQL + object.Drop
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files do not install exactly the runtime (-want +got):\n%s", diff)
	}
}

// TestReadmeSaysWhatRunsExecute compares the chapters that README.md names with the runtime's
// migration. All numbered chapters must be in the lines that the head counts, and the next chapter
// must begin right after these lines.
func TestReadmeSaysWhatRunsExecute(t *testing.T) {
	t.Parallel()
	text := fixture.ReadFile(t, "00001_pgretain_runtime.sql")
	head := regexp.MustCompile(`(?m)^-- A run executes the first (\d+) lines and nothing after them`)
	counted := head.FindStringSubmatch(text)
	if counted == nil {
		t.Fatal("the head of the file does not say how many of its lines a run executes")
	}
	count, err := strconv.Atoi(counted[1])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[count], "-- pgretain: chapter ") {
		t.Fatalf("no chapter begins after line %d", count)
	}
	numbered := regexp.MustCompile(`(?m)^-- pgretain: chapter (\d+) `)
	executed := numbered.FindAllStringSubmatch(strings.Join(lines[:count], "\n"), -1)
	if len(executed) == 0 || numbered.MatchString(strings.Join(lines[count:], "\n")) {
		t.Fatal("the numbered chapters are not the ones that a run executes")
	}
	want := fmt.Sprintf("A run executes chapters 1 to %s and nothing after them", executed[len(executed)-1][1])
	readme := strings.Join(strings.Fields(fixture.ReadFile(t, "../README.md")), " ")
	if !strings.Contains(readme, want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

// TestDefaultNamesStandAlone checks that the runtime contains the default names of the schema and
// the roles only as whole words. An install with other names replaces them wherever they stand.
func TestDefaultNamesStandAlone(t *testing.T) {
	t.Parallel()
	inWord := regexp.MustCompile(`\wretention[._]|SCHEMA retention\w|retention_(owner|worker|runner|operator|viewer)\w`)
	found := 0
	for _, file := range sqlfiles.Files() {
		found += strings.Count(file.Text, "retention.")
		if name := inWord.FindString(file.Text); name != "" {
			t.Errorf("%s/%s.sql contains %q", file.Chapter, file.Name, name)
		}
	}
	if found < 1000 {
		t.Errorf("found %d names with the schema, want at least 1000", found)
	}
}

// TestViewsNameTheirColumns checks that no view selects "*". PostgreSQL expands "*" when it creates
// the view. After an upgrade of the table, the view would differ between old and new installs.
func TestViewsNameTheirColumns(t *testing.T) {
	t.Parallel()
	for _, object := range runtime(t) {
		if object.Kind == generator.KindView && regexp.MustCompile(`(?i)SELECT\s+(\w+\.)?\*`).MatchString(object.SQL) {
			t.Errorf("view %s selects *", object.Name)
		}
	}
}

// TestVersion checks that the functions which compare the version of the runtime contain the
// constant Version.
func TestVersion(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, object := range runtime(t) {
		name, _, _ := strings.Cut(object.Name, "(")
		texts[name] = object.SQL
	}
	for name, text := range map[string]string{
		"retention._half_upgraded": "i.runtime_version <> '" + sqlfiles.Version + "'",
		"retention._step":          "i.runtime_version = '" + sqlfiles.Version + "'",
		"retention._stop_reason":   "i.runtime_version <> '" + sqlfiles.Version + "'",
	} {
		if !strings.Contains(texts[name], text) {
			t.Errorf("%s does not contain %s:\n%s", name, text, texts[name])
		}
	}
}

// TestSettingsArePinned checks that the settings of the caller cannot change the meaning of a
// policy's expressions. A function that calls _pin() or _pin_all() sets all settings that matter.
// Any other function that calls the functions of a policy must use _query_as_worker() or
// _execute_as_worker() with the name of the policy, or set no search_path.
func TestSettingsArePinned(t *testing.T) {
	t.Parallel()
	pinned, asWorker := 0, 0
	callsAsWorker := regexp.MustCompile(`(?s)retention\._(query|execute)_as_worker\(.*, (policy|[pv]_policy\.name)\)`)
	for _, object := range runtime(t) {
		if object.Kind != generator.KindFunction {
			continue
		}
		head, body, ok := strings.Cut(object.SQL, "$function$")
		if !ok {
			continue
		}
		_, head, _ = strings.Cut(head, "CREATE OR REPLACE")
		callsPolicy := strings.Contains(body, "retention._rows_call(") || strings.Contains(body, "retention.%I(") &&
			regexp.MustCompile(`'_(take|start|partition)'|'(beyond|groups)'`).MatchString(body)
		switch {
		case strings.Contains(body, "retention._pin(") || strings.Contains(body, "retention._pin_all("):
			pinned++
			for _, setting := range []string{
				"search_path", "timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits",
				"standard_conforming_strings", "transform_null_equals", "array_nulls",
			} {
				if !strings.Contains(head, "SET "+setting+" = ") {
					t.Errorf("%s evaluates expressions of policies with setting %s of its caller", object.Name, setting)
				}
			}
		case callsPolicy && callsAsWorker.MatchString(body):
			asWorker++
		case callsPolicy && strings.Contains(head, "SET search_path"):
			t.Errorf("%s sets search_path and calls functions of a policy, but does not call _pin()", object.Name)
		}
	}
	if pinned < 3 || asWorker < 3 {
		t.Errorf("%d functions call _pin() and %d call functions of a policy as the worker, want at least 3 of each",
			pinned, asWorker)
	}
}

// written returns the first step of an empty directory: the files that install sql/.
func written(t *testing.T) []generator.File {
	t.Helper()
	empty, err := generator.Read(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := generator.Next(empty, runtime(t), generator.NextOptions{
		Roles: defaults(t).Roles, SearchPath: []string{"pg_catalog", "pg_temp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func runtime(t *testing.T) []generator.Object {
	t.Helper()
	return generator.Runtime(defaults(t))
}

// defaults returns the install of a policy file that has no key "install".
func defaults(t *testing.T) policy.Install {
	t.Helper()
	const text = "version: 1\npolicies: {p: {table: t, where: x, then: [delete]}}\n"
	file, diags := policy.Parse("retention.yaml", []byte(text))
	if file == nil {
		t.Fatal(diags)
	}
	return file.Install
}
